"""The slot-weight method as the AccaSim paper words it, to measure it beside ours."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy

from schedlab.durations import DAY
from schedlab.workload.models.accasim.calendar import BLOCK, SLOT, SLOTS_PER_DAY, bins, slot_start
from schedlab.workload.models.accasim.generator_parts import Submission
from schedlab.workload.models.accasim.submission import SLOTS_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    from schedlab.workload.models.accasim.calendar import Numbers
    from schedlab.workload.models.accasim.original import Original
    from schedlab.workload.models.accasim.target_machine import Limits, Machine


class PaperSlotWeights(Submission):
    """Section 7.3 word by word; shares do not come out as the data's (docs: generators.md).

    A slot weighs its share of the jobs, v is a gap of the data in days that is at most v_max,
    drawn anew as long as it is not. The whole slot of the job before counts, and what is left of v
    is added as time. pr is the product of what hour, weekday and month have of what they are to
    have in the end.
    """

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        self.zone = original.zone
        self.first = slot_start(float(original.moments[0]), self.zone)
        shares = original.counts.shares()
        self.slot_shares = (original.counts.slots / original.jobs).tolist()
        self.shares = [shares["hour"].tolist(), shares["weekday"].tolist()]
        if original.has_years:
            self.shares.append(shares["month"].tolist())
        self.gaps = (numpy.sort(numpy.diff(original.moments)) / DAY).tolist()

    def times(self, jobs: int, random: Generator) -> Iterator[Numbers]:
        longest, slot_days = self.gaps[-1], SLOT / DAY
        counts = [[0] * len(shares) for shares in self.shares]
        calendar: list[tuple[int, int, int, int]] = []
        seconds, generated = 0.0, 0
        for first in range(0, jobs, BLOCK):
            times = []
            for uniform in random.random(min(BLOCK, jobs - first)).tolist():
                slot, *last = self._bins(int(seconds // SLOT), calendar)
                progress = 1.0
                for places, shares, place in zip(counts, self.shares, last, strict=False):
                    share = shares[place]
                    progress *= places[place] / (jobs * share) if generated and share else 1.0
                bound = longest - (longest - slot_days) * (1 - progress)
                below = max(1, bisect_right(self.gaps, bound))
                v = self.gaps[int(uniform * below)]
                surpassed = 0
                while v >= self.slot_shares[slot]:
                    v -= self.slot_shares[slot]
                    slot = (slot + 1) % SLOTS_PER_DAY
                    surpassed += 1
                seconds += surpassed * SLOT + v * DAY
                _, *now = self._bins(int(seconds // SLOT), calendar)
                for places, place in zip(counts, now, strict=False):
                    places[place] += 1
                generated += 1
                times.append(seconds)
            yield self.first + numpy.floor(numpy.array(times))

    def _bins(
        self, index: int, calendar: list[tuple[int, int, int, int]]
    ) -> tuple[int, int, int, int]:
        """Returns slot of the day, hour, weekday and month of a slot, counted from the first."""
        while index >= len(calendar):
            begin = self.first + SLOT * len(calendar)
            places = bins(begin + SLOT * numpy.arange(SLOTS_AT_ONCE, dtype=numpy.int64), self.zone)
            columns = (places.slot, places.slot // 2, places.weekday, places.month)
            calendar.extend(zip(*(column.tolist() for column in columns), strict=True))
        return calendar[index]
