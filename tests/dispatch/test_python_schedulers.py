"""Schedulers written in Python equal the engine's own wherever they are the same algorithm."""

from __future__ import annotations

import itertools
import math

import pytest
from conftest import examples
from dispatch.policies import (
    EasyWalk,
    Fifo,
    GreedyWalk,
    PlanWalk,
    plans_nodes,
    policy,
    records,
    schedule,
    starts,
    workloads,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.engine import ALLOCATORS

import schedlab
from schedlab import (
    Blocking,
    Conservative,
    Easy,
    Greedy,
    Job,
    Order,
    RejectJob,
    Scheduler,
    SimulationError,
    StartJob,
    WakeAt,
)

FOUR = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
"""Two nodes of two cores."""

CHOICES = {
    "allocator": st.sampled_from(ALLOCATORS),
    "dispatch_per": st.sampled_from(["time", "event"]),
    "seed": st.integers(0, 3),
}
PLACES = st.sampled_from(["submit", "shortest", "longest", "largest", "score:-wait * processors"])


def in_order(scheduler, order):
    """Returns the scheduler with another order of its queue."""
    scheduler.order = order
    return scheduler


# ------------------------------------------------------------------------------ equality


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


SETH = {"groups": {"seth": {"nodes": 120, "resources": {"core": 2}}}}


@pytest.fixture(scope="module")
def first_jobs(trace):
    """Returns the first 5,000 jobs of HPC2N."""
    rows = itertools.islice(schedlab.read_swf(trace("HPC2N-2002-2.2-cln.swf.gz")), 5_000)
    jobs = []
    for row in rows:
        processors = row.requested_processors
        if processors <= 0:
            processors = row.allocated_processors
        if processors <= 0 or row.run < 0:
            continue
        asked = row.requested_time if row.requested_time > 0 else None
        jobs.append(Job(row.job, row.submit, row.run, processors, asked, row.user))
    return jobs


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


# ------------------------------------------------------------------------------ orders

FUNCTIONS = {
    "submit": lambda job: 0,
    "shortest": lambda job: job.estimate,
    "longest": lambda job: -job.estimate,
    "smallest": lambda job: job.processors,
    "largest": lambda job: -job.processors,
    "fewest-node-hours": lambda job: job.estimate * job.processors,
    "most-node-hours": lambda job: -job.estimate * job.processors,
}
EXPRESSIONS = {
    "submit": "0",
    "shortest": "estimate",
    "longest": "-estimate",
    "smallest": "processors",
    "largest": "-processors",
    "fewest-node-hours": "estimate * processors",
    "most-node-hours": "-estimate * processors",
}
DISCIPLINES = st.sampled_from([Blocking, Greedy, Easy, Conservative])


@examples(150)
@given(
    workload=workloads(),
    name=st.sampled_from(sorted(FUNCTIONS)),
    fixed=st.booleans(),
    discipline=DISCIPLINES,
    choices=st.fixed_dictionaries(CHOICES),
)
def test_functions_and_expressions_equal_the_built_in_orders(
    workload, name, fixed, discipline, choices
):
    expected = records(workload, scheduler=discipline(name), **choices)
    by_function = discipline(Order(FUNCTIONS[name], fixed=fixed))
    assert records(workload, scheduler=by_function, **choices) == expected
    by_score = discipline(score=EXPRESSIONS[name])
    assert records(workload, scheduler=by_score, **choices) == expected


@examples(100)
@given(workload=workloads(), discipline=DISCIPLINES, choices=st.fixed_dictionaries(CHOICES))
def test_a_function_that_changes_equals_the_expression(workload, discipline, choices):
    by_function = discipline(lambda job: -job.wait * job.processors / (job.estimate + 1))
    by_score = discipline(score="-wait * processors / (estimate + 1)")
    expected = records(workload, scheduler=by_score, **choices)
    assert records(workload, scheduler=by_function, **choices) == expected


def test_a_fixed_order_is_asked_once_for_each_job():
    asked = []

    def order(job):
        asked.append(job.id)
        return -job.id

    jobs = [Job(i, i, 10, 2) for i in range(1, 9)]
    fixed = starts(jobs, FOUR, scheduler=Blocking(Order(order, fixed=True)))
    assert sorted(asked) == [job.id for job in jobs]
    asked.clear()
    assert starts(jobs, FOUR, scheduler=Blocking(order)) == fixed
    assert len(asked) > len(jobs)


def _r(job):
    return job.requested_time if job.requested_time > 0 else 0.1


def _s(job):
    return job.submit if job.submit > 0 else 0.1


# By hand from shared/specs/learning.md; the wait is now - submit.
FORMULAS = {
    "wfp3": lambda job: -((job.wait / _r(job)) ** 3) * job.processors,
    "unicep": lambda job: -(job.wait + 1e-15) / (math.log2(job.processors + 1e-15) * _r(job)),
    "f1": lambda job: math.log10(_r(job)) * job.processors + 870 * math.log10(_s(job)),
    "f2": lambda job: math.sqrt(_r(job)) * job.processors + 25600 * math.log10(_s(job)),
    "f3": lambda job: _r(job) * job.processors + 6.86e6 * math.log10(_s(job)),
    "f4": lambda job: _r(job) * math.sqrt(job.processors) + 5.3e5 * math.log10(_s(job)),
}


class Sorted(Scheduler):
    """Sorts the queue, which is in order of submission, by a formula; then as its walk does."""

    def __init__(self, formula, greedy=False):
        self.formula = formula
        self.greedy = greedy

    def schedule(self, state):
        for job in sorted(state.queue, key=self.formula):
            if state.machine.fits(job):
                yield job
            elif not self.greedy:
                return


@examples(150)
@given(
    workload=workloads(),
    name=st.sampled_from(sorted(FORMULAS)),
    greedy=st.booleans(),
    choices=st.fixed_dictionaries(CHOICES),
)
def test_formulas_of_the_literature_equal_a_scheduler_that_sorts(workload, name, greedy, choices):
    native = (Greedy if greedy else Blocking)(name)
    mine = records(workload, scheduler=Sorted(FORMULAS[name], greedy), **choices)
    assert mine == records(workload, scheduler=native, **choices)


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_formulas_on_a_real_workload(first_jobs, name):
    jobs = first_jobs[:1_500]
    expected = schedule(jobs, SETH, scheduler=name)
    assert schedule(jobs, SETH, scheduler=Sorted(FORMULAS[name])) == expected
    as_order = Blocking(FORMULAS[name])
    assert schedule(jobs, SETH, scheduler=as_order) == expected


@pytest.mark.parametrize(
    ("score", "formula"),
    [
        ("-wait * processors + estimate / 3", lambda s, j: -j.wait * j.processors + j.estimate / 3),
        ("if(wait > 5, 0, 1)", lambda s, j: 0 if j.wait > 5 else 1),
        ("(now * 7 + id * 13) % 11", lambda s, j: (s.now * 7 + j.id * 13) % 11),
        ("id * (queue.length % 3 - 1)", lambda s, j: j.id * (len(s.queue) % 3 - 1)),
        (
            "id * (running.length % 2 * 2 - 1)",
            lambda s, j: j.id * (len(s.running) % 2 * 2 - 1),
        ),
        (
            "abs(processors - machine.free_processors)",
            lambda s, j: abs(j.processors - s.machine.free_processors),
        ),
        (
            "machine.free_mem / machine.capacity_mem * id - request.mem",
            lambda s, j: (
                s.machine.free["mem"] / s.machine.capacity["mem"] * j.id - j.resources["mem"]
            ),
        ),
        ("queue.processors % 5 * id", lambda s, j: sum(q.processors for q in s.queue) % 5 * j.id),
        ("power - user", lambda s, j: j["power"] - j.user),
    ],
)
def test_every_kind_of_name_in_a_score(score, formula):
    """Names that change with time or state are those of the moment before the first decision."""
    system = {"groups": {"all": {"nodes": 3, "resources": {"core": 2, "mem": 7}}}}
    jobs = [
        Job(
            i,
            i // 3,
            1 + i * 7 % 13,
            1 + i * 5 % 4,
            2 + i * 7 % 17,
            user=i % 4,
            resources={"core": 1, "mem": i % 3},
            attributes={"power": i * 31 % 7},
        )
        for i in range(1, 60)
    ]

    def walk(self, state):
        keys = {job.id: formula(state, job) for job in state.queue}
        for job in sorted(state.queue, key=lambda job: keys[job.id]):
            if not state.machine.fits(job):
                return
            yield job

    expected = schedule(jobs, system, scheduler=policy(walk))
    assert schedule(jobs, system, scheduler=Blocking(score=score)) == expected


def test_the_order_of_a_users_queue():
    class Backwards(Fifo):
        order = "score:-id"

    class Shortest(Fifo):
        order = "shortest"

    class ByMethod(Fifo):
        def order(self, job):
            return self.sign * job.id

        sign = -1

    jobs = [Job(i, 0, 10 * i, 4) for i in (2, 3, 1)]
    assert starts(jobs, FOUR, scheduler=Backwards()) == {3: 0, 2: 30, 1: 50}
    assert starts(jobs, FOUR, scheduler=Shortest()) == {1: 0, 2: 10, 3: 30}
    assert starts(jobs, FOUR, scheduler=ByMethod()) == {3: 0, 2: 30, 1: 50}
    for order in (Order(lambda job: -job.id), lambda job: -job.id):
        mine = in_order(Fifo(), order)
        assert starts(jobs, FOUR, scheduler=mine) == {3: 0, 2: 30, 1: 50}


def test_a_function_as_the_order_in_the_body_of_a_class():
    """As for Easy(order=function); Python makes a method of it, which is not what was meant."""

    class Backwards(Fifo):
        order = lambda job: -job.id  # noqa: E731

    jobs = [Job(i, 0, 10 * i, 4) for i in (2, 3, 1)]
    assert starts(jobs, FOUR, scheduler=Backwards()) == {3: 0, 2: 30, 1: 50}


def test_a_fork_has_an_order_of_its_own():
    """An order that is a method belongs to the policy, and so to its copy."""

    class Turning(Fifo):
        def __init__(self):
            self.sign = 1

        def order(self, job):
            return self.sign * job.id

        def schedule(self, state):
            if state.now >= 15:
                self.sign = -1
            return super().schedule(state)

    jobs = [Job(i, 0, 10, 4) for i in (2, 4, 6, 1, 3)]
    simulation = schedlab.Simulation(jobs, system=FOUR, scheduler=Turning())
    simulation.step()
    fork = simulation.fork()
    simulation.run()  # turns the original's sign
    seen = []
    while fork.step():
        seen.append(fork.jobs_in("running"))
    alone = schedlab.Simulation(jobs, system=FOUR, scheduler=Turning())
    alone.step()
    expected = []
    while alone.step():
        expected.append(alone.jobs_in("running"))
    assert seen == expected


# ------------------------------------------------------------------------------ decisions


def test_wake_at_calls_again():
    calls = []

    def later(self, state):
        calls.append(state.now)
        if state.now < 7.5:
            yield WakeAt(7.5)
            return
        yield from state.queue

    jobs = [Job(1, 0, 10), Job(2, 3, 10)]
    assert starts(jobs, FOUR, scheduler=policy(later)) == {1: 7.5, 2: 7.5}
    assert calls == [0, 3, 7.5]


def test_wake_at_does_not_keep_a_simulation_alive():
    def eager(self, state):
        yield WakeAt(state.now + 1_000)
        yield from state.queue

    simulation = schedlab.Simulation([Job(1, 0, 10)], system=FOUR, scheduler=policy(eager))
    simulation.run()
    assert simulation.now == 10


def test_a_policy_that_waits_for_nothing_is_told_so():
    simulation = schedlab.Simulation(
        [Job(1, 0, 10)], system=FOUR, scheduler=policy(lambda self, state: None)
    )
    with pytest.raises(SimulationError, match=r"1 queued and 0 held .* first is job 1"):
        simulation.run()


def test_wakes_of_one_time_are_one_call():
    calls = []

    def often(self, state):
        calls.append(state.now)
        if state.now < 3:
            yield WakeAt(5)
            yield WakeAt(4)
            yield WakeAt(4)
        elif state.now == 5:
            yield from state.queue

    starts([Job(1, 0, 1), Job(2, 2, 1)], FOUR, scheduler=policy(often))
    assert calls == [0, 2, 4, 5]


def test_reject_job():
    def picky(self, state):
        for job in state.queue:
            if job.processors > 2:
                yield RejectJob(job)
            elif state.machine.fits(job):
                yield job

    jobs = [Job(1, 0, 10, 3), Job(2, 0, 10, 2), Job(3, 1, 10, 2), Job(4, 2, 5, 4)]
    assert schedule(jobs, FOUR, scheduler=policy(picky)) == {
        1: (None, None, "rejected", ""),
        2: (0, 10, "completed", "0*2"),
        3: (1, 11, "completed", "1*2"),
        4: (None, None, "rejected", ""),
    }


def test_rejecting_a_job_rejects_those_that_depend_on_it():
    jobs = [Job(1, 0, 10), Job(2, 0, 10, predecessors=[1]), Job(3, 0, 1, predecessors=[2])]

    def picky(self, state):
        return [RejectJob(job) for job in state.queue]

    states = {job: row[2] for job, row in schedule(jobs, FOUR, scheduler=policy(picky)).items()}
    assert states == dict.fromkeys((1, 2, 3), "rejected")


@pytest.mark.parametrize(
    ("nodes", "shown"),
    [
        ([1, 1, 0], "0 1*2"),
        ((0, 1, 1), "0 1*2"),
        ({1: 2, 0: 1}, "0 1*2"),
        ({1: 1, 0: 2}, "0*2 1"),
        (iter([1, 0, 1]), "0 1*2"),
        (range(3), "0-2"),
        ({0, 2, 1}, "0-2"),
        ({2: 1, 1: 1, 0: 1}.keys(), "0-2"),
        (None, "0*2 1"),
    ],
)
def test_start_job_on_nodes(nodes, shown):
    system = {"groups": {"all": {"nodes": 3, "resources": {"core": 2}}}}

    def exact(self, state):
        return [StartJob(job, nodes) for job in state.queue]

    assert schedule([Job(1, 0, 10, 3)], system, scheduler=policy(exact))[1][3] == shown


def test_start_job_takes_numbers_of_numpy():
    numpy = pytest.importorskip("numpy")

    def exact(self, state):
        rooms = numpy.array([state.machine.room(n, job) for n in range(2) for job in state.queue])
        for job in state.queue:
            yield StartJob(job, numpy.flatnonzero(rooms))

    assert schedule([Job(1, 0, 10, 2)], FOUR, scheduler=policy(exact))[1][3] == "0-1"


def test_start_job_takes_any_mapping():
    """As its types say; a mapping that is no dict must not be read as a list of its keys."""
    from types import MappingProxyType

    def exact(self, state):
        return [StartJob(job, MappingProxyType({0: 1, 1: 2})) for job in state.queue]

    assert schedule([Job(1, 0, 10, 3)], FOUR, scheduler=policy(exact))[1][3] == "0 1*2"


def test_start_job_works_beside_a_reservation():
    """A job on nodes of the user's choice counts like one that the allocator placed."""
    seen = []

    def walk(self, state):
        first, head, *others = state.queue
        yield StartJob(first, [1])
        reservation = state.reserve(head)
        seen.append(reservation.start)
        for job in others:
            allowed = reservation.allows(job)
            seen.append((job.id, allowed))
            if allowed:
                yield StartJob(job, [state.machine.nodes_with_room(job)[-1]])

    jobs = [Job(1, 0, 10, 1), Job(2, 0, 10, 3), Job(3, 0, 50, 1), Job(4, 0, 50, 1)]
    simulation = schedlab.Simulation(jobs, system=FOUR, scheduler=policy(walk))
    simulation.step()
    assert seen == [10, (3, True), (4, False)]
    assert simulation.jobs_in("running") == [1, 3]


def test_the_reservation_ends_with_its_job():
    """After the reserved job was rejected or started, nothing is protected any more."""

    def rejecting(self, state):
        if len(state.queue) < 3:
            return
        first, head, last = state.queue
        yield first
        state.reserve(head)
        yield RejectJob(head)
        yield last

    jobs = [Job(1, 0, 10, 2), Job(2, 0, 10, 4), Job(3, 0, 100, 2)]
    assert starts(jobs, FOUR, scheduler=policy(rejecting)) == {1: 0, 2: None, 3: 0}

    def starting(self, state):
        first, head, last = state.queue
        yield first
        state.reserve(head)
        yield head
        yield last

    jobs = [Job(1, 0, 10, 1), Job(2, 0, 10, 1), Job(3, 0, 100, 2)]
    assert starts(jobs, FOUR, scheduler=policy(starting)) == {1: 0, 2: 0, 3: 0}


def test_what_a_generator_sees_follows_its_decisions():
    seen = []

    def watch(self, state):
        for job in state.queue:
            before = (state.machine.free_processors, len(state.queue), len(state.running))
            yield job
            after = (state.machine.free_processors, len(state.queue), len(state.running))
            seen.append((before, after, job.state, job.start, job.nodes, job.elapsed, job.wait))

    starts([Job(1, 0, 10, 1), Job(2, 0, 10, 3)], FOUR, scheduler=policy(watch))
    assert seen == [
        ((4, 2, 0), (3, 1, 1), "running", 0, {0: 1}, 0, 0),
        ((3, 1, 1), (0, 0, 2), "running", 0, {0: 1, 1: 2}, 0, 0),
    ]


def test_views_tell_what_is_known():
    jobs = [
        Job(7, 1, 100, 2, 30.5, user=3, tasks_per_node=1, attributes={"queue": 4, "power": 1.5}),
        Job(8, 2, 10, 1, whole_nodes=True),
    ]
    seen = {}

    def look(self, state):
        for job in state.queue:
            seen[job.id, state.now] = (
                job.user,
                job.processors,
                job.submit,
                job.wait,
                job.estimate,
                job.requested_time,
                job.tasks_per_node,
                job.whole_nodes,
                job.resources,
                job.start,
                job.expected_end,
                job.nodes,
            )
            assert repr(job) == f"<job {job.id}>"
            assert job == state.queue[list(state.queue).index(job)]
            assert len({job, job}) == 1
            assert job != job.id
        for job in state.queue:
            if job.id == 7:
                assert (job["queue"], job["power"]) == (4, 1.5)
                with pytest.raises(KeyError, match='job 7 has no attribute "nope"'):
                    job["nope"]
                yield job
            elif state.now >= 100:
                yield job
        if state.now == 45:
            (running,) = state.running
            assert (running.id, running.elapsed, running.wait) == (7, 44, 0)
            assert running.expected_end == 46  # past its estimate: in a second, as far as is known

    def run(at):
        return starts([*jobs, Job(9, at, 1)], FOUR, scheduler=policy(look))

    run(45)
    assert seen[7, 1] == (3, 2, 1, 0, 30.5, 30.5, 1, False, {"core": 1}, None, 31.5, {})
    assert seen[8, 45][3] == 43
    assert seen[8, 2][5:8] == (10, None, True)


def test_data_of_the_machine():
    system = {
        "processor": {"core": 2},
        "groups": {
            "thin": {"nodes": 2, "resources": {"core": 4, "mem": 10}},
            "fat": {"nodes": 1, "resources": {"core": 8}},
        },
    }
    jobs = [Job(1, 0, 10, 3, resources={"core": 1, "mem": 4}), Job(2, 0, 10, 5)]

    def look(self, state):
        first, second = state.queue
        machine = state.machine
        assert (machine.nodes, machine.processors, machine.free_processors) == (3, 8, 8)
        assert machine.capacity == {"core": 16, "mem": 20} == machine.free
        assert machine.node_capacity(2) == {"core": 8, "mem": 0}
        assert [machine.room(node, first) for node in range(3)] == [2, 2, 0]
        assert machine.nodes_with_room(first) == [0, 1]
        assert [machine.room(node, second) for node in range(3)] == [2, 2, 4]
        yield first
        assert machine.free == {"core": 13, "mem": 8}
        assert machine.node_free(0) == {"core": 2, "mem": 2}
        assert machine.free_processors == 1 + 1 + 4
        assert list(state.queue.fitting()) == [second]
        assert list(state.queue.fitting(4)) == []
        for wrong in (-1, 3, 2**40):
            with pytest.raises(IndexError, match="nodes 0 to 2"):
                machine.node_free(wrong)
        yield second

    assert starts(jobs, system, scheduler=policy(look)) == {1: 0, 2: 0}


@examples(100)
@given(workload=workloads())
def test_fitting_jobs_are_those_that_fit(workload):
    def look(self, state):
        queue = list(state.queue)
        fits = [job for job in queue if state.machine.fits(job)]
        assert list(state.queue.fitting()) == fits
        for place, job in enumerate(queue):
            assert state.queue[place] == state.queue[place - len(queue)] == job
            behind = [other for other in queue[place + 1 :] if other in fits]
            assert list(state.queue.fitting(behind=job)) == behind
            rooms = [state.machine.room(n, job) for n in range(state.machine.nodes)]
            assert (sum(rooms) >= job.processors) == (job in fits)
            assert state.machine.nodes_with_room(job) == [n for n, r in enumerate(rooms) if r]
        with pytest.raises(IndexError):
            state.queue[len(queue)]
        yield from state.queue.fitting()

    mine = records(workload, scheduler=policy(look))
    assert mine == records(workload, scheduler=Greedy())


def test_fitting_jobs_that_could_do_with_so_many_processors():
    """A task of two cores needs two of them; one that asks for memory alone needs none."""
    seen = []

    def look(self, state):
        seen.append([[job.id for job in state.queue.fitting(most)] for most in range(4)])
        yield from state.queue

    jobs = [
        Job(1, 0, 1, 1),
        Job(2, 0, 1, 1, resources={"core": 2}),
        Job(3, 0, 1, 3, resources={"mem": 1}),
        Job(4, 0, 1, 1, whole_nodes=True),
    ]
    system = {"groups": {"all": {"nodes": 5, "resources": {"core": 2, "mem": 3}}}}
    starts(jobs, system, scheduler=policy(look))
    assert seen[0] == [[3], [1, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]
