"""What is there stays: every command that writes what a user names refuses it without --force."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import schedlab as sl
from schedlab.cli import app
from schedlab.workload.models.synthetic import synthetic_rows

SYSTEM = "[groups.node]\nnodes = 64\nresources = { core = 16 }\n"
COMMANDS = {
    "run": "run log.swf --system m.toml --out OLD",
    "report": "report done --plots slowdown --out OLD.html",
    "plot": "plot slowdown done --out OLD.png",
    "convert": "workload convert log.swf OLD.swf",
    "clean": "workload clean log.swf OLD.swf",
    "what was cleaned": "workload clean log.swf new.swf --removed OLD.csv",
    "anonymise": "workload anonymise log.swf OLD.swf",
    "model": "workload model log.swf --out OLD.json",
    "inspect": "workload inspect log.swf --out OLD",
    "workload compare": "workload compare log.swf log.swf --no-simulation --plots none --out OLD",
    "lublin": "workload generate lublin --jobs 5 --out OLD.swf",
    "plain": "workload generate plain --interarrival 9 --run 9 --processors 2 --out OLD.swf",
    "system convert": "system convert m.toml OLD.toml",
    "system show": "system show cielo --picture OLD.png",
    "app": "app run ping-pong(bytes=8) --ranks 2 --system cielo --no-bound "
    "--picture-traffic OLD.png",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    path = tmp_path_factory.mktemp("inputs")
    sl.write_swf(path / "log.swf", list(synthetic_rows(60, 1)))
    (path / "m.toml").write_text(SYSTEM)
    sl.simulate(path / "log.swf", system=path / "m.toml", out=path / "done")
    return path


def invoke(arguments):
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stderr


def content(folder):
    return {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in Path(folder).rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_refused_without_force(inputs, name, tmp_path, monkeypatch):
    monkeypatch.chdir(inputs)
    words = COMMANDS[name].split()
    (old,) = [word for word in words if word.startswith("OLD")]
    target = tmp_path / old
    command = [str(target) if word == old else word for word in words]
    command = [str(tmp_path / word) if word == "new.swf" else word for word in command]
    code, printed = invoke(command)
    assert code == 0, printed
    (tmp_path / "new.swf").unlink(missing_ok=True)
    before = content(tmp_path)
    assert before
    code, printed = invoke(command)
    assert code == 2
    assert str(target) in printed
    assert "already" in printed
    assert "--force" in printed
    assert "Traceback" not in printed
    assert content(tmp_path) == before
    code, printed = invoke([*command, "--force"])
    assert code == 0, printed
    assert {path for path in content(tmp_path) if path.name != "new.swf"} == set(before)
    assert content(tmp_path) != before


def test_every_command_that_writes_has_the_option():
    """A new command with something to write cannot forget the rule."""
    import typer

    def leaves(command, name):
        if not hasattr(command, "commands"):
            yield name, command
            return
        for inner, one in command.commands.items():
            yield from leaves(one, f"{name} {inner}".strip())

    written = ("out", "target", "removed", "plot")
    for name, command in leaves(typer.main.get_command(app), ""):
        parameters = {one.name for one in command.params}
        if parameters & set(written) or any(one.startswith("picture") for one in parameters):
            assert "force" in parameters, name


def test_a_forced_run_that_fails_leaves_the_earlier_one(inputs, tmp_path, monkeypatch):
    monkeypatch.chdir(inputs)
    (tmp_path / "bad_policy.py").write_text(
        "import schedlab as sl\n"
        "class Bad(sl.Scheduler):\n"
        "    def schedule(self, state):\n"
        "        raise KeyError('x')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    out = str(tmp_path / "out")
    command = ["run", "log.swf", "--system", "m.toml", "--out", out]
    assert invoke(command)[0] == 0
    before = content(out)
    code, _ = invoke([*command, "--force", "--scheduler", "bad_policy:Bad"])
    assert code == 1
    assert content(out) == before
    code, printed = invoke(["run", "--resume", out, "--force"])
    assert code == 2
    assert "--force" in printed


def test_a_run_does_not_go_into_an_experiment(inputs, tmp_path, monkeypatch):
    monkeypatch.chdir(inputs)
    out = str(tmp_path / "out")
    compare = ["compare", "log.swf", "--system", "m.toml", "--schedulers", "fifo", "--no-report"]
    assert invoke([*compare, "--out", out])[0] == 0
    assert invoke([*compare, "--out", out])[0] == 0  # continues, with nothing left to do
    for force in ([], ["--force"]):
        code, printed = invoke(["run", "log.swf", "--system", "m.toml", "--out", out, *force])
        assert code == 2
        assert "is the folder of an experiment" in printed
    code, printed = invoke([*compare, "--out", str(inputs / "done")])
    assert code == 2
    assert "holds something else than an experiment" in printed


def test_the_demo_goes_on_and_replaces_if_forced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    demo = ["demo", "--no-report", "--jobs"]
    assert invoke([*demo, "60"])[0] == 0
    assert invoke([*demo, "60"])[0] == 0
    before = content("demo-run")
    code, printed = invoke([*demo, "70"])
    assert code == 2
    assert "workload.swf: is there already" in printed
    assert content("demo-run").keys() == before.keys()
    assert invoke([*demo, "70", "--force"])[0] == 0


@pytest.mark.usefixtures("inputs")
def test_a_forced_experiment_that_fails_keeps_what_was_there(inputs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    policy = Path("turning_bad.py")
    good = (
        "import os\nimport schedlab as sl\n"
        "class Turning(sl.Scheduler):\n"
        "    def schedule(self, state):\n"
        "        if os.path.exists('bad'):\n"
        "            raise KeyError('x')\n"
        "        yield from (job for job in state.queue if state.machine.fits(job))\n"
    )
    policy.write_text(good)
    monkeypatch.syspath_prepend(tmp_path)
    given = {"workloads": inputs / "log.swf", "systems": inputs / "m.toml"}
    experiment = sl.Experiment("out", schedulers="turning_bad:Turning", **given)
    first = experiment.run()
    (run,) = first.metrics["run"]
    facts = first.result(run).run
    before = content(os.path.join("out", "runs", run))
    Path("bad").touch()
    failed = experiment.run(force=True)
    assert failed.status == "partial"
    assert len(failed.failures) == 1
    assert failed.result(run).run == facts
    after = content(os.path.join("out", "runs", run))
    kept = {path for path in before if path.name != "experiment-run.json"}
    assert {path: after[path] for path in kept} == {path: before[path] for path in kept}
    Path("bad").unlink()
    assert experiment.run().status == "complete"
    forced = experiment.run(force=True)
    assert forced.status == "complete"
    assert forced.result(run).run["simulator"] != facts["simulator"]


def test_the_workload_is_never_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "submit,run,requested_processors\n0,10,1\n"
    (tmp_path / "jobs.csv").write_text(text)
    (tmp_path / "timeline.csv").write_text("mine")
    system = {"groups": {"node": {"nodes": 1, "resources": {"core": 1}}}}
    for force in (False, True):
        with pytest.raises(sl.InputError, match=r"jobs\.csv: is the workload itself"):
            sl.simulate("jobs.csv", system=system, out=".", force=force)
    jobs = [sl.Job(id=1, submit=0, run=10, processors=1)]
    with pytest.raises(sl.InputError, match=r"holds jobs\.csv already"):
        sl.simulate(jobs, system=system, out=".")
    assert (tmp_path / "jobs.csv").read_text() == text
