"""Half-hour slots of the calendar, as people at the machine saw them."""

from __future__ import annotations

from datetime import tzinfo
from typing import NamedTuple

import numpy

from schedlab.durations import DAY
from schedlab.errors import InputError
from schedlab.workload.local_time import local_seconds, offset_at

SLOT = 1_800
"""Seconds of a slot."""

SLOTS_PER_DAY = 48
YEAR = 365.2425 * DAY

MONTH_DAYS = numpy.array((31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31))
"""Days of each month, over many years."""

THURSDAY = 3
"""Of 1 January 1970; 0 is Monday."""

LAST_MOMENT = 253_401_955_200
"""Unix time, days before the year 9999 ends; no calendar reaches much further."""

BLOCK = 4_096
"""Jobs that are read, or generated, together: what they take is memory for a moment only."""

Numbers = numpy.ndarray[tuple[int], numpy.dtype[numpy.float64]]
Indices = numpy.ndarray[tuple[int], numpy.dtype[numpy.int64]]
Flags = numpy.ndarray[tuple[int], numpy.dtype[numpy.bool_]]


class Bins(NamedTuple):
    """Where moments lie in the day, the week and the year.

    Attributes:
        slot: Half hour of the day, 0 to 47.
        weekday: 0 is Monday.
        month: 0 is January.
    """

    slot: Indices
    weekday: Indices
    month: Indices


def bins(moments: Numbers | Indices, zone: tzinfo) -> Bins:
    """Returns where Unix times lie in the local calendar of a zone.

    Raises:
        InputError: A time lies beyond the year 9999, or before 1970.
    """
    if len(moments) and not (moments.min() >= 0 and moments.max() < LAST_MOMENT):
        raise InputError("dates must lie between the years 1970 and 9999; is UnixStartTime right?")
    local = local_seconds(numpy.floor(moments), zone).astype(numpy.int64)
    days = local // DAY
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(numpy.int64)
    return Bins(local % DAY // SLOT, (days + THURSDAY) % 7, months % 12)


def slot_start(moment: float, zone: tzinfo) -> int:
    """Returns when the local half hour of a Unix time began."""
    return int(moment) - (int(moment) + int(offset_at(int(moment), zone))) % SLOT


class Counts:
    """Jobs by half hour of the day, weekday and month.

    Attributes:
        zone: Time zone of the calendar.
        jobs: How many were counted.
        slots, weekdays, months: Of each bin.
    """

    def __init__(self, zone: tzinfo) -> None:
        self.zone = zone
        self.jobs = 0
        self.slots, self.weekdays, self.months = (
            numpy.zeros(size, numpy.int64) for size in (SLOTS_PER_DAY, 7, 12)
        )

    def add(self, moments: Numbers) -> None:
        """Counts jobs that were submitted at Unix times."""
        for first in range(0, len(moments), BLOCK):
            part = bins(moments[first : first + BLOCK], self.zone)
            for counts, places in zip((self.slots, self.weekdays, self.months), part, strict=True):
                counts += numpy.bincount(places, minlength=len(counts))
        self.jobs += len(moments)

    @property
    def hours(self) -> Indices:
        """Jobs by hour of the day."""
        return self.slots[0::2] + self.slots[1::2]

    def shares(self) -> dict[str, Numbers]:
        """Returns the share of the jobs in each bin, for hour, weekday and month."""
        jobs = max(1, self.jobs)
        counts = {"hour": self.hours, "weekday": self.weekdays, "month": self.months}
        return {name: count / jobs for name, count in counts.items()}
