"""What jobs ask for on each node: uniform within limits, of what some node has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.errors import InputError
from schedlab.workload.models.accasim.generator_parts import Request
from schedlab.workload.models.accasim.target_machine import CORE, serial_cores

if TYPE_CHECKING:
    from numpy.random import Generator

    from schedlab.workload.models.accasim.calendar import Flags, Numbers
    from schedlab.workload.models.accasim.original import Original
    from schedlab.workload.models.accasim.target_machine import Limits, Machine


class UniformRequest(Request):
    """Whole amounts of each resource type, uniform within the limits.

    All combinations that some node of the machine has are equally likely; others do not occur. A
    serial job asks for the cores of one processor, and for no more than the least of other types
    that compute. A job that is parallel within one node asks for more cores than a serial one.
    """

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        least, most = limits[CORE]
        serial = serial_cores(machine, limits)
        computing = [kind for kind in machine.performance if kind != CORE]
        alone: Limits = {
            kind: (low, low if kind in computing else high) for kind, (low, high) in limits.items()
        }
        alone[CORE] = (serial, serial)
        within: Limits = {**limits, CORE: (max(least, serial + 1), most)}
        self.wide = _Boxes(limits, machine)
        self.serial = _Boxes(alone, machine)
        self.within = _Boxes(within, machine)
        for boxes, what in ((self.wide, "request"), (self.serial, "request of a serial job")):
            if not boxes.some:
                raise InputError(f"request_limits: no node can hold the smallest {what}")
        if not self.within.some:
            self.within = self.wide  # such nodes make parallel jobs on several of them only

    def draw(self, serial: Flags, one_node: Flags, random: Generator) -> dict[str, Numbers]:
        request: dict[str, Numbers] = {kind: numpy.empty(len(serial)) for kind in self.wide.kinds}
        for boxes, chosen in (
            (self.serial, serial),
            (self.within, one_node),
            (self.wide, ~(serial | one_node)),
        ):
            for kind, amounts in boxes.draw(int(numpy.count_nonzero(chosen)), random).items():
                request[kind][chosen] = amounts
        return request


class _Boxes:
    """Requests within limits that a node of some group holds, as one box for each kind of node.

    Boxes overlap. A point is drawn from a box in proportion to its number of points, and kept with
    probability 1 by the number of boxes it lies in: so all points are equally likely.
    """

    def __init__(self, limits: Limits, machine: Machine) -> None:
        self.kinds = list(limits)
        low = [least for least, _ in limits.values()]
        boxes = set()
        for _, resources in machine.groups:
            high = tuple(min(most, resources.get(kind, 0)) for kind, (_, most) in limits.items())
            if all(top >= bottom for bottom, top in zip(low, high, strict=True)):
                boxes.add(high)
        self.some = bool(boxes)
        self._low = numpy.array(low, numpy.float64)
        self._high = numpy.array(sorted(boxes), numpy.float64).reshape(len(boxes), len(low))
        points = (self._high - self._low + 1).prod(axis=1)
        self._cumulative = numpy.cumsum(points)

    def draw(self, count: int, random: Generator) -> dict[str, Numbers]:
        """Returns that many requests."""
        drawn = self._tried(count, random)
        wrong = numpy.flatnonzero(self._refused(drawn, random))
        while len(wrong):
            again = self._tried(len(wrong), random)
            drawn[wrong] = again
            wrong = wrong[self._refused(again, random)]
        return {kind: drawn[:, column] for column, kind in enumerate(self.kinds)}

    def _tried(self, count: int, random: Generator) -> Numbers:
        place = random.random(count) * self._cumulative[-1]
        box = numpy.searchsorted(self._cumulative, place, side="right")
        sizes = self._high[box] - self._low + 1
        uniforms = random.random((count, len(self.kinds)))
        drawn: Numbers = self._low + numpy.floor(uniforms * sizes)
        return drawn

    def _refused(self, drawn: Numbers, random: Generator) -> Flags:
        if len(self._high) == 1:
            return numpy.zeros(len(drawn), numpy.bool_)
        inside = numpy.zeros(len(drawn))
        for high in self._high:
            inside += (drawn <= high).all(axis=1)
        return random.random(len(drawn)) * inside >= 1.0
