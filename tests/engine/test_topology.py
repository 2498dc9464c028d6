"""Topologies: links and ways against a naive twin, and what is refused."""

from __future__ import annotations

from itertools import pairwise, product
from math import prod
from typing import Any

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.placement import SplitMix64
from oracles.topology import NETWORKS, Network
from oracles.topology_cases import dragonfly, fat_tree, torus

from schedlab._engine import Topology
from schedlab.errors import InputError

small = st.integers(1, 5)
tori = st.builds(
    torus,
    st.lists(small, min_size=1, max_size=4).filter(lambda extents: prod(extents) <= 40),
    st.integers(1, 3),
)
trees = st.integers(1, 4).flatmap(
    lambda height: st.builds(
        fat_tree,
        st.lists(st.integers(1, 3), min_size=height, max_size=height),
        st.lists(st.integers(1, 3), min_size=height - 1, max_size=height - 1),
    )
)
dragonflies = st.builds(
    dragonfly, small, st.integers(1, 3), st.integers(1, 4), small, st.integers(1, 2)
)
ROUTINGS = {
    "torus": ("dimension-order", "valiant", "adaptive"),
    "fat-tree": ("d-mod-k", "nearest-common-ancestor", "adaptive"),
    "dragonfly": ("minimal", "valiant", "adaptive"),
}


@pytest.mark.parametrize("networks", [tori, trees, dragonflies], ids=list(ROUTINGS))
@examples(40)
@given(st.data())
def test_links_and_ways_are_those_of_the_naive_twin(
    networks: st.SearchStrategy[dict[str, Any]], data: st.DataObject
) -> None:
    network = data.draw(networks)
    random = SplitMix64(data.draw(st.integers(0, 2**64 - 1)))
    for routing in ROUTINGS[network["topology"]]:
        engine = Topology({**network, "routing": routing})
        twin = NETWORKS[network["topology"]]({**network, "routing": routing})
        assert (engine.nodes, engine.routers) == (twin.nodes, twin.routers)
        assert [link[:3] for link in engine.links] == [
            (start[1], end[1], kind) for start, end, kind in twin.links
        ]
        assert engine.kinds[:2] == ["host out", "host in"]
        assert {kind for *_, kind in twin.links} <= set(engine.kinds)
        assert engine.fixed_routes == (routing == ROUTINGS[network["topology"]][0])
        for full in (0, 1, 2, 4, 8, 16):
            start, end = random.below(engine.nodes), random.below(engine.nodes)
            backlog = [float(random.below(full + 1)) for _ in twin.links]
            check_way(engine, twin, (start, end), random.next(), backlog)


def check_way(
    engine: Topology, twin: Network, nodes: tuple[int, int], seed: int, backlog: list[float]
) -> None:
    """The way is the twin's, holds together, and is as short as can be where that is promised."""
    found = engine.route(*nodes, seed, backlog)
    assert found == twin.route(*nodes, SplitMix64(seed).below, backlog.__getitem__)
    if nodes[0] == nodes[1]:
        assert found == []
        return
    ends = [twin.links[link][:2] for link in found]
    assert ends[0][0] == ("node", nodes[0])
    assert ends[-1][1] == ("node", nodes[1])
    assert all(first[1] == second[0] for first, second in pairwise(ends))
    if engine.fixed_routes:
        assert found == engine.route(*nodes)
        assert engine.hops(*nodes) == len(found) - 2
    if engine.fixed_routes or twin.shortest_always:
        assert len(found) == twin.distances(ends[0][0])[ends[-1][1]]


@examples(60)
@given(tori | trees | dragonflies)
def test_nodes_of_a_router_share_coordinates_that_no_other_router_has(
    network: dict[str, Any],
) -> None:
    engine = Topology(network)
    links = engine.links
    leaves = {link[1] for link in links if link[2] == "host out"}
    places: dict[tuple[int, ...], set[int]] = {}
    for node in range(engine.nodes):
        places.setdefault(tuple(engine.coordinates(node)), set()).add(links[node][1])
    assert all(len(routers) == 1 for routers in places.values())
    assert len(places) == len(leaves) == prod(engine.extents)
    assert set(places) == set(product(*map(range, engine.extents)))
    assert len(engine.dimension_names) == len(set(engine.dimension_names)) == len(engine.extents)


CIELO = torus([16, 12, 24], nodes_per_router=2)
TREE = fat_tree([16, 8], [8])
EDISON = dragonfly(15, 6, 16, links_between=8, nodes_per_router=4)


@pytest.mark.parametrize(
    ("network", "field", "value", "message"),
    [
        (
            CIELO,
            "topology",
            "mesh",
            'network.topology: must be torus, fat-tree or dragonfly, not "mesh"',
        ),
        (CIELO, "topology", 3, "network.topology: must be a text, not 3"),
        (CIELO, "dimensions", [], "network.dimensions: must be from 1 to 8 numbers (are 0)"),
        (CIELO, "dimensions", [16, 0, 24], "network.dimensions[1]: must be from 1 up (is 0)"),
        (
            CIELO,
            "dimensions",
            [16, -1, 24],
            "network.dimensions: must be a list of whole numbers, not [16, -1, 24]",
        ),
        (
            CIELO,
            "dimensions",
            [65536] * 3,
            "network.dimensions: make more than 4,294,967,295 routers",
        ),
        (CIELO, "dimensions", [4096, 4096, 4], "network: has more than 100,000,000 links"),
        (CIELO, "nodes_per_router", 0, "network.nodes_per_router: must be from 1 up (is 0)"),
        (
            CIELO,
            "ports",
            [1, 2],
            "network.ports: must have one value for each of the 3 dimensions (has 2)",
        ),
        (CIELO, "ports", [1, 0, 1], "network.ports[1]: must be from 1 to 65535 (is 0)"),
        (
            CIELO,
            "bytes_per_second",
            [1e9, 1e9, 0.0],
            "network.bytes_per_second[2]: must be above 0",
        ),
        (
            CIELO,
            "delay_seconds",
            [0.0, -1.0, 0.0],
            "network.delay_seconds[1]: must be from 0 to 3600 seconds",
        ),
        (
            CIELO,
            "delay_seconds",
            [0.0, float("nan"), 0.0],
            "network.delay_seconds[1]: must be from 0 to 3600",
        ),
        (CIELO, "host_bytes_per_second", -1.0, "network.host_bytes_per_second: must be above 0"),
        (
            CIELO,
            "routing",
            "minimal",
            "network.routing: must be dimension-order, valiant or adaptive on a torus",
        ),
        (
            TREE,
            "down",
            [],
            "network.down: must be from 1 to 16 numbers, one for each level (are 0)",
        ),
        (TREE, "down", [16, 0], "network.down[1]: must be from 1 up (is 0)"),
        (
            TREE,
            "up",
            [8, 8],
            "network.up: must be one number fewer than network.down has, 1 (are 2)",
        ),
        (TREE, "up", [0], "network.up[0]: must be from 1 up (is 0)"),
        (
            TREE,
            "up",
            [2_000_000],
            "network: has 32000000 links between routers for 128 nodes; at most 64 a node are "
            "supported, and a million more",
        ),
        (TREE, "down", [2**20, 2**20], "network.down: makes more than 4,294,967,295 nodes"),
        (
            TREE,
            "up",
            [2**31],
            "network.up: makes more than 4,294,967,295 switches or links of a level",
        ),
        (
            TREE,
            "routing",
            "x",
            "network.routing: must be d-mod-k, nearest-common-ancestor or adaptive on a fat-tree",
        ),
        (EDISON, "groups", 0, "network.groups: must be from 1 up (is 0)"),
        (EDISON, "columns", 0, "network.columns: must be from 1 up (is 0)"),
        (EDISON, "links_between", 0, "network.links_between: must be from 1 up (is 0)"),
        (
            EDISON,
            "local_ports",
            [1],
            "network.local_ports: must be two numbers, of a row and of a column (are 1)",
        ),
        (EDISON, "rows", 2**31, "network: has more than 100,000,000 routers in a group"),
        (EDISON, "global_bytes_per_second", 0, "network.global_bytes_per_second: must be above 0"),
        (
            EDISON,
            "routing",
            "x",
            "network.routing: must be minimal, valiant or adaptive on a dragonfly",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_by_its_name(
    network: dict[str, Any], field: str, value: object, message: str
) -> None:
    with pytest.raises(InputError) as refused:
        Topology({**network, field: value})
    assert message in str(refused.value)


@pytest.mark.parametrize("network", [CIELO, TREE, EDISON])
def test_every_field_is_needed(network: dict[str, Any]) -> None:
    for field in network:
        with pytest.raises(InputError, match=f"network.{field}: is missing"):
            Topology({name: value for name, value in network.items() if name != field})


def test_nodes_that_are_not_there_are_refused() -> None:
    engine = Topology(TREE)
    with pytest.raises(InputError, match=r"from_node: the network has nodes 0 to 127 \(is 128\)"):
        engine.route(128, 0)
    with pytest.raises(InputError, match="to_node: "):
        engine.hops(0, 128)
    with pytest.raises(InputError, match="node: "):
        engine.coordinates(128)


def test_a_hundred_thousand_nodes_are_few() -> None:
    assert Topology(torus([50, 40, 50])).hops(0, 99_999) == 3
    assert Topology(fat_tree([50, 50, 40], [25, 20])).hops(0, 99_999) == 4
    assert Topology(dragonfly(65, 6, 64, links_between=12, nodes_per_router=4)).hops(0, 99_839) <= 5
