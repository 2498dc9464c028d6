"""Platforms at their edges: what once hung, went back in time or was counted wrong."""

import pytest

import schedlab as sl
from schedlab.errors import InputError, SimulationError
from schedlab.workload import Job


def machine(nodes=2, sockets=1, down_power=60):
    return {
        "processors": {
            "p": {
                "cores": 4,
                "clock": 3.4,
                "power": {"core": 6.14, "shared": 5.59, "idle": 0.28},
                "contention": {
                    **{"b": -1.85e-5, "c": 32000, "da": 1.75, "db": 3500, "dc": 45000, "dd": 3000}
                },
            }
        },
        "node_types": {
            "n": {
                "processors": {"p": sockets},
                "resources": {"gpu": 1},
                "power": {"base": 20.0, "off": 2.0},
                "transitions": {
                    "off": {
                        "down_seconds": 30,
                        "down_power": down_power,
                        "up_seconds": 120,
                        "up_power": 90,
                    }
                },
            }
        },
        "groups": {"g": {"nodes": nodes, "type": "n"}},
    }


@pytest.mark.parametrize("allocator", ["first-fit(sockets=fullest)", "least-added-power"])
def test_nodes_with_more_than_64_sockets_are_filled(allocator):
    jobs = [Job(1, 0, 100, 400)]
    result = sl.simulate(jobs, system=machine(1, sockets=100), allocator=allocator)
    watts = 100 * (4 * 6.14 + 5.59) + 20
    assert result.metrics["energy"]["jobs"] == pytest.approx(100 * watts)


@pytest.mark.parametrize("per", ["time", "event"])
def test_time_never_goes_back_where_idle_nodes_are_kept(per):
    """Node 0 is idle for long and kept; a job of no length makes node 1 idle, too."""
    jobs = [Job(1, 0, 0, 4), Job(2, 0, 5000, 4), Job(3, 7000, 0, 4), Job(4, 9000, 10, 4)]
    simulation = sl.Simulation(
        jobs,
        system=machine(),
        conditions={"switch_off": {"after": 100, "keep": 1}},
        dispatch_per=per,
    )
    times = []
    while simulation.step():
        times.append(simulation.now)
    assert times == sorted(times)
    assert times[-1] >= 9010


def test_attempts_that_end_while_nodes_boot_hold_nothing():
    conditions = {
        "switch_off": {"after": 10},
        "failure_trace": {"outages": [(0, 1050, 1060)]},
    }
    jobs = [Job(1, 0, 1, 1), Job(2, 1000, 100, 4)]
    result = sl.simulate(jobs, system=machine(1), conditions=conditions)
    assert result.metrics["failures"]["interruptions"] == 1
    assert result.metrics["utilization"]["core"] == pytest.approx((1 + 4 * 100) / (4 * 1160))


@pytest.mark.parametrize("after", [0, 5])
def test_nodes_that_a_cap_keeps_from_stopping_stay_on(after):
    """Stopping takes 500 W, and the cap is 150 W."""
    result = sl.simulate(
        [Job(1, 0, 100, 4)],
        system=machine(4, down_power=500),
        conditions={"switch_off": {"after": after}, "caps": [{"watts": 150}]},
    )
    energy = result.metrics["energy"]
    assert energy["transitions"] == energy["off"] == 0
    assert energy["total"] == pytest.approx(100 * (3 * 20.28 + 30.15 + 20))


def test_nodes_that_stop_at_once_keep_to_a_cap():
    """Each takes 60 W instead of 20.28 W while it stops, so only two of four may at a time."""
    result = sl.simulate(
        [Job(1, 0, 0, 1), Job(2, 500, 0, 1)],
        system=machine(4),
        conditions={"switch_off": {"after": 10}, "caps": [{"watts": 165}]},
    )
    energy = result.metrics["energy"]
    assert energy["off"] > 0
    assert energy["caps"][0]["most_above"] == 0
    assert energy["peak_power"] <= 165


STUCK = [
    {"caps": [{"watts": 100}]},
    {"caps": [{"watts": {"times": [0, 10], "values": [90, 100], "every": 20}}]},
    {"caps": [{"watts": 150}], "switch_off": {"after": 5}},
]


@pytest.mark.parametrize("conditions", STUCK)
def test_jobs_that_caps_never_let_start_are_rejected_or_an_error(conditions):
    jobs, system = [Job(1, 0, 100, 16)], machine(4, down_power=500)
    result = sl.simulate(jobs, system=system, conditions=conditions)
    assert result.jobs.select("state", "reason").collect().row(0) == ("rejected", "power-cap")
    with pytest.raises(SimulationError, match="the power cap is never above"):
        sl.simulate(jobs, system=system, conditions=conditions, impossible="stop")


def test_tasks_without_cores_cause_no_traffic():
    work = {"instructions": 1e-300, "ipc": 1, "memory_volume": 1e30}  # an infinite rate
    alone = {"instructions": 0, "ipc": 0, "memory_volume": 0}
    jobs = [
        Job(1, 0, 100, 1, attributes=alone),
        Job(2, 0, 100, 1, resources={"core": 0, "gpu": 1}, attributes=work),
    ]
    result = sl.simulate(jobs, system=machine(1))
    assert result.counts["completed"] == 2
    assert result.metrics["makespan"] == 100


def test_periods_that_would_take_for_ever_are_refused():
    for conditions in (
        {"price": {"times": [0, 1e-10], "values": [1, 2], "every": 1e-9}},
        {"thermal": {"resistance": 0.1, "time_constant": 10, "every": 1e-12}},
    ):
        with pytest.raises(InputError, match="every: must be at least"):
            sl.simulate([Job(1, 0, 10)], system=machine(), conditions=conditions)
