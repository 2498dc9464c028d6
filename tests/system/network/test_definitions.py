"""Networks in system files: what they say, what is refused, and that they come back the same."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import tomllib
from typing import Any

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.errors import InputError
from schedlab.results.json_text import to_json
from schedlab.system import (
    ComputeRates,
    Dragonfly,
    FatTree,
    Files,
    Group,
    Messages,
    System,
    Torus,
    load_system,
)
from schedlab.system.network import Network, for_engine
from schedlab.system.table import as_table, as_toml

WIRES = {"bandwidth": 1e10, "delay": 1e-7, "host_bandwidth": 2e10, "host_delay": 5e-7}
GROUP = {"local_bandwidth": 4e10, "local_delay": 1e-7, "global_bandwidth": 3e10, "global_delay": 2e-7,
         "host_bandwidth": 2e10, "host_delay": 5e-7}  # fmt: skip
TORUS = {"topology": "torus", "dimensions": [4, 3, 2], **WIRES}
TREE = {"topology": "fat-tree", "down": [4, 6], "up": [2], **WIRES}
DRAGONFLY = {"topology": "dragonfly", "groups": 3, "columns": 8, **GROUP}


def machine(network: Any, nodes: int = 24) -> dict[str, Any]:
    return {"groups": {"g": {"nodes": nodes, "resources": {"core": 4}}}, "network": network}


CASES: list[tuple[dict[str, Any], str]] = [
    ({**TORUS, "dimensions": [4, 0, 2]}, "network.dimensions[2]: must be at least 1 (is 0)"),
    ({**TORUS, "dimensions": 24}, "network.dimensions: must be a list of numbers (is 24)"),
    ({**TORUS, "dimensions": []}, "network.dimensions: must be 1 to 8 numbers (are 0)"),
    ({**TORUS, "dimensions": [4, "3", 2]}, 'network.dimensions[2]: must be a whole number (is "3"); write it without quotes'),
    ({**TORUS, "dimensions": [4, 3, 3]}, "network: a torus of 4 x 3 x 3 with 1 node per router has 36 nodes, the groups have 24; change one of them (nodes that take no jobs can be a group with core = 0)"),
    ({**TORUS, "dimensions": [9999999, 9]}, "network: a torus of 9999999 x 9 with 1 node per router has 89999991 nodes; at most 10000000 are supported"),
    ({**TORUS, "bandwidth": [1e10, 2e10]}, "network.bandwidth: has 2 values; give one number for all, or 3 (x, y, z)"),
    ({**TORUS, "bandwidth": [1e10, 0, 2e10]}, "network.bandwidth[2]: must be above 0 (is 0)"),
    ({**TORUS, "delay": -1e-9}, "network.delay: must not be negative (is -1e-09)"),
    ({**TORUS, "host_delay": 1e-15}, "network.host_delay: is below a picosecond, the least time on a network; write 0"),
    ({**TORUS, "parallel_links": 0}, "network.parallel_links: must be at least 1 (is 0)"),
    ({**TORUS, "parallel_links": 70000}, "network.parallel_links: must be at most 65535 (is 70000)"),
    ({**TORUS, "routing": "d-mod-k"}, 'network.routing: there is no routing on a torus "d-mod-k"; known: dimension-order, valiant, adaptive'),
    ({**TORUS, "bandwith": 1}, 'network.bandwith: unknown key; did you mean "bandwidth"? known: topology, dimensions, bandwidth, delay, host_bandwidth, host_delay, nodes_per_router, parallel_links, routing, messages, ... (3 more)'),
    ({**TORUS, "down": [1]}, "network.down: unknown key; a fat-tree has it, a torus does not; known: topology, dimensions,"),
    ({"topology": "torus", "dimensions": [24]}, "network.bandwidth: is missing; add it, such as bandwidth = 3.744e10"),
    ({"topology": "ring"}, 'network.topology: there is no topology "ring"; known: torus, fat-tree, dragonfly'),
    ({}, "network.topology: is missing; give one of torus, fat-tree, dragonfly, or preset with the name of a machine"),
    ({"preset": "summit"}, 'network.preset: there is no preset "summit"; known: cielo, hopper, titan, edison, intrepid, fat-tree'),
    ({"preset": "cielo"}, "network: a torus of 16 x 12 x 24 with 2 nodes per router has 9,216 nodes, the groups have 24;"),
    ({"preset": "cielo", "topology": "dragonfly"}, "network.topology: the preset cielo is a torus; leave out topology, or leave out preset and write all keys"),
    ({**TREE, "up": [2, 2]}, "network.up: has 2 numbers, network.down has 2; give one for each level but the top one, which is 1"),
    ({**TREE, "up": 2}, "network.up: must be a list of numbers (is 2)"),
    ({**TREE, "down": [4, 5]}, "network: a fat-tree of down = 4, 5 and up = 2 has 20 nodes, the groups have 24;"),
    ({**DRAGONFLY, "groups": 0}, "network.groups: must be at least 1 (is 0)"),
    ({**DRAGONFLY, "rows": 2}, "network: a dragonfly of 3 groups of 2 x 8 routers with 1 node each has 48 nodes, the groups have 24;"),
    ({**DRAGONFLY, "local_parallel_links": [1, 2, 3]}, "network.local_parallel_links: has 3 values; give one number for all, or 2 (\"in a row\", \"in a column\")"),
    ({**TORUS, "messages": {"packet": 0}}, "network.messages.packet: must be at least 1 (is 0)"),
    ({**TORUS, "messages": {"header": 1}}, "network.messages.header: unknown key;"),
    ({**TORUS, "messages": {"injection": 0}}, "network.messages.injection: must be above 0 (is 0)"),
    ({**TORUS, "messages": {"collectives": "best"}}, 'network.messages.collectives: there is no choice of collectives "best"; known: reference, tuned'),
    ({**TORUS, "messages": 3}, "network.messages: must be a table of packet, put_header,"),
    ({**TORUS, "messages": {"packet": None}}, "network.messages.packet: is empty; give a value, or leave the key out"),
    ({**TORUS, "routing": None}, "network.routing: is empty; give a value, or leave the key out"),
    ({**TORUS, "files": {}}, "network.files.bandwidth: is missing; add it, such as bandwidth = 1e11"),
    ({**TORUS, "compute": {"integer": 1}}, "network.compute.floating: is missing; add it, such as floating = 8e9"),
]  # fmt: skip


@pytest.mark.parametrize(("network", "message"), CASES)
def test_messages(network: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        load_system(machine(network))
    assert str(error.value).startswith(f"system: {message}")


def test_what_is_no_network_is_refused() -> None:
    with pytest.raises(InputError, match=r"network: must be a table of topology"):
        load_system(machine("torus"))
    group = Group("g", 1, {"core": 1})
    for wrong in ("torus", {"topology": "torus"}, Network):
        with pytest.raises(InputError, match="network: must be a Torus, a FatTree or a Dragonfly"):
            System("s", groups=[group], network=wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"network\.files: must be Files\(\.\.\.\)"):
        Torus([1], **WIRES, files={"bandwidth": 1})  # type: ignore[arg-type]


def some(most: int) -> st.SearchStrategy[int]:
    return st.integers(1, most)


RATES = st.floats(1e6, 1e13)
DELAYS = st.just(0.0) | st.floats(1e-12, 1e-3)
MESSAGES = st.builds(
    Messages,
    packet=some(9000),
    put_reply=st.integers(0, 99),
    switch_over=st.none() | st.integers(0, 9999),
    injection=st.none() | RATES,
    send_overhead=DELAYS,
    memory_bandwidth=RATES,
    collectives=st.sampled_from(["reference", "tuned"]),
)
REST = {
    "host_bandwidth": RATES,
    "host_delay": DELAYS,
    "messages": st.none() | MESSAGES,
    "files": st.none() | st.builds(Files, RATES, st.none() | RATES),
    "compute": st.none() | st.builds(ComputeRates, RATES, RATES, RATES),
}


@st.composite
def networks(draw: st.DrawFn) -> Network:
    rest = {key: draw(value) for key, value in REST.items()}
    kind: type[Network] = draw(st.sampled_from([Torus, FatTree, Dragonfly]))
    routing = draw(st.none() | st.sampled_from(kind.routings))
    if kind is Dragonfly:
        return Dragonfly(
            draw(some(5)), draw(some(4)), draw(RATES), draw(DELAYS), draw(RATES), draw(DELAYS),
            rows=draw(some(3)), nodes_per_router=draw(some(3)), links_between=draw(some(9)),
            local_parallel_links=draw(some(3) | st.tuples(some(3), some(3))), routing=routing, **rest,
        )  # fmt: skip
    sizes = draw(st.lists(some(5), min_size=1, max_size=4))
    gaps = len(sizes) - (kind is FatTree)

    def each(value: st.SearchStrategy[Any]) -> Any:
        return draw(value | st.lists(value, min_size=gaps, max_size=gaps))

    wires = {"bandwidth": each(RATES), "delay": each(DELAYS), "parallel_links": each(some(4))}
    if kind is FatTree:
        up = draw(st.lists(some(4), min_size=gaps, max_size=gaps))
        return FatTree(sizes, up, routing=routing, **wires, **rest)
    return Torus(sizes, nodes_per_router=draw(some(4)), routing=routing, **wires, **rest)


@examples(60)
@given(networks())
def test_comes_back_the_same(network: Network) -> None:
    system = System("s", groups=[Group("g", network.nodes, {"core": 1})], network=network)
    assert load_system(tomllib.loads(as_toml(system))) == system
    assert load_system(json.loads(to_json(as_table(system)))) == system
    assert pickle.loads(pickle.dumps(system)) == system
    assert copy.deepcopy(system) == system
    assert hash(network) == hash(pickle.loads(pickle.dumps(network)))
    assert eval(repr(system)) == system


def reach(network: Torus | FatTree) -> int:
    """Returns the most hops from node 0: a level with one switch below another adds none."""
    if isinstance(network, Torus):
        return network.diameter
    above = [level for level in range(1, len(network.down)) if network.down[level] > 1]
    return 2 * max(above, default=0)


@examples(40)
@given(networks())
def test_the_engine_builds_what_is_described(network: Network) -> None:
    from schedlab._engine import Topology

    system = System("s", groups=[Group("g", network.nodes, {"core": 1})], network=network)
    built = Topology(for_engine(system))
    assert (built.nodes, built.routers) == (network.nodes, network.routers)
    assert built.kinds == [kind.name for kind in network.link_kinds()]
    for kind in network.link_kinds():
        rows = [row for row in built.links if row[2] == kind.name]
        assert len(rows) == kind.links
        for _, _, _, ports, rate, delay in rows[:1]:
            assert ports == kind.ports
            assert rate == pytest.approx(kind.bandwidth / 8)
            assert delay == pytest.approx(kind.delay, abs=1e-12)
    if network.routing in ("dimension-order", "d-mod-k", "minimal"):
        hops = [built.hops(0, node) for node in range(network.nodes)]
        farthest = max(hops)
        assert farthest <= network.diameter
        if isinstance(network, (Torus, FatTree)):
            assert farthest == reach(network)


def test_values_for_the_engine() -> None:
    network = Torus(
        [4, 3, 2], 8e9, [1e-7, 2e-7, 3e-7], 1.6e10, 5e-7, parallel_links=[2, 1, 2],
        messages=Messages(injection=6e9, memory_bandwidth=8e11), files=Files(1e11),
    )  # fmt: skip
    engine_network = for_engine(System("s", groups=[Group("g", 24, {"core": 1})], network=network))
    assert engine_network is not None
    assert engine_network["ports"] == [2, 1, 2]
    assert engine_network["bytes_per_second"] == [1e9, 1e9, 1e9]
    assert engine_network["delay_seconds"] == [1e-7, 2e-7, 3e-7]
    assert (engine_network["host_bytes_per_second"], engine_network["host_delay_seconds"]) == (
        2e9,
        5e-7,
    )
    assert engine_network["messages"]["switch_over"] is None
    assert engine_network["messages"]["injection"] == 6e9
    assert engine_network["messages"]["memory_bytes_per_second"] == 1e11
    assert engine_network["files"] == {"bytes_per_second": 1e11, "node_bytes_per_second": 0.0}
    assert engine_network["compute"] is None
    assert (
        for_engine(load_system({"groups": {"g": {"nodes": 1, "resources": {"core": 1}}}})) is None
    )


def test_rates_of_cores_come_from_processor_types() -> None:
    system = {
        "processors": {
            "fast": {"cores": 4, "clock": 3.0, "flops_per_cycle": 8, "memory_bandwidth": 40000},
            "slow": {"like": "fast", "clock": 2.0},
        },
        "node_types": {"a": {"processors": {"fast": 1}}, "b": {"processors": {"slow": 1}}},
        "groups": {"a": {"nodes": 12, "type": "a"}, "b": {"nodes": 12, "type": "b"}},
        "network": TORUS,
    }
    rates = {"integer": 2e9, "floating": 16e9, "memory": 1e10}
    assert for_engine(load_system(system))["compute"] == rates  # type: ignore[index]
    own = {"integer": 1.0, "floating": 2.0, "memory": 3.0}
    engine_network = for_engine(load_system({**system, "network": {**TORUS, "compute": own}}))
    assert engine_network is not None
    assert engine_network["compute"] == own


def test_networks_are_in_results_and_in_states(tmp_path) -> None:
    system = load_system(machine(TORUS))
    result = sl.simulate([sl.Job(1, 0, 5)], system=system, out=tmp_path / "run")
    assert result.run["system"]["network"] == as_table(system)["network"]
    again = {key: result.run["system"][key] for key in as_table(system)}
    assert load_system(again) == system
    simulation = sl.Simulation([sl.Job(1, 0, 5)], system=system)
    simulation.save(tmp_path / "state")
    loaded = sl.Simulation.load(tmp_path / "state", workload=[sl.Job(1, 0, 5)])
    assert loaded.system == system


def test_machines_without_a_network_load_nothing_of_it() -> None:
    code = "import sys, schedlab; schedlab.simulate([schedlab.Job(1, 0, 5)], system=" \
        "{'groups': {'g': {'nodes': 1, 'resources': {'core': 1}}}}); " \
        "print(*(name for name in sys.modules if 'network' in name))"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
