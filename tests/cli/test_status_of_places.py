"""`schedlab status` of what is not a run says what it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import schedlab as sl
from schedlab.cli import app
from schedlab.results.folder_lock import lock_folder, unlock_folder

SYSTEM = {"name": "pair", "groups": {"n": {"nodes": 2, "resources": {"core": 1}}}}
JOBS = [sl.Job(number, submit=number, run=5, processors=1) for number in range(1, 9)]
ROW = "{0} {0} -1 5 1 -1 -1 1 5 -1 1 1 1 1 1 1 -1 -1\n"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("places")
    os.makedirs(folder / "empty")
    os.makedirs(folder / "other" / "deep")
    (folder / "jobs.swf").write_text("".join(ROW.format(number) for number in range(1, 9)))
    (folder / "pair.json").write_text(json.dumps(SYSTEM))
    (folder / "notes.txt").write_text("no run\n")
    for name in ("fifo", "easy"):
        sl.simulate(JOBS, system=SYSTEM, scheduler=name, out=folder / "runs" / name)
    study = sl.Experiment(
        folder / "study",
        workloads=folder / "jobs.swf",
        systems=folder / "pair.json",
        schedulers=["fifo", "easy"],
        processes=1,
    )
    study.run()
    simulation = sl.Simulation(folder / "jobs.swf", system=folder / "pair.json")
    simulation.run(until=6)
    simulation.save(folder / "half.state")
    return folder


def say(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["status", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def refusal(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["status", *map(str, arguments)])
    assert (result.exit_code, result.stdout) == (2, "")
    return " ".join(result.stderr.split())


def test_an_experiment(places: Path) -> None:
    shown = say(places / "study")
    assert f"{places / 'study'}: an experiment, complete" in shown
    assert "dispatchers fifo+first-fit, easy+first-fit" in shown
    assert "runs 2: 2 finished" in shown
    answer = json.loads(CliRunner().invoke(app, ["status", str(places / "study"), "--json"]).stdout)
    assert (answer["kind"], answer["status"], answer["workloads"]) == (
        "experiment",
        "complete",
        ["jobs"],
    )
    assert [one["state"] for one in answer["runs"]] == ["finished", "finished"]


def test_an_experiment_in_progress_and_one_that_was_killed(places: Path) -> None:
    study = places / "study"
    whole = (study / "experiment.json").read_text()
    description = json.loads(whole)
    description |= {"status": "running", "tables": None}
    del description["failures"], description["done"]
    description["runs"].append({**description["runs"][0], "name": "sjf+first-fit/01"})
    try:
        (study / "experiment.json").write_text(json.dumps(description))
        shown = say(study)
        assert "an experiment, stopped" in shown
        assert "the same command continues with it" in shown
        lock = lock_folder(str(study), "experiment", 1)
        try:
            shown = say(study)  # a locked folder alone is not a run that could answer
        finally:
            unlock_folder(lock)
        assert "an experiment, running" in shown
        assert "runs 3: 2 finished, 1 not begun" in shown
    finally:
        (study / "experiment.json").write_text(whole)


def test_folders_of_runs(places: Path) -> None:
    shown = say(places / "runs")
    assert f"{places / 'runs'}: a folder with 2 runs" in shown
    assert "easy finished easy + first-fit jobs from Python pair 8" in shown
    shown = say(places)
    assert "a folder with 4 runs and 1 experiment" in shown
    answer = json.loads(CliRunner().invoke(app, ["status", str(places), "--json"]).stdout)
    assert answer["experiments"] == [str(places / "study")]


def test_a_saved_state(places: Path) -> None:
    shown = say(places / "half.state")
    assert "half.state: a saved state of a simulation" in shown
    assert "dispatcher fifo + first-fit system pair" in shown
    assert "time 6 s" in shown


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "there is no such file or folder"),
        ("empty", "is an empty folder"),
        ("other", "is a folder without runs"),
        ("jobs.swf", "is a workload, read as swf (schedlab workload inspect"),
        ("pair.json", "describes the machine 'pair' (schedlab system show"),
        ("notes.txt", "is not a file that schedlab knows"),
        ("runs/easy/run.json", "is a file of a run; give its folder"),
        ("study/summary.csv", "is a file of an experiment; give its folder"),
    ],
)
def test_what_has_no_status(places: Path, name: str, message: str) -> None:
    error = refusal(places / name)
    assert f"{places / name}: {message}" in error


@pytest.mark.parametrize("more", [("jobs",), ("--at", "3")])
@pytest.mark.parametrize(
    ("name", "kind"),
    [("study", "an experiment"), ("runs", "a folder of runs"), ("half.state", "a saved state")],
)
def test_queries_are_of_one_run(places: Path, name: str, kind: str, more: tuple[str, ...]) -> None:
    error = refusal(places / name, *more)
    assert f"is {kind}; queries and --at are for one run" in error


def test_watching_an_experiment_says_what_it_is(places: Path) -> None:
    from schedlab.watch import open_run

    with pytest.raises(sl.InputError, match="is an experiment, not a run; did you mean"):
        open_run(places / "study")
    with pytest.raises(sl.InputError, match="is a file"):
        open_run(places / "jobs.swf")
