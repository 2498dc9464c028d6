"""Every way to be rejected has its reason, in jobs.csv, run.json and the summary."""

from __future__ import annotations

import csv

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab import Job, Queue
from schedlab.results.notices import REASONS

MACHINE = {"groups": {"node": {"nodes": 4, "resources": {"core": 4, "mem": 100}}}}
PLAIN = Job(1, 0, 10)


def reasons(result: sl.Result) -> dict[int, str | None]:
    return dict(result.jobs.select("job_id", "reason").collect().rows())


class RejectsOdd(sl.Scheduler):
    """Rejects jobs of odd numbers."""

    def schedule(self, state):
        for job in list(state.queue):
            yield sl.RejectJob(job) if job.id % 2 else job


KINDS = {
    "task-too-large": ({"jobs": [Job(1, 0, 10, resources={"mem": 200}), Job(2, 0, 10)]}, "200 mem"),
    "too-large": ({"jobs": [Job(1, 0, 10, 17), Job(2, 0, 10)]}, "room for 16"),
    "no-queue": (
        {"jobs": [Job(1, 0, 10, 5), Job(2, 0, 10)], "queues": [Queue("q", when="processors < 5")]},
        "no queue",
    ),
    "scheduler": ({"jobs": [Job(1, 0, 10), Job(2, 0, 10)], "scheduler": RejectsOdd()}, "scheduler"),
}


@pytest.mark.parametrize("kept", ["csv", "parquet"])
@pytest.mark.parametrize("reason", KINDS)
def test_kinds(tmp_path, reason, kept):
    given, text = KINDS[reason]
    result = sl.simulate(
        given["jobs"],
        system=MACHINE,
        out=tmp_path,
        jobs=kept,
        **{name: value for name, value in given.items() if name != "jobs"},
    )
    assert reasons(result) == {1: reason, 2: None}
    assert reasons(sl.Result.load(tmp_path)) == {1: reason, 2: None}
    of = result.run["rejections"]
    assert of[reason]["jobs"] == of[reason]["first_job"] == 1
    assert text in of[reason]["because"]
    [line] = [line for line in result.summary.lines() if line.startswith("rejected")]
    assert f"1 of 2 jobs ({reason}): {REASONS[reason]}; the first is job 1" in line


def test_predecessors():
    jobs = [
        Job(1, 0, 10, 99),
        Job(2, 1, 10, predecessors=[1]),
        Job(3, 2, 10, predecessors=[4]),
        Job(5, 2, 10),
    ]
    jobs = [Job(4, 0, 10, resources={"mem": 101}), *jobs]
    found = reasons(sl.simulate(jobs, system=MACHINE))
    expected = {4: "task-too-large", 1: "too-large", 2: "predecessor", 3: "predecessor", 5: None}
    assert found == expected


def test_dependents_of_a_job_that_is_given_up():
    trace = {"failure_trace": {"outages": [[0, 5, 6]]}, "resubmission": {"limit": 1}}
    jobs = [Job(1, 0, 10, 16), Job(2, 1, 10, predecessors=[1]), Job(3, 2, 10, predecessors=[2])]
    found = reasons(sl.simulate(jobs, system=MACHINE, conditions=trace))
    assert found == {1: None, 2: "predecessor", 3: "predecessor"}


@given(
    st.lists(
        st.tuples(st.integers(1, 20), st.integers(0, 5), st.integers(0, 130), st.integers(0, 4)),
        min_size=1,
        max_size=20,
    )
)
def test_reasons_add_up_and_only_rejected_jobs_have_one(shapes):
    jobs = [
        Job(n, n, 10, tasks, resources={"core": cores, "mem": mem}, tasks_per_node=most or None)
        for n, (tasks, cores, mem, most) in enumerate(shapes, 1)
        if cores or mem
    ]
    result = sl.simulate(jobs, system=MACHINE, scheduler="easy")
    frame = result.jobs.collect()
    rejected = frame["state"] == "rejected"
    assert (rejected == frame["reason"].is_not_null()).all()
    counted = {of: entry["jobs"] for of, entry in result.run["rejections"].items()}
    assert counted == dict(frame["reason"].drop_nulls().value_counts().iter_rows())
    assert sum(counted.values()) == result.counts["rejected"]
    for job in jobs:
        row = frame.row(by_predicate=polars.col("job_id") == job.id, named=True)
        fits = job.resources["core"] <= 4 and job.resources["mem"] <= 100
        assert (row["reason"] == "task-too-large") == (not fits)


def test_old_run_folders_are_read(tmp_path):
    """Without the column, and without the keys of run.json."""
    result, same = (
        sl.simulate([PLAIN, Job(2, 0, 10, 99)], system=MACHINE, out=tmp_path / name)
        for name in ("old", "new")
    )
    path = tmp_path / "old" / "jobs.csv"
    rows = list(csv.reader(path.open()))
    place = rows[0].index("reason")
    path.write_text("".join(",".join(row[:place] + row[place + 1 :]) + "\n" for row in rows))
    run = {k: v for k, v in result.run.items() if k not in ("warnings", "rejections", "tables")}
    old = sl.Result(str(tmp_path / "old"), run)
    assert "reason" not in old.jobs.collect().columns
    assert "2 jobs" not in str(old.summary)
    assert sl.compare_schedules(old, same).identical


def test_an_attribute_of_the_same_name(tmp_path):
    """A column is there once: the reason for which jobs are rejected."""
    with pytest.raises(sl.InputError, match="reason"):
        sl.simulate(
            [Job(1, 0, 10, attributes={"reason": 3})], system=MACHINE, keep="reason", out=tmp_path
        )
