"""`schedlab compare`: what it prints, its exit codes, and the display of how far it is."""

from __future__ import annotations

import json
import os
import sys

import pytest
from experiment.inputs import fill
from rich.console import Console
from typer.testing import CliRunner

import schedlab as sl
from schedlab.cli import app
from schedlab.cli.experiment_progress import MOST_LINES, ExperimentDisplay, lines
from schedlab.experiment.overview import COLUMNS, best_rows
from schedlab.experiment.processes import Failure, Progress


@pytest.fixture
def folder(tmp_path, monkeypatch):
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "their_policies", raising=False)  # of another test's folder
    return tmp_path


def compare(*arguments, schedulers="fifo,easy(order=shortest, depth=50)", report=False):
    given = ["compare", "a.swf", "--system", "m.toml", "--out", "out"]
    given += [] if report else ["--no-report"]
    given += ["--schedulers", schedulers] if schedulers else []
    return CliRunner().invoke(app, [*given, *arguments])


@pytest.mark.usefixtures("folder")
def test_prints_table_differences_and_where_files_are():
    result = compare("--repeat", "2", "--dispatcher", "score:-wait+1+best-fit")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "6 runs, 2 of each dispatcher; * is the best of a column"
    printed = result.stdout
    for label in ("fifo + first-fit", "score:-wait+1 +"):
        assert label in printed
    assert "beats fifo + first-fit on mean wait by" in printed
    assert lines[-1].startswith("Everything is in out: metrics.csv")
    comparison = sl.Comparison.load("out")
    assert comparison.dispatchers == [
        "fifo+first-fit",
        "easy(order=shortest, depth=50)+first-fit",
        "score:-wait+1+best-fit",
    ]
    for line in comparison.sentences():
        assert line in printed
    again = compare("--repeat", "2", "--dispatcher", "score:-wait+1+best-fit")
    assert again.stdout == printed


def test_the_report_is_written_by_default(folder):
    result = compare(report=True)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-1].startswith("Everything is in out: report.html, metrics")
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    for line in sl.Comparison.load("out").sentences():
        assert line in page
    assert "schedlab compare a.swf" in page


def test_the_report_of_an_experiment_in_which_one_dispatcher_came_through(folder):
    result = compare(schedulers="fifo,their_policies:Wrong", report=True)
    assert result.exit_code == 1
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "Runs that failed" in page
    assert "Differences" not in page


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--report",), 2)])
def test_without_matplotlib_the_report_is_left_out_or_refused(folder, monkeypatch, options, code):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = compare(*options, report=True)
    assert result.exit_code == code
    assert "pip install 'schedlab[plot]'" in result.stderr
    assert not (folder / "out" / "report.html").exists()
    assert (folder / "out" / "metrics.csv").exists() == (code == 0)


@pytest.mark.usefixtures("folder")
def test_json_and_quiet():
    answer = json.loads(compare("--json", "--baseline", "fifo").stdout)
    assert answer["status"] == "complete"
    assert answer["done"] == answer["runs"] == 2
    assert answer["notes"] == []
    assert answer["summary"][0]["dispatcher"] == "fifo+first-fit"
    assert len(answer["differences"]) == 4
    assert answer["timing"][0]["cpu_seconds"] > 0
    quiet = compare("--quiet")
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (0, "", "")


@pytest.mark.usefixtures("folder")
def test_failures_are_printed_and_the_exit_code_is_1():
    result = compare("--repeat", "2", schedulers="fifo,their_policies:Wrong")
    assert result.exit_code == 1
    assert "failed: Wrong+first-fit/01 (and 1 more): in Wrong.schedule()" in result.stderr
    assert "their_policies.py:23" in result.stderr
    assert "Everything is in out" in result.stdout
    assert (
        compare("--quiet", "--repeat", "2", schedulers="fifo,their_policies:Wrong").stderr.count(
            "\n"
        )
        == 1
    )


def test_all_failed_for_bad_input_is_exit_code_2(folder):
    (folder / "a.swf").write_text("; nothing\n")
    result = compare()
    assert result.exit_code == 2
    assert "a.swf: no job to simulate" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--schedulers", "fifo,fife"], 'unknown scheduler "fife"; did you mean "fifo"?'),
        (["--allocators", "best"], 'unknown allocator "best"'),
        (["--repeat", "0"], "--repeat: must be a whole number from 1 up"),
        (["--processes", "0"], "--processes: must be"),
        (["--baseline", "sjf"], '--baseline: "sjf" is not one of the dispatchers: fifo+first-fit'),
        (["--dispatcher", "easy+"], "write it as SCHEDULER+ALLOCATOR"),
        (["--memory", "lots"], "--memory: must be one of"),
        (["--system", "none.toml"], "none.toml: no such file"),
        (["--windows", "none.toml"], "none.toml: no such file"),
        (["--reader", "nothing:Here"], "there is no module 'nothing'"),
        (["--out", "a.swf"], "--out 'a.swf': must be a folder"),
        (["--out", "."], "holds something else than an experiment"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_use(arguments, message):
    result = compare(*arguments)
    assert result.exit_code == 2, result.stdout
    assert result.stderr.startswith("schedlab: error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not os.path.exists("out")


@pytest.mark.usefixtures("folder")
def test_no_scheduler_at_all():
    result = compare(schedulers=None)
    assert result.exit_code == 2
    assert "--schedulers: give at least one" in result.stderr


@pytest.mark.usefixtures("folder")
def test_options_of_run_reach_the_runs():
    result = compare(
        *("--estimate", "exact", "--missing-estimate", "3600", "--enforce-limits", "--seed", "3"),
        *("--rules", "pyss", "--job-factory", "their_policies:halved", "--timeline", "csv"),
    )
    assert result.exit_code == 0, result.stderr
    run = sl.Comparison.load("out").result("fifo+first-fit/01").run
    expected = {"estimate": "exact", "missing_estimate": 3600, "enforce_limits": True, "seed": 3}
    assert {name: run["options"][name] for name in expected} == expected
    assert run["rules"] == "pyss"
    assert run["workload"]["job_factory"] == "their_policies:halved"
    assert run["files"] == ["jobs.parquet", "timeline.csv"]


def test_ties_are_all_best_and_nothing_is_not():
    rows = {
        "a": [1.0, 0.0, None, 0.5, 1.0],
        "b": [2.0, 0.0, 4.0, 0.9, 2.0],
        "c": [None, 1.0, None, None, None],
        "d": [2.0, 1.0, 4.0, 0.9, 2.0],
    }
    # Of the third column all that are there are the same: none is better than another.
    assert best_rows(rows, list(COLUMNS)) == [{"a"}, {"a", "b"}, set(), {"b", "d"}, {"a"}]
    assert best_rows({"c": [None] * 5}, list(COLUMNS)) == [set()] * 5


class Running:
    def __init__(self, name, share, jobs):
        self.name, self.share, self.jobs = name, share, jobs
        self.jobs_per_second, self.time, self.start_time = 1234.5, 86_400.0, 1_000_000_000
        self.stalled = ""
        self.zone: dict[str, str] = {}


def test_the_display_fits_and_has_everything():
    progress = Progress(80, 8)
    progress.began -= 10
    progress.done = 30
    progress.running = [Running(f"a/b/{'long' * 20}/{n}", 0.25, 7 * (n > 0)) for n in range(20)]
    progress.failures = [Failure("x", "because", False)]
    for width in (60, 80, 140):
        console = Console(width=width, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
        console.print(lines(progress, width))
        shown = console.export_text().splitlines()
        assert len(shown) == 2 + MOST_LINES
        assert max(map(len, shown)) <= width
        assert "30 of 80 runs · 1 failed · " in shown[0]
        assert shown[0].endswith("left")
        assert "starting" in shown[1]
        assert "25%" in shown[2]
        assert shown[-1] == "and 4 more"
    assert "1,234 jobs/s 2001-09-10 01:46" in "\n".join(shown)


def test_no_display_where_there_is_no_terminal(capsys):
    with ExperimentDisplay() as display:
        display(Progress(1, 0))
    assert capsys.readouterr().err == ""
