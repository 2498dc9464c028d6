"""Topologies against what the textbooks say of them, and the spread of what routing draws."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

import pytest
from oracles.topology_cases import dragonfly, fat_tree, torus

from schedlab._engine import Topology


def between(engine: Topology) -> list[tuple[int, int, str]]:
    return [link[:3] for link in engine.links if not link[2].startswith("host")]


def longest_way(engine: Topology) -> int:
    return max(engine.hops(0, node) for node in range(engine.nodes))


@pytest.mark.parametrize("dimensions", [[5], [4, 6], [3, 4, 5], [3, 3, 3, 3]])
def test_a_torus_is_that_of_the_textbook(dimensions: list[int]) -> None:
    engine = Topology(torus(dimensions, nodes_per_router=2))
    routers = prod(dimensions)
    assert engine.nodes == 2 * routers
    links = between(engine)
    assert len(links) == 2 * len(dimensions) * routers  # 2 d N
    assert Counter(links) == Counter((end, start, kind) for start, end, kind in links)
    assert longest_way(engine) == sum(extent // 2 for extent in dimensions)
    longest = max(dimensions)
    if longest % 2 == 0:  # the bisection: a ring of k is cut twice, and there are N / k rings
        axis = dimensions.index(longest)
        half = [engine.coordinates(2 * router)[axis] < longest // 2 for router in range(routers)]
        assert (
            sum(half[start] and not half[end] for start, end, _ in links) == 2 * routers // longest
        )


def test_a_ring_of_two_has_one_link_each_way_and_one_of_one_has_none() -> None:
    engine = Topology(torus([1, 2]))
    assert between(engine) == [(0, 1, "y"), (1, 0, "y")]
    assert engine.links[4][3:] == (2, 2e9, 1e-7)
    assert engine.links[0][3:] == (1, 2e10, 0.5e-6)


def test_cielo_goes_up_where_both_ways_round_are_equally_long() -> None:
    engine = Topology(torus([16, 12, 24], nodes_per_router=2))
    links = engine.links
    ends = [links[link][:2] for link in engine.route(0, 2 * 8)]
    assert ends == [(0, 0), *((x, x + 1) for x in range(8)), (8, 16)]
    assert engine.hops(2 * 8, 0) == 8
    assert links[engine.route(2 * 12, 2 * 4)[4]][:2] == (15, 0)


@pytest.mark.parametrize(("arity", "height"), [(2, 2), (2, 4), (3, 3), (4, 2)])
def test_a_fat_tree_is_the_k_ary_n_tree_of_the_textbook(arity: int, height: int) -> None:
    engine = Topology(fat_tree([arity] * height, [arity] * (height - 1)))
    assert engine.nodes == arity**height
    assert engine.routers == height * arity ** (height - 1)
    links = between(engine)
    assert len(links) == 2 * (height - 1) * arity**height
    assert Counter(start for start, *_ in links) == Counter(end for _, end, _ in links)
    assert longest_way(engine) == 2 * (height - 1)
    top = engine.routers - arity ** (height - 1)
    assert (
        sum(end >= top for _, end, _ in links) == engine.nodes
    )  # full bisection: as many links as nodes


def test_an_extended_fat_tree_has_as_many_switches_as_its_formula_says() -> None:
    down, up = [16, 8, 3], [8, 2]
    engine = Topology(fat_tree(down, up))
    switches = [
        prod(down[level + 1 :]) * prod(up[:level]) for level in range(3)
    ]  # Ohring et al. 1995
    assert engine.routers == sum(switches) == 24 + 24 + 16
    counts = Counter(kind for *_, kind in between(engine))
    assert counts == {"up 0": 24 * 8, "down 0": 24 * 8, "up 1": 24 * 2, "down 1": 24 * 2}
    assert [link[3] for link in engine.links if link[2] == "up 1"] == [2] * 48


def test_shifts_by_d_mod_k_share_no_link() -> None:
    """What the rule is made for: a full tree carries every shift like this (Zahavi 2012)."""
    for network in (fat_tree([3, 3, 3], [3, 3]), fat_tree([4, 2, 3], [4, 2])):
        engine = Topology(network)
        for shift in range(1, engine.nodes):
            used = Counter(
                link
                for node in range(engine.nodes)
                for link in engine.route(node, (node + shift) % engine.nodes)
            )
            assert set(used.values()) == {1}


@pytest.mark.parametrize("half", [1, 2, 3])
def test_a_balanced_dragonfly_is_that_of_kim_and_others(half: int) -> None:
    routers = 2 * half
    groups = routers * half + 1
    engine = Topology(dragonfly(groups, 1, routers, nodes_per_router=half))
    assert engine.nodes == routers * half * groups
    counts = Counter(kind for *_, kind in between(engine))
    assert counts == {"row": groups * routers * (routers - 1), "global": groups * (groups - 1)}
    wide = [link for link in between(engine) if link[2] == "global"]
    assert set(Counter(start for start, *_ in wide).values()) == {half}
    pairs = Counter((start // routers, end // routers) for start, end, _ in wide)
    assert pairs == {(one, two): 1 for one in range(groups) for two in range(groups) if one != two}
    assert longest_way(engine) == 3


def test_an_aries_like_dragonfly_spreads_its_global_links_evenly() -> None:
    engine = Topology(dragonfly(5, 3, 4, links_between=4, nodes_per_router=2))
    links = between(engine)
    counts = Counter(kind for *_, kind in links)
    assert counts == {"row": 5 * 12 * 3, "column": 5 * 12 * 2, "global": 5 * 4 * 4}
    wide = [link for link in links if link[2] == "global"]
    assert Counter(links) == Counter((end, start, kind) for start, end, kind in links)
    assert set(Counter(start for start, *_ in wide).values()) == {1, 2}
    assert set(Counter((start // 12, end // 12) for start, end, _ in wide).values()) == {4}
    halves = sum(start < 2 * 12 <= end for start, end, _ in wide)
    assert halves == 2 * 3 * 4  # links between the first two groups and the other three
    ways = [
        [engine.links[link][2] for link in engine.route(0, node)] for node in range(engine.nodes)
    ]
    for way in ways:
        before = way[: way.index("global")] if "global" in way else way
        assert before.count("row") <= 1
        assert before.count("column") <= 1
        assert way.count("global") <= 1


def visited(engine: Topology, start: int, end: int, seeds: int) -> Counter[int]:
    links = engine.links
    routers: Counter[int] = Counter()
    for seed in range(seeds):
        routers.update({links[link][1] for link in engine.route(start, end, seed)[:-1]})
    return routers


def test_valiant_ways_lead_by_every_router_of_a_torus() -> None:
    engine = Topology(torus([4, 3, 3], routing="valiant"))
    assert set(visited(engine, 0, 20, 400)) == set(range(36))
    assert not engine.fixed_routes


def test_drawn_ways_up_a_tree_take_every_top_switch_equally_often() -> None:
    engine = Topology(fat_tree([2, 2, 2], [3, 2], routing="nearest-common-ancestor"))
    counts = visited(engine, 0, 7, 1200)
    tops = [counts[switch] for switch in range(engine.routers - 6, engine.routers)]
    assert sum(tops) == 1200
    assert all(abs(count - 200) < 40 for count in tops)  # three standard deviations


def test_valiant_ways_lead_by_every_other_group_of_a_dragonfly() -> None:
    engine = Topology(dragonfly(6, 2, 2, links_between=2, routing="valiant"))
    groups: Counter[int] = Counter()
    for seed in range(800):
        way = [engine.links[link] for link in engine.route(0, 23, seed)]
        wide = [(start // 4, end // 4) for start, end, kind, *_ in way if kind == "global"]
        assert len(wide) == 2
        groups[wide[0][1]] += 1
    assert set(groups) == {1, 2, 3, 4}
    assert all(abs(count - 200) < 40 for count in groups.values())
    assert set(visited(engine, 0, 3, 200)) == {0, 1, 2, 3}  # within a group, by its routers


@pytest.mark.parametrize(
    ("adaptive", "fixed", "end"),
    [
        (torus([5, 5], routing="adaptive"), torus([5, 5]), 12),
        (fat_tree([2, 2, 2], [2, 2], "adaptive"), fat_tree([2, 2, 2], [2, 2]), 7),
        (dragonfly(5, 1, 4, routing="adaptive"), dragonfly(5, 1, 4), 19),
    ],
)
def test_adaptive_ways_are_minimal_until_they_are_full(
    adaptive: dict[str, Any], fixed: dict[str, Any], end: int
) -> None:
    engine = Topology(adaptive)
    minimal = Topology(fixed).route(0, end)
    full = [float(link in minimal[1:-1]) for link in range(len(engine.links))]
    assert not engine.fixed_routes
    for seed in range(30):
        assert engine.route(0, end, seed) == minimal
    assert any(not set(engine.route(0, end, seed, full)[1:2]) & set(minimal) for seed in range(30))
    assert all(engine.route(0, end, seed, [1.0] * len(full)) == minimal for seed in range(30))


def test_an_adaptive_torus_takes_the_emptier_way_round() -> None:
    engine = Topology(torus([4], routing="adaptive"))
    up, down = (
        next(n for n, link in enumerate(engine.links) if link[:3] == (0, end, "x"))
        for end in (1, 3)
    )
    for full, taken in ((up, down), (down, up)):
        backlog = [float(link == full) for link in range(len(engine.links))]
        assert all(engine.route(0, 2, seed, backlog)[1] == taken for seed in range(20))
