"""What jobs compute: GFLOP, and the run times that follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.workload.models.accasim.generator_parts import Duration, Work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedlab.workload.models.accasim.calendar import Numbers
    from schedlab.workload.models.accasim.original import Original
    from schedlab.workload.models.accasim.target_machine import Limits, Machine

WHOLE_FROM_SECONDS = 100.0
"""From here on run times are whole seconds; a shorter one rounded would be another work."""


class EmpiricalWork(Work):
    """GFLOP as the data have them, anything between two neighbours being equally likely.

    AccaSim fits gamma, exponential and other densities to them. Over seven decades these miss most
    of the distribution; the data themselves do not.
    """

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        self.sorted = numpy.sort(original.work)

    def draw(self, uniforms: Numbers) -> Numbers:
        places = uniforms * (len(self.sorted) - 1)
        below = places.astype(numpy.int64)
        above = numpy.minimum(below + 1, len(self.sorted) - 1)
        low = self.sorted[below]
        return low + (self.sorted[above] - low) * (places - below)


class FlopsDuration(Duration):
    """GFLOP / (what a node's request computes in a second x nodes).

    Args:
        whole_seconds: Whether all run times are whole. Else those below 100 s have thousandths:
            what ran for seconds on a core takes a fraction of one on a GPU.
    """

    def __init__(self, whole_seconds: bool = False) -> None:
        self.whole_seconds = whole_seconds

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        self.machine = machine

    def seconds(self, work: Numbers, nodes: Numbers, request: Mapping[str, Numbers]) -> Numbers:
        exact = work / (self.machine.power(request) * nodes)
        some = work > 0  # data have jobs that ended at once, and so have generated workloads
        whole = numpy.maximum(some, numpy.rint(exact))
        if self.whole_seconds:
            return whole
        fine = numpy.maximum(0.001 * some, numpy.rint(exact * 1000) / 1000)
        return numpy.where(exact < WHOLE_FROM_SECONDS, fine, whole)
