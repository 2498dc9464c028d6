"""Where the tests find real traces and other simulators' schedules."""

from __future__ import annotations

import gzip
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings
from leftovers import (  # noqa: F401  # hooks of pytest
    pytest_collection_finish,
    pytest_runtest_teardown,
)
from skips import (  # noqa: F401  # hooks of pytest
    absent_from_shared,
    pytest_make_collect_report,
    pytest_runtest_makereport,
    pytest_terminal_summary,
)

# Shells start programs in the background with these ignored, and what tests start inherits it.
for number, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

# `make test` tries the same examples each time; HYPOTHESIS_PROFILE=long, by hand, many others.
settings.register_profile("default", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("sanitize", deadline=None, max_examples=12, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=1_000)
settings.register_profile("deep", deadline=None, max_examples=20_000)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")
settings.load_profile(PROFILE)


def examples(count: int) -> settings:
    """N examples of a property, or as few as the profile has."""
    return settings(max_examples=min(count, settings.default.max_examples))


def no_fewer_than(count: int) -> int:
    """N examples even where the profile has fewer: few would leave boundaries unmet.

    The sanitizers look at what runs and not at what comes out, and few examples run it all.
    """
    few = settings.default.max_examples
    return few if PROFILE == "sanitize" else max(count, few)


SHARED = Path(__file__).resolve().parents[1].parent / "shared"

SETH = {
    "system_name": "Seth - HPC2N",
    "start_time": 1027839845,
    "equivalence": {"processor": {"core": 2}},
    "groups": {"g0": {"core": 4, "mem": 1000000}},
    "resources": {"g0": 120},
}
"""AccaSim's description of the machine of the HPC2N trace (its paper, figure 7)."""


def expand_nodes(nodes: str) -> list[tuple[int, int]]:
    """Returns (node from 0, tasks) for the compact form of jobs.csv: "16-35*2 40"."""
    expanded = []
    for item in nodes.split():
        span, _, tasks = item.partition("*")
        first, _, last = span.partition("-")
        expanded += [(n, int(tasks or 1)) for n in range(int(first), int(last or first) + 1)]
    return expanded


def shared_file(*parts: str) -> Path:
    """Returns a file of the shared folder; skips the test where there is no such folder."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        absent_from_shared("/".join(parts), folder_is_there=SHARED.is_dir())
    return path


@pytest.fixture(scope="session")
def trace():
    """Returns a function from a trace's name to its path."""
    return lambda name: shared_file("traces", name)


@pytest.fixture(scope="session")
def golden():
    """Returns a function from a golden file's name to its rows, as lists of text."""

    def rows(*parts: str) -> list[list[str]]:
        with gzip.open(shared_file("golden", *parts), "rt") as file:
            return [line.rstrip("\n").split(",") for line in file][1:]

    return rows
