"""Hours, weekdays and months of many moments at once, by the clocks of the place.

Zones are those of the machine, as for `Clock`. The tables of polars end in 2099 and differ in EET
and WET: with them, a plot could show another hour than the date beside it.
"""

from __future__ import annotations

from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy

from schedlab.durations import DAY, HOUR

if TYPE_CHECKING:
    from datetime import tzinfo

    from numpy.typing import ArrayLike, NDArray

    Numbers = NDArray[numpy.float64]

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

EARLIEST, LATEST = -62_135_510_400, 253_402_214_400
"""Unix times of the second day that Python's calendar has, and of the last but one."""


MOST_YEARS = 100


def local_seconds(moments: ArrayLike, zone: tzinfo) -> Numbers:
    """Returns what clocks and calendars of a zone show at Unix times, as seconds since 1970.

    Right to the second also on days when clocks are changed. Beyond the years 1 to 9999 there are
    no zones, and the times are given back as they are.

    Args:
        moments: Unix times, in any order.
        zone: Such as ZoneInfo("Europe/Stockholm").
    """
    array = numpy.asarray(moments, numpy.float64)
    local = array.copy()
    inside = (array >= EARLIEST) & (array < LATEST)
    days, index = numpy.unique(numpy.floor(array[inside] / DAY), return_inverse=True)
    before, after = numpy.empty(len(days)), numpy.empty(len(days))
    change = numpy.full(len(days), numpy.inf)
    for place, day in enumerate(days):
        start = int(day) * DAY
        before[place], after[place] = offset_at(start, zone), offset_at(start + DAY, zone)
        if before[place] != after[place]:
            change[place] = _change(start, start + DAY, zone)
    chosen = array[inside]
    local[inside] = chosen + numpy.where(chosen < change[index], before[index], after[index])
    return local


def offset_at(moment: int, zone: tzinfo) -> float:
    """Returns how many seconds a zone is ahead of UTC at a Unix time."""
    # From UTC, because the zone itself is not asked how to count from 1970 there.
    there = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment)).astimezone(zone)
    return (there.utcoffset() or timedelta()).total_seconds()


def _change(first: int, last: int, zone: tzinfo) -> int:
    """Returns the first second after `first` and up to `last` with the offset of `last`."""
    offset, moments = offset_at(last, zone), range(first + 1, last + 1)
    return moments[bisect_left(moments, True, key=lambda one: offset_at(one, zone) == offset)]


def offsets_of(zone: tzinfo, first: float, last: float) -> list[list[int]]:
    """Returns pairs: from which Unix time on a zone is how many seconds ahead of UTC.

    Looked at once a week, and at most a hundred years: no zone changes its clocks for less.
    """
    moment = max(int(first), EARLIEST)
    end = min(int(last), LATEST, moment + MOST_YEARS * 366 * DAY)
    found = [[moment, int(offset_at(moment, zone))]]
    while moment < end:
        following = min(moment + 7 * DAY, end)
        offset = int(offset_at(following, zone))
        if offset != found[-1][1]:
            found.append([_change(moment, following, zone), offset])
        moment = following
    return found


def jobs_by_hour(local: Numbers) -> NDArray[numpy.int64]:
    """Returns how many moments lie in each of the 24 hours of the day."""
    return numpy.bincount((local // HOUR % 24).astype(numpy.int64), minlength=24)


def jobs_by_weekday(local: Numbers) -> NDArray[numpy.int64]:
    """Returns how many moments lie on Monday, Tuesday and so on to Sunday."""
    # The first day of 1970 was a Thursday.
    return numpy.bincount(((local // DAY + 3) % 7).astype(numpy.int64), minlength=7)


def jobs_by_month(local: Numbers) -> NDArray[numpy.int64]:
    """Returns how many moments lie in January, February and so on; none beyond the calendar."""
    inside = local[(local >= EARLIEST) & (local < LATEST)]
    days = (inside // DAY).astype("datetime64[D]")
    return numpy.bincount(days.astype("datetime64[M]").astype(numpy.int64) % 12, minlength=12)
