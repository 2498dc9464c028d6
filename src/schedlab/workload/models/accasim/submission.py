"""Submission times by the slot-weight method, after AccaSim (2020), section 7.3.

A day has 48 slots of half an hour, and each has a weight: its share of the jobs, so that a whole
day weighs 1. A job comes `v` days of weight after the one before: from that job's place on, weights
are taken off v, slot by slot, until it is used up. Busy slots use up more, so more jobs fall into
them.

The paper bounds v by v_max, the longest gap of the data. It adapts v_max at each job to pr, how far
hour, weekday and month of the job before are, so that their shares come out as in the data:

    v_max <- v_max - (v_max - s) (1 - pr)                        (s: half an hour)

Taken literally (`paper_submission.py`) that fails, as docs/reference/generators.md measures. What
is read differently here, and why:

- The rest of v is a share of the last slot, and the first slot is used up from the place of the job
  before on. The paper adds the rest of v as days and starts at the slot's beginning, silently.
- A slot's weight is also multiplied by what its weekday and its month have, relative to an even
  spread. The paper leaves them to pr alone; that gets halfway, as any proportional control does.
- A gap of the data is counted in weights, too, before it is drawn from: else the night is in the
  data's gaps and in the weights, twice.
- v is distributed between 0 and v_max as the gaps of the data are: a smaller v_max makes all gaps
  smaller. To cut off what is above v_max has no effect, as gaps near it are rare.
- pr compares the jobs of a bin with those due by now, not with those at the end. Against the end,
  pr says how far the whole workload is, not which bin lags behind.
- Due by now needs an end. It is where the jobs would end at the data's rate, rounded to whole years
  (weeks, days): 50,000 jobs of HPC2N, ten months' worth, fill twelve to have all months' shares.
- No gap is above v_max, and v_max at most 1 % of the span: one weekend without jobs in two weeks
  would leave every share beyond repair.
- Gaps are drawn in strata: each 4,096 in a row have the data's distribution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.durations import DAY, WEEK
from schedlab.workload.models.accasim.calendar import BLOCK, SLOT, YEAR, bins, slot_start
from schedlab.workload.models.accasim.generator_parts import Submission
from schedlab.workload.models.accasim.slot_weights import (
    STEADYING_JOBS,
    Chunk,
    Cycles,
    due_by_now,
    exact_sum,
    slot_weight_walk,
    slot_weights,
    stratified,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    from schedlab.workload.models.accasim.calendar import Bins, Numbers
    from schedlab.workload.models.accasim.original import Original
    from schedlab.workload.models.accasim.target_machine import Limits, Machine

SLOTS_AT_ONCE = 4_096

LONGEST_GAP_SHARE = 0.01
LONGEST_GAP_MEANS = 100
"""v_max: at most this share of the span, but N mean gaps are always allowed."""


class SlotWeights(Submission):
    """Slot weights, adapted by progress of hour, weekday and month.

    Args:
        keep_rate: Whether jobs come as fast as in the data, even where the workload then ends
            within a year (week, day) and has other shares.
    """

    def __init__(self, keep_rate: bool = False) -> None:
        self.keep_rate = keep_rate

    def learn(self, original: Original, machine: Machine, limits: Limits) -> None:
        self.zone, self.moments, self.counts = original.zone, original.moments, original.counts
        self.first = slot_start(float(self.moments[0]), self.zone)
        self.has_days = original.span_seconds >= DAY
        self.has_weeks, self.has_years = original.has_weeks, original.has_years
        self.mean_gap = original.mean_gap_seconds

    def cycles(self, jobs: int) -> Cycles:
        """Returns which cycles N jobs follow.

        Those that the data have whole, and of which the jobs, at the data's rate, fill half or
        more. The paper leaves months out where the data have no whole year; the same goes for
        weekdays and hours here.
        """
        natural = jobs * self.mean_gap
        hours = self.has_days and natural >= DAY / 2
        weekdays = self.has_weeks and natural >= WEEK / 2
        months = self.has_years and natural >= YEAR / 2
        cycle = YEAR if months else WEEK if weekdays else DAY
        if self.keep_rate or not hours:
            return Cycles(hours, weekdays, months, natural)
        return Cycles(hours, weekdays, months, max(1, round(natural / cycle)) * cycle)

    def times(self, jobs: int, random: Generator) -> Iterator[Numbers]:
        cycles = self.cycles(jobs)
        total = self._total_weight(cycles)
        gaps = self._gaps(cycles, total, jobs)
        chunks = self._chunks(cycles, jobs / total)
        walk = slot_weight_walk(chunks, gaps[-1], cycles)
        next(walk)
        for first in range(0, jobs, BLOCK):
            count = min(BLOCK, jobs - first)
            places = walk.send(stratified(gaps, count, random).tolist())
            yield self.first + numpy.floor(numpy.array(places) * SLOT)

    def _weights(self, places: Bins, cycles: Cycles) -> Numbers:
        """Returns the weight of slots: 1 is that of a slot if all were equal."""
        return slot_weights(self.counts, places, cycles)

    def _calendar(self) -> Iterator[Bins]:
        """Yields the slots from the first on, without end."""
        first = self.first
        while True:
            starts = first + SLOT * numpy.arange(SLOTS_AT_ONCE, dtype=numpy.int64)
            yield bins(starts, self.zone)
            first += SLOT * SLOTS_AT_ONCE

    def _total_weight(self, cycles: Cycles) -> float:
        """Returns the weight of all slots of the span."""
        left, total = cycles.span_seconds / SLOT, 0.0
        for places in self._calendar():
            weights = self._weights(places, cycles)
            if left <= SLOTS_AT_ONCE:
                whole = int(left)
                part = weights[whole : whole + 1].tolist()
                total += exact_sum(weights[:whole]) + (left - whole) * (part[0] if part else 0.0)
                return total
            total += exact_sum(weights)
            left -= SLOTS_AT_ONCE
        raise AssertionError("a calendar has no end")

    def _gaps(self, cycles: Cycles, total: float, jobs: int) -> Numbers:
        """Returns the gaps of the data in weights, sorted; the mean is what fills the span."""
        moments, taken = self.moments, numpy.empty(len(self.moments))
        begin, start, before = 0, self.first, 0.0
        for places in self._calendar():
            edges = start + SLOT * numpy.arange(SLOTS_AT_ONCE + 1)
            weights = self._weights(places, cycles)
            sums = before + numpy.concatenate(([0.0], numpy.cumsum(weights)))
            end = int(numpy.searchsorted(moments, edges[-1]))
            taken[begin:end] = numpy.interp(moments[begin:end], edges, sums)
            begin, start, before = end, int(edges[-1]), float(sums[-1])
            if begin == len(moments):
                break
        gaps = numpy.diff(taken)
        del taken
        gaps.sort()
        numpy.maximum(gaps, 0.0, out=gaps)  # two equal times may differ by a last bit
        mean = exact_sum(gaps) / len(gaps)
        gaps *= total / jobs / mean
        longest = max(LONGEST_GAP_SHARE * total, LONGEST_GAP_MEANS * total / jobs)
        numpy.minimum(gaps, longest, out=gaps)
        gaps *= total / jobs / (exact_sum(gaps) / len(gaps))
        return gaps

    def _chunks(self, cycles: Cycles, jobs_per_weight: float) -> Iterator[Chunk]:
        """Yields the slots from the first on, with what `slot_weight_walk` needs of them."""
        due = [numpy.zeros(size) for size in (24, 7, 12)]
        for places in self._calendar():
            weights = self._weights(places, cycles)
            hours = places.slot // 2
            product = numpy.ones(SLOTS_AT_ONCE)
            followed = (cycles.hours, cycles.weekdays, cycles.months)
            for bins_, sums, follows in zip(
                (hours, places.weekday, places.month), due, followed, strict=True
            ):
                if follows:
                    expected = weights * jobs_per_weight
                    product *= STEADYING_JOBS + due_by_now(bins_, expected, sums)
            yield Chunk(
                weights.tolist(),
                hours.tolist(),
                places.weekday.tolist(),
                places.month.tolist(),
                (1 / product).tolist(),
            )
