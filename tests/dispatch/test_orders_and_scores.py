"""Orders as functions, as expressions and by name: the same order is the same schedule."""

from __future__ import annotations

import math

import pytest
from conftest import examples
from dispatch.policies import (
    CHOICES,
    FOUR,
    SETH,
    Fifo,
    in_order,
    policy,
    records,
    schedule,
    starts,
    workloads,
)
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab import Blocking, Conservative, Easy, Greedy, Job, Order, Scheduler

FUNCTIONS = {
    "submit": lambda job: 0,
    "shortest": lambda job: job.estimate,
    "longest": lambda job: -job.estimate,
    "smallest": lambda job: job.processors,
    "largest": lambda job: -job.processors,
    "fewest-node-hours": lambda job: job.estimate * job.fewest_nodes,
    "most-node-hours": lambda job: -job.estimate * job.fewest_nodes,
    "fewest-core-hours": lambda job: job.estimate * job.processors * job.resources["core"],
    "most-core-hours": lambda job: -job.estimate * job.processors * job.resources["core"],
}

EXPRESSIONS = {
    "submit": "0",
    "shortest": "estimate",
    "longest": "-estimate",
    "smallest": "processors",
    "largest": "-processors",
    "fewest-node-hours": "estimate * fewest_nodes",
    "most-node-hours": "-estimate * fewest_nodes",
    "fewest-core-hours": "estimate * processors * request.core",
    "most-core-hours": "-estimate * processors * request.core",
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
    scored = []

    def order(job):
        scored.append(job.id)
        return -job.id

    jobs = [Job(i, i, 10, 2) for i in range(1, 9)]
    fixed = starts(jobs, FOUR, scheduler=Blocking(Order(order, fixed=True)))
    assert sorted(scored) == [job.id for job in jobs]
    scored.clear()
    assert starts(jobs, FOUR, scheduler=Blocking(order)) == fixed
    assert len(scored) > len(jobs)


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


LARGE_AND_SMALL = {
    "groups": {
        "small": {"nodes": 4, "resources": {"core": 4, "gpu": 1}},
        "large": {"nodes": 3, "resources": {"core": 16}},
    }
}


@pytest.mark.parametrize(
    ("job", "nodes"),
    [
        (Job(1, 0, 10, 17), 2),  # of 16 cores: two
        (Job(1, 0, 10, 1), 1),  # shared with others, or not: one
        (Job(1, 0, 10, 1, whole_nodes=True), 1),
        (Job(1, 0, 10, 3, tasks_per_node=1), 3),
        (Job(1, 0, 10, 3, resources={"core": 9}), 3),
        (Job(1, 0, 10, 50), 4),  # 3 x 16 + 2: the roomiest first
        (Job(1, 0, 10, 2, resources={"gpu": 1}), 2),  # only small nodes have them
    ],
)
def test_nodes_of_a_job_are_the_fewest_that_can_hold_it(job, nodes):
    seen = []
    order = Order(lambda view: seen.append(view.fewest_nodes) or 0, fixed=True)
    schedlab.simulate([job], system=LARGE_AND_SMALL, scheduler=Blocking(order))
    assert seen == [nodes]
    queue = schedlab.Queue("right", when=f"fewest_nodes == {nodes}")
    result = schedlab.simulate([job], system=LARGE_AND_SMALL, queues=[queue])
    assert result.counts["completed"] == 1


def test_node_hours_count_nodes_and_core_hours_cores():
    """As PPT has it: 17 and 20 processes are two nodes of 16 cores."""
    machine = {"groups": {"all": {"nodes": 2, "resources": {"core": 16}}}}
    jobs = [
        Job(1, 0, 10, 32),
        Job(2, 1, 100, 17, requested_time=100),  # 200 node-seconds, 1,700 core-seconds
        Job(3, 2, 90, 20, requested_time=90),  # 180 and 1,800
    ]
    expected = {"sjf-nodehours": 3, "ljf-nodehours": 2, "sjf-corehours": 2, "ljf-corehours": 3}
    for whole in (False, True):
        given = [job.replace(whole_nodes=whole) for job in jobs]
        for name, second in expected.items():
            found = starts(given, machine, scheduler=name)
            assert sorted(found, key=found.get)[1] == second, name
