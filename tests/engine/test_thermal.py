"""Temperatures, throttling and cooling follow their formulas."""

from __future__ import annotations

import itertools

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import thermal
from oracles.thermal_cases import (
    BUSY,
    MODEL,
    NODES,
    SYSTEM,
    degrees,
    simulate_all,
    simulation,
    timeline,
)

import schedlab as sl
from schedlab.conditions import machine as conditions_on
from schedlab.system import platform

# -------------------------------------------------------------------------------------- the oracle


@examples(200)
@given(st.floats(0, 100), st.floats(0, 100), st.floats(0.1, 1000), st.floats(1, 1000), st.data())
def test_the_step_of_the_oracle_solves_its_equation(before, target, seconds, constant, data):
    done = data.draw(st.floats(0.1, 0.9)) * seconds
    once = thermal.after(before, target, seconds, constant)
    halfway = thermal.after(before, target, done, constant)
    assert thermal.after(halfway, target, seconds - done, constant) == pytest.approx(once)
    # Its slope is that of the equation, and its mean what is missing of the way.
    small = 1e-4 * constant
    slope = (thermal.after(before, target, small, constant) - before) / small
    assert slope == pytest.approx((target - before) / constant, rel=1e-3, abs=1e-6)
    mean = thermal.mean_until(before, target, seconds, constant)
    assert (target - mean) * seconds / constant == pytest.approx(once - before, abs=1e-6)


def test_small_steps_of_euler_converge_to_it():
    exact = thermal.after(20, 70, 120, 300)
    errors = [abs(thermal.by_euler(20, 70, 120, 300, n) - exact) for n in (100, 1000, 10000)]
    assert errors[0] < 0.1
    for coarse, fine in itertools.pairwise(errors):
        assert fine == pytest.approx(coarse / 10, rel=0.05)  # an error of first order


# ------------------------------------------------------------------------------------- the formula


def idle_and_busy():
    """Returns the watts of each node, idle and with BUSY on the first three."""
    idle = [conditions_on.idle_watts(group) for group in SYSTEM.groups for _ in range(group.nodes)]
    full = 3 + 2 * (4 * 6.14 + 5.59)
    return idle, [full] * 3 + idle[3:]


def test_a_machine_begins_with_the_temperatures_of_idleness():
    made = simulation(BUSY, MODEL)
    made.step()
    racks = thermal.racks_of(platform.for_engine(SYSTEM), NODES)
    assert racks == [[0, 1, 2], [3], [4, 5, 6]]
    expected = thermal.targets(idle_and_busy()[0], racks, MODEL)
    assert degrees(made) == pytest.approx(expected)
    hottest, node = conditions_on.hottest_idle(made.conditions.thermal, SYSTEM)
    assert hottest == pytest.approx(max(expected))
    assert expected[node] == pytest.approx(hottest)
    assert made.metrics["thermal"]["mean"] == pytest.approx(sum(expected) / 7)


@pytest.mark.parametrize("every", [60, 7.5, 250])
def test_nodes_follow_the_exponential_whatever_the_step(every):
    made = simulation(BUSY, {**MODEL, "every": every})
    made.run(until=3000)
    idle, busy = idle_and_busy()
    racks = thermal.racks_of(platform.for_engine(SYSTEM), NODES)
    from_, to = thermal.targets(idle, racks, MODEL), thermal.targets(busy, racks, MODEL)
    expected = [thermal.after(a, b, 3000, 300) for a, b in zip(from_, to, strict=True)]
    assert degrees(made) == pytest.approx(expected)
    assert made.now == 3000
    metrics = made.metrics["thermal"]
    assert metrics["hottest"] == pytest.approx(max(expected))
    means = [thermal.mean_until(a, b, 3000, 300) for a, b in zip(from_, to, strict=True)]
    assert metrics["mean"] == pytest.approx(sum(means) / 7)
    assert [row[3] for row in made.engine.temperatures()] == pytest.approx(means)


def test_no_joule_is_missed_between_updates():
    """With a quick model a temperature is the mean power of the step, whatever happened in it."""
    jobs = [sl.Job(n, 3.3 * n, 1 + 5 * (n % 4), 1 + n % 6) for n in range(1, 60)]
    quick = {"resistance": 1, "time_constant": 0.01, "supply": 0, "every": 10, "cop": [0, 0, 2]}
    made = simulation(jobs, quick)
    sums = [0.0] * 7
    for step in range(1, 20):
        made.run(until=3.3 + 10 * step)
        sums = [s + 10 * d for s, d in zip(sums, degrees(made), strict=True)]
        taken = [row[1] for row in made.engine.nodes()]
        assert sums == pytest.approx(taken)
    assert sum(sums) > 1000
    made.run()
    metrics = made.metrics
    assert metrics["thermal"]["cooling_energy"] == pytest.approx(metrics["energy"]["total"] / 2)
    both = metrics["energy"]["total"] * 1.5
    assert metrics["thermal"]["total_with_cooling"] == pytest.approx(both)


def test_cooling_is_that_of_the_paper():
    result = simulate_all(BUSY, {**MODEL, "supply": 15, "limit": 200})
    performance = 0.0068 * 15**2 + 0.0008 * 15 + 0.458
    for row in timeline(result):
        assert row["cooling"] == pytest.approx(row["power"] / performance)
    metrics = result.run["metrics"]
    expected = metrics["energy"]["total"] / performance
    assert metrics["thermal"]["cooling_energy"] == pytest.approx(expected)


def test_a_node_that_is_off_cools_towards_its_inlet():
    jobs = [sl.Job(1, 0, 6000, 8), sl.Job(2, 0, 10, 48)]
    made = simulation(jobs, MODEL, conditions={"switch_off": {"after": 60}})
    made.run(until=5900)
    inlet = 20 + 0.05 * (idle_and_busy()[1][0] + 1)  # node 0 works, node 1 is off
    assert degrees(made)[2] == pytest.approx(
        inlet + 0.8 + 0.1, abs=1e-3
    )  # it draws 1 W, node 1 too
    assert degrees(made)[3] == pytest.approx(20.8, abs=1e-3)  # alone in its rack


# --------------------------------------------------------------------------------------- the limit


HOT = {"resistance": 0.5, "time_constant": 200, "limit": 45, "release": 40}


def test_a_hot_node_is_slowed_down_until_it_is_cooler():
    """One node of 63.32 W tends to 49.66 degC; at its last step, 24.66 W, to 30.33."""
    job = sl.Job(1, 0, 3000, 8)
    result = simulate_all([job], HOT)
    rows = timeline(result)
    throttled = [row for row in rows if row["throttled"] == 1]
    assert throttled
    for before, row in itertools.pairwise(rows):
        if row["throttled"] > before["throttled"]:
            assert row["hottest"] > 45 >= before["hottest"]
        if row["throttled"] < before["throttled"]:
            assert row["hottest"] < 40 <= before["hottest"]
    assert {round(row["clock"], 3) for row in throttled} == {1.7}
    assert all(row["time"] % 60 == 0 for row in rows[:-1])
    # The job does its work: what it lacks at half the clock it does later.
    record = result.jobs.collect().to_dicts()[0]
    metrics = result.run["metrics"]["thermal"]
    seconds = metrics["throttled_node_seconds"]
    assert record["end"] == pytest.approx(3000 + seconds / 2)
    assert record["speed"] == pytest.approx(3000 / record["end"])
    assert metrics["throttles"] == sum(
        row["throttled"] > before["throttled"] for before, row in itertools.pairwise(rows)
    )
    assert metrics["hottest"] == max(row["hottest"] for row in rows)


def test_the_throttle_step_may_be_given():
    result = simulate_all([sl.Job(1, 0, 3000, 8)], {**HOT, "throttle_step": 1})
    assert {round(row["clock"], 3) for row in timeline(result)} >= {3.4, 2.5}
    assert 1.7 not in {round(row["clock"], 3) for row in timeline(result)}


def test_what_a_scheduler_asks_for_holds_again_afterwards():
    class Slow(sl.Scheduler):
        """Puts node 0 at step 1 while it is hot, and asks for more now and then."""

        def schedule(self, state):
            if state.now == 0:
                yield sl.SetClock([0], 1)
            yield from state.queue

    model = {**HOT, "resistance": 1, "limit": 48}
    result = simulate_all([sl.Job(1, 0, 3000, 8)], model, scheduler=Slow())
    clocks = [(row["throttled"], round(row["clock"], 3)) for row in timeline(result)[:-1]]
    assert set(clocks) == {(0, 2.5), (1, 1.7)}


def test_without_a_limit_nothing_is_throttled():
    hot = simulate_all(BUSY, MODEL)
    assert hot.run["metrics"]["thermal"]["throttles"] == 0
    plain = sl.simulate(BUSY, system=SYSTEM)
    assert hot.jobs.collect().equals(plain.jobs.collect())
    assert "thermal" not in plain.run["metrics"]


class Counting(sl.Scheduler):
    """Starts what fits, and counts its calls."""

    def __init__(self):
        self.calls = []

    def schedule(self, state):
        self.calls.append(state.now)
        for job in state.queue:
            if state.machine.fits(job):
                yield job


def test_updates_call_nobody_and_keep_nothing_going():
    jobs = [sl.Job(1, 0, 3000, 32), sl.Job(2, 10, 5, 40)]
    scheduler = Counting()
    result = simulate_all(jobs, HOT, scheduler=scheduler)
    ends = result.jobs.collect().sort("job_id")["end"].to_list()
    assert scheduler.calls[:2] == [0, 10]
    assert len(scheduler.calls) == 3  # the end of the first, at which the second starts
    assert max(row["time"] for row in timeline(result)) == ends[1]
