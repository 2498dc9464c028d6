"""Views, walks, reservations and plans that are used when they no longer hold."""

from __future__ import annotations

import gc

import pytest
from dispatch.misbehaviour import jobs, refused
from dispatch.policies import FOUR, policy

import schedlab
from schedlab import Job, RejectJob, Simulation, SimulationError, StartJob


def test_what_was_kept_is_refused_in_the_next_call():
    kept = {}

    def keep(self, state):
        if state.now == 0:
            kept["job"] = state.queue[0]
            kept["walk"] = iter(state.queue)
            kept["begun"] = iter(state.queue)
            next(kept["begun"])
            kept["fitting"] = state.queue.fitting()
            kept["reservation"] = state.reserve(state.queue[2])
            kept["plan"] = state.plan()
            kept["running"] = state.running
            yield from state.queue.fitting()
            return
        uses = {
            "job": lambda job: job.processors,
            "walk": next,
            "begun": next,
            "fitting": next,
            "reservation": lambda reservation: reservation.allows(state.queue[0]),
            "plan": lambda plan: plan.allows(state.queue[0]),
        }
        for name, use in uses.items():
            with pytest.raises(SimulationError, match="call"):
                use(kept[name])
        for use in (
            lambda: kept["plan"].earliest(state.queue[0]),
            lambda: kept["plan"].reserve(state.queue[0]),
            lambda: state.machine.fits(kept["job"]),
            lambda: state.machine.room(0, kept["job"]),
            lambda: state.machine.nodes_with_room(kept["job"]),
            lambda: state.reserve(kept["job"]),
            lambda: state.plan().earliest(kept["job"]),
            lambda: state.plan().reserve(kept["job"]),
            lambda: state.plan().allows(kept["job"]),
            lambda: state.reserve(state.queue[0]).allows(kept["job"]),
            lambda: state.queue.fitting(behind=kept["job"]),
            lambda: kept["job"]["power"],
        ):
            with pytest.raises(SimulationError, match="call"):
                use()
        assert (kept["job"].id, repr(kept["job"])) == (1, "<job 1>")
        assert kept["job"] == kept["job"]
        assert hash(kept["job"]) == hash(kept["job"])
        assert len(kept["running"]) == len(state.running)  # a view of the state is of any call
        yield from state.queue.fitting()

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(keep))
    simulation.run()
    assert simulation.counts["completed"] == 4


@pytest.mark.parametrize("wrap", [lambda job: job, StartJob, RejectJob])
def test_a_job_of_the_last_call_is_no_decision(wrap):
    def keep(self, state):
        if state.now == 0:
            self.kept = state.queue[3]
            yield from list(state.queue.fitting())[:2]
        else:
            yield wrap(self.kept)

    refused(policy(keep), "view of job 4 was used after the call")


def test_everything_after_the_end():
    kept = {}

    def keep(self, state):
        kept.update(state=state, queue=state.queue, machine=state.machine, running=state.running)
        kept.update(job=state.queue[0], walk=iter(state.queue), plan=state.plan())
        kept.update(reservation=state.reserve(state.queue[0]))
        yield from state.queue.fitting()

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(keep))
    simulation.run()
    uses = [
        lambda: kept["state"].now,
        lambda: kept["state"].data("x"),
        lambda: kept["state"].plan(),
        lambda: kept["state"].reserve(kept["job"]),
        lambda: len(kept["queue"]),
        lambda: kept["queue"][0],
        lambda: list(kept["queue"]),
        lambda: list(kept["queue"].fitting()),
        lambda: list(kept["queue"].fitting(behind=kept["job"])),
        lambda: len(kept["running"]),
        lambda: list(kept["running"]),
        lambda: kept["machine"].nodes,
        lambda: kept["machine"].processors,
        lambda: kept["machine"].free_processors,
        lambda: kept["machine"].capacity,
        lambda: kept["machine"].free,
        lambda: kept["machine"].node_free(0),
        lambda: kept["machine"].node_capacity(0),
        lambda: kept["machine"].fits(kept["job"]),
        lambda: kept["machine"].room(0, kept["job"]),
        lambda: kept["machine"].nodes_with_room(kept["job"]),
        lambda: kept["plan"].earliest(kept["job"]),
        lambda: kept["plan"].reserve(kept["job"]),
        lambda: kept["plan"].allows(kept["job"]),
        lambda: kept["reservation"].allows(kept["job"]),
        lambda: next(kept["walk"]),
        *[
            (lambda name=name: getattr(kept["job"], name))
            for name in dir(schedlab._engine.JobView)
            if not name.startswith("_") and name != "id"
        ],
    ]

    def all_are_refused():
        for number, use in enumerate(uses):
            try:
                use()
            except SimulationError as error:
                assert "call" in str(error)  # noqa: PT017
            else:
                pytest.fail(f"use {number} was not refused")

    all_are_refused()
    del simulation
    gc.collect()
    all_are_refused()  # the simulation is gone as well


def test_a_failed_reserve_outside_the_call_leaves_nothing_behind():
    kept = []

    def keep(self, state):
        if not kept:
            kept.extend([state, state.queue[3]])
        yield from state.queue.fitting()

    simulation = Simulation(jobs(8), system=FOUR, scheduler=policy(keep))
    simulation.step()
    state, job = kept
    for use in (lambda: state.reserve(job), state.plan):
        with pytest.raises(SimulationError, match="call"):
            use()
    simulation.run()
    assert (simulation.now, simulation.counts["completed"]) == (40, 8)


def test_replaced_reservations_and_plans():
    def walk(self, state):
        first, _second, third, fourth = state.queue
        old = state.reserve(third)
        new = state.reserve(fourth)
        with pytest.raises(SimulationError, match="reservation"):
            old.allows(first)
        assert new.allows(first) in (True, False)
        plan = state.plan()
        with pytest.raises(SimulationError, match="reservation"):
            new.allows(first)
        state.reserve(third)
        with pytest.raises(SimulationError, match="plan"):
            plan.allows(first)
        state.plan()
        with pytest.raises(SimulationError, match="plan"):
            plan.earliest(first)
        yield first

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(walk))
    simulation.step()
    assert simulation.jobs_in("running") == [1]


def test_views_of_jobs_that_left_the_queue_in_this_call():
    """They may be asked, and say what is true of them."""

    def walk(self, state):
        first, second, *_ = state.queue
        yield first
        yield RejectJob(second)
        assert (first.state, second.state) == ("running", "rejected")
        assert (first.nodes, second.nodes) == ({0: 2}, {})
        for job in (first, second):
            assert job not in list(state.queue)
            assert [other.id for other in state.queue.fitting(behind=job)] == [3, 4]
            assert state.plan().earliest(job) == state.now  # a question about what it asked for
            for ask in (lambda: state.reserve, lambda: state.plan().reserve):
                with pytest.raises(SimulationError, match=f"job {job.id} .* not queued"):
                    ask()(job)

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(walk))
    simulation.step()
    assert simulation.counts["rejected"] == 1


@pytest.mark.parametrize("gone", ["running", "rejected"])
def test_no_reservation_for_a_job_that_does_not_wait(gone):
    def walk(self, state):
        first, second, *_ = state.queue
        yield first if gone == "running" else RejectJob(first)
        state.reserve(first)
        yield second

    refused(policy(walk), f"job 1 .*{gone}")


def test_walking_the_whole_queue_while_starting_jobs():
    """Queues of several blocks, which split, merge and vanish below the walk."""
    workload = [Job(i, 0, 1 + i % 5, 1 + i % 3) for i in range(3_000)]

    def walk(self, state):
        seen = []
        for job in state.queue:
            seen.append(job.id)
            if job.id % 3 == 0:
                yield RejectJob(job)
            elif state.machine.fits(job):
                yield job
        assert seen == sorted(set(seen))
        assert len(state.queue) + len(state.running) <= 3_000

    simulation = Simulation(workload, system=FOUR, scheduler=policy(walk))
    simulation.run()
    assert simulation.counts["rejected"] == 1_000
    assert simulation.counts["completed"] == 2_000


def test_several_walks_at_a_time():
    def walk(self, state):
        walks = [iter(state.queue), state.queue.fitting(), state.queue.fitting(2)]
        while True:
            found = [next(one, None) for one in walks]
            if not any(found):
                return
            for job in found:
                if job is not None and job.state == "queued" and state.machine.fits(job):
                    yield job

    simulation = Simulation(jobs(300, 1), system=FOUR, scheduler=policy(walk))
    simulation.run()
    assert simulation.counts["completed"] == 300
