"""The engine runs programs of tests: what their ranks return, and what jobs.csv says about jobs."""

from __future__ import annotations

import csv
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schedlab import Job, Simulation
from schedlab.application import iterative

SYSTEM: dict[str, Any] = {
    "groups": {"all": {"nodes": 16, "resources": {"core": 4}}},
    "network": {
        "topology": "torus",
        "dimensions": [2, 2, 2],
        "nodes_per_router": 2,
        "bandwidth": 4e10,
        "delay": 1e-7,
        "host_bandwidth": 8e10,
        "host_delay": 5e-7,
        "messages": {"packet": 256},
        "files": {"bandwidth": 1e9, "node_bandwidth": 4e8},
        "compute": {"integer": 4e9, "floating": 8e9, "memory": 5e9},
    },
}
"""16 nodes of 4 cores."""

PROGRAMS: dict[int, Callable] = {}
RETURNED: dict[int, dict[int, Any]] = {}


def registered(mpi, number: int):
    """One of PROGRAMS; what each rank returns goes to RETURNED."""
    RETURNED[number][mpi.rank] = yield from PROGRAMS[number](mpi)


def compute_for(mpi, seconds: float):
    """Every rank computes, and sends nothing."""
    yield mpi.compute(seconds)


@iterative
def broken(mpi, iterations: int = 1):
    """Goes wrong at once."""
    raise ValueError(f"rank {mpi.rank} of job {mpi.job}")
    yield


@contextmanager
def text_of(program: Callable) -> Generator[tuple[str, dict[int, Any]]]:
    """Gives the text by which jobs name a program, and what its ranks return, by rank."""
    number = len(PROGRAMS)
    PROGRAMS[number], RETURNED[number] = program, {}
    yield f"oracles.message_engine:registered(number={number})", RETURNED[number]
    PROGRAMS[number] = lambda mpi: iter(())


def with_network(**changes: Any) -> dict[str, Any]:
    """The system with another network."""
    return {**SYSTEM, "network": {**SYSTEM["network"], **changes}}


def simulation(jobs: Sequence[Job], **options: Any) -> Simulation:
    return Simulation(jobs, **{"system": SYSTEM, "enforce_limits": False, **options})


class Ended:
    """A program that ran on some ranks in the engine, alone.

    Attributes:
        returned: By rank.
        job: Its row of jobs.csv.
        rank_ends: Picoseconds from its start.
    """

    def __init__(self, program: Callable | str, ranks: int, per_node: int = 4, **options: Any):
        with text_of(program) if callable(program) else _named(program) as (text, returned):
            job = Job(1, 0, 1.0, ranks, tasks_per_node=per_node, application=text)
            made = simulation([job], **options)
            (self.job,) = rows(made)
            self.returned = [returned.get(rank) for rank in range(ranks)]
        self.rank_ends = made.engine.rank_ends
        self.messages, self.bytes = (int(float(self.job[each])) for each in ("messages", "bytes"))


@contextmanager
def _named(text: str) -> Generator[tuple[str, dict[int, Any]]]:
    yield text, {}


def rows(made: Simulation) -> list[dict[str, str]]:
    """Runs a simulation to its end, and gives the rows of its jobs.csv."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "jobs.csv"
        made.record_jobs(path)
        made.run()
        with path.open() as file:
            return list(csv.DictReader(file))
