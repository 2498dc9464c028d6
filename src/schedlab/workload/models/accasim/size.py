"""Serial jobs and numbers of nodes, after Lublin and Feitelson (2003)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy

from schedlab.workload.models.accasim.generator_parts import Size
from schedlab.workload.models.accasim.target_machine import CORE

if TYPE_CHECKING:
    from numpy.random import Generator

    from schedlab.workload.models.accasim.calendar import Flags, Numbers
    from schedlab.workload.models.accasim.original import Original
    from schedlab.workload.models.accasim.target_machine import Limits, Machine

TWO_NODES = math.log2(1.5)
"""From here on a rounded power of two is 2 or more."""

NEIGHBOURS = 4
"""Jobs of the data with a little less work, and with a little more, whose size a job may have."""

SHARES = numpy.linspace(0.0, 1.0, 21)
MIDDLES = 60


class NodeCounts(Size):
    """Base of sizes that are a distribution of node counts; `distribution` defines it.

    Serial jobs have the data's share. As in AccaSim no job is serial that computes more than any
    serial job of the data; on the machine asked for it must not run longer than any job did.
    """

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        serial = original.serial
        self.serial_share = float(numpy.count_nonzero(serial)) / len(serial)
        most = float(original.work[serial].max()) if serial.any() else 0.0
        power = machine.processor_power
        self.serial_work = min(most, power * max(1.0, float(original.run.max())))
        below = float(numpy.count_nonzero(original.work <= self.serial_work)) / len(serial)
        self.serial_chance = min(1.0, self.serial_share / below) if below else 0.0
        nodes = original.nodes[~serial].astype(numpy.int64)
        counted = numpy.bincount(nodes, minlength=2)[1:].astype(numpy.float64)
        shares = self.distribution(counted, machine.nodes / original.machine_nodes)
        sums = numpy.cumsum(shares[: machine.nodes])
        if not sums[-1]:  # all of the data's parallel jobs are larger than this machine
            sums = numpy.arange(1.0, machine.nodes + 1)
        self.cumulative = numpy.concatenate(([0.0], sums / sums[-1]))

    def distribution(self, counted: Numbers, growth: float) -> Numbers:
        """Returns how likely 1, 2, 3, ... nodes are.

        Args:
            counted: Parallel jobs of the data with 1, 2, 3, ... nodes; perhaps empty.
            growth: Nodes of the machine, relative to that of the data.
        """
        raise NotImplementedError(f"{type(self).__name__} must define distribution()")

    def serial(self, work: Numbers, random: Generator) -> Flags:
        chosen: Flags = random.random(len(work)) < self.serial_chance
        return chosen & (work <= self.serial_work)

    def nodes(self, least: Numbers, most: Numbers, random: Generator) -> Numbers:
        last = len(self.cumulative) - 1
        low = self.cumulative[numpy.minimum(least - 1, last).astype(numpy.int64)]
        high = self.cumulative[numpy.minimum(most, last).astype(numpy.int64)]
        place = low + random.random(len(least)) * (high - low)
        drawn = numpy.searchsorted(self.cumulative, place, side="right").astype(numpy.float64)
        nodes: Numbers = numpy.minimum(numpy.maximum(drawn, least), most)
        return nodes


class LublinSize(NodeCounts):
    """The two-stage uniform distribution of the logarithm of nodes, fitted to the data.

    With probability `share`, log2 of the nodes is uniform between `low` and `middle`, else between
    `middle` and `high`; with probability `power_of_two` it is rounded. The paper lets the model
    count nodes instead of processors, and a job may be parallel within one node: so `low` is 0
    where the data have such jobs. `high` is that of the largest job of the data, and grows with the
    machine. Of `middle`, `share` and `power_of_two` those are taken whose distribution is nearest
    to the data's, by its largest distance.
    """

    def distribution(self, counted: Numbers, growth: float) -> Numbers:
        if not counted.sum():
            return numpy.ones(1)
        self.low = 0.0 if counted[0] else TWO_NODES
        high = max(math.log2(len(counted)), self.low + 0.01)
        self._fit(numpy.cumsum(counted) / counted.sum(), high)
        self.high = max(high + math.log2(growth), self.low + 0.01)
        middle = min(self.middle, self.high)
        largest = max(1, round(2**self.high))
        first, second = (
            _two_kinds(low, high, largest)
            for low, high in ((self.low, middle), (middle, self.high))
        )
        rounded = self.share * first[0] + (1 - self.share) * second[0]
        plain = self.share * first[1] + (1 - self.share) * second[1]
        together = self.power_of_two * rounded + (1 - self.power_of_two) * plain
        return numpy.diff(together, prepend=0.0)

    def _fit(self, data: Numbers, high: float) -> None:
        best = math.inf
        for middle in numpy.linspace(self.low, high, MIDDLES)[1:].tolist():
            first, second = (
                _two_kinds(low, top, len(data)) for low, top in ((self.low, middle), (middle, high))
            )
            shares = SHARES[:, None]
            rounded = shares * first[0] + (1 - shares) * second[0]
            plain = shares * first[1] + (1 - shares) * second[1]
            for power_of_two in SHARES.tolist():
                mixed = power_of_two * rounded + (1 - power_of_two) * plain
                distances = numpy.abs(mixed - data).max(axis=1)
                at = int(distances.argmin())
                if distances[at] < best:
                    best = float(distances[at])
                    self.share, self.middle = float(SHARES[at]), middle
                    self.power_of_two, self.distance = power_of_two, best


class EmpiricalSize(NodeCounts):
    """Numbers of nodes as the data have them, whatever the size of the machine asked for."""

    def distribution(self, counted: Numbers, growth: float) -> Numbers:
        return counted if counted.sum() else numpy.ones(1)


class SizeOfWork(EmpiricalSize):
    """Nodes, and cores on each, of a job of the data that computed about as much.

    Large jobs of a log compute more than small ones, but not in proportion: a size that is drawn by
    itself makes small jobs of days and large ones of minutes, and other waits. Here a job
    has the processors of one of the data's with about as much work, and so about its run time.
    """

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        super().learn(original, machine, limits)
        order = numpy.argsort(original.work, kind="stable")
        self.sorted_work = original.work[order]
        self.cores = original.processors[order] * machine.processor[CORE]
        least, most = limits[CORE]
        widest = max(resources.get(CORE, 0) for _, resources in machine.groups)
        self.fewest_on_node, self.most_on_node = least, max(least, min(most, widest))

    def shapes(self, work: Numbers, random: Generator) -> tuple[Numbers, Numbers]:
        last = len(self.sorted_work)
        first, behind = (
            numpy.searchsorted(self.sorted_work, work, side=side) for side in ("left", "right")
        )
        first = numpy.maximum(first - NEIGHBOURS, 0)
        behind = numpy.minimum(behind + NEIGHBOURS, last)
        chosen = first + (random.random(len(work)) * (behind - first)).astype(numpy.int64)
        cores = self.cores[chosen]
        nodes = numpy.ceil(cores / self.most_on_node)
        return nodes, numpy.maximum(numpy.ceil(cores / nodes), self.fewest_on_node)


def _two_kinds(low: float, high: float, largest: int) -> tuple[Numbers, Numbers]:
    """Returns the probability of at most 1, 2, ..., `largest` nodes: powers of two, and any.

    log2 of the nodes is uniform from `low` to `high`.
    """
    logarithms = [math.log2(nodes + 0.5) for nodes in range(1, largest + 1)]
    # Rounded to the power of two at or below n, or to a lower one.
    powers = [nodes.bit_length() - 0.5 for nodes in range(1, largest + 1)]
    length = high - low
    rounded, plain = (
        numpy.clip((numpy.array(ends) - low) / length, 0.0, 1.0)
        if length > 0
        else (numpy.array(ends) >= low).astype(numpy.float64)
        for ends in (powers, logarithms)
    )
    rounded[-1] = plain[-1] = 1.0  # what is rounded up above the largest is the largest
    return rounded, plain
