"""Conditions and machines that go together, and what the engine gets."""

from __future__ import annotations

from itertools import pairwise

import pytest
from conditions.machines import COMPUTE, SERVICE, compute, mixed, plain
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.conditions import hottest_idle as oracle

import schedlab as sl
from schedlab.conditions.machine import check, for_engine, hottest_idle, idle_watts
from schedlab.system import Group, System

IDLE = 20 + 2 * 0.28


def test_what_the_engine_gets():
    conditions = sl.Conditions(
        seed=5,
        switch_off=sl.SwitchOff(600, keep=2),
        caps=[sl.PowerCap(400), sl.PowerCap(sl.Series([0, 60], [300, 200]), "compute", "slow")],
        price=sl.Series([0, 30], [0.1, -0.2], every=60),
        carbon=300,
        thermal=sl.Thermal(0.5, 600, recirculation=0.01, limit=60),
    )
    assert for_engine(conditions, compute(), seed=9) == {
        "seed": 5,
        "failures": None,
        "switch_off": (600.0, "off", 2),
        "caps": [
            ([0.0], [400.0], 0.0, -1, False),
            ([0.0, 60.0], [300.0, 200.0], 0.0, 0, True),
        ],
        "price": ([0.0, 30.0], [0.1, -0.2], 60.0),
        "carbon": ([0.0], [300.0], 0.0),
        "thermal": {
            "supply": 18.0,
            "resistance": 0.5,
            "time_constant": 600.0,
            "recirculation": 0.01,
            "neighbour": 0.0,
            "limit": 60.0,
            "release": 55.0,
            "every": 60.0,
            "throttle_step": -1,
            "cop": (0.0068, 0.0008, 0.458),
        },
    }


def test_nothing_needs_nothing():
    engine_conditions = for_engine(sl.Conditions(), plain(), seed=9)
    assert engine_conditions.pop("seed") == 9
    assert engine_conditions.pop("caps") == []
    assert set(engine_conditions.values()) == {None}


def test_dates_use_the_start_of_the_system():
    dated = sl.Series([1_000_060, 1_000_120], [1, 2], dated=True)
    engine_conditions = for_engine(
        sl.Conditions(price=dated), compute(start_time=1_000_000), seed=0
    )
    assert engine_conditions["price"] == ([60.0, 120.0], [1.0, 2.0], 0.0)
    daily = sl.Series([1_000_060, 1_000_120], [1, 2], every=100, dated=True)
    engine_conditions = for_engine(
        sl.Conditions(price=daily), compute(start_time=1_000_000), seed=0
    )
    assert engine_conditions["price"] == ([0.0, 20.0, 60.0], [1.0, 2.0, 1.0], 100.0)


def test_a_cap_may_be_as_low_as_the_idle_machine_and_no_lower():
    assert idle_watts(compute().groups[0]) == pytest.approx(IDLE)
    check(sl.Conditions(caps=[sl.PowerCap(4 * IDLE)]), compute())
    with pytest.raises(sl.InputError, match=r"82\.23 W are below the 82\.24 W that the machine"):
        check(sl.Conditions(caps=[sl.PowerCap(82.23)]), compute())
    check(sl.Conditions(caps=[sl.PowerCap(12, group="service")]), mixed())
    with pytest.raises(sl.InputError, match=r"11 W are below the 12 W that group service draws"):
        check(sl.Conditions(caps=[sl.PowerCap(11, group="service")]), mixed())


def test_where_nodes_are_switched_off_a_cap_may_be_lower():
    for state, floor in (("off", 8), ("sleeping", 32)):
        off = sl.SwitchOff(600, state)
        check(sl.Conditions(caps=[sl.PowerCap(floor)], switch_off=off), compute())
        with pytest.raises(sl.InputError, match=f"are below the {floor} W"):
            check(sl.Conditions(caps=[sl.PowerCap(floor - 1)], switch_off=off), compute())


groups = st.lists(
    st.tuples(st.sampled_from([COMPUTE, SERVICE]), st.integers(1, 7), st.integers(1, 4)),
    min_size=1,
    max_size=4,
)
small = st.floats(0, 2)


@examples(200)
@given(groups, small, small, st.floats(0.01, 2))
def test_the_hottest_idle_node_is_that_of_the_oracle(kinds, recirculation, neighbour, resistance):
    system = System(
        groups=[Group(f"g{i}", n, type=kind, rack=r) for i, (kind, n, r) in enumerate(kinds)]
    )
    thermal = sl.Thermal(resistance, 60, recirculation=recirculation, neighbour=neighbour)
    watts, racks = [], []
    for group in system.groups:
        watts += [idle_watts(group)] * group.nodes
        racks += [(group.name, node // group.rack) for node in range(group.nodes)]
    expected = oracle(watts, racks, 18, resistance, recirculation, neighbour)
    degrees, node = hottest_idle(thermal, system)
    assert degrees == pytest.approx(expected)
    assert 0 <= node < system.nodes


def test_the_cooling_of_the_paper():
    thermal = sl.Thermal(0.1, 600, supply=15)
    assert thermal.cop_at_supply == pytest.approx(0.0068 * 225 + 0.0008 * 15 + 0.458)
    assert thermal.steady(100, 50, 0) == 25


@examples(15)
@given(
    st.sets(st.integers(0, 400), min_size=1, max_size=5),
    st.none() | st.integers(1, 300),
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 200)), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_the_engines_cost_is_the_mean_price_of_each_interval(times, more, times_of_jobs, random):
    """The timeline has the power of each interval; `Series.mean` its price."""
    times = sorted(times)
    every = None if more is None else times[-1] - times[0] + more
    price = sl.Series(times, [random.uniform(-1, 2) for _ in times], every)
    jobs = [
        sl.Job(number, submit, run, processors=random.randint(1, 8))
        for number, (submit, run) in enumerate(sorted(times_of_jobs), 1)
    ]
    result = sl.simulate(
        jobs, system=compute(), conditions=sl.Conditions(price=price, carbon=50), timeline="csv"
    )
    rows = result.timeline.select("time", "power").collect().rows()
    cost = joules = 0.0
    for (start, watts), (end, _) in pairwise(rows):
        if end > start:
            joules += watts * (end - start)
            cost += watts * (end - start) * price.mean(start, end) / 3.6e6
    energy = result.metrics["energy"]
    assert energy["total"] == pytest.approx(joules)
    assert energy["cost"] == pytest.approx(cost, rel=1e-9, abs=1e-12)
    assert energy["carbon"] == pytest.approx(0.05 * joules / 3.6e6)  # kg
