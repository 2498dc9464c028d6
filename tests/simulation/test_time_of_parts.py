"""Times that stand beside each other are of one clock, so that a part never exceeds its whole."""

from __future__ import annotations

import time

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.workload.models import synthetic

SYSTEM = {"groups": {"n": {"nodes": 4, "resources": {"core": 4}}}}


class Sleepy(sl.Scheduler):
    """FIFO that waits at each decision: much wall time, hardly any CPU time."""

    def __init__(self, seconds=0.0002):
        self.seconds = seconds

    def schedule(self, state):
        time.sleep(self.seconds)
        for job in state.queue:
            if not state.machine.fits(job):
                return
            yield job


def jobs(count: int):
    return [sl.Job(n, submit=n // 2, run=3 + n % 11, processors=1 + n % 7) for n in range(count)]


def check(result: sl.Result) -> None:
    """Asserts that dispatching is a part of the wall time, and the rest with it."""
    simulator = result.run["simulator"]
    points = result.timeline.select("dispatch_nanoseconds", "other_nanoseconds").collect()
    dispatch, other = (points[name].sum() / 1e9 for name in points.columns)
    assert points["dispatch_nanoseconds"].min() >= 0
    assert points["other_nanoseconds"].min() >= 0
    assert simulator["dispatch_seconds"] == pytest.approx(dispatch, abs=1e-9)
    assert 0 < simulator["dispatch_seconds"] < simulator["wall_seconds"]
    assert dispatch + other < simulator["wall_seconds"]


def test_a_scheduler_that_sleeps():
    result = sl.simulate(jobs(60), system=SYSTEM, scheduler=Sleepy(0.01), timeline="csv")
    check(result)
    simulator = result.run["simulator"]
    # Why the two clocks must not be mixed: this part is longer than the CPU time of the whole.
    assert simulator["dispatch_seconds"] > simulator["cpu_seconds"]


@given(
    count=st.integers(1, 60),
    scheduler=st.sampled_from(["fifo", "easy", "conservative", "easy(order=wfp3)"]),
    allocator=st.sampled_from(["first-fit", "best-fit", "random"]),
    dispatch_per=st.sampled_from(["time", "event"]),
)
@examples(30)
def test_any_run(count, scheduler, allocator, dispatch_per):
    check(
        sl.simulate(
            jobs(count),
            system=SYSTEM,
            scheduler=scheduler,
            allocator=allocator,
            dispatch_per=dispatch_per,
            timeline="csv",
        )
    )


@pytest.mark.parametrize("stops", [1, 3])
def test_a_run_that_was_resumed(tmp_path, stops):
    """All its parts are in both."""
    workload, out = tmp_path / "trace.swf", tmp_path / "out"
    rows = [
        [n, n, -1, 5, 2, -1, -1, 1 + n % 9, 30, -1, 1, 1, 1, -1, 1, -1, -1, -1]
        for n in range(1, 3000)
    ]
    sl.write_swf(workload, rows)

    def interrupt(_):
        raise KeyboardInterrupt  # after the first slice of work

    begin = time.perf_counter()
    kept = {"checkpoint_every": 1e9, "progress": interrupt}
    with pytest.raises(KeyboardInterrupt):
        sl.simulate(workload, system=SYSTEM, scheduler=Sleepy(), out=out, timeline="csv", **kept)
    for _ in range(stops - 1):
        with pytest.raises(KeyboardInterrupt):
            sl.resume(out, scheduler=Sleepy(), **kept)
    result = sl.resume(out, scheduler=Sleepy())
    check(result)
    simulator = result.run["simulator"]
    assert simulator["wall_seconds"] < time.perf_counter() - begin
    # Calls that slept before the interruptions are in, too.
    calls = (result.timeline.collect()["dispatch_nanoseconds"] > 0).sum()
    assert simulator["dispatch_seconds"] > Sleepy().seconds * calls


def test_putting_the_queue_in_order_is_dispatching():
    """With an order that changes over time it is most of a decision; medians hide no pause."""
    crowd = [sl.Job(n, submit=0, run=10 + n % 3, processors=1) for n in range(6000)]
    result = sl.simulate(crowd, system=SYSTEM, scheduler="easy(order=wfp3)", timeline="csv")
    points = result.timeline.collect()
    assert points["dispatch_nanoseconds"].median() > points["other_nanoseconds"].median()


def test_tables_of_experiments(tmp_path):
    trace = tmp_path / "trace.swf"
    sl.write_swf(trace, synthetic.synthetic_rows(200, 1), synthetic.header_lines(200, 1))
    experiment = sl.Experiment(
        tmp_path / "study",
        workloads=[trace],
        systems=[{"groups": {"n": {"nodes": 64, "resources": {"core": 8}}}}],
        schedulers=["fifo", "easy"],
        repeat=2,
    )
    comparison = experiment.run()
    for table in (comparison.timing, comparison.timing_summary):
        for row in table.iter_rows(named=True):
            assert 0 < row["dispatch_seconds"] < row["wall_seconds"]
            each = row["dispatch_microseconds"] + row["other_microseconds"]
            assert each * row["time_points"] / 1e6 < row["wall_seconds"]
