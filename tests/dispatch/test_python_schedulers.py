"""Schedulers written in Python equal the engine's own wherever they are the same algorithm."""

from __future__ import annotations

import pytest
from conftest import examples
from dispatch.policies import (
    CHOICES,
    FOUR,
    SETH,
    EasyWalk,
    Fifo,
    GreedyWalk,
    PlanWalk,
    in_order,
    plans_nodes,
    policy,
    records,
    schedule,
    starts,
    workloads,
)
from hypothesis import assume, given
from hypothesis import strategies as st

import schedlab
from schedlab import Blocking, Easy, Greedy, Job, Scheduler

PLACES = st.sampled_from(["submit", "shortest", "longest", "largest", "score:-wait * processors"])


@examples(150)
@given(workload=workloads(), order=PLACES, choices=st.fixed_dictionaries(CHOICES))
def test_a_users_fifo_is_blocking(workload, order, choices):
    mine = records(workload, scheduler=in_order(Fifo(), order), **choices)
    assert mine == records(workload, scheduler=Blocking(order), **choices)


@examples(150)
@given(workload=workloads(), order=PLACES, choices=st.fixed_dictionaries(CHOICES))
def test_a_users_greedy_is_greedy(workload, order, choices):
    mine = records(workload, scheduler=in_order(GreedyWalk(), order), **choices)
    assert mine == records(workload, scheduler=Greedy(order), **choices)


@examples(250)
@given(
    workload=workloads(),
    order=PLACES,
    depth=st.none() | st.integers(1, 4),
    choices=st.fixed_dictionaries(CHOICES),
)
def test_a_users_easy_is_easy(workload, order, depth, choices):
    """In all cases: any requests, windows, allocators, and jobs that outlast their estimates."""
    mine = records(workload, scheduler=in_order(EasyWalk(depth), order), **choices)
    assert mine == records(workload, scheduler=Easy(order, depth), **choices)


@pytest.mark.parametrize("mine", [False, True], ids=["native", "in Python"])
def test_easy_looks_at_each_job_although_a_window_kept_out_another(mine):
    """Found by the property above: jobs that ask for the same were taken to fare the same."""
    scheduler = EasyWalk() if mine else Easy()
    one = {"groups": {"all": {"nodes": 1, "resources": {"core": 4}}}}
    jobs = [Job(1, 0, 1), Job(2, 0, 2), Job(3, 0, 2)]
    windows = [schedlab.Window(0, 1, when="id == 3")]
    assert starts(jobs, one, scheduler=scheduler, windows=windows) == {1: 1, 2: 1, 3: 0}

    two = {
        "groups": {
            "a": {"nodes": 1, "resources": {"core": 2}},
            "b": {"nodes": 1, "resources": {"core": 1}},
        }
    }
    jobs = [Job(1, 0, 30, 2), Job(2, 0, 30, 2), Job(3, 0, 60), Job(4, 0, 50)]
    windows = [schedlab.Window(55, 80, "b")]
    got = starts(jobs, two, scheduler=scheduler, windows=windows)
    assert got == {1: 0, 2: 30, 3: 60, 4: 0}


@pytest.mark.parametrize("allocator", ["best-fit", "worst-fit"])
@pytest.mark.parametrize("mine", [False, True], ids=["native", "in Python"])
def test_allows_answers_for_the_allocator_in_use(mine, allocator):
    """A reservation may let a job in on some nodes only; which are tried first matters.

    The head asks for three of four nodes of two cores, and one half of each of two nodes is in
    use until its start. A job of two tasks costs it one node on an idle node, two on the others.
    """
    system = {"groups": {"all": {"nodes": 4, "resources": {"core": 2}}}}
    scheduler = EasyWalk() if mine else Easy()
    halves = Job(2, 0, 10, 2, tasks_per_node=1)
    head = Job(3, 1, 10, 3, resources={"core": 2})
    small = Job(4, 1, 100, 2)
    if allocator == "best-fit":  # the halves are on nodes 1 and 2, and are filled first
        jobs, expected = [Job(1, 0, 1, 2), halves, head, small], {1: 0, 2: 0, 3: 10, 4: 10}
    else:  # on nodes 0 and 1, and filled last
        jobs, expected = [halves, head, small], {2: 0, 3: 10, 4: 1}
    assert starts(jobs, system, scheduler=scheduler, allocator=allocator) == expected


@examples(200)
@given(
    workload=workloads(),
    order=PLACES,
    reservations=st.sampled_from([2, 3, None]),
    depth=st.none() | st.integers(1, 4),
    choices=st.fixed_dictionaries(CHOICES),
)
def test_a_walk_with_a_plan_is_easy_with_reservations(
    workload, order, reservations, depth, choices
):
    jobs, _, windows = workload
    assume(plans_nodes(jobs, windows))
    mine = records(workload, scheduler=in_order(PlanWalk(reservations, depth), order), **choices)
    assert mine == records(workload, scheduler=Easy(order, depth, reservations), **choices)


@examples(100)
@given(workload=workloads(), choices=st.fixed_dictionaries(CHOICES))
def test_a_plan_allows_what_it_could_start_now(workload, choices):
    """The plan's own answers agree: a job may start if its earliest time is now."""
    seen = []

    def walk(self, state):
        plan = state.plan()
        for job in state.queue:
            earliest = plan.earliest(job)
            allowed = plan.allows(job)
            seen.append((earliest == state.now, allowed))
            if allowed:
                yield job
            else:
                assert plan.reserve(job) == earliest

    records(workload, scheduler=policy(walk), **choices)
    assert all(now == allowed for now, allowed in seen)


def test_a_job_that_starts_takes_the_place_that_was_reserved_for_it():
    """Conservative as one would write it: plan all jobs, start those whose time is now."""

    def walk(self, state):
        plan = state.plan()
        for job in state.queue:
            if plan.reserve(job) == state.now:
                yield job

    def listed(self, state):
        plan = state.plan()
        return [job for job in state.queue if plan.reserve(job) == state.now]

    jobs = [Job(i, 0, 10, 2) for i in (1, 2, 3, 4)]
    for scheduler in (policy(walk), policy(listed)):
        assert starts(jobs, FOUR, scheduler=scheduler) == {1: 0, 2: 0, 3: 10, 4: 10}


class ListedFifo(Scheduler):
    """Returns a list, and so has to count for itself."""

    def schedule(self, state):
        free = state.machine.free_processors
        chosen = []
        for job in state.queue:
            if job.processors > free:
                break
            free -= job.processors
            chosen.append(job)
        return chosen


class ListedGreedy(Scheduler):
    def schedule(self, state):
        free = state.machine.free_processors
        chosen = []
        for job in state.queue:
            if job.processors <= free:
                free -= job.processors
                chosen.append(job)
        return tuple(chosen)


class ListedEasy(Scheduler):
    """EASY for plain processors, by counting; nothing of the engine's planning is used."""

    def schedule(self, state):
        free = state.machine.free_processors
        queue = list(state.queue)
        releases = [(job.expected_end, job.processors) for job in state.running]
        chosen = []
        while queue and queue[0].processors <= free:
            job = queue.pop(0)
            free -= job.processors
            releases.append((job.expected_end, job.processors))
            chosen.append(job)
        if not queue:
            return chosen
        head = queue.pop(0)
        available, shadow = free, None
        for end, processors in sorted(releases):
            if shadow is not None and end > shadow:
                break
            available += processors
            if shadow is None and available >= head.processors:
                shadow = end
        extra = available - head.processors
        for job in queue:
            before = job.expected_end <= shadow
            if job.processors <= free and (before or job.processors <= extra):
                free -= job.processors
                extra -= 0 if before else job.processors
                chosen.append(job)
        return iter(chosen)


@examples(150)
@given(
    workload=workloads(),
    pair=st.sampled_from(
        [(ListedFifo, Blocking), (ListedGreedy, Greedy), (ListedEasy, Easy)],
    ),
    order=PLACES,
    choices=st.fixed_dictionaries(CHOICES),
)
def test_returned_lists(workload, pair, order, choices):
    jobs, _, windows = workload
    assume(not plans_nodes(jobs, windows))
    mine, native = pair
    mine = records(workload, scheduler=in_order(mine(), order), **choices)
    assert mine == records(workload, scheduler=native(order), **choices)


@pytest.mark.parametrize(
    ("mine", "native"),
    [
        (Fifo(), Blocking()),
        (GreedyWalk(), Greedy()),
        (EasyWalk(), Easy()),
        (ListedEasy(), Easy()),
    ],
    ids=["fifo", "greedy", "easy", "easy-by-counting"],
)
def test_a_real_workload(first_jobs, mine, native):
    expected = schedule(first_jobs, SETH, scheduler=native)
    assert len(expected) == len(first_jobs)
    assert schedule(first_jobs, SETH, scheduler=mine) == expected


def test_a_real_workload_with_a_plan(first_jobs):
    jobs = first_jobs[:600]
    windows = [schedlab.Window(first_jobs[0].submit + 86_400, first_jobs[0].submit + 90_000)]
    choices = {"windows": windows, "allocator": "best-fit"}
    expected = schedule(jobs, SETH, scheduler=Easy(reservations=3), **choices)
    assert schedule(jobs, SETH, scheduler=PlanWalk(3), **choices) == expected
