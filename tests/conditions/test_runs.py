"""Conditions through simulations, state files, run folders, experiments and the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from conditions.machines import compute, plain

import schedlab as sl
from schedlab.conditions.machine import for_engine
from schedlab.results.json_text import to_json
from schedlab.system.table import as_table

TEXT = """
[switch_off]
after = 600
[[caps]]
file = "cap.csv"
every = 86400
[price]
file = "price.csv"
"""
LINE = "cap 200 to 900 W"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a machine, a workload and conditions, which is the current one."""
    (tmp_path / "machine.json").write_text(to_json(as_table(compute())))
    rows = [(job, job * 10, -1, 50, 4, -1, -1, 4, 90, *[-1] * 9) for job in range(1, 1500)]
    sl.write_swf(tmp_path / "jobs.swf", rows)
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "conditions.toml").write_text(TEXT)
    (tmp_path / "given" / "cap.csv").write_text("time,watts\n0,200\n43200,900\n")
    (tmp_path / "given" / "price.csv").write_text("time,price\n0,0.2\n300,0.4\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def schedlab(*arguments):
    command = [sys.executable, "-m", "schedlab", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def simulation(**more):
    given = {"conditions": "given/conditions.toml", **more}
    return sl.Simulation("jobs.swf", system="machine.json", **given)


@pytest.mark.usefixtures("folder")
def test_a_simulation_has_them_and_passes_them_to_the_engine():
    made = simulation(seed=7)
    assert made.conditions == sl.load_conditions("given/conditions.toml")
    assert made._engine_conditions == for_engine(made.conditions, made.system, 7)
    assert made._engine_conditions["seed"] == 7
    fork = made.fork(scheduler="easy")
    assert fork.conditions is made.conditions
    assert simulation(conditions=None)._engine_conditions is None
    assert simulation(conditions=made.conditions).conditions is made.conditions
    with pytest.raises(sl.InputError, match=r"given/conditions\.toml: switch_off: needs a machine"):
        sl.Simulation("jobs.swf", system=plain(), conditions="given/conditions.toml")


def test_a_state_file_holds_their_content(folder):
    before = simulation()
    before.run(until=100)
    before.save("half.state")
    engine_conditions = before._engine_conditions
    shutil.rmtree(folder / "given")
    after = sl.Simulation.load("half.state")
    assert after.conditions == before.conditions
    assert after.conditions.source == "given/conditions.toml"
    assert after._engine_conditions == engine_conditions
    before.run()
    after.run()
    assert after.metrics == before.metrics


def test_a_resumed_run_has_them(folder):
    def stop(running):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sl.simulate(
            "jobs.swf",
            system="machine.json",
            conditions="given/conditions.toml",
            out="run",
            checkpoint_every=1000,
            progress=stop,
        )
    shutil.rmtree(folder / "given")
    result = sl.resume("run")
    assert result.run["conditions"]["text"].startswith(LINE)
    assert result.counts["completed"] == 1499


@pytest.mark.usefixtures("folder")
def test_run_json_and_the_summary_have_them():
    result = sl.simulate(
        "jobs.swf", system="machine.json", conditions="given/conditions.toml", out="run"
    )
    description = sl.Result.load("run").run["conditions"]
    assert description == result.run["conditions"]
    assert description == sl.load_conditions("given/conditions.toml").described()
    assert description["source"] == "given/conditions.toml"
    assert description["price"]["source"] == "given/price.csv"
    assert description["price"]["rows"] == 2
    line = f"conditions   {LINE}, switch off after 600 s, price 0.2 to 0.4 per kWh"
    assert line in str(result.summary).splitlines()
    without = sl.simulate("jobs.swf", system="machine.json")
    assert without.run["conditions"] is None
    assert "conditions" not in str(without.summary)
    without.run.pop("conditions")  # of a run of an earlier version
    assert "conditions" not in str(without.summary)


def experiment(**more):
    given = {"conditions": "given/conditions.toml", **more}
    return sl.Experiment("out", workloads="jobs.swf", systems="machine.json", **given)


def key(**more):
    one = experiment(schedulers="fifo", **more)
    (run,) = one.runs()
    assert run.key is not None
    return run.key


def test_an_experiment_knows_them_by_their_content(folder):
    first = key()
    assert key() == first
    assert key(conditions=None) != first
    assert key(conditions=sl.load_conditions("given/conditions.toml")) == first
    assert key(conditions=sl.load_conditions("given/conditions.toml").to_dict()) == first
    (folder / "given").rename(folder / "moved")
    assert key(conditions="moved/conditions.toml") == first
    (folder / "moved" / "price.csv").write_text("time,price\n0,0.2\n301,0.4\n")
    assert key(conditions="moved/conditions.toml") != first


def test_all_runs_of_an_experiment_have_them(folder):
    made = experiment(schedulers=["fifo", "easy"], processes=1).run()
    assert made.failures == []
    for name in made.metrics["run"]:
        conditions = made.result(name).run["conditions"]
        assert conditions["text"].startswith(LINE)
        assert conditions["source"] == "given/conditions.toml"
    assert made.description["conditions"].startswith(LINE)
    stamp = (folder / "out" / "experiment.json").stat().st_mtime_ns
    experiment(schedulers=["fifo", "easy"], processes=1).run()
    assert (folder / "out" / "experiment.json").stat().st_mtime_ns == stamp
    with pytest.raises(sl.InputError, match=r"cap\.csv: no such file"):
        experiment(conditions={"caps": [{"file": "cap.csv"}]})


@pytest.mark.usefixtures("folder")
def test_the_command_line():
    run = ["run", "jobs.swf", "--system", "machine.json"]
    done = schedlab(*run, "--conditions", "given/conditions.toml")
    assert done.returncode == 0, done.stderr
    line = f"conditions   {LINE}, switch off after 600 s, price 0.2 to 0.4 per kWh"
    assert line in done.stdout.splitlines()
    wrong = schedlab(*run, "--conditions", "given/none.toml")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "schedlab: error: given/none.toml: no such file\n"
    both = schedlab("run", "--resume", "out", "--conditions", "given/conditions.toml")
    assert both.returncode == 2
    assert "--conditions: the resumed run has its own" in both.stderr
    compared = schedlab(
        *["compare", *run[1:], "--schedulers", "fifo", "--out", "out", "--no-report"],
        *["--conditions", "given/conditions.toml"],
    )
    assert compared.returncode == 0, compared.stderr
    assert f"conditions  {LINE}" in compared.stdout


def loaded(code, *arguments):
    """Returns the modules that some code loads."""
    code = f"import sys; before = {{*sys.modules}}; {code}; print(*({{*sys.modules}} - before))"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_only_who_has_conditions_loads_them(folder):
    modules = loaded("import schedlab.simulation")
    assert "schedlab.simulation.core" in modules
    assert "schedlab.conditions" not in modules
    table = {"price": {"file": "given/price.csv"}, "caps": [{"watts": 9}]}
    (folder / "conditions.json").write_text(json.dumps(table))
    modules = loaded("import schedlab; schedlab.load_conditions(sys.argv[1])", "conditions.json")
    assert "schedlab.conditions.thermal" in modules
    assert not {"numpy", "polars", "typing", "json", "re", "dataclasses", "datetime"} & modules
