"""A power cap holds whatever nodes and policies do, and is reported as what it is."""

import random

import pytest
from dispatch.policies import EasyWalk, PlanWalk

import schedlab as sl
from schedlab.workload import Job


def machine(nodes: int = 3) -> dict:
    """Nodes of four cores: 10 W each, 2 W at half the clock; 50 W to switch off, 5 W to boot."""
    steps = [{"clock": 1.0, "core": 2, "shared": 0, "idle": 0}]
    power = {"core": 10, "shared": 0, "idle": 0}
    off = {"down_seconds": 10, "down_power": 50, "up_seconds": 10, "up_power": 5}
    return {
        "processors": {"p": {"cores": 4, "clock": 2.0, "power": power, "steps": steps}},
        "node_types": {
            "n": {"processors": {"p": 1}, "power": {"off": 0}, "transitions": {"off": off}}
        },
        "groups": {"all": {"nodes": nodes, "type": "n"}},
    }


def mixed() -> dict:
    """Nodes of two sockets that share power, and wake from sleep with more than they idle with."""
    sleeping = {"down_seconds": 5, "down_power": 40, "up_seconds": 10, "up_power": 50}
    off = {"down_seconds": 30, "down_power": 60, "up_seconds": 120, "up_power": 90}
    processor = {
        "cores": 4,
        "clock": 3.4,
        "power": {"core": 6.14, "shared": 5.59, "idle": 0.28},
        "steps": [{"clock": 1.7, "core": 2.31, "shared": 1.59, "idle": 0.08}],
    }
    return {
        "processors": {"p": processor},
        "node_types": {
            "n": {
                "processors": {"p": 2},
                "power": {"base": 20, "off": 2, "sleeping": 8},
                "transitions": {"off": off, "sleeping": sleeping},
            }
        },
        "groups": {"a": {"nodes": 4, "type": "n"}, "b": {"nodes": 2, "type": "n"}},
    }


def energy(jobs: list[Job], system: dict, **conditions: object) -> dict:
    """Returns run.json's energy."""
    return sl.simulate(jobs, system=system, scheduler="easy", conditions=conditions).metrics[
        "energy"
    ]


@pytest.mark.parametrize("action", ["refuse", "slow"])
@pytest.mark.parametrize(
    "switch_off", [{"after": 50, "to": "sleeping"}, {"after": 100, "keep": 1}, {"after": 0}]
)
@pytest.mark.parametrize("seed", range(4))
def test_a_fixed_cap_holds_while_nodes_come_and_go(seed, switch_off, action):
    draw = random.Random(seed)
    submit, jobs = 0.0, []
    for number in range(120):
        submit += draw.expovariate(1 / 70)
        run, processors = draw.uniform(5, 1500), draw.choice([1, 1, 2, 4, 8, 12])
        jobs.append(Job(number, round(submit, 3), round(run, 3), processors))
    caps = [{"watts": 240, "action": action}, {"watts": 195, "group": "a", "action": action}]
    found = energy(jobs, mixed(), caps=caps, switch_off=switch_off)
    assert [cap["most_above"] for cap in found["caps"]] == [0, 0]
    assert found["peak_power"] <= 240 + 1e-6
    assert found["transitions"] > 0


def test_a_policy_cannot_go_beyond_the_cap_by_raising_clocks():
    class RaisesClocks(sl.Scheduler):
        """Starts everything at the low clock, then asks for the nominal one."""

        def __init__(self) -> None:
            self.calls = 0

        def schedule(self, state):
            self.calls += 1
            if self.calls == 1:
                yield sl.SetClock([0, 1, 2], 1)
            yield from list(state.queue)
            if self.calls == 2:
                yield sl.SetClock([0, 1, 2], 0)

    jobs = [Job(1, 0, 100, 4), Job(2, 0, 100, 4), Job(3, 10, 10, 4)]
    result = sl.simulate(
        jobs, system=machine(), scheduler=RaisesClocks(), conditions={"caps": [{"watts": 70}]}
    )
    found = result.metrics["energy"]
    # Node 0 alone may have its clock back: 40 + 8 + 8 W.
    assert found["peak_power"] == 56
    assert found["caps"][0]["most_above"] == 0


def test_peak_power_is_that_of_a_time_not_of_a_moment():
    # The second job starts when power is at 40 W, and the machine is slowed down at that time.
    jobs = [Job(1, 0, 100, 4), Job(2, 10, 100, 4)]
    found = energy(jobs, machine(), caps=[{"watts": 50, "action": "slow"}])
    assert found["peak_power"] == 40


def test_caps_of_groups_alone_publish_no_cap_of_the_machine():
    result = sl.simulate(
        [Job(1, 0, 100, 1)],
        system=mixed(),
        conditions={"caps": [{"watts": 195, "group": "a"}]},
        timeline="csv",
    )
    assert "cap" not in result.timeline.collect().columns


@pytest.mark.parametrize("whole_nodes", [False, True], ids=["processors", "nodes"])
def test_a_job_that_a_cap_refuses_does_not_stand_in_its_own_way(whole_nodes):
    """Its reservation was due, so conservative backfilling makes another one."""
    # There is room for both at once, but 120 W are too much.
    jobs = [Job(1, 0, 20, 4, whole_nodes=whole_nodes), Job(2, 0, 30, 8, whole_nodes=whole_nodes)]
    caps = {"caps": [{"watts": 80}]}
    found = sl.simulate(jobs, system=machine(), scheduler="conservative", conditions=caps)
    assert found.metrics["wait"]["max"] == 20
    assert found.metrics["makespan"] == 50


@pytest.mark.parametrize("scheduler", [EasyWalk, PlanWalk])
def test_a_policy_that_reserves_keeps_jobs_waiting_that_a_cap_refuses(scheduler):
    """Job 3 leaves job 2 its room from 10 on, but not the machine 100 W."""
    jobs = [
        Job(1, 0, 10, 8, requested_time=10),
        Job(2, 1, 10, 8, requested_time=10),
        Job(3, 2, 100, 4, requested_time=100),
    ]
    caps = {"caps": [{"watts": 100}]}
    found = sl.simulate(jobs, system=machine(), scheduler=scheduler(), conditions=caps)
    starts = {row["job_id"]: row["start"] for row in found.jobs.collect().to_dicts()}
    assert starts == {1: 0, 2: 10, 3: 20}


def test_a_cap_counts_what_will_run_on_nodes_that_are_waking():
    off = {"down_seconds": 1, "down_power": 1, "up_seconds": 10, "up_power": 1}
    system = machine(nodes=4)
    system["node_types"]["n"]["transitions"] = {"off": off}
    # The nodes are off by then. Both jobs boot two of them, and would draw 80 W each.
    jobs = [Job(1, 100, 50, 8), Job(2, 105, 50, 8)]
    found = sl.simulate(
        jobs, system=system, conditions={"caps": [{"watts": 130}], "switch_off": {"after": 0}}
    )
    assert found.metrics["energy"]["caps"][0]["most_above"] == 0
    assert found.metrics["energy"]["peak_power"] < 100
    assert found.metrics["makespan"] > 100
