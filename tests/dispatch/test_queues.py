"""Queues with priorities and conditions of admission."""

from __future__ import annotations

import math

import pytest
from conftest import examples
from dispatch.policies import DISCIPLINES, FOUR, Fifo, records, schedule, starts, workloads
from hypothesis import given
from hypothesis import strategies as st
from oracles.engine import ALLOCATORS

import schedlab
from schedlab import InputError, Job, Queue, Simulation, SimulationError, Window
from schedlab.system.queues import load_queues


def queued(job, queue, processors=4, run=10, **more):
    return Job(job, 0, run, processors, attributes={"queue": queue}, **more)


def test_jobs_name_their_queue():
    queues = [Queue("low", 1, number=1), Queue("high", 2.5, number=7), Queue("same", 1, number=3)]
    jobs = [queued(1, 1), queued(2, 3), queued(3, 7), queued(4, 1), queued(5, 7)]
    assert starts(jobs, FOUR, queues=queues) == {3: 0, 5: 10, 1: 20, 2: 30, 4: 40}


def test_the_queue_a_job_names_must_admit_it():
    queues = [Queue("short", 1, "requested_time <= 20", 1), Queue("any", 0, number=2)]
    jobs = [queued(1, 1), queued(2, 1, run=30), queued(3, 2, run=30), queued(4, 9)]
    states = {job: row[2] for job, row in schedule(jobs, FOUR, queues=queues).items()}
    assert states == {1: "completed", 2: "rejected", 3: "completed", 4: "rejected"}


def test_jobs_without_the_field_are_rejected():
    got = schedule([Job(1, 0, 10), queued(2, 1)], FOUR, queues=[Queue("a", number=1)])
    assert (got[1][2], got[2][2]) == ("rejected", "completed")


def test_rules_take_the_first_that_holds():
    queues = [
        Queue("large", 0, "processors > 2"),
        Queue("user", 10, "user == 3"),
        Queue("rest", 5, "requested_time < 100"),
    ]
    jobs = [
        Job(1, 0, 10, 4),
        Job(2, 0, 10, 2, user=1),
        Job(3, 0, 10, 3, user=3),  # large all the same
        Job(4, 0, 10, 2, user=3),
        Job(5, 0, 200, 1),
        Job(6, 0, 10, 2, user=1),
    ]
    got = starts(jobs, FOUR, queues=queues)
    assert got == {4: 0, 2: 0, 6: 10, 1: 20, 3: 30, 5: None}


@pytest.mark.parametrize("discipline", [d for d in DISCIPLINES if d not in ("sjf", "wfp3")])
def test_priorities_go_before_the_order(discipline):
    """Whatever the discipline: while all jobs need the whole machine, queue after queue."""
    queues = [Queue("low", 0, "user == 1"), Queue("high", 1)]
    jobs = [Job(i, 0, 10, 4, user=i % 2) for i in range(1, 7)]
    got = starts(jobs, FOUR, queues=queues, scheduler=discipline)
    if discipline == "conservative(order=largest, depth=2)":
        assert max(got[i] for i in (2, 4)) < max(got[i] for i in (1, 3, 5))
    else:
        assert got == {2: 0, 4: 10, 6: 20, 1: 30, 3: 40, 5: 50}


def test_the_order_holds_within_a_queue():
    queues = [Queue("low", 0, "user == 1"), Queue("high", 1)]
    jobs = [Job(i, 0, 10 * i, 4, user=i % 2) for i in (3, 1, 4, 2)]
    assert starts(jobs, FOUR, queues=queues, scheduler="sjf") == {2: 0, 4: 20, 1: 60, 3: 70}
    got = starts(jobs, FOUR, queues=queues, scheduler="score:-id")
    assert got == {4: 0, 2: 40, 3: 60, 1: 90}
    mine = Fifo()
    mine.order = lambda job: -job.id
    assert starts(jobs, FOUR, queues=queues, scheduler=mine) == got


@examples(80)
@given(case=workloads(), scheduler=st.sampled_from(DISCIPLINES))
def test_one_queue_for_all_changes_nothing(case, scheduler):
    expected = records(case, scheduler=scheduler)
    assert records(case, scheduler=scheduler, queues=[Queue("all")]) == expected
    two = [Queue("even", 3, "id % 2 == 0"), Queue("odd", 3)]
    assert records(case, scheduler=scheduler, queues=two) == expected


@examples(80)
@given(case=workloads(), allocator=st.sampled_from(ALLOCATORS))
def test_ranks_are_an_order(case, allocator):
    """Two queues equal an order by the same condition."""
    queues = [Queue("first", 2, "id % 3 == 1"), Queue("second", 1, "id % 3 == 2"), Queue("third")]
    score = "score:if(id % 3 == 1, 0, if(id % 3 == 2, 1, 2))"
    for discipline in (schedlab.Blocking, schedlab.Greedy, schedlab.Easy):
        expected = records(case, scheduler=discipline(score), allocator=allocator)
        got = records(case, scheduler=discipline(), queues=queues, allocator=allocator)
        assert got == expected


def test_the_queue_of_a_trace(tmp_path):
    rows = [(i, 0, -1, 10, 4, -1, -1, 4, 20, -1, 1, 1, 1, 1, 1 + i % 2) for i in range(1, 5)]
    schedlab.write_swf(tmp_path / "w.swf", [(*row, -1, -1, -1) for row in rows])
    queues = [Queue("a", 1, number=1), Queue("b", 2, number=2)]
    assert starts(tmp_path / "w.swf", FOUR, queues=queues) == {1: 0, 3: 10, 2: 20, 4: 30}
    by_rule = [Queue("b", 2, "queue == 2"), Queue("a", 1)]
    assert starts(tmp_path / "w.swf", FOUR, queues=by_rule) == {1: 0, 3: 10, 2: 20, 4: 30}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "^name: must be one line of visible text"),
        ({"name": 3}, r"^name: must be text \(is 3\)"),
        ({"priority": "high"}, r'^priority: must be a number \(is "high"\)'),
        ({"priority": True}, r"^priority: must be a number \(is true\)"),
        ({"priority": math.nan}, r"^priority: must be a finite number \(is nan\)"),
        ({"priority": 1e300}, r"^priority: must be below 1e\+300 \(is 1e\+300\)"),
        ({"when": 3}, r"^when: must be an expression \(is 3\)"),
        ({"number": 1.5}, r"^number: must be a whole number \(is 1\.5\)"),
        ({"number": True}, r"^number: must be a whole number \(is true\)"),
        ({"number": "1"}, r'^number: must be a whole number \(is "1"\)'),
        ({"number": 10**400}, "^number: must be at most"),
    ],
)
def test_queues_that_are_none(arguments, message):
    with pytest.raises(InputError, match=message):
        Queue(**{"name": "q", **arguments})


@pytest.mark.parametrize(
    ("queues", "message"),
    [
        ([Queue("a"), Queue("a")], "two have the same name"),
        ([Queue("a", number=1), Queue("b", number=1)], "two have the same number"),
        ([Queue("a", number=1), Queue("b")], "give all of them a number, or none"),
        (["a"], "must be Queue objects, not 'a'"),
        ([Queue], "must be Queue objects"),
        (Queue("a"), "[Qq]ueue"),
        (None, "[Qq]ueue"),
        (7, "[Qq]ueue"),
    ],
)
def test_queues_that_do_not_go_together(queues, message):
    with pytest.raises(InputError, match=message):
        Simulation([Job(1, 0, 1)], system=FOUR, queues=queues)


@pytest.mark.parametrize("when", ["bogus > 1", "processors >", "processors > 2 2", "data.x > 1"])
def test_conditions_that_are_wrong(when):
    for choices in ({"queues": [Queue("a", when=when)]}, {"windows": [Window(0, 5, when=when)]}):
        with pytest.raises(InputError, match="expression"):
            Simulation([Job(1, 0, 1)], system=FOUR, **choices).run()


def test_a_condition_without_a_value():
    queues = [Queue("a", when="(user + 1) / (user + 1)")]
    with pytest.raises(SimulationError, match="job 1"):
        Simulation([Job(1, 0, 1)], system=FOUR, queues=queues).run()


def test_files_of_queues_say_which_field_is_wrong(tmp_path):
    path = tmp_path / "q.toml"
    for text, message in (
        ("name = 'a'\npriority = 'x'", r"queues\[1\]\.priority: must be a number"),
        ("priority = 3", r"queues\[1\]\.name: is missing; add it, such as name = \"short\""),
        ("name = 'a'\npriorty = 3", r'queues\[1\]\.priorty: unknown key; did you mean "priority"'),
    ):
        path.write_text(f"[[queues]]\n{text}\n")
        with pytest.raises(InputError, match=rf"q\.toml: {message}"):
            load_queues(path)


def test_files_of_queues(tmp_path):
    expected = [Queue("a", 2, "user == 3", 1), Queue("b", number=2)]
    path = tmp_path / "q.toml"
    path.write_text(
        '[[queues]]\nname = "a"\npriority = 2\nwhen = "user == 3"\nnumber = 1\n'
        '[[queues]]\nname = "b"\nnumber = 2\n'
    )
    assert list(load_queues(path)) == expected
    path = tmp_path / "q.yaml"
    path.write_text(
        "queues:\n- {name: a, priority: 2, when: user == 3, number: 1}\n- {name: b, number: 2}\n"
    )
    assert list(Simulation([Job(1, 0, 1)], system=FOUR, queues=path).queues) == expected
