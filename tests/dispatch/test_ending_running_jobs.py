"""Schedulers that end running jobs: what becomes of jobs, plans, energy, forks and states."""

from __future__ import annotations

import random

import pytest
from dispatch.misbehaviour import refused
from dispatch.policies import FOUR, policy, schedule
from oracles.engine import rows_of
from oracles.everything_on import CONDITIONS, NODES, SYSTEM
from oracles.preemption import UrgentFirst

import schedlab
from schedlab import CancelJob, Job, RejectJob, RequeueJob, Simulation, StartJob
from schedlab.testing import check_scheduler

NETWORK = {
    "topology": "torus",
    "dimensions": [2, 2],
    "nodes_per_router": 2,
    "bandwidth": 4e10,
    "delay": 1e-7,
    "host_bandwidth": 8e10,
    "host_delay": 5e-7,
}
"""Of the nodes of SYSTEM."""

URGENT = 1
"""The user whose jobs go first."""


def urgent_first(self, state):
    for job in list(state.queue):
        if not state.machine.fits(job) and job.user == URGENT:
            for one in list(state.running):
                if one.user != URGENT:
                    yield CancelJob(one) if one.id % 5 == 0 else RequeueJob(one)
        if state.machine.fits(job):
            yield job


def interrupting(function, **attributes):
    return policy(function, interrupts_jobs=True, **attributes)


THREE = [Job(1, 0, 100, 2), Job(5, 1, 100, 2), Job(7, 10, 50, 4, user=URGENT)]


def test_requeued_from_the_start_and_cancelled():
    result = schedlab.simulate(THREE, system=FOUR, scheduler=interrupting(urgent_first))
    rows = {row["job_id"]: row for row in rows_of(result, "jobs")}
    kept = ("start", "end", "state", "wait", "reason", "interruptions", "lost_seconds")
    assert {job: [row[name] for name in kept] for job, row in rows.items()} == {
        "1": ["60", "160", "completed", "60", "", "1", "10"],
        "5": ["1", "10", "killed", "0", "cancelled", "1", "9"],
        "7": ["10", "60", "completed", "0", "", "0", "0"],
    }
    assert [list(row.values()) for row in rows_of(result, "interruptions")] == [
        ["1", "1", "0", "10", "", "0", "10", "0*2"],
        ["5", "1", "1", "10", "", "0", "9", "1*2"],
    ]
    assert result.counts["killed"] == 1
    ended = {"requeued": 1, "requeued_jobs": 1, "cancelled": 1}
    assert result.metrics["preemption"] == ended
    assert "failures" not in result.metrics
    assert result.states is None
    hours = result.metrics["node_hours"]
    assert sum(hours.values()) * 3600 == pytest.approx(2 * result.metrics["makespan"])
    assert hours["lost"] * 3600 == pytest.approx(19)
    assert "1 requeues of 1 jobs, 1 cancelled" in str(result.summary)
    assert result.interruptions.collect()["node"].to_list() == [None, None]


def test_requeued_from_a_checkpoint():
    conditions = {"resubmission": {"from": "checkpoint", "interval": 4, "cost": 1, "restart": 2}}
    result = schedlab.simulate(
        THREE, system=FOUR, scheduler=interrupting(urgent_first), conditions=conditions
    )
    rows = {row["job_id"]: row for row in rows_of(result, "jobs")}
    # Ten seconds are two checkpoints: 92 s of work are left, with 22 to write and a restart.
    assert float(rows["1"]["end"]) - float(rows["1"]["start"]) == 92 + 22 + 2
    assert rows["1"]["lost_seconds"] == "0"
    assert rows["5"]["lost_seconds"] == "8"  # what it had kept is lost with it: 4 of 9, and 4


def test_a_limit_of_attempts_counts_failures_alone():
    conditions = {
        "failure_trace": {"outages": [[0, 70, 71]]},
        "resubmission": {"limit": 2},
    }
    rows = schedlab.simulate(
        THREE, system=FOUR, scheduler=interrupting(urgent_first), conditions=conditions
    )
    states = {row["job_id"]: row["state"] for row in rows_of(rows, "jobs")}
    assert states["1"] == "completed"  # one requeue and one failure
    assert rows.metrics["failures"]["interruptions"] == 1


def test_requeued_jobs_may_start_again_in_the_same_call():
    def swap(self, state):
        (job,) = state.queue
        if job.id == 1:
            yield StartJob(job, [0, 0])
            return
        (other,) = state.running
        yield RequeueJob(other)
        assert (other.state, other.start, other.interruptions) == ("queued", None, 1)
        yield StartJob(job, [0, 0])
        yield StartJob(other, [1, 1])

    rows = schedule([Job(1, 0, 10, 2), Job(2, 3, 10, 2)], FOUR, scheduler=interrupting(swap))
    assert rows == {1: (3, 13, "completed", "1*2"), 2: (3, 13, "completed", "0*2")}

    def swap_back(self, state):
        for job in list(state.queue):
            yield job
            if state.now == 0:
                yield RequeueJob(job)
                yield job

    rows = schedule([Job(1, 0, 10, 2)], FOUR, scheduler=interrupting(swap_back))
    assert rows[1][:3] == (0, 10, "completed")


def test_reservations_and_plans_know_what_was_given_back():
    seen = []

    def reserve(self, state):
        if state.now < 2:
            yield from state.queue
            return
        head = state.queue[0]
        reservation = state.reserve(head)
        seen.append(reservation.start)
        yield RequeueJob(next(one for one in state.running if one.id == 1))
        seen.append(reservation.start)
        yield head

    def plan(self, state):
        if state.now < 2:
            yield from state.queue
            return
        head = state.queue[0]
        plan = state.plan()
        seen.append(plan.earliest(head))
        yield RequeueJob(next(one for one in state.running if one.id == 1))
        seen.append(plan.earliest(head))
        yield head

    jobs = [Job(1, 0, 100, 2), Job(2, 0, 30, 2), Job(3, 2, 10, 4)]
    for walk in (reserve, plan):
        simulation = Simulation(jobs, system=FOUR, scheduler=interrupting(walk))
        with pytest.raises(schedlab.SimulationError, match="cannot start job 3"):
            simulation.run(until=2)
    assert seen == [100, 30, 100, 30]


def test_jobs_that_wait_for_a_cancelled_one_are_released():
    jobs = [*THREE, Job(8, 11, 5, predecessors=[5])]
    rows = schedule(jobs, FOUR, scheduler=interrupting(urgent_first))
    assert rows[5][2] == "killed"
    assert rows[8][:3] == (60, 65, "completed")


@pytest.mark.parametrize(
    ("decide", "message"),
    [
        (lambda s: RequeueJob(s.queue[0]), "cannot requeue job 7: it is queued, not running"),
        (lambda s: CancelJob(s.queue[0]), "it is queued, not running; RejectJob takes waiting"),
        (lambda s: RejectJob(next(iter(s.running))), "it is running, not queued"),
        (lambda s: RequeueJob(7), "a decision is a waiting job, .* not <schedlab.*RequeueJob"),
        (lambda s: CancelJob(None), "a decision is a waiting job, .* not <schedlab.*CancelJob"),
    ],
)
def test_what_cannot_be_ended(decide, message):
    def late(self, state):
        if state.now < 10:
            return list(state.queue)
        return [decide(state)]

    refused(interrupting(late), message, THREE)


def test_a_job_that_was_cancelled_is_over():
    def twice(self, state):
        if state.now < 10:
            yield from state.queue
            return
        one = next(iter(state.running))
        yield CancelJob(one)
        yield self.then(one)

    for then, name in ((CancelJob, "cancel"), (RequeueJob, "requeue")):
        message = f"cannot {name} job 1: it is killed, not running"
        refused(interrupting(twice, then=staticmethod(then)), message, THREE)


def test_a_scheduler_says_that_it_ends_jobs():
    message = "cannot requeue job 1: .* write interrupts_jobs = True in its class"
    refused(policy(urgent_first), message, THREE)
    begun = Simulation(THREE, system=FOUR, scheduler="fifo")
    with pytest.raises(schedlab.InputError, match="begin it with one that does"):
        begun.fork(scheduler=interrupting(urgent_first))
    begun = Simulation(THREE, system=FOUR, scheduler=interrupting(urgent_first))
    begun.fork(scheduler=interrupting(urgent_first)).run()


def test_resubmission_needs_something_that_ends_attempts():
    conditions = {"resubmission": {"from": "start"}}
    with pytest.raises(schedlab.InputError, match="resubmission: has no effect without failures"):
        Simulation(THREE, system=FOUR, conditions=conditions)
    Simulation(THREE, system=FOUR, scheduler=interrupting(urgent_first), conditions=conditions)


def test_starting_and_requeueing_for_ever_is_an_error():
    def forever(self, state):
        while True:
            (job,) = state.queue
            yield job
            yield RequeueJob(job)

    message = "started and requeued 10000 times at 0.0+ s, the last of them job 1"
    refused(interrupting(forever), message, [Job(1, 0, 10)])


def test_never_ending_a_job_is_an_error():
    def again(self, state):
        for job in list(state.running):
            yield RequeueJob(job)
        yield next(job for job in state.queue if job.id == 1)
        yield schedlab.WakeAt(state.now + 1)

    jobs = [Job(1, 0, 10), Job(2, 0, 10, 4)]
    refused(interrupting(again), "job 1 was interrupted 10000 times and would never end", jobs)


class Preempts(schedlab.Scheduler):
    interrupts_jobs = True

    def schedule(self, state):
        yield from urgent_first(self, state)


def test_conformance():
    check_scheduler(Preempts)
    check_scheduler(UrgentFirst)


def urgent_jobs():
    draw = random.Random(5)
    submit, made = 0, []
    for number in range(1, 121):
        submit += draw.randint(0, 300)
        run = draw.randint(50, 1500)
        size = draw.choice((1, 4, 16, 32))
        made.append(Job(number, submit, run, size, requested_time=run + draw.randint(0, 900)))
    return made


def test_energy_and_node_hours_close_with_everything_on():
    result = schedlab.simulate(
        urgent_jobs(),
        system=SYSTEM,
        scheduler=UrgentFirst(),
        allocator="least-added-power",
        conditions=CONDITIONS,
        timeline="csv",
    )
    metrics, energy = result.metrics, result.metrics["energy"]
    parts = [energy[name] for name in ("jobs", "idle", "transitions", "sleeping", "off")]
    assert sum(parts) == pytest.approx(energy["total"], rel=1e-9)
    assert result.jobs.collect()["energy"].sum() == pytest.approx(energy["jobs"], rel=1e-9)
    ended = metrics["preemption"]
    assert ended["requeued"] > 5
    assert ended["cancelled"] > 0
    interruptions = result.interruptions.collect()
    hit = metrics["failures"]["interruptions"]
    assert interruptions.height == hit + ended["requeued"] + ended["cancelled"]
    assert interruptions["node"].null_count() == ended["requeued"] + ended["cancelled"]
    assert result.counts["completed"] == 120 - ended["cancelled"]
    assert sum(metrics["node_hours"].values()) == pytest.approx(NODES * metrics["makespan"] / 3600)


def test_saved_forked_and_stepped(tmp_path):
    options = {"system": SYSTEM, "conditions": CONDITIONS}
    whole = Simulation(urgent_jobs(), scheduler=UrgentFirst(), **options)
    whole.record_jobs(tmp_path / "whole.csv")
    whole.run()
    rows = (tmp_path / "whole.csv").read_text()
    saved = Simulation(urgent_jobs(), scheduler=UrgentFirst(), **options)
    saved.record_jobs(tmp_path / "part.csv")
    saved.run(until=9_000)
    saved.save(tmp_path / "state")
    before = (tmp_path / "part.csv").read_text()
    loaded = Simulation.load(tmp_path / "state", workload=urgent_jobs(), scheduler=UrgentFirst())
    for number, later in enumerate((saved.fork(), loaded)):
        later.record_jobs(tmp_path / f"{number}.csv")
        later.run()
        rest = (tmp_path / f"{number}.csv").read_text().partition("\n")[2]
        assert before + rest == rows
        assert later.metrics == whole.metrics


@pytest.mark.parametrize("fidelity", ["analytic", "fluid", "packet", "phase"])
def test_applications_begin_anew(fidelity):
    """On sockets and a network: requeued, one takes as long as alone again."""
    jobs = [
        Job(1, 0, 50, 16, application="stencil-2d(iterations=50, compute=1)"),
        Job(5, 0, 50, 16, application="stencil-2d(iterations=50, compute=1)"),
        Job(3, 10, 20, 64),
    ]
    options = {"system": {**SYSTEM, "network": NETWORK}, "fidelity": fidelity}
    alone = schedlab.simulate(jobs[:1], scheduler="fifo", **options).metrics["makespan"]
    result = schedlab.simulate(jobs, scheduler=UrgentFirst(), **options)
    rows = {row["job_id"]: row for row in rows_of(result, "jobs")}
    assert rows["3"]["start"] == "10"
    length = float(rows["1"]["end"]) - float(rows["1"]["start"])
    assert length == pytest.approx(alone, rel=1e-6)
    assert (rows["1"]["interruptions"], rows["1"]["lost_seconds"]) == ("1", "10")
    assert (rows["5"]["state"], rows["5"]["reason"]) == ("killed", "cancelled")
