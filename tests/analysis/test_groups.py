"""Groups of runs, and what they are called."""

from __future__ import annotations

import polars
import pytest

import schedlab as sl
from schedlab.analysis import RunGroup, groups_of
from schedlab.errors import InputError

SYSTEM = {"groups": {"node": {"nodes": 2, "resources": {"core": 2}}}}
JOBS = [sl.Job(1, submit=0, run=9, processors=4), sl.Job(2, submit=1, run=5, processors=2)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of runs: two of fifo, one of easy, one of easy with best-fit."""
    path = tmp_path_factory.mktemp("groups")
    cases = (("fifo", "first-fit"), ("fifo", "first-fit"), ("easy", "first-fit"))
    for number, (scheduler, allocator) in enumerate((*cases, ("easy", "best-fit"))):
        sl.simulate(
            JOBS,
            system=SYSTEM,
            scheduler=scheduler,
            allocator=allocator,
            seed=number,
            timeline="csv",
            out=path / f"run-{number}",
        )
    return path


def labels(runs):
    return [group.label for group in groups_of(runs)]


def test_runs_of_the_same_inputs_are_one_group(folder):
    groups = groups_of([folder / "run-0", folder / "run-2", folder / "run-1"])
    assert [(group.label, len(group.results)) for group in groups] == [("fifo", 2), ("easy", 1)]
    assert groups[0].jobs("job_id", "wait").rows() == [(1, 0.0), (2, 8.0)] * 2
    assert groups[0].schedules.jobs("wait")["wait"].to_list() == [0.0, 8.0]
    assert groups[0].timeline("queued").height == 2 * groups[0].first.timeline("queued").height
    assert groups[0].jobs(polars.col("wait").sum())["wait"].to_list() == [8.0, 8.0]


def test_labels_say_what_differs(folder):
    runs = [str(folder / f"run-{number}") for number in range(4)]
    assert labels(runs) == ["fifo + first-fit", "easy + first-fit", "easy + best-fit"]
    assert labels(runs[0]) == ["fifo"]
    assert labels(sl.Result.load(runs[3])) == ["easy"]
    assert labels({"mine": runs[0], "theirs": [runs[1], runs[2]]}) == ["mine", "theirs"]
    assert labels([RunGroup("a", groups_of(runs[0])[0].results)] * 2) == ["a", "a (2)"]


def test_other_workloads_and_options_are_distinguished(folder, tmp_path):
    exact = sl.simulate(JOBS, system=SYSTEM, estimate="exact", out=tmp_path / "exact")
    assert labels([folder / "run-0", exact]) == [
        "fifo + estimate=requested",
        "fifo + estimate=exact",
    ]
    other = sl.simulate(JOBS, system={**SYSTEM, "start_time": 7}, out=tmp_path / "other")
    assert labels([folder / "run-0", other]) == ["fifo (run-0)", "fifo (other)"]


def test_long_labels_lose_their_middle(folder):
    (label,) = labels({"score:" + "wait * " * 40 + "user": folder / "run-0"})
    assert len(label) == 48
    assert label.startswith("score:wait")
    assert label.endswith("user")


def test_anything_with_groups_will_do(folder):
    class Comparison:
        groups = (RunGroup("x", (sl.Result.load(folder / "run-0"),)),)

    assert labels(Comparison()) == ["x"]


def test_what_is_no_run_is_refused(folder):
    for nothing in ([], {}, ()):
        with pytest.raises(InputError, match="no run to plot"):
            groups_of(nothing)
    with pytest.raises(InputError, match="x: has no run"):
        groups_of({"x": []})
    with pytest.raises(InputError, match="7: is neither"):
        groups_of(7)
    with pytest.raises(InputError, match="no column 'power'"):
        groups_of(folder / "run-0")[0].jobs("power")
    with pytest.raises(InputError, match="is not a run folder"):
        groups_of(folder)
