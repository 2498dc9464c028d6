"""Accounting of a schedule: each rule, broken by hand, is found."""

from __future__ import annotations

import pytest

import schedlab as sl
from schedlab.testing import Scenario, report
from schedlab.testing.records import BrokenRule, check_schedule, expand, read_rows

JOBS = [
    sl.Job(1, 0, 10, 4, requested_time=20),
    sl.Job(2, 5, 10, 2, requested_time=20, tasks_per_node=1),
    sl.Job(3, 5, 0.5, 1, requested_time=1, predecessors=[1], think=2, user=7),
    sl.Job(4, 6, 10, 4, requested_time=20, whole_nodes=True),
]
SCENARIO = Scenario(
    "by hand",
    {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}},
    JOBS,
    windows=[sl.Window(40, 50, "1", when="user == 7"), sl.Window(60, 61, every=10, times=2)],
)
RIGHT = {1: (0, 10, "0*4"), 2: (10, 20, "0-1"), 3: (12, 12.5, "1"), 4: (20, 30, "0*4")}


def rows(**changed):
    """Returns the rows of jobs.csv, with some of them changed: `job_2=(10, 20, "0*2")`."""
    lines = []
    for job in JOBS:
        row = changed.get(f"job_{job.id}", RIGHT[job.id])
        if row is not None:
            start, end, nodes = row
            estimate = changed.get("estimate", job.requested_time)
            line = [job.id, job.user, job.submit, start, end, "completed", job.processors, estimate]
            lines.append(",".join(map(str, [*line, nodes, *[""] * 5])))
    return read_rows("\n".join(lines))


def test_a_right_schedule():
    check_schedule(SCENARIO, rows())
    check_schedule(SCENARIO, rows(job_3=(45, 45.5, "1")))  # the window is for its user
    check_schedule(SCENARIO, rows(job_4=None), may_wait=[4])


@pytest.mark.parametrize(
    ("changed", "rule", "words"),
    [
        ({"job_2": None}, report.ENDS, r"without a row: \[2\]"),
        ({"job_4": (5, 15, "0*4")}, report.ORDER, "submitted at 6"),
        ({"job_3": (11, 11.5, "1")}, report.ORDER, "job 1 ends at"),
        ({"job_1": (0, 9, "0*4")}, report.LENGTH, "runs for 9000000000 ns"),
        ({"job_1": (0, 10, "0*3")}, report.ROOM, "has 4 tasks, and runs on"),
        ({"job_2": (10, 20, "1*2")}, report.ROOM, "at most 1 on a node"),
        ({"job_1": (0, 10, "2*4")}, report.ROOM, "node 2, which there is not"),
        ({"job_2": (9, 19, "0-1")}, report.ROOM, r"node 0 gives 5 core of 4, to jobs \[1, 2\]"),
        ({"job_4": (12, 22, "0*4")}, report.ROOM, "taken whole"),
        ({"job_4": (30, 40, "1*4")}, report.WINDOWS, "Window"),
        ({"job_4": (64, 74, "0*4"), "estimate": 7}, report.WINDOWS, "expected to end at 71"),
    ],
)
def test_a_wrong_schedule(changed, rule, words):
    with pytest.raises(BrokenRule, match=words) as caught:
        check_schedule(SCENARIO, rows(**changed))
    assert caught.value.rule == rule


def test_limits_cut_run_times():
    limited = Scenario("limits", SCENARIO.system, [sl.Job(1, 0, 10, requested_time=4)])
    killed = read_rows("1,-1,0,0,4,killed,1,4,0,,,,,")
    with pytest.raises(BrokenRule):
        check_schedule(limited, killed)
    check_schedule(
        Scenario("limits", limited.system, limited.jobs, options={"enforce_limits": True}), killed
    )


def test_nodes():
    assert expand("16-17*2 40") == {16: 2, 17: 2, 40: 1}
    assert expand("") == {}
