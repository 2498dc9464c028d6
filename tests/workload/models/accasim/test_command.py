"""`schedlab workload generate accasim`."""

from __future__ import annotations

import json

import polars
import pytest
from typer.testing import CliRunner

from schedlab.cli import app, main
from schedlab.workload.formats import open_reader


@pytest.fixture
def arguments(small, tmp_path):
    system = tmp_path / "machine.json"
    groups = {"n": {"nodes": 16, "resources": {"core": 4, "gpu": 2}}}
    system.write_text(json.dumps({"groups": groups}))
    return [
        *("workload", "generate", "accasim", str(small), "--system", str(system)),
        *("--performance", "core=2.5,gpu=900", "--limits", "core=1..4,gpu=0..2"),
        *("--original-performance", "core=2.5", "--jobs", "700", "--out", str(tmp_path / "n.swf")),
    ]


def test_writes_and_prints(arguments, tmp_path):
    done = CliRunner().invoke(app, [*arguments, "--exact"])
    assert done.exit_code == 0, done.output
    table = polars.concat(list(open_reader(tmp_path / "n.swf").tables()))
    assert table.height == 700
    assert set(table["task_gpu"]) == {0.0, 1.0, 2.0}
    assert "700 jobs in" in done.output
    assert "percentage points" in done.output
    assert "Kolmogorov-Smirnov distance 0.0" in done.output
    assert "nodes of jobs (trace): median" in done.output
    assert "mean wait with FIFO: " in done.output
    quick = CliRunner().invoke(app, [*arguments, "--exact", "--no-waits", "--paper-sizes"])
    assert "mean wait" not in quick.output


def test_quiet_and_seed(arguments, tmp_path):
    first = CliRunner().invoke(app, [*arguments, "--quiet", "--seed", "abc"])
    assert (first.exit_code, first.output) == (0, "")
    kept = (tmp_path / "n.swf").read_bytes()
    assert b"seed abc" in kept
    arguments = [*arguments, "--force"]
    CliRunner().invoke(app, [*arguments, "--seed", "abc", "--whole-seconds", "--keep-rate"])
    assert (tmp_path / "n.swf").read_bytes() != kept
    CliRunner().invoke(app, [*arguments, "--seed", "abc"])
    assert (tmp_path / "n.swf").read_bytes() == kept


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--performance", "core", "must be NAME=VALUE"),
        ("--performance", "core=1,core=2", "core is given twice"),
        ("--performance", "core=x", "core=x: must be a number"),
        ("--performance", "core=nan", "must be above 0"),
        ("--limits", "core=1..x", "must be a range of whole numbers"),
        ("--limits", "core=5..9", "no node can hold the smallest request"),
        ("--limits", "disk=1..2,core=1", "the system has no 'disk'"),
        ("--out", "new.xyz", "does not say which format to write"),
        ("--reader", "nonsense", "nonsense"),
    ],
)
def test_wrong_use(arguments, option, value, message, capsys, monkeypatch):
    if option in arguments:
        arguments[arguments.index(option) + 1] = value
    else:
        arguments += [option, value]
    monkeypatch.setattr("sys.argv", ["schedlab", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown


def test_the_group_alone_shows_its_commands():
    done = CliRunner().invoke(app, ["workload", "generate"])
    assert done.exit_code == 2
    assert "accasim" in done.output
