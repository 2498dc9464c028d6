"""Machines with processor and node types: what loads, what the engine gets, contention."""

from __future__ import annotations

import copy
import pickle
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.system import (
    Contention,
    FrequencyStep,
    Group,
    NodePower,
    NodeType,
    Power,
    ProcessorType,
    System,
    Transition,
    load_system,
)
from schedlab.system.platform import for_engine
from schedlab.system.system_facts import facts_of
from schedlab.system.table import as_table, as_toml

TEXT = """
name = "i5 cluster"

[processors.i5-7500]
cores = 4
clock = 3.4
memory_channels = 2
memory_bandwidth = 38400
power = { core = 6.14, shared = 5.59, idle = 0.28 }
contention = { b = -1.85e-5, c = 32000, da = 1.75, db = 3500, dc = 45000, dd = 3000, k = 0.6 }
steps = [
  { clock = 2.5, core = 3.51, shared = 3.20, idle = 0.16 },
  { clock = 1.7, core = 2.31, shared = 1.59, idle = 0.08 },
]

[processors.i5-slow]
like = "i5-7500"
clock = 1.7

[node_types.compute]
processors = { i5-7500 = 2 }
resources = { mem = 8388608 }
power = { base = 20.0, off = 2.0 }
transitions = { sleeping = { down_seconds = 5, down_power = 40, up_seconds = 10, up_power = 50 } }

[node_types.mixed]
like = "compute"
processors = { i5-7500 = 1, i5-slow = 1 }

[groups.compute]
nodes = 15
type = "compute"
rack = 6

[groups.mixed]
nodes = 3
type = "mixed"
"""
CONSTANTS = Contention(-1.85e-5, 32000, 1.75, 3500, 45000, 3000, 0.6)
I5 = ProcessorType(
    "i5-7500",
    4,
    3.4,
    1,
    2,
    38400,
    Power(6.14, 5.59, 0.28),
    CONSTANTS,
    [FrequencyStep(2.5, Power(3.51, 3.2, 0.16)), FrequencyStep(1.7, Power(2.31, 1.59, 0.08))],
)
SLOW = ProcessorType(
    "i5-slow", 4, 1.7, 1, 2, 38400, power=Power(2.31, 1.59, 0.08), contention=CONSTANTS
)
MORE = (
    {"mem": 8388608},
    NodePower(20, off=2),
    {"sleeping": Transition(5, 40, 10, 50)},
)
CLUSTER = System(
    "i5 cluster",
    groups=[
        Group("compute", 15, type=NodeType("compute", [(I5, 2)], *MORE), rack=6),
        Group("mixed", 3, type=NodeType("mixed", [(I5, 1), (SLOW, 1)], *MORE)),
    ],
)


def test_a_file_and_objects_are_the_same_machine(tmp_path: Path) -> None:
    path = tmp_path / "i5.toml"
    path.write_text(TEXT)
    assert load_system(path) == CLUSTER
    assert CLUSTER.platform
    assert CLUSTER.warnings == ()
    assert CLUSTER.capacity == {"core": 18 * 8, "mem": 18 * 8388608}
    assert CLUSTER.groups[0].resources == {"core": 8, "mem": 8388608}


def test_definitions_are_frozen_values_that_can_be_written() -> None:
    twin = pickle.loads(pickle.dumps(CLUSTER))
    assert twin == CLUSTER == copy.deepcopy(CLUSTER) == eval(repr(CLUSTER))
    assert hash(twin) == hash(CLUSTER)
    assert System("i5 cluster", groups=[CLUSTER.groups[0]]) != CLUSTER
    with pytest.raises(AttributeError, match="frozen"):
        I5.clock = 3
    CLUSTER.groups[0].type.transitions.clear()
    assert load_system(as_table(CLUSTER)) == CLUSTER
    assert load_system(tomllib.loads(as_toml(CLUSTER))) == CLUSTER


def test_machines_without_types_are_as_they_were() -> None:
    plain = System("p", groups=[Group("g", 2, {"core": 4})])
    assert not plain.platform
    assert for_engine(plain) is None
    assert plain.warnings == ()
    assert as_table(plain)["groups"] == {"g": {"nodes": 2, "resources": {"core": 4}}}
    racks = System("p", groups=[Group("g", 5, {"core": 4}, rack=2)])
    assert load_system(as_table(racks)) == racks != plain


def test_what_the_engine_gets() -> None:
    constants = (-1.85e-5, 32000.0, 1.75, 3500.0, 45000.0, 3000.0, 0.6)
    common = {"cores": 4, "bandwidth": 38400.0, "contention": constants}
    slow_step = (1.7, 2.31, 1.59, 0.08)
    states = {"sleeping": (0.0, 5.0, 40.0, 10.0, 50.0), "off": (2.0, 0.0, 0.0, 0.0, 0.0)}
    assert for_engine(CLUSTER) == {
        "processors": [
            {
                **common,
                "clock": 3.4,
                "operations_per_second": 3.4e9,
                "steps": [(3.4, 6.14, 5.59, 0.28), (2.5, 3.51, 3.2, 0.16), slow_step],
            },
            {**common, "clock": 1.7, "operations_per_second": 1.7e9, "steps": [slow_step]},
        ],
        "groups": [
            {"sockets": [0, 0], "base": 20.0, "rack": 6, **states},
            {"sockets": [0, 1], "base": 20.0, "rack": 0, **states},
        ],
        "power": True,
    }
    bare = NodeType("n", [(ProcessorType("p", 2, 2.0, flops_per_cycle=16), 1)])
    assert for_engine(System(groups=[Group("g", 1, type=bare)])) == {
        "processors": [
            {
                "cores": 2,
                "clock": 2.0,
                "operations_per_second": 3.2e10,
                "bandwidth": 0.0,
                "contention": None,
                "steps": [(2.0, 0.0, 0.0, 0.0)],
            }
        ],
        "groups": [{"sockets": [0], "base": 0.0, "rack": 0, "sleeping": None, "off": None}],
        "power": False,
    }


def test_like_takes_what_is_not_said() -> None:
    table = tomllib.loads(TEXT)
    table["processors"]["i5-2.0"] = {"like": "i5-7500", "clock": 2.0}
    table["processors"]["own"] = {"like": "i5-slow", "cores": 2, "steps": []}
    table["processors"]["i5-copy"] = {"like": "i5-7500"}
    table["node_types"]["mixed"]["processors"] = {"i5-2.0": 1, "own": 1, "i5-copy": 2}
    between, own, same = (
        kind
        for kind, _ in load_system(table).groups[1].type.processors  # type: ignore[union-attr]
    )
    assert [step.clock for step in between.steps] == [1.7]
    assert between.power == I5.power  # no step has its clock
    assert (own.cores, own.clock, own.power) == (2, 1.7, SLOW.power)
    assert same.steps == I5.steps


def test_a_long_chain_of_likes_loads() -> None:
    table = tomllib.loads(TEXT)
    names = [f"p{i}" for i in range(5000)]
    for before, name in zip(["i5-7500", *names], names, strict=False):
        table["processors"][name] = {"like": before}
    table["node_types"]["compute"]["processors"] = {names[-1]: 1}
    assert load_system(table).groups[0].type.sockets[0].clock == 3.4  # type: ignore[union-attr]


def test_warnings_are_for_what_is_possible_but_doubtful() -> None:
    eight = ProcessorType("eight", 8, 3.4, contention=CONSTANTS)
    assert len(eight.warnings) == 1
    assert eight.warnings[0].startswith(
        "processors.eight.contention: beside 7 others, even a task without memory traffic may be "
        f"slowed down to {CONSTANTS.floor(0, 7):.2f} of its speed"
    )
    k1 = Contention(-1.85e-5, 32000, 1.75, 3500, 45000, 3000)
    assert k1.floor(0, 7) == pytest.approx(0.20, abs=0.005)  # as the specification says
    warm = FrequencyStep(2.5, Power(7, 3, 0.1))
    odd = ProcessorType("odd", 4, 3.4, power=Power(6, 5, 20), steps=[warm])
    assert odd.warnings == (
        "processors.odd.power.idle: 20 W are more than the 11 W of one active core",
        "processors.odd.steps[1].core: 7 W at 2.5 GHz are more than the 6 W at the nominal 3.4 GHz",
    )
    system = System(groups=[Group("g", 1, type=NodeType("n", [(odd, 1)]))])
    assert system.warnings == odd.warnings


def test_full_load_of_the_papers_cluster() -> None:
    system = System(groups=[Group("g", 15, type=NodeType("n", [(I5, 1)]))])
    facts = facts_of(system)
    assert facts["full_watts"] == pytest.approx(452.25, abs=1e-9)
    assert facts["idle_watts"] == pytest.approx(15 * 0.28)
    assert facts["peak_gflops"] == pytest.approx(15 * 4 * 3.4)
    assert facts_of(CLUSTER)["groups"][0]["racks"] == 3


# --- contention --------------------------------------------------------------------------------

NPB_RATES = {"bt": 8491, "cg": 45269, "ep": 1023, "is": 3516, "lu": 17576, "sp": 25115, "ua": 10808}
FOUR_COPIES = {"bt": 0.964, "cg": 0.250, "ep": 1, "is": 1, "lu": 0.476, "sp": 0.283, "ua": 0.792}


def test_four_copies_of_a_job_on_a_socket() -> None:
    k1 = Contention(-1.85e-5, 32000, 1.75, 3500, 45000, 3000)
    for job, speed in FOUR_COPIES.items():
        rate = NPB_RATES[job]
        assert k1.speed(rate, 4 * rate, 3) == pytest.approx(speed, abs=6e-4), job
    for job, slowdown in {"cg": 2.80, "lu": 1.82, "sp": 2.59}.items():
        rate = NPB_RATES[job]
        assert 1 / CONSTANTS.speed(rate, 4 * rate, 3) == pytest.approx(slowdown, abs=6e-3), job


RATES = st.floats(0, 1e6)


@given(RATES, RATES, st.integers(0, 3), st.floats(0.01, 2))
def test_speed_is_bounded_and_falls(rate: float, more: float, others: int, k: float) -> None:
    constants = Contention(-1.85e-5, 32000, 1.75, 3500, 45000, 3000, k)
    total = rate + more
    speed = constants.speed(rate, total, others)
    assert 1 / (1 + k * others) - 1e-12 <= speed <= 1
    assert speed == 1 or total > 32000
    assert constants.speed(rate, total + 1000, others) <= speed
    assert abs(constants.speed(rate, total + 1e-3, others) - speed) <= 1.85e-8 + 1e-12  # continuous
    assert constants.floor(rate + 1000, others) <= constants.floor(rate, others) + 1e-12


@given(RATES, st.integers(0, 3))
def test_the_floor_is_the_specifications_formula(rate: float, others: int) -> None:
    x = (rate - (1.75 - others) * 3500) / (45000 - others * 3000)
    step = 0 if x < 0 else 1 if x > 1 else 6 * x**5 - 15 * x**4 + 10 * x**3
    expected = ((1 - step) * 0.6 * others + 1) / (1 + 0.6 * others)
    assert CONSTANTS.floor(rate, others) == pytest.approx(expected, abs=1e-9)
