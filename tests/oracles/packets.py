"""Messages as packets, by the book: one heap of events, every packet an event at every link.

A packet that comes to a link takes the port that is free first (the lowest of several), from then
or when that port is free, holds it for its bytes, and comes to the other end `delay` later. All
packets of a message enter the queue of their node's own link at once; there, the arrival of a
packet puts that of the next one into the heap. What is due at one tick happens in the order in
which it was put into the heap.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from typing import Any

from schedlab import _engine

TICKS_PER_SECOND = 1e12

Arrival = tuple[int, int, bool]
"""Tick, message, and whether it is the acknowledgement."""


def _rounded(ticks: float) -> int:
    return math.floor(ticks + 0.5)


class _Link:
    """Ports of a link and when they are free."""

    def __init__(self, ports: int, bytes_per_second: float, delay_seconds: float) -> None:
        self.free = [0] * ports
        self.ticks_per_byte = TICKS_PER_SECOND / bytes_per_second
        self.delay = round(delay_seconds * TICKS_PER_SECOND)
        self.carried = 0

    def time(self, size: int) -> int:
        return _rounded(size * self.ticks_per_byte)

    def take(self, tick: int, hold: int) -> int:
        """Return when a packet that came at a tick begins."""
        port = self.free.index(min(self.free))
        start = max(tick, self.free[port])
        self.free[port] = start + hold
        return start


class _Message:
    """What is known of a message under way."""

    def __init__(self, number: int, there: list[int], back: list[int]) -> None:
        self.number = number
        self.there, self.back = there, back
        self.sizes: list[int] = []
        self.starts: list[int] = []
        self.reply = 0
        self.undelivered = self.unanswered = 0


class PacketSimulation:
    """Messages on a torus with fixed routes."""

    def __init__(self, network: dict[str, Any]) -> None:
        self.topology = _engine.Topology(network)
        self.rules = network["messages"]
        self.links = []
        for _, _, kind, ports, *_ in self.topology.links:
            if kind.startswith("host"):
                facts = network["host_bytes_per_second"], network["host_delay_seconds"]
            else:
                axis = self.topology.dimension_names.index(kind)
                facts = network["bytes_per_second"][axis], network["delay_seconds"][axis]
            self.links.append(_Link(ports, *facts))
        self.heap: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self.pushed = self.events = 0
        self.arrivals: list[Arrival] = []

    def run(self, messages: Iterable[tuple[int, int, int, int]]) -> list[Arrival]:
        """Return all arrivals, of messages given as tick, from, to, bytes in the order of ticks."""
        for number, (tick, source, target, size) in enumerate(messages):
            self._work(tick - 1)  # what arrives at this tick comes after what is sent at it
            self._send(number, source, target, size, tick)
        self._work(None)
        return self.arrivals

    def _work(self, until: int | None) -> None:
        while self.heap and (until is None or self.heap[0][0] <= until):
            tick, _, action, facts = heapq.heappop(self.heap)
            action(tick, *facts)

    def _push(self, tick: int, action: Callable[..., None], *facts: Any) -> None:
        heapq.heappush(self.heap, (tick, self.pushed, action, facts))
        self.pushed += 1

    def _send(self, number: int, source: int, target: int, size: int, tick: int) -> None:
        message = _Message(
            number, self.topology.route(source, target), self.topology.route(target, source)
        )
        over = self.rules["switch_over"]
        way = "get" if over is not None and size >= over else "put"
        left = size
        while left > 0 or not message.sizes:
            message.sizes.append(min(left, self.rules["packet"]) + self.rules[way + "_header"])
            left -= self.rules["packet"]
        message.reply = self.rules[way + "_reply"]
        message.undelivered = message.unanswered = len(message.sizes)
        overhead = round(self.rules["send_overhead"] * TICKS_PER_SECOND)
        if overhead:
            self._push(tick + overhead, self._begin, message)
        else:
            self._begin(tick, message)

    def _hold(self, link: _Link, size: int) -> int:
        """Return how long a packet keeps others from the link that leaves its node."""
        if not self.rules["injection"]:
            return link.time(size)
        slowest = max(link.ticks_per_byte, TICKS_PER_SECOND / self.rules["injection"])
        return _rounded(size * slowest)

    def _begin(self, tick: int, message: _Message) -> None:
        own = self.links[message.there[0]]
        message.starts = [own.take(tick, self._hold(own, size)) for size in message.sizes]
        if message.reply == 0:
            end = message.starts[-1] + own.time(message.sizes[-1])
            self._push(end, self._report, message, True)
        self._launch(message, 0)

    def _launch(self, message: _Message, packet: int) -> None:
        own = self.links[message.there[0]]
        size = message.sizes[packet]
        own.carried += size
        self.events += 1  # the reference counts a timer for each packet
        self._push(
            message.starts[packet] + own.time(size) + own.delay, self._data, message, packet, 0
        )

    def _on(self, tick: int, number: int, size: int) -> int:
        """Return when a packet that comes to a link will be at its other end."""
        link = self.links[number]
        link.carried += size
        return link.take(tick, link.time(size)) + link.time(size) + link.delay

    def _data(self, tick: int, message: _Message, packet: int, at: int) -> None:
        self.events += 1
        size = message.sizes[packet]
        if at + 1 < len(message.there):
            self._push(
                self._on(tick, message.there[at + 1], size), self._data, message, packet, at + 1
            )
            if at == 0 and packet + 1 < len(message.sizes):
                self._launch(message, packet + 1)
            return
        if message.reply:
            own = self.links[message.back[0]]
            own.carried += message.reply
            start = own.take(tick, self._hold(own, message.reply))
            self._push(start + own.time(message.reply) + own.delay, self._reply, message, 0)
        message.undelivered -= 1
        if message.undelivered == 0:
            overhead = round(self.rules["receive_overhead"] * TICKS_PER_SECOND)
            if overhead:
                self._push(tick + overhead, self._report, message, False)
            else:
                self._report(tick, message, False)

    def _reply(self, tick: int, message: _Message, at: int) -> None:
        self.events += 1
        if at + 1 < len(message.back):
            arrival = self._on(tick, message.back[at + 1], message.reply)
            self._push(arrival, self._reply, message, at + 1)
            return
        message.unanswered -= 1
        if message.unanswered == 0:
            self._report(tick, message, True)

    def _report(self, tick: int, message: _Message, acknowledged: bool) -> None:
        self.arrivals.append((tick, message.number, acknowledged))
