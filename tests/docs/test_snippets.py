"""Every example of the documentation runs, and prints what the page says.

The blocks of a page run in order, in one folder, one namespace and one process, the commands too:
to start Python for each of them took most of the time. `tests/cli` runs them as programs. A
`python` block may be followed by an `output` block with all that it prints. A `console` block holds
`schedlab` commands and what they print; lines may be left out. In both, `...` stands for any text
within a line. Most pages begin with the same `schedlab demo` in an empty folder: it runs once, and
further pages get a copy of what it made. At the end, all runs that a page left are repeated by
their run.json, and the commands of its reports are pasted.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import os
import re
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from docs.programs import run_program
from docs.repeated import REFUSED, SAME, paste_commands, repeat_runs

import schedlab as sl

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


WITH_OBJECTS = {
    "docs/reference/dashboard.md": 2,
    "docs/reference/experiments.md": 2,
    "docs/reference/run-folder.md": 3,
    "docs/reference/run-spec.md": 1,
    "docs/reference/thermal.md": 1,
    "docs/reference/watching.md": 1,
    "docs/tutorials/applications-in-a-workload.md": 2,
    "docs/tutorials/compare-dispatchers.md": 1,
    "docs/tutorials/fit-a-processor.md": 3,
    "docs/tutorials/thermal-aware.md": 2,
}
"""How many runs of a page have parts that are Python objects, so that no file repeats them."""

PASTED = {
    "README.md": 7,
    "docs/reference/report.md": 16,
    "docs/tutorials/compare-dispatchers.md": 6,
    "docs/tutorials/first-simulation.md": 7,
    "docs/tutorials/placement.md": 3,
}
"""How many runs the commands of a page's reports make again."""


SHOWN = ("text", "sh", "toml", "json", "yaml", "mermaid")
"""Kinds of blocks that are read and not run: those of `sh` need files that are not here."""


class Block(NamedTuple):
    """A fenced block of a page."""

    kind: str
    line: int  # of the fence
    text: str


def blocks(page: Path) -> list[Block]:
    """Returns the fenced blocks of a page."""
    found, opened, lines = [], None, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if opened is None and line.startswith("```"):
            opened, lines = (line[3:].strip(), number), []
        elif opened is not None and line.rstrip() == "```":
            found.append(Block(*opened, "\n".join(lines) + "\n"))
            opened = None
        elif opened is not None:
            lines.append(line)
        else:  # or it would be no block to us, and its example would not run
            assert not line.lstrip().startswith(("```", "~~~")), f"{page}:{number}: is indented"
    assert opened is None, f"{page}: the block of line {opened[1]} has no end"
    return found


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Returns the commands of a console block, each with the lines it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.strip():
            assert found, f"a console block begins with a command, not {line!r}"
            found[-1][1].append(line)
    return found


def is_printed(expected: str, lines: list[str]) -> bool:
    """Returns whether one of the lines is what the page says, up to `...` and blanks at the end."""
    pattern = re.escape(expected.rstrip()).replace(re.escape("..."), ".*")
    return any(re.fullmatch(pattern, line.rstrip()) for line in lines)


def run_command(command: str) -> list[str]:
    """Runs a command of a console block and returns the lines it printed."""
    done = run_program(command)
    assert done.code == 0, f"{command}: exit code {done.code}\n{done.complaints}"
    return done.printed.splitlines()


class Demos:
    """Folders that `schedlab demo` made, one for each way in which pages call it.

    Args:
        folder: Where they are kept, for all processes that run tests.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def answers(self, command: str) -> bool:
        """Returns whether a command depends on nothing but its own words."""
        words = shlex.split(command)
        out = words[words.index("--out") + 1] if "--out" in words else "demo-run"
        return (
            words[:2] == ["schedlab", "demo"] and "--force" not in words and not Path(out).exists()
        )

    def run(self, command: str) -> list[str]:
        """Returns the lines that a command prints; what it writes is in the current folder."""
        made = self._folder / hashlib.sha256(command.encode()).hexdigest()[:16]
        made.mkdir(parents=True, exist_ok=True)
        files, printed = made / "files", made / "printed.txt"
        with (made / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not printed.exists():
                shutil.rmtree(files, ignore_errors=True)
                files.mkdir()
                with contextlib.chdir(files):
                    lines = run_command(command)
                printed.write_text("\n".join(lines), encoding="utf-8")
        shutil.copytree(files, ".", dirs_exist_ok=True)
        return printed.read_text(encoding="utf-8").split("\n")


@pytest.fixture(scope="session")
def demos(tmp_path_factory: pytest.TempPathFactory) -> Demos:
    base = tmp_path_factory.getbasetemp()  # with several workers, each has its own below another
    return Demos((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demos")


def _close_figures() -> None:
    """Closes what a page drew with pyplot."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(
    page: Path,
    demos: Demos,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.syspath_prepend(tmp_path)  # as for a script in that folder
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed: list[str] = []
    request.addfinalizer(_close_figures)
    for block in blocks(page):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        if block.kind == "python":
            stream = io.StringIO()
            code = compile("\n" * block.line + block.text, str(page), "exec", dont_inherit=True)
            with contextlib.redirect_stdout(stream):
                exec(code, namespace)
            printed = stream.getvalue().splitlines()
        elif block.kind == "output":
            expected = block.text.splitlines()
            wrong = [line for line in expected if not is_printed(line, printed)]
            assert not wrong, f"{where}: does not print {wrong}, but {printed}"
            assert len(expected) == len(printed), f"{where}: prints {printed}"
        elif block.kind == "console":
            for command, expected in commands(block.text):
                lines = (demos.run if demos.answers(command) else run_command)(command)
                wrong = [line for line in expected if not is_printed(line, lines)]
                assert not wrong, f"{where}: {command}: does not print {wrong}, but {lines}"
        else:
            assert block.kind in SHOWN, f"{where}: a block of kind {block.kind!r} is not run"
    name = str(page.relative_to(ROOT))
    found = len(list(tmp_path.rglob("run.json")))
    refused = WITH_OBJECTS.get(name, 0)
    assert repeat_runs(tmp_path) == Counter({SAME: found - refused, REFUSED: refused})
    assert paste_commands(tmp_path) == PASTED.get(name, 0)


def test_runs_that_are_not_repeated_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Of what the check of the pages' runs is made: one of each kind, and ones that differ."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)
    rows = [(i, 5 * i, -1, 9 + i % 5, 1, -1, -1, 1, 20) + (-1,) * 9 for i in range(1, 40)]
    sl.write_swf("a.swf", rows)
    machine = {"groups": {"n": {"nodes": 2, "resources": {"core": 2}}}}
    sl.simulate("a.swf", system=machine, out="same", timeline="csv")
    sl.simulate([sl.Job(1, 0, 5)], system=machine, out="objects")
    assert repeat_runs(tmp_path) == Counter({SAME: 1, REFUSED: 1})
    sl.write_report("same", "page.html", plots=[])
    assert paste_commands(tmp_path) == 1
    table = Path("same-again/jobs.csv")
    table.write_text(table.read_text().replace("completed", "killed", 1))
    with pytest.raises(AssertionError, match=r"same-again/run\.json"):
        repeat_runs(tmp_path)
    sl.simulate("a.swf", system=machine, out="same-again", force=True)
    sl.write_swf("a.swf", rows[:-1])
    with pytest.raises(AssertionError, match="has changed since"):
        repeat_runs(tmp_path)
    Path("a.swf").unlink()
    with pytest.raises(AssertionError, match="no such file"):
        repeat_runs(tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), f"{page.name}: {target} does not exist"
