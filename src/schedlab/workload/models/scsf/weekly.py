"""The week of a log: how its rate of submissions goes up and down, and time that undoes it.

The paper draws gaps between submissions one by one, so nights and weekends are as busy as working
hours. A model with `arrivals="weekly"` measures the gaps on a clock that runs as fast as jobs came
in that hour of the week, and generated gaps are read off the same clock, backwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedlab.durations import DAY, HOUR, WEEK

if TYPE_CHECKING:
    from numpy.typing import NDArray

HOURS = WEEK // HOUR
FIRST_MONDAY = 4 * DAY
"""Unix time of the first Monday, 00:00 UTC: time 0 of generated workloads with a week."""


class WeeklyRate:
    """A clock that runs fast in busy hours of the week; a week is a week on both clocks.

    Args:
        counts: Jobs submitted in each hour of the week, from Monday, 00:00 UTC.
    """

    def __init__(self, counts: NDArray[np.int64]) -> None:
        self.counts = counts
        # One more each: an hour in which nobody ever submitted anything would stop the clock.
        rates = (counts + 1.0) / (counts + 1.0).mean()
        self._hours = np.arange(HOURS + 1) * float(HOUR)
        self._busy = np.concatenate(([0.0], np.cumsum(rates * HOUR)))
        self._busy[-1] = WEEK  # what rounding left

    @classmethod
    def of(cls, unix_times: NDArray[np.float64]) -> WeeklyRate:
        """Returns the week of jobs that were submitted at these Unix times."""
        hours = ((unix_times - FIRST_MONDAY) % WEEK // HOUR).astype(np.int64)
        return cls(np.bincount(hours, minlength=HOURS).astype(np.int64))

    def busy_time(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns what the clock shows at times since a Monday, 00:00 UTC."""
        weeks = np.floor(times / WEEK) * WEEK
        shown: NDArray[np.float64] = weeks + np.interp(times - weeks, self._hours, self._busy)
        return shown

    def time(self, busy: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns when the clock shows these times."""
        weeks = np.floor(busy / WEEK) * WEEK
        times: NDArray[np.float64] = weeks + np.interp(busy - weeks, self._busy, self._hours)
        return times
