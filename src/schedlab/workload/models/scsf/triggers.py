"""Triggers: when something is inserted into a generated workload (ScSF, section 3.4).

A trigger of your own is a class with `next_time`. Times are seconds since the beginning of the
experiment phase. Each generated workload works on a copy of its triggers, so what one remembers
does not carry over to the next.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

NEVER = math.inf
ROUNDING = 1e-12
"""By which decimal shares that add up to 1 may miss it."""


class Submitted(NamedTuple):
    """What was submitted since the experiment phase began.

    Attributes:
        now: Seconds since then.
        core_seconds: Of all jobs.
        own_core_seconds: Of what the trigger itself inserted.
        withheld_core_seconds: Of the regular jobs that gave way to insertions; None where they are
            submitted.
    """

    now: float
    core_seconds: float
    own_core_seconds: float
    withheld_core_seconds: float | None = None


class Trigger:
    """Base of a trigger of your own, and of all built-in ones."""

    def begin(self, random: np.random.Generator) -> None:
        """Prepares a new workload.

        Args:
            random: Random numbers of the workload's seed; draw uniform ones alone.
        """

    def next_time(self, submitted: Submitted) -> float:
        """Returns when it goes off next, now or later; `NEVER` if it does not.

        It is asked after each insertion and, if it answered with a time up to now or has
        `watches`, at each submission. A time that is over counts as now.
        """
        raise NotImplementedError(f"{type(self).__name__} must define next_time()")

    def fired(self, time: float) -> None:
        """Takes notice that it went off."""

    watches: bool = False
    """Whether what others submit changes its answer."""


class Periodic(Trigger):
    """Goes off every N seconds.

    Args:
        period: Seconds from one time to the next.
        first: When it goes off first.
    """

    def __init__(self, period: float, first: float = 0) -> None:
        if not 0 < period < math.inf or not 0 <= first < math.inf:
            raise InputError(f"a period must be above 0, and begin at 0 or later, not {period!r}")
        self.period, self.first = period, first
        self._times = 0

    def next_time(self, submitted: Submitted) -> float:
        """Returns the next multiple of the period."""
        return self.first + self._times * self.period

    def fired(self, time: float) -> None:
        """Counts."""
        self._times += 1


class Alarm(Trigger):
    """Goes off at given times.

    Args:
        times: One or several, in any order.
    """

    def __init__(self, times: float | Iterable[float]) -> None:
        given = [times] if isinstance(times, (int, float)) else list(times)
        if not all(0 <= time < math.inf for time in given):
            raise InputError(f"alarms must be at 0 or later, not {given!r}")
        self._left = sorted(given, reverse=True)

    def next_time(self, submitted: Submitted) -> float:
        """Returns the first time that is left."""
        return self._left[-1] if self._left else NEVER

    def fired(self, time: float) -> None:
        """Takes the time off."""
        self._left.pop()


class ReprogrammableAlarm(Trigger):
    """Goes off once at the time it is set to, and again when it is set again.

    A subclass may set it in `fired`, or a pattern that holds it, as it inserts something.

    Args:
        time: When it goes off first; None: not before it is set.
    """

    watches = True  # whoever sets it does so between two submissions

    def __init__(self, time: float | None = None) -> None:
        self._time = NEVER
        if time is not None:
            self.program(time)

    def program(self, time: float) -> None:
        """Sets the next time, in place of the one it was set to."""
        if not 0 <= time < math.inf:
            raise InputError(f"an alarm must be at 0 or later, not {time!r}")
        self._time = time

    def next_time(self, submitted: Submitted) -> float:
        """Returns the time it is set to."""
        return self._time

    def fired(self, time: float) -> None:
        """Is off until it is set again."""
        self._time = NEVER


class RandomTrigger(Trigger):
    """Goes off at random, independent of before: exponential times with a given mean.

    Args:
        mean: Seconds between two times, on average.
    """

    def __init__(self, mean: float) -> None:
        if not 0 < mean < math.inf:
            raise InputError(f"the mean time between two must be above 0, not {mean!r}")
        self.mean = mean
        self._random: np.random.Generator | None = None
        self._time = NEVER

    def begin(self, random: np.random.Generator) -> None:
        """Draws the first time."""
        self._random, self._time = random, 0.0
        self.fired(0.0)

    def next_time(self, submitted: Submitted) -> float:
        """Returns the time that was drawn last."""
        return self._time

    def fired(self, time: float) -> None:
        """Draws the next time."""
        assert self._random is not None
        self._time += -self.mean * math.log1p(-float(self._random.random()))


class ShareOfWork(Trigger):
    """Goes off as long as what it inserted is less than a share of all core-hours.

    Where the shares of a workload add up to 1, its regular jobs give way: they are drawn, but not
    submitted in the experiment phase, and as much work is inserted in their place.

    Args:
        share: Above 0, at most 1.
    """

    watches = True

    def __init__(self, share: float) -> None:
        if not 0 < share <= 1:
            raise InputError(
                f"a share of core-hours must be above 0 and at most 1, not {share!r}; "
                "1 is all of them"
            )
        self.share = share

    def next_time(self, submitted: Submitted) -> float:
        """Returns now where the share is not reached."""
        withheld = submitted.withheld_core_seconds
        whole = submitted.core_seconds if withheld is None else withheld
        return submitted.now if submitted.own_core_seconds < self.share * whole else NEVER


def shares_are_all(triggers: Iterable[Trigger]) -> bool:
    """Returns whether shares of work leave nothing for regular jobs.

    Raises:
        InputError: They add up to more than there is.
    """
    total = math.fsum(one.share for one in triggers if isinstance(one, ShareOfWork))
    if total > 1 + ROUNDING:
        raise InputError(f"shares of core-hours add up to {total:g}; they must not exceed 1")
    return total >= 1 - ROUNDING
