"""Jobs that wait for others: in which order those join the queue that are released at one time."""

from __future__ import annotations

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl

ONE_CORE = {"groups": {"n": {"nodes": 1, "resources": {"core": 1}}}}


def starts(jobs, **options) -> list[int]:
    """Returns the numbers of the jobs that ran, by their starts."""
    result = sl.simulate(jobs, system=ONE_CORE, **options)
    return result.jobs.collect().sort("start")["job_id"].to_list()


def waits_for(number: int, submit: float, predecessor: int, think: float = 0.0) -> sl.Job:
    return sl.Job(number, submit, run=1, predecessors=[predecessor], think=think)


def test_those_of_one_instant_join_in_submission_order():
    """Neither their numbers count, nor which predecessor they waited for, nor think times."""
    jobs = [
        sl.Job(1, 0, run=10),
        waits_for(9, 1, 1, think=5),
        waits_for(3, 2, 1, think=5),
        waits_for(7, 2, 1, think=5),
        waits_for(2, 3, 1, think=5),
    ]
    assert starts(jobs) == [1, 9, 3, 7, 2]


def test_a_release_is_a_new_place_in_the_queue():
    """Those that arrived while a job was held are before it; those of the same instant after it."""
    jobs = [sl.Job(1, 0, run=10), waits_for(2, 1, 1), sl.Job(3, 2, run=1), sl.Job(4, 10, run=1)]
    assert starts(jobs) == [1, 3, 2, 4]


@pytest.mark.parametrize("scheduler", ["fifo", "easy", "conservative", "fcfs-bf"])
@given(data=st.data())
@examples(60)
def test_any_jobs_released_together(scheduler, data):
    """Several predecessors end at one time; where all ask for the same, it is a plain queue."""
    ends = 20
    firsts = data.draw(st.integers(1, 4))
    machine = {"groups": {"n": {"nodes": 4, "resources": {"core": 1}}}}
    jobs = [sl.Job(n, submit=n, run=ends - n) for n in range(firsts)]
    numbers = data.draw(st.permutations(range(10, 10 + data.draw(st.integers(2, 8)))))
    submits = sorted(data.draw(st.integers(5, 15)) for _ in numbers)
    for number, submit in zip(numbers, submits, strict=True):
        some = data.draw(st.lists(st.integers(0, firsts - 1), min_size=1, max_size=3))
        jobs.append(sl.Job(number, submit, run=2, processors=4, predecessors=some))
    result = sl.simulate(jobs, system=machine, scheduler=scheduler)
    found = result.jobs.collect().filter(result.jobs.collect()["job_id"] >= 10).sort("start")
    assert found["job_id"].to_list() == list(numbers)
    assert found["start"].min() == ends


def test_a_release_by_a_job_of_length_zero():
    """It ends in a second round, after the arrivals of that instant."""
    jobs = [
        sl.Job(1, 0, run=10),
        sl.Job(2, 1, run=0),
        waits_for(3, 2, 2),
        waits_for(4, 3, 2),
        sl.Job(5, 10, run=1),
    ]
    assert starts(jobs) == [1, 2, 5, 3, 4]
