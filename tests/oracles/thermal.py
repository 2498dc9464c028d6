"""Temperatures of nodes, by the book: small steps of Euler, the exact step, and a naive twin.

A node of power P tends to supply + resistance P + recirculation (P of the other nodes of its rack)
+ neighbour (P of the nodes beside it in the rack); dT/dt = (target - T) / time_constant. Cooling
takes the machine's power / COP, by Moore et al., Making Scheduling "Cool", USENIX ATC 2005.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .irmasim_policies import AskingJob, SelectingSimulation
from .platform_simulator import SECOND, PlatformJob, _Socket

NEAR_DEGREES = 1e-6
"""How near to a limit a temperature may be before rounding decides."""


def targets(
    watts: Sequence[float], racks: Sequence[Sequence[int]], thermal: dict[str, Any]
) -> list[float]:
    """Return the temperature that each node tends to."""
    found = [0.0] * len(watts)
    for rack in racks:
        for node in rack:
            others = [watts[other] for other in rack if other != node]
            beside = [watts[other] for other in rack if abs(other - node) == 1]
            found[node] = (
                thermal["supply"]
                + thermal["resistance"] * watts[node]
                + thermal["recirculation"] * math.fsum(others)
                + thermal["neighbour"] * math.fsum(beside)
            )
    return found


def racks_of(platform: dict[str, Any], nodes: Sequence[int]) -> list[list[int]]:
    """Return the nodes of each rack; a group without racks is one."""
    racks, first = [], 0
    for group, count in zip(platform["groups"], nodes, strict=True):
        size = group["rack"] or count
        numbers = range(first, first + count)
        racks += [list(numbers[i : i + size]) for i in range(0, count, size)]
        first += count
    return racks


def after(degrees: float, target: float, seconds: float, time_constant: float) -> float:
    """Return the temperature after some time at one target."""
    return target + (degrees - target) * math.exp(-seconds / time_constant)


def mean_until(degrees: float, target: float, seconds: float, time_constant: float) -> float:
    """Return the mean of `after` from 0 to some time."""
    share = time_constant / seconds * (1 - math.exp(-seconds / time_constant))
    return target + (degrees - target) * share


def by_euler(
    degrees: float, target: float, seconds: float, time_constant: float, steps: int
) -> float:
    """Return what small steps along the differential equation make of `after`."""
    for _ in range(steps):
        degrees += (target - degrees) / time_constant * (seconds / steps)
    return degrees


def cooling_performance(thermal: dict[str, Any]) -> float:
    """Return the watts of heat that a watt of cooling removes."""
    square, linear, constant = thermal["cop"]
    return square * thermal["supply"] ** 2 + linear * thermal["supply"] + constant


class ThermalSimulation(SelectingSimulation):
    """Blocking by submission, first fit or on the coolest nodes, which are throttled if too hot.

    Args:
        platform: As `schedlab.system.platform.for_engine` makes it.
        nodes: How many nodes each of its groups has.
        jobs: Each must fit the idle machine.
        thermal: As `schedlab.conditions.machine.for_engine` makes it.
        allocator: "first-fit" or "coolest".
    """

    def __init__(
        self,
        platform: dict[str, Any],
        nodes: Sequence[int],
        jobs: Sequence[AskingJob],
        thermal: dict[str, Any],
        allocator: str = "first-fit",
    ) -> None:
        super().__init__(platform, nodes, jobs, "submit", allocator)
        self.thermal = thermal
        self.racks = racks_of(platform, nodes)
        self.node_of = {id(s): number for number, node in enumerate(self.nodes) for s in node}
        self.throttled = [False] * len(self.nodes)
        self.degrees = targets(self._watts(), self.racks, thermal)
        self.hottest = list(self.degrees)
        self.degree_seconds = [0.0] * len(self.nodes)
        self.throttled_seconds = [0.0] * len(self.nodes)
        self.throttles = 0
        self.begun = self.updated = self.now
        self.joules = [0.0] * len(self.nodes)  # since the last update
        self.history: list[tuple[int, list[float]]] = []  # at every update

    @property
    def mean(self) -> float:
        """Mean temperature over nodes and time, up to the last update."""
        seconds = (self.updated - self.begun) / SECOND
        if not seconds:
            return math.fsum(self.degrees) / len(self.degrees)
        return math.fsum(self.degree_seconds) / seconds / len(self.degrees)

    @property
    def next_update(self) -> int:
        """Nanoseconds; updates are on a grid that begins with the first submission."""
        return self.updated + round(self.thermal["every"] * SECOND)

    def _watts(self) -> list[float]:
        return [math.fsum(self.socket_watts(socket) for socket in node) for node in self.nodes]

    def _step(self, socket: _Socket) -> int:
        last = len(socket.kind["steps"]) - 1
        if not self.throttled[self.node_of[id(socket)]]:
            return 0
        step = self.thermal["throttle_step"]
        return last if step < 0 else min(step, last)

    def _next_time(self) -> int | None:
        time = super()._next_time()
        return None if time is None else min(time, self.next_update)

    def _advance(self, time: int) -> None:
        seconds = (time - self.now) / SECOND
        for node, watts in enumerate(self._watts()):
            self.joules[node] += watts * seconds
            self.throttled_seconds[node] += seconds * self.throttled[node]
        due = time == self.next_update
        super()._advance(time)
        if due:
            self._update()

    def _update(self) -> None:
        """Give every node the temperature that follows from its mean power, and throttle it."""
        seconds = (self.now - self.updated) / SECOND
        self.updated = self.now
        aims = targets([joules / seconds for joules in self.joules], self.racks, self.thermal)
        self.joules = [0.0] * len(self.nodes)
        constant = self.thermal["time_constant"]
        for node, aim in enumerate(aims):
            before = self.degrees[node]
            self.degree_seconds[node] += seconds * mean_until(before, aim, seconds, constant)
            now = self.degrees[node] = after(before, aim, seconds, constant)
            self.hottest[node] = max(self.hottest[node], now)
            if self.thermal["limit"] is None:
                continue
            bound = self.thermal["release" if self.throttled[node] else "limit"]
            self.ambiguous = self.ambiguous or abs(now - bound) < NEAR_DEGREES
            if self.throttled[node] and now < bound:
                self.throttled[node] = False
            elif not self.throttled[node] and now > bound:
                self.throttled[node] = True
                self.throttles += 1
        self.history.append((self.now, list(self.degrees)))

    def score(self, number: int, job: PlatformJob, room: int) -> float:
        """Return what the allocator goes by; the least comes first."""
        if self.resource_selection == "coolest":
            return self.degrees[number]
        return super().score(number, job, room)
