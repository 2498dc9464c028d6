"""Networks and traffic that tests of transports share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from schedlab import _engine

RULES: dict[str, Any] = {
    "packet": 64,
    "put_header": 32,
    "put_reply": 9,
    "get_header": 17,
    "get_reply": 24,
    "switch_over": None,
    "injection": 0.0,
    "send_overhead": 0.0,
    "receive_overhead": 0.0,
    "memory_bytes_per_second": 6.25e10,
    "memory_delay": 1e-7,
    "collectives": "reference",
}

CIELO: dict[str, Any] = {
    "topology": "torus",
    "dimensions": [16, 12, 24],
    "nodes_per_router": 2,
    "ports": [2, 1, 2],
    "bytes_per_second": [4.68e9] * 3,
    "delay_seconds": [0.10875e-6] * 3,
    "host_bytes_per_second": 2e10,
    "host_delay_seconds": 0.635e-6,
    "routing": "dimension-order",
    "messages": RULES,
}
"""The Cray XE6 that the reference points were measured on, as the engine gets of it."""

Send = tuple[int, int, int, int]
"""Tick, from, to, bytes."""


@st.composite
def rules(draw: st.DrawFn) -> dict[str, Any]:
    """Rules with everything on and off, and rates that make ties likely."""
    return RULES | {
        "packet": draw(st.sampled_from((1, 16, 64))),
        "put_header": draw(st.sampled_from((0, 8))),
        "put_reply": draw(st.sampled_from((0, 8, 9))),
        "get_reply": draw(st.sampled_from((0, 24))),
        "switch_over": draw(st.sampled_from((None, 0, 100))),
        "injection": draw(st.sampled_from((0.0, 0.7e9, 1e11))),
        "send_overhead": draw(st.sampled_from((0.0, 1e-8))),
        "receive_overhead": draw(st.sampled_from((0.0, 1e-8, 1e-5))),
    }


@st.composite
def tori(draw: st.DrawFn, routing: str = "dimension-order") -> dict[str, Any]:
    """Small tori with duplicate links."""
    extents = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    axes = len(extents)

    def each(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=axes, max_size=axes))

    return {
        "topology": "torus",
        "dimensions": [max(extents[0], 2), *extents[1:]],
        "nodes_per_router": draw(st.integers(1, 2)),
        "ports": each(st.integers(1, 5)),
        "bytes_per_second": each(st.sampled_from((1e9, 0.5e9, 0.3e9))),
        "delay_seconds": each(st.sampled_from((0.0, 1e-9, 1e-7))),
        "host_bytes_per_second": draw(st.sampled_from((1e9, 2e9, 1e10))),
        "host_delay_seconds": draw(st.sampled_from((0.0, 1e-9, 6e-7))),
        "routing": routing,
        "messages": draw(rules()),
    }


def nodes_of(network: dict[str, Any]) -> int:
    """Return the number of nodes of a network."""
    return int(_engine.Topology(network).nodes)


@st.composite
def traffic(draw: st.DrawFn, nodes: int, most: int = 12) -> list[Send]:
    """Messages in the order of their ticks, several at one tick."""
    sends = []
    for _ in range(draw(st.integers(1, most))):
        tick = draw(st.sampled_from((0, 0, 64_000, 1_000_000)))
        source = draw(st.integers(0, nodes - 1))
        target = (source + draw(st.integers(1, nodes - 1))) % nodes
        sends.append((tick, source, target, draw(st.integers(0, 300))))
    return sorted(sends, key=lambda send: send[0])


def run(transport: _engine.Transport, sends: list[Send]) -> list[tuple[int, int, bool]]:
    """Return all arrivals of messages, which are sent before what else happens at their ticks."""
    arrivals = []

    def work(until: int | None) -> None:
        while (tick := transport.next_time()) is not None and (until is None or tick < until):
            arrivals.extend((tick, *arrival) for arrival in transport.advance(tick))

    for number, (tick, source, target, size) in enumerate(sends):
        work(tick)
        transport.send(number, source, target, size, tick)
    work(None)
    return arrivals


def tree_steps(rank: int, ranks: int) -> Iterator[tuple[bool, int]]:
    """Yield what a rank does in the reference's allreduce: whether it sends, and its partner."""
    halves = [1 << bit for bit in range(ranks.bit_length() - 1)]
    for half in reversed(halves):
        if rank < 2 * half:
            yield rank >= half, rank - half if rank >= half else rank + half
    for half in halves:
        if rank < 2 * half:
            yield rank < half, rank + half if rank < half else rank - half


def allreduce(transport: _engine.Transport, ranks: int, size: int) -> list[int]:
    """Return when each rank is through a reduce and a bcast by binomial trees, rank n on node n."""
    steps = [tree_steps(rank, ranks) for rank in range(ranks)]
    ends = [-1] * ranks
    awaited = [-1] * ranks
    letters: set[tuple[int, int]] = set()
    partners: list[tuple[int, int]] = []

    def go_on(rank: int, tick: int) -> None:
        for sends, partner in steps[rank]:
            if sends:
                partners.append((rank, partner))
                transport.send(len(partners) - 1, rank, partner, size, tick)
                return
            if (partner, rank) not in letters:
                awaited[rank] = partner
                return
            letters.remove((partner, rank))
        ends[rank] = tick

    for rank in range(ranks):
        go_on(rank, 0)
    while (tick := transport.next_time()) is not None:
        for message, acknowledged in transport.advance(tick):
            source, target = partners[message]
            if acknowledged:
                go_on(source, tick)
            elif awaited[target] == source:
                awaited[target] = -1
                go_on(target, tick)
            else:
                letters.add((source, target))
    return ends
