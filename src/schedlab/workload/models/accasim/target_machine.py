"""The machine that jobs are made for: its nodes, its speed, and what may be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.errors import InputError
from schedlab.finite import is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedlab.system import System
    from schedlab.workload.models.accasim.calendar import Numbers

CORE = "core"

Limits = dict[str, tuple[int, int]]
"""Least and most that a job may ask of each resource type, on each of its nodes."""


SLOWEST, FASTEST = 1e-9, 1e12
"""GFLOPS of one unit that make sense, by far."""


class Machine:
    """A system with the performance of its parts.

    Attributes:
        groups: Nodes, and what each of them has, for each group.
        nodes: Of all groups.
        start_time: Unix time of a workload's time 0, where its header does not say.
        processor: What one processor of a workload stands for.
        performance: GFLOPS of one unit of each resource type that computes.
    """

    def __init__(self, system: System, performance: Mapping[str, float]) -> None:
        """Takes a system and GFLOPS by resource type; raises InputError."""
        self.groups = [(group.nodes, group.resources) for group in system.groups]
        self.nodes = system.nodes
        self.start_time = system.start_time
        self.processor = system.processor
        self.performance = _checked(performance, system.resource_types)
        if CORE not in self.performance or not self.processor.get(CORE):
            raise InputError(
                'performance: must say the GFLOPS of a "core", of which processors are made'
            )

    @property
    def processor_power(self) -> float:
        """GFLOPS of one processor."""
        return sum(
            self.processor.get(kind, 0) * gflops for kind, gflops in self.performance.items()
        )

    @property
    def processors_per_node(self) -> int:
        """How many processors the node has that has most of them."""
        most = 0
        for _, resources in self.groups:
            fits = [resources.get(kind, 0) // n for kind, n in self.processor.items() if n]
            most = max(most, min(fits))
        if not most:
            raise InputError("system: no node has all that one processor stands for")
        return most

    def power(self, request: Mapping[str, Numbers]) -> Numbers:
        """Returns the GFLOPS of what jobs ask for on each of their nodes."""
        count = len(next(iter(request.values())))
        total = numpy.zeros(count)
        for kind, gflops in self.performance.items():
            if kind in request:
                total += request[kind] * gflops
        return total

    def holding(self, request: Mapping[str, Numbers]) -> Numbers:
        """Returns on how many nodes of the empty machine each request fits."""
        count = len(next(iter(request.values())))
        total = numpy.zeros(count)
        for nodes, resources in self.groups:
            fits = numpy.ones(count, numpy.bool_)
            for kind, amount in request.items():
                fits &= amount <= resources.get(kind, 0)
            total += nodes * fits
        return total


def serial_cores(machine: Machine, limits: Limits) -> int:
    """Returns the cores of a serial job: those of one processor, within the limits."""
    least, most = limits[CORE]
    return min(max(machine.processor.get(CORE, 1), least), most)


def _checked(performance: Mapping[str, float], known: tuple[str, ...]) -> dict[str, float]:
    for kind, gflops in performance.items():
        if kind not in known:
            raise InputError(f"performance: the system has no {kind!r}; it has {', '.join(known)}")
        if isinstance(gflops, bool) or not isinstance(gflops, (int, float)):
            raise InputError(f"performance: {kind}: must be GFLOPS, a number, not {gflops!r}")
        if not (is_finite(gflops) and gflops > 0):
            raise InputError(f"performance: {kind}: must be above 0, not {gflops}")
        if not SLOWEST <= gflops <= FASTEST:  # beyond, the work of a job is not a number any more
            raise InputError(
                f"performance: {kind}: must be from {SLOWEST:g} to {FASTEST:g} GFLOPS, not {gflops}"
            )
    return dict(performance)


def limits(given: Mapping[str, Mapping[str, int]], system: System) -> Limits:
    """Returns request limits, given as AccaSim does, by resource type.

    Args:
        given: {"min": {"core": 1, "mem": 256}, "max": {"core": 8, "mem": 1024}}.
        system: The machine they are for.

    Raises:
        InputError: They are not complete, or no node holds the least of them.
    """
    if set(given) != {"min", "max"} or set(given["min"]) != set(given["max"]):
        raise InputError(
            'request_limits: must be {"min": {...}, "max": {...}} with the same resource types'
        )
    known = system.resource_types
    made: Limits = {}
    for kind in given["min"]:
        least, most = given["min"][kind], given["max"][kind]
        if kind not in known:
            raise InputError(
                f"request_limits: the system has no {kind!r}; it has {', '.join(known)}"
            )
        if any(isinstance(value, bool) or not isinstance(value, int) for value in (least, most)):
            raise InputError(f"request_limits: {kind}: must be whole numbers")
        if not 0 <= least <= most:
            raise InputError(f"request_limits: {kind}: {least}..{most} is not a range from 0 up")
        made[kind] = (least, most)
    if made.get(CORE, (0, 0))[1] < 1:
        raise InputError('request_limits: "core" must allow at least 1')
    # Memory that a processor stands for is not asked for by cores: only the limits count.
    made[CORE] = (max(1, made[CORE][0]), made[CORE][1])
    return made
