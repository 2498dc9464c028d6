"""`schedlab run`: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import csv
import errno
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import SETH, shared_file
from typer.testing import CliRunner, Result

import schedlab
from schedlab.cli import app

SYSTEM = "[groups.node]\nnodes = 2\nresources = { core = 4 }\n"
HEADING = "; Version: 2.2\n; UnixStartTime: 1704067200\n"


def row(job: int, submit: int, run: int, processors: int = 1, requested: int = 100) -> str:
    return (
        f"{job} {submit} -1 {run} {processors} -1 -1 {processors} {requested} "
        "-1 1 1 1 -1 1 1 -1 -1\n"
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "machine.toml").write_text(SYSTEM)
    rows = [row(1, 0, 100, 4), row(2, 1, 50, 8, 50), row(3, 2, 98, 4, 98)]
    (tmp_path / "trace.swf").write_text(HEADING + "".join(rows))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["run", *arguments, "--system", "machine.toml"])


def program(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "schedlab", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.usefixtures("folder")
def test_prints_the_summary_and_keeps_nothing_without_out() -> None:
    result = run("trace.swf", "--scheduler", "easy(order=submit, depth=10)")
    assert result.exit_code == 0, result.stderr
    assert "easy(order=submit, depth=10) + first-fit on machine" in result.stdout
    assert "3 submitted, 3 completed" in result.stdout
    assert "bounded slowdown" in result.stdout
    assert sorted(os.listdir()) == ["machine.toml", "trace.swf"]


def test_out_holds_what_json_prints(folder: Path) -> None:
    result = run("trace.swf", "--scheduler", "easy", "--out", "kept", "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == (folder / "kept" / "run.json").read_text()
    assert json.loads(result.stdout)["files"] == ["jobs.csv", "timeline.csv"]
    with open(folder / "kept" / "jobs.csv") as file:
        assert {r["job_id"]: r["start"] for r in csv.DictReader(file)} == {
            "1": "0",
            "2": "100",
            "3": "2",
        }


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ("0", "must be above 0 (is 0)"),
        ("-1m", "must be above 0 (is -60)"),
        ("4000000001", "must be at most 4e+09 (is 4000000001)"),
        ("soon", "must be a duration: "),
    ],
)
def test_time_between_checkpoints(given: str, wrong: str) -> None:
    """The command and the functions say the same."""
    refused = run("trace.swf", "--out", "kept", "--checkpoint-every", given)
    assert refused.exit_code == 2
    assert f"--checkpoint-every: {wrong}" in " ".join(refused.stderr.split())
    for call in (
        lambda: schedlab.simulate(
            "trace.swf", system="machine.toml", out="kept", checkpoint_every=given
        ),
        lambda: schedlab.resume("kept", checkpoint_every=given),
    ):
        with pytest.raises(schedlab.InputError, match=re.escape(f"checkpoint_every: {wrong}")):
            call()
    assert not os.path.exists("kept")
    for right in ("1e-9", "4000000000", "52w"):
        done = run("trace.swf", "--out", "kept", "--force", "--checkpoint-every", right)
        assert done.exit_code == 0, done.stderr


@pytest.mark.usefixtures("folder")
def test_files_can_be_chosen() -> None:
    assert run("trace.swf", "--out", "kept", "--timeline", "none").exit_code == 0
    assert sorted(os.listdir("kept")) == ["jobs.csv", "run.json"]
    refused = run("trace.swf", "--jobs", "csv")
    assert refused.exit_code == 2
    assert "--jobs csv: needs --out" in refused.stderr


@pytest.mark.usefixtures("folder")
def test_options_not_given_are_left_to_the_rules() -> None:
    def options(*arguments: str) -> dict[str, object]:
        result = run("trace.swf", "--json", *arguments)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)["options"]  # type: ignore[no-any-return]

    by_rules = options("--rules", "pyss")
    assert (
        by_rules
        == schedlab.simulate("trace.swf", system="machine.toml", rules="pyss").run["options"]
    )
    changed = options("--rules", "pyss", "--no-enforce-limits", "--processors", "requested")
    assert changed == {**by_rules, "enforce_limits": False, "processors": "requested"}
    others = (
        "--memory none --estimate exact --missing-estimate 3600 --estimate-covers-run "
        "--zero-run skip --unusable substitute --tasks-per-node 2 --whole-nodes "
        "--dependencies honour --enforce-limits --dispatch-per event --strict --sort --seed 7"
    )
    given = options(*others.split())
    assert given["missing_estimate"] == 3600
    assert given["tasks_per_node"] == 2
    assert given["seed"] == 7
    assert [n for n, value in given.items() if value is True] == [
        "estimate_covers_run",
        "whole_nodes",
        "enforce_limits",
        "strict",
        "sort",
    ]


def test_names_skipped_rows(folder: Path) -> None:
    (folder / "trace.swf").write_text(row(1, 0, 5) + "nonsense\n" + row(2, 1, -1) + row(3, 2, 5))
    result = run("trace.swf")
    assert result.exit_code == 0
    assert "1 rows: not 18 numbers (first in line 2)" in result.stdout
    assert "1 rows: no run time (first in line 3)" in result.stdout


@pytest.mark.usefixtures("folder")
def test_quiet_prints_nothing() -> None:
    result = run("trace.swf", "--quiet", "--out", "kept")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.swf"], "absent.swf: no such file"),
        (["."], "is a directory"),
        (["empty.swf"], "no job to simulate: the file has no rows"),
        (["garbage.swf"], "no job to simulate; rows skipped: 3 x not 18 numbers (first in line 1)"),
        (["cut.swf.gz"], "is cut off"),
        (["unsorted.swf"], "unsorted.swf:2: job 2 is submitted at 5 s"),
        (["trace.swf", "--scheduler", "esy"], 'did you mean "easy"?'),
        (["trace.swf", "--scheduler", "easy(depth=many)"], "depth: must be a whole number"),
        (["trace.swf", "--allocator", "none"], 'unknown allocator "none"'),
        (["trace.swf", "--rules", "ours"], '--rules: unknown "ours"'),
        (["trace.swf", "--dispatch-per", "day"], "--dispatch-per: must be one of time, event"),
        (["trace.swf", "--missing-estimate", "nan"], "--missing-estimate: must be run, skip or"),
        (["trace.swf", "--missing-estimate", "soon"], "--missing-estimate: must be run, skip or"),
        (["trace.swf", "--memory", "used"], "--memory: the system"),
        (["trace.swf", "--seed", "-1"], "--seed: must be a whole number"),
        (["trace.swf", "--seed", "x"], "'--seed'"),
        (["trace.swf", "--tasks-per-node", "0"], "--tasks-per-node: must be"),
        (
            ["trace.swf", "--jobs", "xls", "--out", "kept"],
            "--jobs: must be one of csv, parquet, none",
        ),
        (["trace.swf", "--out", "trace.swf"], "must be a folder"),
        (["trace.swf", "--out", ""], "must be a folder"),
        (["trace.swf", "--fast"], "No such option"),
        ([], "WORKLOAD is missing; see schedlab run --help"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    folder: Path, arguments: list[str], message: str
) -> None:
    (folder / "empty.swf").touch()
    (folder / "garbage.swf").write_bytes(b"\x00\xff\xfe\n\x01\x02\n\x80")
    (folder / "cut.swf.gz").write_bytes(gzip.compress(row(1, 0, 5).encode() * 9999)[:-20])
    (folder / "unsorted.swf").write_text(row(1, 10, 5) + row(2, 5, 5))
    result = CliRunner().invoke(
        app, ["run", *arguments, "--system", "machine.toml"], prog_name="schedlab"
    )
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("schedlab: error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "kept/jobs.csv.part"),
            "schedlab: error: no space left on device while writing kept/jobs.csv\n",
        ),
        (schedlab.SimulationError("job 3 cannot start"), "schedlab: error: job 3 cannot start\n"),
        (
            ZeroDivisionError("oh"),
            "schedlab: internal error: ZeroDivisionError: oh; "
            "set SCHEDLAB_DEBUG=1 for the traceback\n",
        ),
        (KeyboardInterrupt(), "schedlab: interrupted; nothing was kept\n"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_other_failures_are_one_line_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, message: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("schedlab.simulation.simulate", fail)
    monkeypatch.delenv("SCHEDLAB_DEBUG", raising=False)
    result = run("trace.swf", "--out", "kept")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", message)


@pytest.mark.usefixtures("folder")
def test_program_is_quiet_in_a_pipe_and_has_exit_codes() -> None:
    done = program("run", "trace.swf", "--system", "machine.toml", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["counts"]["completed"] == 3
    wrong = program("run", "absent.swf", "--system", "machine.toml")
    assert wrong.returncode == 2
    assert wrong.stderr == "schedlab: error: absent.swf: no such file\n"
    assert program("--version").stdout == f"schedlab {schedlab.__version__}\n"


@pytest.mark.usefixtures("folder")
def test_reader_that_leaves_early_gives_no_traceback() -> None:
    shell = f"{sys.executable} -m schedlab run trace.swf --system machine.toml --json | true"
    ended = subprocess.run(shell, shell=True, capture_output=True, text=True, timeout=60)
    assert ended.stderr == ""


def test_help_names_every_option_and_an_example() -> None:
    result = CliRunner().invoke(app, ["run", "-h"], env={"COLUMNS": "120", "TERM": "dumb"})
    assert result.exit_code == 0
    assert "Example: schedlab run" in result.stdout
    for name in schedlab.options.DEFAULTS:
        assert f"--{name.replace('_', '-')}" in result.stdout
    assert CliRunner().invoke(app, []).exit_code == 2


def _part_grows(path: Path, process: subprocess.Popen[str]) -> bool:
    for _ in range(600):
        if (path.exists() and path.stat().st_size > 0) or process.poll() is not None:
            return process.poll() is None
        time.sleep(0.02)
    return False


def test_interrupted_run_leaves_a_readable_part(folder: Path) -> None:
    # Every job takes all of 10,000 nodes, so that the run takes long and each job some 0.1 ms.
    rows = (row(i, 10 * i, 7, 10_000) for i in range(1, 200_001))
    (folder / "long.swf").write_text("".join(rows))
    (folder / "large.toml").write_text("[groups.node]\nnodes = 10000\nresources = { core = 1 }\n")
    command = [sys.executable, "-m", "schedlab", "run", "long.swf", "--system", "large.toml"]
    process = subprocess.Popen(
        [*command, "--out", "part"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert _part_grows(folder / "part" / "jobs.csv.part", process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, stdout) == (1, "")
    assert stderr == "schedlab: interrupted; what ended so far is in part\n"
    summary = json.loads((folder / "part" / "run.json").read_text())
    assert summary["status"] == "interrupted"
    with open(folder / "part" / "jobs.csv") as file:
        records = list(csv.DictReader(file))
    assert 0 < len(records) == summary["counts"]["completed"] < 200_000
    assert all(None not in record.values() for record in records)
    assert sorted(os.listdir(folder / "part")) == ["jobs.csv", "run.json", "timeline.csv"]


@pytest.mark.usefixtures("folder")
def test_real_trace_on_the_system_of_accasim() -> None:
    trace = shared_file("traces", "HPC2N-2002-2.2-cln.swf.gz")
    Path("seth.json").write_text(json.dumps(SETH))
    result = CliRunner().invoke(app, ["run", str(trace), "--system", "seth.json", "--json"])
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["counts"]["completed"] == 202_871
