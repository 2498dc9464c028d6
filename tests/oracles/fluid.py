"""Messages as flows, by the book: all rates are worked out from scratch at every change.

Flows share links max-min fairly (Bertsekas and Gallager, Data Networks, 6.5.2). Replies take what
they need of the links of the way back, half of a link at most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schedlab import _engine

from .network_cases import Send, run

ROUNDING_TICKS = 1e-6
"""A flow that ends within this part of a tick ends at it."""


@dataclass
class Flow:
    """A message on its way; `share` is what its replies are of its bytes."""

    there: Sequence[int]
    back: Sequence[int]
    share: float
    left: float
    most: float
    delivered: int
    acknowledged: int
    rate: float = 0.0


def water_filling(
    ways: Sequence[Sequence[int]], most: Sequence[float], room: Sequence[float]
) -> list[float]:
    """Return max-min fair rates: all grow together until a link is full or a flow has its most."""
    rates = [0.0] * len(ways)
    growing = set(range(len(ways)))
    while growing:
        levels = {}
        for link in {link for flow in growing for link in ways[flow]}:
            on_it = [flow for flow in range(len(ways)) if link in ways[flow]]
            taken = math.fsum(rates[flow] for flow in on_it if flow not in growing)
            levels[link] = max(0.0, room[link] - taken) / sum(f in growing for f in on_it)
        level = min(*levels.values(), *(most[flow] for flow in growing))
        full = {link for link, height in levels.items() if height <= level * (1 + 1e-12)}
        done = {f for f in growing if most[f] <= level or full.intersection(ways[f])}
        for flow in done:
            rates[flow] = min(level, most[flow])
        growing -= done
    return rates


class FluidSimulation:
    """The naive twin of the engine's fluid transport with an accuracy of 0."""

    def __init__(self, network: dict[str, Any]) -> None:
        self.network = network
        self.rules = network["messages"]
        self.topology = _engine.Topology(network)
        self.capacities = [self._capacity(link) for link in self.topology.links]
        self.flows: dict[int, Flow] = {}

    def _capacity(self, link: Any) -> float:
        _, _, kind, ports, bytes_per_second, _ = link
        if kind in (0, "host out") and self.rules["injection"]:
            bytes_per_second = min(bytes_per_second, self.rules["injection"])
        best = bytes_per_second / 1e12
        for name in ("put_header", "get_header"):
            packet = self.rules["packet"] + self.rules[name]
            ticks = int(packet * (1e12 / bytes_per_second) + 0.5)
            best = max(best, packet / ticks)
        return float(ports * best)

    def begin(self, number: int, source: int, target: int, size: int) -> None:
        """Put a message on its way."""
        rules = self.rules
        kind = "put" if rules["switch_over"] is None or size < rules["switch_over"] else "get"
        packets = max(1, -(-size // rules["packet"]))
        wire = size + packets * rules[f"{kind}_header"]
        there = self.topology.route(source, target)
        back = self.topology.route(target, source)
        most = min(self.capacities[link] for link in there)
        alone = _engine.Transport(self.network, "analytic")
        times = {known: tick for tick, _, known in run(alone, [(0, source, target, size)])}
        left = min(wire, most * times[False])  # the last packet need not wait for another one
        flowing = math.ceil(left / most - ROUNDING_TICKS)
        self.flows[number] = Flow(
            there,
            back,
            packets * rules[f"{kind}_reply"] / wire,
            left,
            most,
            max(0, times[False] - flowing),
            max(0, times[True] - flowing),
        )

    def solve(self) -> None:
        """Set all rates: those of flows and those of their replies depend on each other."""
        flows = list(self.flows.values())
        ways, most = [flow.there for flow in flows], [flow.most for flow in flows]
        rates = [0.0] * len(flows)
        for _ in range(200):
            room = self.capacities.copy()
            for flow, rate in zip(flows, rates, strict=True):
                for link in flow.back:
                    room[link] -= flow.share * rate
            half = [capacity / 2 for capacity in self.capacities]
            before, rates = rates, water_filling(ways, most, [*map(max, room, half)])
            if all(abs(a - b) <= 1e-13 * b for a, b in zip(before, rates, strict=True)):
                break
        for flow, rate in zip(flows, rates, strict=True):
            flow.rate = rate

    def run(self, sends: Sequence[Send]) -> list[tuple[int, int, bool]]:
        """Return all arrivals (tick, message, acknowledged), in no order at one tick."""
        waiting = list(enumerate(sends))
        arrivals = []
        now = 0
        while waiting or self.flows:
            ends = {
                number: now + max(0, math.ceil(flow.left / flow.rate - ROUNDING_TICKS))
                for number, flow in self.flows.items()
                if flow.rate > 0
            }
            tick = min([*ends.values(), *(send[0] for _, send in waiting[:1])])
            for flow in self.flows.values():
                flow.left = max(0.0, flow.left - flow.rate * (tick - now))
            now = tick
            for number in [number for number, end in ends.items() if end == now]:
                flow = self.flows.pop(number)
                arrivals.append((now + flow.delivered, number, False))
                arrivals.append((now + flow.acknowledged, number, True))
            while waiting and waiting[0][1][0] == now:
                number, (_, source, target, size) = waiting.pop(0)
                self.begin(number, source, target, size)
            self.solve()
        return sorted(arrivals)
