"""Hot machines: the engine equals its naive twin, states continue exactly, policies see it."""

from __future__ import annotations

import math

import pytest
from conftest import examples
from hypothesis import assume, event, given
from hypothesis import strategies as st
from oracles import thermal
from oracles.irmasim_policies import AskingJob
from oracles.platform_simulator import SECOND
from oracles.thermal_cases import (
    BUSY,
    MODEL,
    NODES,
    SYSTEM,
    degrees,
    engine_model,
    for_engine,
    models,
    simulate_all,
    simulation,
    some_jobs,
    timeline,
)

import schedlab as sl
from schedlab.system import platform


@examples(80)
@given(some_jobs(), models(), st.sampled_from(("first-fit", "coolest")), st.booleans())
def test_the_engine_equals_its_naive_twin(jobs, model, allocator, by_event):
    twin = thermal.ThermalSimulation(
        platform.for_engine(SYSTEM), NODES, jobs, engine_model(model), allocator
    )
    expected = twin.run()
    event(f"ambiguous: {expected.ambiguous}, throttles: {min(twin.throttles, 3)}")
    assume(not expected.ambiguous)
    ends = [record.end for record in expected.jobs.values()]
    times = [*ends, *{job.submit for job in jobs}]
    together = len(set(times)) < len(times)  # event by event, jobs are placed between them
    made = simulation(
        [for_engine(job) for job in jobs],
        model,
        allocator,
        scheduler="blocking",
        dispatch_per="event" if by_event and not together else "time",
    )
    made.run()
    assert made.now == pytest.approx(twin.now / SECOND, abs=1e-5)
    metrics = made.metrics["thermal"]
    assert metrics["hottest"] == pytest.approx(max(twin.hottest), abs=1e-6)
    assert metrics["mean"] == pytest.approx(twin.mean, abs=1e-6)
    assert metrics["throttles"] == twin.throttles
    whole = math.fsum(twin.throttled_seconds)
    assert metrics["throttled_node_seconds"] == pytest.approx(whole, abs=1e-4)
    cooled = math.fsum(expected.energy.values()) / thermal.cooling_performance(engine_model(model))
    assert metrics["cooling_energy"] == pytest.approx(cooled, rel=1e-7, abs=1e-3)
    rows = made.engine.temperatures()
    assert [row[1] for row in rows] == pytest.approx(twin.degrees, abs=1e-6)
    assert [row[2] for row in rows] == pytest.approx(twin.hottest, abs=1e-6)
    assert [row[4] for row in rows] == pytest.approx(twin.throttled_seconds, abs=1e-4)
    assert made.counts["completed"] == len(expected.jobs)


@pytest.mark.parametrize("allocator", ["first-fit", "coolest"])
def test_every_job_and_every_update_is_that_of_the_twin(allocator):
    volume = 6e6
    jobs = [
        AskingJob(
            n,
            26 * SECOND * n + 7_654_321 * n,  # so that nothing happens at the same time
            run=(200 + 97 * n % 900) * SECOND + 1_234_567 * n,
            cores=(1, 2, 4)[n % 3],
            memory_volume=volume * (n % 2),
        )
        for n in range(1, 90)
    ]
    model = {**MODEL, "limit": 60, "release": 55, "every": 45}
    twin = thermal.ThermalSimulation(
        platform.for_engine(SYSTEM), NODES, jobs, engine_model(model), allocator
    )
    expected = twin.run()
    assert not expected.ambiguous
    assert twin.throttles > 10
    result = simulate_all(
        [for_engine(job) for job in jobs], model, allocator=allocator, scheduler="blocking"
    )
    for row in result.jobs.collect().to_dicts():
        record = expected.jobs[row["job_id"]]
        assert row["start"] == pytest.approx(record.start / SECOND, abs=1e-6)
        assert row["end"] == pytest.approx(record.end / SECOND, abs=1e-6)
        assert row["energy"] == pytest.approx(record.energy, rel=1e-6)
    shown = {row["time"]: row["hottest"] for row in timeline(result)}
    for time, found in twin.history:
        assert shown[time / SECOND] == pytest.approx(max(found), abs=1e-6)


# ------------------------------------------------------------------------------ states and policies


def test_a_saved_simulation_goes_on_exactly(tmp_path):
    jobs = [sl.Job(n, 40 * n, 100 + 77 * n % 800, 1 + n % 9) for n in range(1, 120)]
    model = {**MODEL, "limit": 50, "release": 45}
    whole = simulation(jobs, model, "coolest", scheduler="easy")
    whole.run()
    assert whole.metrics["thermal"]["throttles"] > 0
    half = simulation(jobs, model, "coolest", scheduler="easy")
    half.run(until=2011)
    fork = half.fork()
    half.save(tmp_path / "half.state")
    half.run()
    fork.run()
    loaded = sl.Simulation.load(tmp_path / "half.state", workload=jobs)
    assert degrees(loaded) == degrees_at(jobs, model, 2011)
    loaded.run()
    for other in (half, fork, loaded):
        assert other.metrics == whole.metrics
        assert other.engine.temperatures() == whole.engine.temperatures()


def degrees_at(jobs, model, time):
    made = simulation(jobs, model, "coolest", scheduler="easy")
    made.run(until=time)
    return degrees(made)


class Coolest(sl.Allocator):
    """Takes the nodes with the lowest temperature first."""

    def place(self, job, machine):
        nodes = machine.nodes_with_room(job)
        nodes.sort(key=lambda node: round(machine.temperature(node), 6))
        return machine.fill(job, nodes)


def test_the_native_allocator_is_a_few_lines_of_python():
    jobs = [sl.Job(n, 40 * n, 100 + 77 * n % 800, 1 + n % 9) for n in range(1, 80)]
    model = {**MODEL, "limit": 50, "release": 45}
    native = simulate_all(jobs, model, allocator="coolest", scheduler="easy")
    python = simulate_all(jobs, model, allocator=Coolest(), scheduler="easy")
    assert native.jobs.collect().equals(python.jobs.collect())
    first_fit = simulate_all(jobs, model, scheduler="easy")
    assert not native.jobs.collect().equals(first_fit.jobs.collect())


class Looking(sl.Scheduler):
    """Starts what fits, and notes what it sees."""

    def __init__(self):
        self.seen = []

    def schedule(self, state):
        machine = state.machine
        table = state.data("temperature")
        assert table == {node: machine.temperature(node) for node in range(machine.nodes)}
        assert state.data("hottest") == max(table.values())
        assert state.data("mean_temperature") == pytest.approx(sum(table.values()) / 7)
        assert state.data("throttled") == sum(machine.throttled(node) for node in range(7))
        self.seen.append(state.data("throttled"))
        yield from (job for job in state.queue if machine.fits(job))


def test_policies_see_temperatures():
    jobs = [sl.Job(n, 30 * n, 400, 3) for n in range(1, 60)]
    scheduler = Looking()
    simulate_all(jobs, {**MODEL, "limit": 50}, scheduler=scheduler)
    assert max(scheduler.seen) > 0


def test_expressions_see_temperatures():
    jobs = [sl.Job(1, 0, 900, 44), sl.Job(2, 1, 10, 30, 20), sl.Job(3, 2, 10, 30, 10)]
    shortest = "blocking(score=requested_time)"
    by_heat = "blocking(score=requested_time if data.temperature[0] > 40 else submit)"
    runs = [
        sl.simulate(jobs, system=SYSTEM, scheduler=order, conditions={"thermal": MODEL})
        for order in (shortest, by_heat)
    ]
    starts = [run.jobs.collect().sort("job_id")["start"].to_list() for run in runs]
    assert starts[0] == starts[1]
    assert starts[0][2] < starts[0][1]


def test_temperatures_that_nobody_knows():
    class Asking(sl.Allocator):
        def place(self, job, machine):
            return machine.fill(job, [int(machine.temperature(0))])

    with pytest.raises(sl.SimulationError, match=r"machine\.temperature\(node\) is not known"):
        sl.simulate(BUSY, system=SYSTEM, allocator=Asking())
    with pytest.raises(sl.InputError, match=r'"coolest": .* needs conditions with \[thermal\]'):
        sl.simulate(BUSY, system=SYSTEM, allocator="coolest")
    machine = {"groups": {"all": {"nodes": 2, "resources": {"core": 4}}}}
    with pytest.raises(sl.InputError, match=r'"coolest": .* groups whose nodes have a type'):
        sl.simulate(BUSY, system=machine, allocator="coolest")
