"""The loop stops where the scheduler must decide: looked at, decided, forked and saved there."""

from __future__ import annotations

import random

import pytest
from dispatch.policies import EasyWalk, GreedyWalk
from simulation.random_jobs import SYSTEM, jobs
from stateful_policies import Moody, Use

import schedlab as sl
from engine import test_everything_on as everything
from schedlab.dispatch.schedulers import SCHEDULERS
from schedlab.errors import InputError, SimulationError

WINDOWS = [sl.Window(40, 60, "0-1", when="user == 2"), sl.Window(100, 110)]
TORUS = {
    "groups": {"node": {"nodes": 16, "resources": {"core": 2}}},
    "network": {
        **{"topology": "torus", "dimensions": [2, 2, 2], "nodes_per_router": 2},
        **{"bandwidth": 8e9, "delay": 1e-7, "host_bandwidth": 3.2e10, "host_delay": 5e-7},
    },
}
CASES = {
    "plain": {},
    "mixed requests": {},
    "windows and queues": {
        "windows": WINDOWS,
        "queues": [sl.Queue("small", 2, "processors <= 3"), sl.Queue("rest", 1)],
    },
    "event by event": {"dispatch_per": "event"},
    "data": {"data": [Use()]},
    "sockets, failures, caps and heat": {
        "system": everything.SYSTEM,
        "conditions": everything.CONDITIONS,
        "enforce_limits": True,
    },
    "applications": {"system": TORUS},
}


def work(case: str, seed: int = 1) -> list[sl.Job]:
    if case.startswith("sockets"):
        return everything.jobs()[:150]
    if case == "applications":
        return applications()
    return jobs(mixed=case == "mixed requests", seed=seed)


def applications() -> list[sl.Job]:
    draw = random.Random(1)
    mix = ("stencil-3d(bytes=4k, iterations=3)", "allreduce(bytes=1k, iterations=2)", None)
    return [
        sl.Job(
            number,
            submit=number // 4 * 1e-4,
            run=1e-3,
            processors=draw.choice((2, 4, 8, 16)),
            application=draw.choice(mix),
        )
        for number in range(1, 61)
    ]


def made(case: str, scheduler: object = "easy", seed: int = 1) -> sl.Simulation:
    given = {"system": SYSTEM, **CASES[case]}
    return sl.Simulation(work(case, seed), scheduler=scheduler, **given)


def rows(simulation: sl.Simulation, path, decide=None) -> str:
    """Records a run whose decisions are taken one by one, or by itself."""
    simulation.record_jobs(path)
    if decide is not None:
        while simulation.next_decision():
            decide(simulation)
    simulation.run()
    return path.read_text()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("scheduler", [*SCHEDULERS, "easy(reservations=3)", "easy(score=-wait)"])
def test_stopping_at_decisions_changes_nothing(tmp_path, scheduler, case):
    whole = rows(made(case, scheduler), tmp_path / "whole.csv")
    stopped = rows(made(case, scheduler), tmp_path / "stopped.csv", sl.Simulation.decide)
    assert stopped == whole


@pytest.mark.parametrize("case", ["plain", "mixed requests", "windows and queues"])
@pytest.mark.parametrize("seed", [1, 2])
def test_easy_from_outside_is_easy(tmp_path, case, seed):
    """Decision by decision, from what the views show alone; under another scheduler's name."""
    whole = rows(made(case, "easy", seed), tmp_path / "whole.csv")
    walk = EasyWalk()
    for number, decide in enumerate((walk, walk.schedule)):
        path = tmp_path / f"outside{number}.csv"
        assert rows(made(case, "reject", seed), path, lambda one: one.decide(decide)) == whole  # noqa: B023


def test_jobs_are_named_by_their_ids(tmp_path):
    def first_that_fits(simulation: sl.Simulation) -> None:
        def chosen(state):
            free, ids = state.machine.free_processors, []
            for job in state.queue:
                if job.processors > free:
                    break
                free -= job.processors
                ids.append(job.id)
            return ids

        simulation.decide(simulation.look(chosen))

    whole = rows(made("plain", "fifo"), tmp_path / "whole.csv")
    assert rows(made("plain", "reject"), tmp_path / "ids.csv", first_that_fits) == whole


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("scheduler", ["easy", "conservative", Moody])
def test_forks_and_states_at_a_decision_are_exact(tmp_path, scheduler, case):
    def make() -> sl.Simulation:
        return made(case, scheduler if isinstance(scheduler, str) else scheduler())

    whole = rows(make(), tmp_path / "whole.csv").partition("\n")[2]
    first = make()
    first.record_jobs(tmp_path / "first.csv")
    for _ in range(random.Random(case).randint(1, 30)):
        first.next_decision()
        first.decide()
    assert first.next_decision()
    first._recorder.sync()
    before = (tmp_path / "first.csv").read_text().partition("\n")[2]
    first.save(tmp_path / "state")
    again = {"workload": work(case)}
    loaded = sl.Simulation.load(tmp_path / "state", trust_code=True, **again)
    for number, one in enumerate((loaded, first.fork())):
        assert one.at_decision
        assert one.now == first.now
        assert one.look(seen) == first.look(seen)
        path = tmp_path / f"{number}.csv"
        assert before + rows(one, path, sl.Simulation.decide).partition("\n")[2] == whole
    assert before + rows(first.fork(), tmp_path / "on.csv").partition("\n")[2] == whole


def seen(state: sl.State) -> object:
    waiting = [job.id for job in state.queue]
    running = sorted((job.id, job.start) for job in state.running)
    return state.now, waiting, running, state.machine.free_processors


@pytest.mark.parametrize("scheduler", ["easy", "conservative", "easy(reservations=3)"])
@pytest.mark.parametrize("case", ["plain", "mixed requests"])
def test_the_scheduler_forgets_its_plans_when_others_decided(tmp_path, scheduler, case):
    """What it does next is what it does when it is put to work in the middle of everything."""
    draw = random.Random(scheduler + case)
    mixed, replaced = made(case, scheduler), made(case, scheduler)
    others_decided = False
    for _ in range(100):
        assert mixed.next_decision() == replaced.next_decision()
        if draw.random() < 0.5:
            others_decided = True
            mixed.decide(GreedyWalk())
            replaced.decide(GreedyWalk())
            if draw.random() < 0.2:
                mixed.save(tmp_path / "state")
                mixed = sl.Simulation.load(tmp_path / "state", workload=work(case))
            continue
        if others_decided:
            replaced = replaced.fork(scheduler=scheduler)
        others_decided = False
        mixed.decide()
        replaced.decide()
        assert mixed.look(seen) == replaced.look(seen)
    mixed.run()
    replaced.run()
    assert mixed.counts == replaced.counts


def test_nothing_to_decide(tmp_path):
    simulation = made("plain")
    with pytest.raises(SimulationError, match="there is nothing to decide now"):
        simulation.decide()
    assert simulation.next_decision()
    time = simulation.now
    assert simulation.next_decision()  # it stays there until a user decides
    assert simulation.now == time
    for wrong in ("easy", b"1", 7, GreedyWalk):
        with pytest.raises(InputError, match="decisions: must be ids of waiting jobs"):
            simulation.decide(wrong)
    waiting = simulation.jobs_in("queued")
    for ids, message in (
        ([12345], "decisions: job 12345 does not wait"),
        ([waiting[0], waiting[0]], "is there twice"),
        (["1"], "decisions: job '1' does not wait"),
        ([[]], r"decisions: job \[\] does not wait"),
    ):
        with pytest.raises(InputError, match=message):
            simulation.decide(ids)
    assert simulation.at_decision
    assert simulation.jobs_in("queued") == waiting
    simulation.decide()  # nothing has happened to it


def test_what_was_stopped_at_a_decision_is_over():
    simulation = made("plain")
    assert simulation.next_decision()
    simulation.stop()
    for resume in (simulation.decide, simulation.next_decision, simulation.run):
        with pytest.raises(SimulationError, match="cannot continue after it was stopped"):
            resume()


def test_whoever_looks_cannot_go_on():
    simulation = made("plain")
    simulation.run(until=20)
    simulation.next_decision()
    for change in (
        simulation.decide,
        simulation.run,
        simulation.stop,
        simulation.fork,
        lambda: simulation.look(seen),
        lambda: simulation.set_speed(simulation.jobs_in("running")[0], 2),
    ):
        with pytest.raises(SimulationError, match="while it is looked at"):
            simulation.look(lambda _: change())  # noqa: B023
    kept = simulation.look(lambda state: state)
    with pytest.raises(SimulationError, match="outside the call"):
        list(kept.queue)
    simulation.run()


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_running_jobs_are_seen_at_any_time(tmp_path, scheduler):
    """Also where the scheduler needs none of them, so that they are not kept; nothing changes."""
    whole = rows(made("plain", scheduler), tmp_path / "whole.csv")
    simulation, seen_running = made("plain", scheduler), 0
    simulation.record_jobs(tmp_path / "looked.csv")
    while simulation.step():
        running = simulation.look(lambda state: [job.id for job in state.running])
        assert sorted(running) == sorted(simulation.jobs_in("running"))
        seen_running += len(running)
    simulation.run()
    assert seen_running > 0 or scheduler == "reject"
    assert (tmp_path / "looked.csv").read_text() == whole


def test_step_stops_there_too():
    simulation = made("plain")
    while not simulation.at_decision:
        assert simulation.step(to_decision=True)
    before = simulation.now
    assert simulation.step()  # continues, and the scheduler decides
    assert simulation.now > before
    assert not simulation.at_decision


class AsksToReturn(GreedyWalk):
    """Asks the engine to return, as a signal does that comes while it decides."""

    def schedule(self, state):
        self.engine.return_soon()
        yield from super().schedule(state)


def test_it_returns_soon_from_a_decision_that_it_passes():
    scheduler = AsksToReturn()
    simulation = made("plain", scheduler)
    scheduler.engine = simulation.engine
    assert simulation.next_decision()
    time = simulation.now
    assert simulation.engine.advance(1000, None)
    assert simulation.now == time


def test_until_is_not_passed():
    simulation = made("plain")
    assert not simulation.next_decision(until=-1)
    assert simulation.next_decision(until=1000)
    assert simulation.now <= 1000
    simulation.run(until=100)
    assert simulation.next_decision()
    simulation.run(until=99)
    assert simulation.at_decision  # at a later time, which is not passed
    simulation.run(until=simulation.now)
    assert not simulation.at_decision
