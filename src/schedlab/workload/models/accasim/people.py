"""What users ask for and who they are, as in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.workload.models.accasim.generator_parts import RequestedTime, Users

if TYPE_CHECKING:
    from numpy.random import Generator

    from schedlab.workload.models.accasim.calendar import Numbers
    from schedlab.workload.models.accasim.original import Original
    from schedlab.workload.models.accasim.target_machine import Limits, Machine

BINS = 32
"""Ranges of run time, each with as many jobs of the data."""

MOST = 65_536
"""Jobs of longer data of which every second, third, ... is taken: enough for the ranges."""


class AccuracyOfData(RequestedTime):
    """Requested time by run time as with a job of the data that ran about as long.

    The paper has no requested times. Short jobs ask for thousands of times what they need and long
    ones for little more, so the ratio is drawn among jobs of the same range of run times. No job
    asks for more than any of the data. Where the data have no requested times, there are none.
    """

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        step = max(1, len(original.run) // MOST)
        run, requested = original.run[::step], original.requested_time[::step]
        given = (requested > 0) & (run > 0)
        run, requested = run[given], requested[given]
        order = numpy.argsort(run, kind="stable")
        run = run[order]
        self.ratios = requested[order] / run
        self.longest = max(1.0, float(numpy.ceil(requested.max()))) if len(run) else -1.0
        begins = numpy.arange(BINS) * len(run) // BINS if len(run) else numpy.empty(0, numpy.int64)
        self.edges = numpy.unique(run[begins])  # equal run times belong to one range
        self.starts = numpy.searchsorted(run, self.edges)
        self.sizes = numpy.diff(numpy.append(self.starts, len(run)))

    def draw(self, run: Numbers, random: Generator) -> Numbers:
        uniforms = random.random(len(run))
        if not len(self.ratios):
            return numpy.full(len(run), -1.0)
        bins = numpy.maximum(0, numpy.searchsorted(self.edges, run, side="right") - 1)
        places = self.starts[bins] + (uniforms * self.sizes[bins]).astype(numpy.int64)
        ratios = self.ratios[places]
        requested = numpy.ceil(run * ratios)
        # A job that kept to its request in the data keeps to it here, too.
        longest = numpy.where(
            ratios >= 1, numpy.maximum(self.longest, numpy.ceil(run)), self.longest
        )
        return numpy.clip(requested, 1.0, longest)


class UsersOfData(Users):
    """Users, with their groups, by their share of the data's jobs; each job for itself."""

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        people = sorted(original.users)
        self.people = numpy.array(people, numpy.float64)
        self.cumulative = numpy.cumsum([original.users[person] for person in people])

    def draw(self, count: int, random: Generator) -> dict[str, Numbers]:
        places = random.random(count) * self.cumulative[-1]
        drawn = self.people[numpy.searchsorted(self.cumulative, places, side="right")]
        return {"user": drawn[:, 0], "group": drawn[:, 1]}
