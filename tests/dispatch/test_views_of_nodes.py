"""What policies are shown of single nodes: state, since when it is up, power to be added."""

from __future__ import annotations

import pytest
from conditions.machines import compute
from dispatch.policies import FOUR, policy

import schedlab as sl

JOBS = [sl.Job(n, 20 * n, 5, 1) for n in range(8)]


def looked(look, system, jobs=JOBS, **parts):
    """Returns what the function sees at each call of a greedy scheduler, by time."""
    seen = {}

    def schedule(self, state):
        seen[state.now] = look(state)
        yield from state.queue.fitting()

    sl.simulate(jobs, system=system, scheduler=policy(schedule), **parts)
    return seen


@pytest.fixture
def down(tmp_path):
    path = tmp_path / "down.csv"
    path.write_text("node,start,end\n1,30,70\n1,110,115\n")
    return {"failure_trace": {"file": str(path)}}


@pytest.mark.parametrize("system", [FOUR, compute(nodes=2)], ids=["plain", "platform"])
def test_nodes_are_up_since_their_repair(system, down):
    seen = looked(
        lambda state: (state.machine.state(1), state.machine.up_since(1)), system, conditions=down
    )
    assert seen == {
        0: ("on", 0),
        20: ("on", 0),
        40: ("down", None),
        60: ("down", None),
        80: ("on", 70),
        100: ("on", 70),
        120: ("on", 115),
        140: ("on", 115),
    }


def test_nodes_that_never_fail_are_up_since_the_beginning():
    jobs = [sl.Job(1, 7, 5), sl.Job(2, 30, 5)]
    assert looked(lambda state: state.machine.up_since(0), FOUR, jobs) == {7: 7, 30: 7}


def test_up_since_is_saved(tmp_path, down):
    def schedule(self, state):
        seen.append((state.now, state.machine.up_since(1)))
        yield from state.queue.fitting()

    seen: list[object] = []
    simulation = sl.Simulation(JOBS, system=FOUR, scheduler=policy(schedule), conditions=down)
    simulation.run(until=90)
    other = simulation.fork()
    simulation.run()
    before = list(seen)
    seen.clear()
    other.run()
    assert seen == before[-3:] == [(100, 70), (120, 115), (140, 115)]


def test_states_of_nodes_that_are_switched_off():
    jobs = [sl.Job(1, 0, 10), sl.Job(2, 50, 10), sl.Job(3, 100, 10), sl.Job(4, 200, 10)]
    seen = looked(
        lambda state: [state.machine.state(node) for node in range(2)],
        compute(nodes=2),
        jobs,
        conditions={"switch_off": {"after": 30}},
    )
    assert seen == {
        0: ["on", "on"],
        50: ["stopping", "stopping"],  # for 30 s; job 2 wants node 0 back
        100: ["booting", "off"],  # for 120 s, until 180
        200: ["on", "off"],
    }


def test_added_power_is_what_power_grows_by():
    seen = []

    def schedule(self, state):
        for job in list(state.queue):
            tasks = job.processors
            added = state.machine.added_power(0, job, tasks)
            seen.append((state.machine.power(0), added))
            yield sl.StartJob(job, {0: tasks})

    jobs = [sl.Job(1, 0, 50, 3), sl.Job(2, 10, 50, 1), sl.Job(3, 20, 50, 2), sl.Job(4, 30, 10, 1)]
    sl.simulate(jobs, system=compute(nodes=1), scheduler=policy(schedule))
    power = [round(before, 6) for before, _ in seen]
    added = [round(more, 6) for _, more in seen]
    assert power[0] == 20.56
    assert added == [
        round(3 * 6.14 + 5.59 - 0.28, 6),  # wakes the first socket
        6.14,  # fills it
        round(2 * 6.14 + 5.59 - 0.28, 6),  # wakes the second
        6.14,
    ]
    assert [round(before + more, 6) for before, more in zip(power, added, strict=True)][
        :3
    ] == power[1:]


def test_added_power_asks_for_what_is_known():
    def more_than_fits(state):
        return state.machine.added_power(0, state.queue[0], 9)

    with pytest.raises(sl.SimulationError, match="node 0 has room for 8 tasks of job 0, not 9"):
        looked(more_than_fits, compute(nodes=1))
    with pytest.raises(sl.SimulationError, match="does not give it for its processor types"):
        looked(lambda state: state.machine.added_power(0, state.queue[0]), FOUR)
    for ask in ("state", "up_since"):
        with pytest.raises(IndexError, match="nodes 0 to 1"):
            looked(lambda state, ask=ask: getattr(state.machine, ask)(2), FOUR)
