"""Runs that were killed while they were published: whoever comes next continues."""

from __future__ import annotations

import os
import shutil

import pytest

import schedlab as sl
from schedlab.results import publishing

SYSTEM = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
JOBS = [sl.Job(n, n, 5, 1 + n % 4) for n in range(1, 20)]
WHOLE = ["jobs.csv", "run.json", "timeline.csv"]


class Power(BaseException):
    """Is cut."""


def stopped(folder, monkeypatch, step, **more):
    """Publishes a run up to a call of os.replace or os.unlink, as if the power were cut there."""
    with monkeypatch.context() as patched:
        calls = 0

        def counted(function):
            def call(*given, **named):
                nonlocal calls
                calls += 1
                if calls >= step:
                    raise Power
                return function(*given, **named)

            return call

        for name in ("replace", "unlink"):
            patched.setattr(os, name, counted(getattr(os, name)))
        try:
            sl.simulate(JOBS, system=SYSTEM, out=folder, timeline="csv", **more)
        except Power:
            return True
    return False


@pytest.fixture
def left(tmp_path, monkeypatch):
    """Returns a folder whose run is decided on; none of its tables has its name."""
    assert stopped(tmp_path / "run", monkeypatch, 2)
    assert sorted(os.listdir(tmp_path / "run")) == [
        *("jobs.csv.part", "run.json.next", "timeline.csv.part"),
    ]
    return tmp_path / "run"


def test_resuming_finishes_it(left):
    assert sl.resume(left).counts["completed"] == len(JOBS)
    assert sorted(os.listdir(left)) == WHOLE


def test_readers_finish_it(left):
    from schedlab.watch import state_of

    other = left.parent / "other"
    shutil.copytree(left, other)
    assert sl.Result.load(left).jobs.collect().height == len(JOBS)
    assert state_of(str(other)) == "finished"
    for folder in (left, other):
        assert sorted(os.listdir(folder)) == WHOLE


def test_it_is_not_replaced_unless_that_is_asked_for(left):
    with pytest.raises(
        sl.InputError, match=r"holds a run already \(run\.json\.next\); schedlab run --resume"
    ):
        sl.simulate(JOBS[:3], system=SYSTEM, out=left)
    sl.simulate(JOBS[:3], system=SYSTEM, out=left, force=True)
    assert sl.Result.load(left).counts["completed"] == 3


def test_those_who_may_not_write_leave_it_alone(left, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    before = sorted(os.listdir(left))
    with pytest.raises(sl.InputError, match="is not a run folder"):
        sl.Result.load(left)
    assert sorted(os.listdir(left)) == before


def test_at_each_step_the_earlier_result_or_the_new_one_is_whole(tmp_path, monkeypatch):
    earlier = sl.simulate(JOBS[:3], system=SYSTEM, out=tmp_path / "earlier", timeline="csv")
    steps, found = 0, []
    while True:
        steps += 1
        folder = tmp_path / str(steps)
        shutil.copytree(earlier.path, folder)
        if not stopped(folder, monkeypatch, steps, force=True):
            break
        found.append(sl.Result.load(folder).counts["completed"])
        assert sl.Result.load(folder).jobs.collect().height == found[-1]
    assert found == [3] + [len(JOBS)] * (steps - 2)
    assert steps >= 6


@pytest.mark.parametrize("how", ["cut", "missing", "no json", "another name"])
def test_files_that_somebody_changed_meanwhile(left, how):
    if how == "cut":
        (left / "jobs.csv.part").write_text("job_id\n")
    elif how == "missing":
        (left / "jobs.csv.part").unlink()
    elif how == "no json":
        (left / "run.json.next").write_text("{")
    else:
        text = (left / "run.json.next").read_text()
        (left / "run.json.next").write_text(text.replace('"jobs.csv": {', '"../jobs.csv": {'))
    before = sorted(os.listdir(left))
    with pytest.raises(sl.InputError, match=r"run\.json\.next:.*remove"):
        sl.resume(left)
    assert sorted(os.listdir(left)) == before


def test_ctrl_c_in_the_middle_does_not_stop_it(tmp_path, monkeypatch):
    def interrupted(*_):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(publishing, "_finish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sl.simulate(JOBS, system=SYSTEM, out=tmp_path, timeline="csv")
    assert sorted(os.listdir(tmp_path)) == WHOLE


def test_a_checkpoint_stays_when_there_is_no_room_for_the_result(tmp_path, monkeypatch):
    def no_room(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("schedlab.simulation.run_folder.table_facts", no_room)
        with pytest.raises(OSError, match="No space left"):
            sl.simulate(JOBS, system=SYSTEM, out=tmp_path, checkpoint_every=1e-9, progress=print)
    left = set(os.listdir(tmp_path))
    assert left == {"checkpoint.state", "jobs.csv.part"} or left == set()
    if left:
        sl.resume(tmp_path, workload=JOBS)
        assert sl.Result.load(tmp_path).counts["completed"] == len(JOBS)
