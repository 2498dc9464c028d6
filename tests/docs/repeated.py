"""Runs that the examples of a page left: `schedlab run RUN.json` repeats each of them.

And so do the commands of the reports that it left, as they are copied from there.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
import shlex
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from docs.programs import run_program
from same_runs import content

import schedlab as sl
from schedlab.simulation.spec.data import names_code
from schedlab.simulation.spec.files import read_recorded

SAME, REFUSED = "same", "refused"
"""What becomes of a run: it is repeated, or it is refused, since a part was a Python object."""

_REPEATED: dict[str, str] = {}
"""What became of runs that several pages have a copy of, by the checksum of run.json."""


def repeat_runs(folder: Path) -> Counter[str]:
    """Repeats all runs below a folder, which is the current one.

    Returns:
        How many were the same, and how many were refused.
    """
    ends: Counter[str] = Counter()
    for path in sorted(folder.rglob("run.json")):
        checksum = hashlib.sha256(path.read_bytes()).hexdigest()
        if checksum not in _REPEATED:
            _REPEATED[checksum] = _repeat(os.path.relpath(path))
        ends[_REPEATED[checksum]] += 1
    return ends


def _repeat(path: str) -> str:
    """Repeats a run by its run.json, and returns what became of it."""
    run = read_recorded(path)
    with tempfile.TemporaryDirectory() as place:
        again = f"{place}/again"
        words = ["schedlab", "run", path, *_formats(run), *_trust(path, run), "--out", again]
        done = run_program(shlex.join(words))
        if "objects" in run["spec"]:
            name, text = next(iter(run["spec"]["objects"].items()))
            assert done.code == 2, path
            assert f"{path}: {name}: was a Python object ({text})" in done.complaints
            return REFUSED
        assert done.code == 0, f"{path}: {done.complaints}"
        assert "has changed since" not in done.complaints, f"{path}: {done.complaints}"
        assert sl.Result.load(again).run["spec"] == run["spec"], path
        assert content(again) == content(Path(path).parent), path
    return SAME


def _formats(run: dict[str, Any]) -> list[str]:
    """Returns the options for the tables that a run has."""
    endings = dict(file.split(".") for file in run["files"])
    names = ("jobs", "timeline")
    return [word for name in names for word in (f"--{name}", endings.get(name, "none"))]


def _trust(path: str, run: dict[str, Any]) -> list[str]:
    """Returns --trust-code where the run needs it, and only there."""
    applications = any(":" in text for text in run["workload"].get("applications", ()))
    names = names_code(sl.RunSpec.from_file(path))
    return ["--trust-code"] if names or applications else []


def paste_commands(folder: Path) -> int:
    """Runs the commands of all reports below a folder, which is the current one.

    Returns:
        How many runs they made; each is the same as before.
    """
    made = 0
    for page in sorted(folder.rglob("*.html")):
        text = page.read_text(encoding="utf-8")
        if '<section id="again">' not in text:
            continue
        block = html.unescape(re.findall(r"<pre>(schedlab [^<]*)</pre>", text)[0])
        *commands, of_page = re.split(r"(?<!\\)\n", block)
        assert of_page.startswith("schedlab report ")
        for command in commands:
            done = run_program(command)
            assert done.code == 0, f"{page}: {command}: {done.complaints}"
            words = shlex.split(command.replace("\\\n", " "))
            made += _same_below(Path(words[words.index("--out") + 1]))
    return made


def _same_below(again: Path) -> int:
    """Checks the runs of a folder that a command of a report wrote; returns how many they are."""
    first = Path(re.sub(r"-again(-\d+)?$", "", str(again)))
    runs = sorted(again.rglob("run.json"))
    assert len(runs) == len(list(first.rglob("run.json"))) > 0
    for path in runs:
        of_first = first / path.parent.relative_to(again)
        assert content(path.parent) == content(of_first), path
    return len(runs)
