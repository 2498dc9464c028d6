"""Tables that were cut or changed after the run: everything that reads them says so."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schedlab as sl
from schedlab.results.tables_check import table_facts

SYSTEM = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
JOBS = [sl.Job(n, n, 5, 1 + n % 4) for n in range(1, 40)]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    sl.simulate(JOBS, system=SYSTEM, out=folder, timeline="csv")
    return folder


@pytest.fixture
def run(written, tmp_path):
    shutil.copytree(written, tmp_path / "run")
    return tmp_path / "run"


def cut(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def change(path):
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(content)


def test_what_run_json_says(run):
    known = json.loads((run / "run.json").read_text())
    assert list(known["tables"]) == known["files"] == ["jobs.csv", "timeline.csv"]
    for name, facts in known["tables"].items():
        assert facts == table_facts(str(run / name))
        assert facts["bytes"] == (run / name).stat().st_size


@pytest.mark.parametrize("kept", ["parquet", "csv"])
def test_experiments_know_the_tables_that_they_keep(tmp_path, monkeypatch, kept):
    monkeypatch.chdir(tmp_path)
    sl.write_swf("a.swf", [(n, n, -1, 5, 1, *[-1] * 13) for n in range(1, 9)])
    machine = '{"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}'
    (tmp_path / "m.json").write_text(machine)
    found = sl.Experiment("out", workloads="a.swf", systems="m.json", schedulers="fifo", jobs=kept)
    found.run()
    (run,) = tmp_path.glob("out/runs/*/*/run.json")
    known = json.loads(run.read_text())
    assert list(known["tables"]) == known["files"]
    for name, facts in known["tables"].items():
        assert facts == table_facts(str(run.parent / name))


def test_a_cut_table(run):
    cut(run / "timeline.csv")
    with pytest.raises(sl.InputError, match=r"timeline\.csv: was cut off after the run: it has "):
        sl.Result.load(run)


def test_a_table_that_grew(run):
    with open(run / "jobs.csv", "a") as file:
        file.write("41,1\n")
    with pytest.raises(sl.InputError, match=r"jobs\.csv: was changed after the run: it has "):
        sl.Result.load(run)


def test_a_table_of_the_same_size(run):
    change(run / "jobs.csv")
    result = sl.Result.load(run)  # a size is as cheap as a name, a content is not
    assert result.timeline.collect().height
    with pytest.raises(sl.InputError, match=r"jobs\.csv: was changed after the run: its checksum"):
        result.jobs  # noqa: B018
    with pytest.raises(sl.InputError, match="its checksum"):
        sl.compare_schedules(run, run)


def test_a_table_that_is_gone(run):
    os.unlink(run / "jobs.csv")
    result = sl.Result.load(run)
    assert result.timeline.collect().height
    with pytest.raises(sl.InputError, match=r"jobs\.csv: is missing, and run\.json names it"):
        result.jobs  # noqa: B018


def test_runs_of_earlier_versions_are_not_checked(run):
    known = json.loads((run / "run.json").read_text())
    del known["tables"]
    (run / "run.json").write_text(json.dumps(known))
    header, *rows = (run / "jobs.csv").read_text().splitlines(keepends=True)
    users = [",".join([row.split(",")[0], "77", *row.split(",")[2:]]) for row in rows]
    (run / "jobs.csv").write_text("".join([header, *users]))
    assert set(sl.Result.load(run).jobs.collect()["user"]) == {77}


def test_a_result_in_a_temporary_folder_has_no_checksums():
    assert "tables" not in sl.simulate(JOBS, system=SYSTEM).run


@pytest.mark.parametrize("change", [cut, change])
@pytest.mark.parametrize("name", ["jobs.csv", "timeline.csv"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "run", "--out", "page.html"],
        ["plot", "queue-size", "run", "--out", "x.svg"],
        ["plot", "jobs-over-time", "run", "--out", "x.svg"],
        ["status", "run"],
        ["status", "run", "queue"],
    ],
    ids=" ".join,
)
def test_commands_say_so(run, monkeypatch, capsys, change, name, arguments):
    from schedlab.cli import app

    change(run / name)
    monkeypatch.chdir(run.parent)
    with pytest.raises(SystemExit) as ended:
        app(arguments)
    printed = capsys.readouterr().err
    if ended.value.code == 0:  # a plot does not read the other table, whose size is the same
        assert (arguments[0], change.__name__) == ("plot", "change")
    else:
        assert ended.value.code == 2, printed
        assert f"{name}: was c" in printed
        assert "run.json says" in printed
    assert not os.path.exists("page.html")
    assert not os.path.exists("x.svg") or ended.value.code == 0


def test_a_list_of_runs_says_so(run, monkeypatch, capsys):
    from schedlab.cli import app

    cut(run / "jobs.csv")
    monkeypatch.chdir(run.parent)
    with pytest.raises(SystemExit) as ended:
        app(["status", "."])
    assert ended.value.code == 0
    assert "broken" in capsys.readouterr().out


PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats()
ANY = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(tables=ANY | st.fixed_dictionaries({"jobs.csv": ANY, "../jobs.csv": ANY}))
def test_any_tables_in_run_json(written, tables):
    known = json.loads((written / "run.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        for name in known["files"]:
            shutil.copy(written / name, folder)
        Path(folder, "run.json").write_text(json.dumps({**known, "tables": tables}))
        try:
            sl.Result.load(folder).jobs.collect()
        except sl.InputError as error:
            assert "run.json" in str(error)  # noqa: PT017 - {} is right: it says nothing of any table
