"""A job that takes whole nodes loads all their cores: power, energy, caps, heat, contention."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import schedlab as sl
from schedlab.workload import Job

CORES = 16


def machine(nodes: int = 4, **processor: object) -> dict:
    """Nodes of two sockets of eight cores; 62.6 W with one active core would be the old reading."""
    steps = [{"clock": 1.0, "core": 4, "shared": 8, "idle": 2}]
    power = {"core": 10, "shared": 20, "idle": 5}
    kind = {"cores": 8, "clock": 2.0, "power": power, "steps": steps, **processor}
    return {
        "processors": {"p": kind},
        "node_types": {"n": {"processors": {"p": 2}, "power": {"base": 30}}},
        "groups": {"all": {"nodes": nodes, "type": "n"}},
    }


WHOLE_WATTS = 30 + 2 * 20 + CORES * 10
IDLE_WATTS = 30 + 2 * 5


def run(jobs: list[Job], system: dict | None = None, **more: object) -> sl.Result:
    return sl.simulate(jobs, system=system or machine(), timeline="csv", **more)


@pytest.mark.parametrize("shape", [{}, {"tasks_per_node": 1}, {"resources": {"core": 3}}])
def test_one_task_on_a_whole_node_draws_what_all_its_cores_draw(shape):
    whole = run([Job(1, 0, 100, 1, whole_nodes=True, **shape)])
    full = run([Job(1, 0, 100, CORES)])
    assert whole.metrics["energy"] == full.metrics["energy"]
    assert whole.metrics["energy"]["peak_power"] == WHOLE_WATTS + 3 * IDLE_WATTS
    assert whole.jobs.collect()["energy"][0] == pytest.approx(100 * WHOLE_WATTS)
    assert whole.metrics["utilization"] == full.metrics["utilization"] == {"core": 0.25}


def test_energies_of_jobs_and_nodes_add_up():
    jobs = [
        Job(n, 10 * n, 30 + 7 * n, 1 + 5 * n % 20, whole_nodes=n % 2 == 0, requested_time=400)
        for n in range(1, 40)
    ]
    result = run(jobs, scheduler="easy")
    energy = result.metrics["energy"]
    assert math.fsum(result.jobs.collect()["energy"]) == pytest.approx(energy["jobs"])
    lines = Path(result.path, "nodes.csv").read_text().splitlines()
    nodes = [float(line.split(",")[2]) for line in lines[1:]]
    assert math.fsum(nodes) == pytest.approx(energy["total"])


def test_a_cap_sees_the_whole_node():
    jobs = [Job(n, 0, 100, 1, whole_nodes=True) for n in (1, 2)]
    room_for_one = WHOLE_WATTS + 3 * IDLE_WATTS + 100
    result = run(jobs, conditions={"caps": [{"watts": room_for_one}]})
    starts = result.jobs.collect().sort("job_id")["start"].to_list()
    assert starts == [0, 100]
    assert result.metrics["energy"]["caps"][0]["most_above"] == 0
    slowed = run(jobs, conditions={"caps": [{"watts": room_for_one, "action": "slow"}]})
    assert slowed.metrics["energy"]["peak_power"] <= room_for_one
    assert slowed.jobs.collect()["start"].to_list() == [0, 0]


def test_heat_and_contention_follow_all_cores():
    thermal = {"thermal": {"resistance": 0.1, "time_constant": 10, "every": 1}}
    contention = {"b": -1.85e-5, "c": 8000, "da": 1.75, "db": 3500, "dc": 45000, "dd": 3000}
    system = machine(memory_bandwidth=20000, contention=contention)
    volume = {"memory_volume": 2000 * 100}
    one, whole, full = (
        run([job], system, conditions=thermal)
        for job in (
            Job(1, 0, 100, 1, attributes=volume),
            Job(1, 0, 100, 1, whole_nodes=True, attributes=volume),
            Job(1, 0, 100, CORES, attributes=volume),
        )
    )
    ends = [result.jobs.collect()["end"][0] for result in (one, whole, full)]
    assert ends[0] == 100 < ends[1] == ends[2]
    hottest = [result.metrics["thermal"]["hottest"] for result in (one, whole, full)]
    assert hottest[0] < hottest[1] == hottest[2]


def test_policies_and_allocators_see_the_same_power():
    seen = []

    class Looks(sl.Scheduler):
        def schedule(self, state):
            for job in state.queue:
                seen.append([state.machine.added_power(0, job, tasks) for tasks in (0, 1)])
                yield job

    run([Job(1, 0, 10, 1, whole_nodes=True)], scheduler=Looks())
    assert seen == [[0, WHOLE_WATTS - IDLE_WATTS]]


@pytest.mark.parametrize("resubmission", [{}, {"from": "checkpoint", "interval": 20, "cost": 2}])
def test_failures_forks_and_state_files(tmp_path, resubmission):
    conditions = {
        "failure_trace": {"outages": [[0, 45, 60], [1, 150, 170]]},
        **({"resubmission": resubmission} if resubmission else {}),
    }
    jobs = [Job(n, 5 * n, 60, 1 + n % 3, whole_nodes=n % 3 != 0) for n in range(1, 12)]
    given = {"system": machine(), "conditions": conditions, "scheduler": "easy"}
    whole = run(jobs, **{**given, "system": given["system"]})
    energy = whole.metrics["energy"]
    assert math.fsum(whole.jobs.collect()["energy"]) == pytest.approx(energy["jobs"])
    simulation = sl.Simulation(jobs, **given)
    simulation.run(until=50)
    simulation.save(tmp_path / "state")
    fork, again = simulation.fork(), sl.Simulation.load(tmp_path / "state", workload=jobs)
    for other in (fork, again):
        other.run()
        assert other.metrics["energy"] == energy
