"""Orders of nodes equal what sorting by their definition gives."""

from __future__ import annotations

import math
from itertools import pairwise, permutations

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab import _engine


def torus(dimensions, nodes_per_router=1):
    count = len(dimensions)
    return {
        "topology": "torus",
        "dimensions": list(dimensions),
        "nodes_per_router": nodes_per_router,
        "ports": [1] * count,
        "bytes_per_second": [1e9] * count,
        "delay_seconds": [1e-7] * count,
        "host_bytes_per_second": 1e9,
        "host_delay_seconds": 1e-7,
        "routing": "dimension-order",
    }


def order(name, dimensions, nodes_per_router=1):
    nodes = math.prod(dimensions) * nodes_per_router
    return _engine.node_order(torus(dimensions, nodes_per_router), nodes, name)


def coordinates(router, dimensions):
    at = []
    for extent in dimensions:
        at.append(router % extent)
        router //= extent
    return at


def sorted_by(key, dimensions, nodes_per_router):
    """Returns the nodes by a key of their router's coordinates; those of a router by number."""
    nodes = range(math.prod(dimensions) * nodes_per_router)
    return sorted(nodes, key=lambda n: (key(coordinates(n // nodes_per_router, dimensions)), n))


shapes = st.lists(st.integers(1, 5), min_size=1, max_size=4)


@examples(60)
@given(shape=shapes, nodes_per_router=st.integers(1, 3), data=st.data())
def test_dimensions_in_any_order(shape, nodes_per_router, data):
    letters = "xyzw"[: len(shape)]
    name = "".join(data.draw(st.permutations(letters)))

    def slowest_first(at):
        return [at[letters.index(letter)] for letter in reversed(name)]

    expected = sorted_by(slowest_first, shape, nodes_per_router)
    assert order(name, shape, nodes_per_router) == expected
    if name == letters:
        assert order("topological", shape, nodes_per_router) == expected


@examples(60)
@given(shape=shapes, nodes_per_router=st.integers(1, 2), data=st.data())
def test_boxes(shape, nodes_per_router, data):
    """Extents need not divide those of the torus, and may exceed them."""
    box = [data.draw(st.integers(1, extent + 1)) for extent in shape]

    def box_then_place(at):
        which = [a // b for a, b in zip(at, box, strict=True)]
        inside = [a % b for a, b in zip(at, box, strict=True)]
        return which[::-1], inside[::-1]

    name = f"boxes({','.join(map(str, box))})"
    expected = sorted_by(box_then_place, shape, nodes_per_router)
    assert order(name, shape, nodes_per_router) == expected


def steps(nodes, dimensions):
    """Returns how far each node is from the one before it, without links round the back."""
    places = [coordinates(node, dimensions) for node in nodes]
    return [sum(abs(a - b) for a, b in zip(p, q, strict=True)) for p, q in pairwise(places)]


@examples(60)
@given(shape=shapes)
def test_neighbours_on_a_snake_are_neighbours(shape):
    nodes = order("snake", shape)
    assert sorted(nodes) == list(range(math.prod(shape)))
    assert set(steps(nodes, shape)) <= {1}
    row = shape[0]
    assert nodes[:row] == list(range(row))  # the first dimension is fastest


@pytest.mark.parametrize("shape", [(8,), (16, 16), (8, 8, 8), (4, 4, 4, 4), (2, 2, 2, 2, 2)])
def test_neighbours_on_a_curve_are_neighbours(shape):
    nodes = order("curve", shape)
    assert nodes[0] == 0
    assert sorted(nodes) == list(range(math.prod(shape)))
    assert set(steps(nodes, shape)) == {1}


@pytest.mark.parametrize("shape", [(5, 3), (6, 8, 5), (1, 7, 2), (1, 1), (3, 2, 2, 3)])
def test_a_curve_leaves_out_what_is_not_there(shape):
    """On any extents it is the curve through the next power of two."""
    side = 1
    while side < max(shape):
        side *= 2
    cube = (max(2, side),) * len(shape)
    kept = []
    for router in order("curve", cube):
        at = coordinates(router, cube)
        if all(a < extent for a, extent in zip(at, shape, strict=True)):
            kept.append(sum(a * math.prod(shape[:i]) for i, a in enumerate(at)))
    assert order("curve", shape) == kept


def test_nodes_of_a_router_stay_together():
    for name in ("xzy", "boxes(2,3,2)", "curve", "snake"):
        routers = [node // 2 for node in order(name, (3, 4, 5), 2)]
        assert routers[::2] == routers[1::2]
        assert order(name, (3, 4, 5), 2)[::2] == [2 * n for n in order(name, (3, 4, 5))]


def test_the_papers_boxes():
    """Obaida and Liu split a torus of 8 x 6 x 8 into 32 boxes of 2 x 3 x 2."""
    nodes = order("boxes(2,3,2)", (8, 6, 8))
    for first in range(0, len(nodes), 12):
        places = [coordinates(n, (8, 6, 8)) for n in nodes[first : first + 12]]
        spans = [max(axis) - min(axis) + 1 for axis in zip(*places, strict=True)]
        assert spans == [2, 3, 2]


OTHERS = {
    "fat-tree": {
        "topology": "fat-tree",
        "down": [4, 2],
        "up": [2],
        "ports": [1],
        "bytes_per_second": [1e9],
        "delay_seconds": [1e-7],
        "host_bytes_per_second": 1e9,
        "host_delay_seconds": 1e-7,
        "routing": "d-mod-k",
    },
    "dragonfly": {
        "topology": "dragonfly",
        "groups": 3,
        "rows": 1,
        "columns": 2,
        "nodes_per_router": 2,
        "links_between": 1,
        "local_ports": [1, 1],
        "local_bytes_per_second": 1e9,
        "local_delay_seconds": 1e-7,
        "global_bytes_per_second": 1e9,
        "global_delay_seconds": 1e-7,
        "host_bytes_per_second": 1e9,
        "host_delay_seconds": 1e-7,
        "routing": "minimal",
    },
}


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_other_networks_by_their_coordinates(name):
    network = _engine.Topology(OTHERS[name])
    expected = sorted(range(network.nodes), key=lambda n: (list(network.coordinates(n)), n))
    assert _engine.node_order(OTHERS[name], network.nodes, "topological") == expected
    with pytest.raises(sl.InputError, match="needs a torus"):
        _engine.node_order(OTHERS[name], network.nodes, "curve")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("xy", 'order: "xy" is not known; the network has the dimensions xyz'),
        ("xyy", 'order: "xyy" is not known'),
        ("boxes(2,2)", "must have 3 whole numbers"),
        ("boxes(2,0,2)", "must have 3 whole numbers"),
        ("boxes(2,2,2", "must have 3 whole numbers"),
    ],
)
def test_wrong_names(name, message):
    with pytest.raises(sl.InputError) as caught:
        order(name, (2, 3, 4))
    assert message in str(caught.value)


def test_wrong_networks():
    assert _engine.node_order(None, 3, "configured") == [0, 1, 2]
    for name in ("topological", "xyz", "curve"):
        with pytest.raises(sl.InputError, match="order: the system has no network"):
            _engine.node_order(None, 3, name)
    with pytest.raises(sl.InputError, match="the network has 6 nodes, the system 5"):
        _engine.node_order(torus((3, 2)), 5, "xy")


def test_every_order_of_three_dimensions_is_another_one():
    names = ["".join(letters) for letters in permutations("xyz")]
    assert len({tuple(order(name, (2, 3, 4))) for name in names}) == 6
