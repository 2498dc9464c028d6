"""Files that say what to run, distinguished from workloads; and what is wrong with them."""

from __future__ import annotations

import json
import os

import pytest
from simulation.spec_strategies import TABLE
from typer.testing import CliRunner

import schedlab as sl
from schedlab.cli import app
from schedlab.results.json_text import to_json
from schedlab.simulation.spec.files import is_spec
from schedlab.workload.table import table_of

JOBS = [sl.Job(i, submit=5 * i, run=30, processors=1 + i % 3) for i in range(1, 20)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.json").write_text(to_json(TABLE))
    for name in ("batsim", "irmasim"):
        sl.write_tables(tmp_path / f"{name}.json", [table_of(JOBS)], name=name)
    sl.write_tables(tmp_path / "a.swf", [table_of(JOBS)])
    return tmp_path


def errors_of(*words: str, code: int = 2) -> str:
    done = CliRunner().invoke(app, ["run", *words])
    assert done.exit_code == code, done.output
    return " ".join(done.stderr.split())


def test_workloads_in_json_are_workloads(folder):
    for name in ("batsim.json", "irmasim.json", "m.json", "a.swf", "none.json"):
        assert not is_spec(name), name
    for name in ("batsim.json", "irmasim.json"):
        errors_of(name, "--system", "m.json", "--out", f"of-{name}", "--quiet", code=0)
        assert sl.Result.load(f"of-{name}").counts["completed"] == len(JOBS)
        assert is_spec(f"of-{name}/run.json")
        errors_of(f"of-{name}/run.json", "--out", f"again-{name}", "--quiet", code=0)
        first, again = sl.Result.load(f"of-{name}"), sl.Result.load(f"again-{name}")
        assert sl.compare_schedules(first, again).identical
    os.mkfifo("pipe.json")
    assert not is_spec("pipe.json")  # nothing is read of it, which would wait for ever


def test_every_toml_file_is_one(folder):
    assert is_spec("any.toml")
    assert is_spec("ANY.TOML")
    assert "none.toml: no such file" in errors_of("none.toml").lower()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("workload = 1 2", "spec.toml:1:14: not valid TOML"),
        ('sheduler = "easy"', 'spec.toml: sheduler: unknown key; did you mean "scheduler"?'),
        ('system = "m.json"', "WORKLOAD is missing; see schedlab run --help"),
        ('workload = "a.swf"', "--system is missing; see schedlab run --help"),
        ('workload = "a.swf"\nsystem = "m.json"\nseed = -1', "spec.toml: seed: must be a whole"),
        ('workload = "a.swf"\nsystem = "m.json"\ntrust_code = true', "no file can say so"),
        ('system = "m.json"\nobjects = { workload = "9 jobs" }', "was a Python object (9 jobs)"),
        ('workload = "a.swf"\n[system]\nname = 3', "spec.toml: system: groups: is missing"),
        (
            "system = 'm.json'\n[conditions]\nseed = -1",
            "spec.toml: conditions: seed: must not be neg",
        ),
        ("[[queues]]\nname = 'a'\n[[queues]]\nname = 'a'", "spec.toml: queues: two have the same"),
        ('workload = "a.swf"\nsystem = "m.json"\nwindows = "w.toml"', "w.toml: no such file"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder, text, message):
    (folder / "spec.toml").write_text(text)
    assert message.lower() in errors_of("spec.toml", "--out", "out").lower()
    assert not (folder / "out").exists()


def test_another_workload_in_the_run_of_a_file(folder):
    (folder / "spec.toml").write_text(
        'workload = "batsim.json"\nreader = "batsim"\nsystem = "m.json"\nscheduler = "sjf"\n'
    )
    errors_of("spec.toml", "--workload", "a.swf", "--out", "other", "--quiet", code=0)
    run = sl.Result.load("other").run
    assert (run["workload"]["path"], run["workload"]["reader"]) == ("a.swf", None)
    assert run["scheduler"] == "sjf"
    other = ("--workload", "irmasim.json", "--reader", "irmasim")
    assert errors_of("other/run.json", *other, "--out", "third", "--quiet", code=0) == ""
    assert sl.Result.load("third").run["spec"]["workload"] == "irmasim.json"
    for words in (("a.swf", "--workload", "a.swf"), ("--workload", "a.swf")):
        assert "--workload: is for a file of a run" in errors_of(*words, "--system", "m.json")
    assert "--workload: the resumed run has its own" in errors_of(
        "--resume", "x", "--workload", "a.swf"
    )


def test_wrong_options_beside_a_file_are_said_by_their_flags(folder):
    (folder / "spec.toml").write_text('workload = "a.swf"\nsystem = "m.json"\n')
    assert "--zero-run: must be one of keep, skip" in errors_of("spec.toml", "--zero-run", "drop")
    assert 'unknown scheduler "esy"' in errors_of("spec.toml", "--scheduler", "esy")


def test_a_damaged_run_json_is_said(folder):
    errors_of("a.swf", "--system", "m.json", "--out", "run", "--quiet", code=0)
    path = folder / "run/run.json"
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    assert "run/run.json:" in (errors := errors_of("run/run.json"))
    assert "cannot be read as JSON" in errors
    run = json.loads(text)
    path.write_text(to_json({**run, "spec": {**run["spec"], "seed": "x"}}))
    assert "run/run.json: seed: must be a whole number" in errors_of("run/run.json")
    path.write_text(to_json({**run, "spec": 3}))
    assert "run/run.json: spec: must be a table" in errors_of("run/run.json")


def test_resumed_runs_say_what_the_first_part_was_asked_for(folder):
    """Paths of the system and of windows stay, though a state file holds what they held."""
    (folder / "w.toml").write_text("[[windows]]\nstart = 40\nend = 90\n")
    spec = sl.RunSpec("a.swf", system="m.json", windows="w.toml", scheduler="easy", seed=3)
    simulation = sl.Simulation(**spec.arguments())
    simulation.run(until=50)
    simulation.save("moment.state")
    loaded = sl.Simulation.load("moment.state")
    assert loaded.spec == spec == simulation.spec
    assert loaded.system_path == "m.json"
    fork = loaded.fork(scheduler="fifo")
    assert fork.spec == spec.replace(scheduler="fifo")
    assert loaded.spec == spec
