"""The slot-weight method in numbers: weights, what is due, drawing gaps, and the walk over slots.

What it is about and where it comes from is reported in submission.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy

from schedlab.durations import DAY
from schedlab.workload.models.accasim.calendar import MONTH_DAYS, SLOTS_PER_DAY, YEAR

if TYPE_CHECKING:
    from collections.abc import Generator as Walk
    from collections.abc import Iterator

    from numpy.random import Generator

    from schedlab.durations import DAY
from schedlab.workload.models.accasim.calendar import Bins, Counts, Indices, Numbers

STRATA = 4_096
"""Gaps in a row that have the data's distribution, one of each quantile. BLOCK is a multiple."""

STEADYING_JOBS = 10.0
"""Added to what a bin has and to what is due, so that its first few jobs do not swing pr."""


class Cycles(NamedTuple):
    """Which cycles of the data a workload follows, and how long it is to last."""

    hours: bool
    weekdays: bool
    months: bool
    span_seconds: float


class Chunk(NamedTuple):
    """Slots in a row: weight, bins, and 1 by the product of the jobs due in these bins."""

    weights: list[float]
    hours: list[int]
    weekdays: list[int]
    months: list[int]
    inverse_due: list[float]


def slot_weight_walk(
    chunks: Iterator[Chunk], longest: float, cycles: Cycles
) -> Walk[list[float], list[float], None]:
    """Takes gaps in weights (`send`) and gives the places of the jobs, in slots from the first.

    The state is that of one pass: where the last job is, and how many each bin has.
    """
    # Bins of a cycle that is not followed count as 1 and stay so.
    hour_step, weekday_step, month_step = (
        1.0 if follows else 0.0 for follows in (cycles.hours, cycles.weekdays, cycles.months)
    )
    hour_jobs, weekday_jobs, month_jobs = (
        [STEADYING_JOBS if step else 1.0] * size
        for size, step in ((24, hour_step), (7, weekday_step), (12, month_step))
    )
    smallest = min(1.0, longest / 2) / longest  # s / v_max; s is one slot, but less than v_max
    adaptable = 1.0 - smallest
    weights, hours, weekdays, months, inverse_due = next(chunks)
    passed, slot, size = 0, 0, len(weights)
    left = weight = weights[0]
    hour, weekday, month, inverse = hours[0], weekdays[0], months[0], inverse_due[0]
    places: list[float] = []
    while True:
        gaps = yield places
        places = []
        add = places.append
        for gap in gaps:
            progress = hour_jobs[hour] * weekday_jobs[weekday] * month_jobs[month] * inverse
            v = gap * (smallest + adaptable * progress)
            if v > longest:
                v = longest
            if v >= left:
                while v >= left:
                    v -= left
                    slot += 1
                    if slot == size:
                        weights, hours, weekdays, months, inverse_due = next(chunks)
                        passed, slot, size = passed + size, 0, len(weights)
                    left = weights[slot]
                weight = left
                hour, weekday, month = hours[slot], weekdays[slot], months[slot]
                inverse = inverse_due[slot]
            left -= v
            hour_jobs[hour] += hour_step
            weekday_jobs[weekday] += weekday_step
            month_jobs[month] += month_step
            add(passed + slot + 1 - left / weight)


def slot_weights(counts: Counts, places: Bins, cycles: Cycles) -> Numbers:
    """Returns the weights of slots, 1 being that of each if all were equal."""
    weights = numpy.ones(len(places.slot))
    jobs = counts.jobs
    if cycles.hours:
        weights *= (counts.slots * (SLOTS_PER_DAY / jobs))[places.slot]
    if cycles.weekdays:
        weights *= (counts.weekdays * (7 / jobs))[places.weekday]
    if cycles.months:
        weights *= (counts.months / MONTH_DAYS * (YEAR / DAY / jobs))[places.month]
    return weights


def due_by_now(places: Indices, expected: Numbers, sums: Numbers) -> Numbers:
    """Returns, for each slot, what its bin should have by the middle of it.

    Args:
        places: Bin of each slot.
        expected: Jobs of each slot.
        sums: What each bin should have had before; brought up to the end of the slots.
    """
    due = numpy.empty(len(places))
    for place in range(len(sums)):
        chosen = places == place
        part = expected[chosen]
        if len(part):
            ends = sums[place] + numpy.cumsum(part)
            due[chosen] = ends - part / 2
            sums[place] = ends[-1]
    return due


def stratified(values: Numbers, count: int, random: Generator) -> Numbers:
    """Returns `count` of the sorted values, one of each quantile within STRATA in a row."""
    drawn = []
    for first in range(0, count, STRATA):
        strata = min(STRATA, count - first)
        order = numpy.argsort(random.random(strata), kind="stable")
        uniforms = (order + random.random(strata)) / strata
        drawn.append(values[(uniforms * len(values)).astype(numpy.int64)])
    return numpy.concatenate(drawn)


def exact_sum(values: Numbers) -> float:
    """Returns the sum, added one after the other: the same bits on every machine."""
    return float(numpy.cumsum(values)[-1]) if len(values) else 0.0
