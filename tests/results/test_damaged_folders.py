"""Damaged files of run folders: each is refused with file and field, line or column."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from fuzz.harness import run_command
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.results.run_shape import check_run
from schedlab.watch import open_run
from schedlab.watch.status import answers, moment_of, split_queries

SYSTEM = {
    "groups": {
        "thin": {"nodes": 3, "resources": {"core": 4}},
        "fat": {"nodes": 1, "resources": {"core": 8, "mem": 64}},
    }
}
JOBS = [sl.Job(n, submit=10 * n, run=35 + n, processors=1 + n % 6) for n in range(1, 12)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a sound run folder, without the checksums that would say about any change."""
    sl.simulate(JOBS, system=SYSTEM, out=tmp_path / "run", timeline="csv")
    changed(tmp_path / "run", "tables", ...)
    return tmp_path / "run"


def refused(*command: str) -> None:
    """Raises AssertionError unless a command refuses its input with one line and exit code 2."""
    with pytest.raises(sl.InputError, match=r"^schedlab: error: [^\n]*\n$"):
        run_command(*command)


def changed(folder: Path, path: str, value: Any) -> None:
    """Changes a field of run.json; `...` takes it away."""
    file = folder / "run.json"
    run = json.loads(file.read_text())
    holder = run
    *parents, last = path.split(".")
    for key in parents:
        holder = holder[key]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    file.write_text(json.dumps(run))


FIELDS = [
    ("metrics.wait", 3, "metrics.wait: must be a table in braces (is 3)"),
    ("metrics.wait.mean", "x", 'metrics.wait.mean: must be a number (is "x")'),
    ("metrics.makespan", ..., "metrics.makespan: is missing"),
    ("metrics.utilization", {"gpu": 0.5}, "metrics.utilization: system.capacity has no gpu"),
    ("counts.submitted", -1, "counts.submitted: must be from 0 to 9223372036854775807 (is -1)"),
    ("counts", [], "counts: must be a table in braces (is a list)"),
    ("files", ["../jobs.csv"], "files[0]: must be one of jobs.csv, "),
    ("system.nodes", 2_000_000_000, "system.nodes: is not that of system.groups, which have 4"),
    ("system.groups.thin.nodes", 2_000_000_000, "groups.thin.nodes: must be at most 10000000"),
    ("system.groups.fat", None, "system.groups.fat: must be a table in braces (is null)"),
    ("system.start_time", 1.5, "system.start_time: must be a whole number (is 1.5)"),
    ("time.now", 1e300, "time.now: must be from -9.22337e+09 to 9.22337e+09 (is 1e+300)"),
    ("status", "done", "status: must be one of complete, interrupted, failed, running"),
    ("format", 2, "format: must be 1, which this version of schedlab reads (is 2)"),
    ("workload.header", {"MaxProcs": 7}, "workload.header.MaxProcs: must be text (is 7)"),
    ("scheduler", "\ud800", "scheduler: has half of a character"),
    ("simulator.cpu_seconds", True, "simulator.cpu_seconds: must be a number (is true)"),
    ("tables", {"run.json": {}}, "tables.run.json: is not one of jobs.csv, "),
    ("tables", {"jobs.csv": {"bytes": 5}}, "tables.jobs.csv.checksum: is missing"),
    ("metrics.more", 2**70, "metrics.more: must be a smaller number"),
]


@pytest.mark.parametrize(("path", "value", "message"), FIELDS)
def test_fields_of_run_json(folder: Path, path: str, value: Any, message: str) -> None:
    changed(folder, path, value)
    with pytest.raises(sl.InputError, match=re.escape(f"{folder}/run.json: ")) as caught:
        sl.Result.load(folder)
    assert message in str(caught.value)
    assert "restore it, or run the simulation again" in str(caught.value)
    refused("status", str(folder))
    refused("report", str(folder))
    refused("plot", "slowdown", str(folder), "--out", f"{folder}.png")


TEXTS = [
    (b"", "run.json:1:1: cannot be read as JSON"),
    (b"{}", "run.json: format: must be 1"),
    (b"[]", "run.json: is not the file of a run: it holds a list"),
    (b'{"a": 1, "a": 2}', 'run.json: key "a" appears twice in one table'),
    (b'{"a": NaN}', "run.json: NaN is not a number in JSON"),
    (b'{"a": 1e999}', "run.json: a: must be a finite number (is inf)"),
    (b'{"a": ' + b"9" * 5000 + b"}", "run.json: a number has too many digits"),
    (b'{\n"a": "\xff"}', "run.json:2: is not UTF-8 text"),
    (b"\xef\xbb\xbf{}", "run.json:1:1: cannot be read as JSON"),
    (b"[" * 100_000, "run.json: is nested too deeply"),
    (b'{"a":' * 70 + b"1" + b"}" * 70, "is nested more than 60 deep"),
    (b'{"a": 1}\x00', "run.json:1:9: cannot be read as JSON: Extra data"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS)
def test_texts_of_run_json(folder: Path, text: bytes, message: str) -> None:
    (folder / "run.json").write_bytes(text)
    with pytest.raises(sl.InputError, match=re.escape(message)):
        sl.Result.load(folder)


def replaced_cell(folder: Path, table: str, line: int, column: str, cell: str) -> None:
    """Replaces a cell of a table; line 1 has the names."""
    lines = (folder / table).read_text().splitlines()
    place = lines[0].split(",").index(column)
    cells = lines[line - 1].split(",")
    cells[place] = cell
    lines[line - 1] = ",".join(cells)
    (folder / table).write_text("\n".join(lines) + "\n")


CELLS = [
    ("jobs", "submit", "x", 'submit: cannot be read as a number (is "x")'),
    ("jobs", "submit", "nan", "submit: must be a finite number (is nan)"),
    ("jobs", "submit", "1e300", "submit: must be from "),
    ("jobs", "submit", "", "submit: must not be empty (is null)"),
    ("jobs", "submit", "5000", "start: is "),
    ("jobs", "end", "1", "end: is 1.0, before its start, "),
    ("jobs", "state", "asleep", "state: must be one of completed, killed, failed, rejected"),
    ("jobs", "nodes", "0-999999999", "nodes: must be below 4"),
    ("jobs", "nodes", "3-1", "nodes: must ascend"),
    ("jobs", "nodes", "0 0 0 0", "nodes: must ascend"),
    ("jobs", "nodes", "1*0", "nodes: must have a task or more"),
    ("jobs", "nodes", "all", "nodes: must match "),
    ("jobs", "tasks", "99999999999999999999", "tasks: cannot be read as a number"),
    ("jobs", "amounts", "core=" + "9" * 40, "amounts: must match "),
    ("timeline", "time", "-inf", "time: must be a finite number"),
    ("timeline", "time", "1", "time: must not be less than in the row before"),
    ("timeline", "queued", "-1", "queued: must be from 0 to "),
    ("timeline", "core_used", "21", "core_used: must be from 0 to 20 (is 21)"),
    ("timeline", "mem_used", "0.5", "mem_used: cannot be read as a number"),
]


@pytest.mark.parametrize(("table", "column", "cell", "message"), CELLS)
def test_cells(folder: Path, table: str, column: str, cell: str, message: str) -> None:
    replaced_cell(folder, f"{table}.csv", 4, column, cell)
    with pytest.raises(sl.InputError) as caught:
        read_all(folder)
    assert f"{folder}/{table}.csv:4: column {message}" in str(caught.value)
    refused("status", str(folder))


def read_all(folder: Path) -> None:
    """Reads everything of a run that `status` reports."""
    view = open_run(folder)
    answers(view, moment_of(view), split_queries(["clock", "jobs", "nodes", "machine", "metrics"]))


def without_half(content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join(lines[: len(lines) // 2])


TABLES = [
    ("jobs", without_half, "has 5 rows, and run.json counts 11 jobs that ended"),
    ("timeline", without_half, "rows, and run.json counts "),
    ("jobs", lambda content: b"", "jobs.csv:1: is not a line that names the columns"),
    ("jobs", lambda content: content[:40], "jobs.csv:1: is not a line that names the columns"),
    ("jobs", lambda content: b"job_id,job_id\n1,1\n", 'jobs.csv:1: names column "job_id" twice'),
    ("jobs", lambda content: content.replace(b",wait,", b",weight,"), "has no column wait"),
    ("timeline", lambda content: content.replace(b"mem_used", b"disk"), "has no column mem_used"),
    ("jobs", lambda content: b"\xff" + content, "jobs.csv:1: is not UTF-8 text"),
    ("jobs", lambda content: content + b"1,2\xff,3\n", "jobs.csv:13: column user: "),
    ("jobs", lambda content: content + b"1," * 20 + b"\n", "jobs.csv:13: has more than the 14"),
    ("jobs", lambda content: b"," * 5_000 + b"\n", "jobs.csv:1: is not a line that names"),
]


@pytest.mark.parametrize(("table", "change", "message"), TABLES)
def test_tables(folder: Path, table: str, change: Any, message: str) -> None:
    file = folder / f"{table}.csv"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(sl.InputError) as caught:
        read_all(folder)
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("name", ["run.json", "jobs.csv", "timeline.csv"])
@pytest.mark.parametrize("what", ["pipe", "folder", "loop", "unreadable", "huge"])
def test_what_is_not_a_readable_file(folder: Path, name: str, what: str) -> None:
    file = folder / name
    file.unlink()
    if what == "pipe":
        os.mkfifo(file)
    elif what == "folder":
        file.mkdir()
    elif what == "loop":
        file.symlink_to(name)
    elif what == "unreadable":
        file.write_text("{}")
        file.chmod(0)
    else:
        with file.open("wb") as stream:
            stream.truncate(5 * 2**30)
    if what == "unreadable" and os.access(file, os.R_OK):
        pytest.skip("root reads everything")
    refused("status", str(folder))
    refused("report", str(folder))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the paths of everything in nested lists and dicts."""
    if not isinstance(value, (dict, list)):
        return [path]
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    return [path, *(one for key, inner in pairs for one in places(inner, (*path, key)))]


SOUND = sl.simulate(JOBS, system=SYSTEM).run


@given(st.data())
def test_any_value_anywhere_is_refused_or_can_be_shown(data: st.DataObject) -> None:
    run = json.loads(json.dumps(SOUND))
    *parents, last = data.draw(st.sampled_from([path for path in places(run) if path]))
    holder = run
    for key in parents:
        holder = holder[key]
    holder[last] = data.draw(VALUES)
    try:
        check_run(run)
    except sl.InputError:
        return
    result = sl.Result("somewhere", run)
    assert str(result.summary)
    assert result.summary._repr_html_()
