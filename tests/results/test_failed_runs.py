"""A run that an error ends keeps what it had done, as an interrupted one does."""

from __future__ import annotations

import os

import pytest

import schedlab as sl
from schedlab import Job

MACHINE = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
JOBS = [Job(n, 10 * n, 5) for n in range(1, 31)]


class Fails(sl.Scheduler):
    """FIFO that raises, or stops starting jobs, from a job on."""

    def __init__(self, at: int = 20, raises: bool = True):
        self.at, self.raises = at, raises

    def schedule(self, state):
        for job in state.queue:
            if job.id >= self.at:
                if self.raises:
                    raise ZeroDivisionError("a slip")
                return
            yield job


@pytest.mark.parametrize("raises", [True, False])
@pytest.mark.parametrize("kept", ["csv", "parquet"])
def test_what_ended_is_kept_and_marked(tmp_path, raises, kept):
    error = ZeroDivisionError if raises else sl.SimulationError
    with pytest.raises(error):
        sl.simulate(
            JOBS,
            system=MACHINE,
            scheduler=Fails(raises=raises),
            out=tmp_path,
            jobs=kept,
            timeline=kept,
        )
    assert sorted(os.listdir(tmp_path)) == [f"jobs.{kept}", "run.json", f"timeline.{kept}"]
    result = sl.Result.load(tmp_path)
    assert result.run["status"] == "failed"
    assert ("a slip" if raises else "nothing is left to happen") in result.run["error"]
    assert result.jobs.collect()["job_id"].to_list() == list(range(1, 20))
    assert result.timeline.collect().height > 0
    assert "PARTIAL RESULT: the run failed: " in str(result.summary)


def test_nothing_is_written_where_no_job_ended_or_the_input_is_wrong(tmp_path):
    with pytest.raises(ZeroDivisionError):
        sl.simulate(JOBS, system=MACHINE, scheduler=Fails(at=1), out=tmp_path)
    assert not os.listdir(tmp_path)
    with pytest.raises(sl.InputError):
        sl.simulate([*JOBS, Job(99, 0, 1)], system=MACHINE, out=tmp_path)
    assert not os.listdir(tmp_path)


def test_states_of_nodes_are_kept_too(tmp_path):
    outages = [[1, 12, 20], [0, 10_000, 10_001]]
    with pytest.raises(ZeroDivisionError):
        sl.simulate(
            JOBS,
            system=MACHINE,
            scheduler=Fails(),
            out=tmp_path,
            conditions={"failure_trace": {"outages": outages}},
        )
    result = sl.Result.load(tmp_path)
    assert result.states.collect().rows() == [(1, "down", 12.0, 20.0)]


def test_with_checkpoints_the_last_one_stays(tmp_path):
    with pytest.raises(ZeroDivisionError):
        sl.simulate(JOBS, system=MACHINE, scheduler=Fails(), out=tmp_path, checkpoint_every=1e-9)
    assert sorted(os.listdir(tmp_path)) == ["checkpoint.state", "jobs.csv.part"]
    with pytest.raises(ZeroDivisionError):  # it still fails, and the checkpoint still stays
        sl.resume(tmp_path, workload=JOBS, scheduler=Fails())
    assert sorted(os.listdir(tmp_path)) == ["checkpoint.state", "jobs.csv.part"]


def test_before_the_first_checkpoint_what_ended_is_kept(tmp_path):
    with pytest.raises(ZeroDivisionError):
        sl.simulate(JOBS, system=MACHINE, scheduler=Fails(), out=tmp_path, checkpoint_every=1e6)
    assert sl.Result.load(tmp_path).run["status"] == "failed"


class Opens(sl.Scheduler):
    """Asks for a file that is not there; and for worse."""

    def __init__(self, error):
        self.error = error

    def schedule(self, state):
        for job in state.queue:
            if job.id == 20:
                raise self.error
            yield job


@pytest.mark.parametrize(
    "error", [OSError(2, "No such file", "mine.txt"), sl.InputError("mine"), SystemExit(3)]
)
def test_errors_of_any_kind_in_policies_keep_what_ended(tmp_path, error):
    with pytest.raises(type(error)):
        sl.simulate(JOBS, system=MACHINE, scheduler=Opens(error), out=tmp_path)
    run = sl.Result.load(tmp_path).run
    assert (run["status"], run["counts"]["completed"]) == ("failed", 19)
    assert "schedule()" in run["error"] or not isinstance(error, OSError)


def test_a_whole_run_is_not_replaced_by_a_part_of_one(tmp_path):
    whole = sl.simulate(JOBS, system=MACHINE, out=tmp_path).run
    with pytest.raises(ZeroDivisionError):
        sl.simulate(JOBS, system=MACHINE, scheduler=Fails(), out=tmp_path, force=True)
    assert sl.Result.load(tmp_path).run == whole
    assert sorted(os.listdir(tmp_path)) == ["jobs.csv", "run.json"]


def test_the_command_says_where(tmp_path, capsys, monkeypatch):
    from schedlab.cli import app

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    rows = [f"{n} {n * 10} 0 5 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1" for n in range(1, 31)]
    (tmp_path / "a.swf").write_text("\n".join([*rows, ""]))
    (tmp_path / "m.toml").write_text("[groups.n]\nnodes = 2\nresources = { core = 4 }\n")
    (tmp_path / "slipping.py").write_text(
        "import schedlab as sl\n"
        "class Slips(sl.Scheduler):\n"
        "    def schedule(self, state):\n"
        "        for job in state.queue:\n"
        "            yield 1 / 0 if job.id == 20 else job\n"
    )
    command = ["run", "a.swf", "--system", "m.toml", "--scheduler", "slipping:Slips"]
    with pytest.raises(SystemExit) as ended:
        app([*command, "--out", "folder"])
    assert ended.value.code == 1
    assert "schedlab: what ended so far is in folder" in capsys.readouterr().err
    assert sl.Result.load("folder").counts["completed"] == 19


def test_an_experiment_does_not_take_it_for_done(tmp_path):
    given = {
        "workloads": {"w": JOBS},
        "systems": {"m": MACHINE},
        "schedulers": [Fails(), "fifo"],
        "processes": 1,
    }
    for _ in range(2):
        comparison = sl.Experiment(tmp_path, **given).run()
        assert comparison.status == "partial"
        assert comparison.description["done"] == 1
        [(_, reason)] = comparison.failures
        assert "a slip" in reason
