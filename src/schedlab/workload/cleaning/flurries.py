"""Flurries: bursts of one user far above what anyone else does.

D. G. Feitelson and D. Tsafrir, "Workload sanitation for performance evaluation", ISPASS 2006, call
so the bursts of very high activity by a single user that dominate a log for a while and say nothing
of other times or sites. They look for them in plots; the archive's cleaned logs name those that it
took out in their headers. The algorithm here is ours: it compares a user's bursts with those of the
other busy users, and with what the user does at other times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy
import polars

from schedlab.durations import HOUR
from schedlab.errors import InputError
from schedlab.workload.cleaning.rule import CleaningRule, Finding, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from schedlab.workload.cleaning.rule import Log

    Whole = NDArray[numpy.int64]

WINDOWS = {24: "a day", 168: "a week", 672: "four weeks"}
"""Hours of the windows in which jobs are counted."""

NOTABLE = 0.2
"""Share of a log from which on people should look at what goes."""

FARTHEST = 2**33
"""Hours: times beyond are not times, but must not overflow."""


class Flurry(NamedTuple):
    """A burst of one user, from the first of its hours to the last."""

    user: float
    first_hour: int
    last_hour: int
    jobs: int
    evidence: str


class Flurries(CleaningRule):
    """Takes out bursts of one user.

    Jobs are counted by user and hour. A window is a day, a week or four weeks that begin with an
    hour in which the user submits. All jobs of the user in a window go, if they are

    - at least `jobs`,
    - at least `share` of all jobs in that window,
    - at least `factor` times the peak of a busy user. A user's peak is the most jobs that it has in
      any window of that length; the peak of a busy user is the one at place `place` of all users,
    - at least `factor` times what the same user has on average in such windows over all days of
      the log on which anyone submits. So a user who always has many jobs has no flurry.

    No more than `place` - 1 users can have flurries of one length, and a log in which many users
    come in bursts has none: there, that is how the machine is used. Jobs without a user stay.

    Args:
        factor: How far above the peak of a busy user, and above the user's own mean.
        share: Of all jobs in the window.
        jobs: Least number of jobs.
        place: Which user's peak is that of a busy user, from the highest.
    """

    name = "flurries"

    def __init__(
        self, factor: float = 2, share: float = 0.3, jobs: int = 200, place: int = 5
    ) -> None:
        within(self.name, "factor", factor, 1, 1e6)
        within(self.name, "share", share, 0, 1)
        within(self.name, "jobs", jobs, 1, 1e15)
        within(self.name, "place", place, 2, 1e6)
        if place != int(place):
            raise InputError(f"rule flurries: place must be a whole number, not {place}")
        self.factor, self.share, self.jobs, self.place = factor, share, jobs, int(place)
        self.found: list[Flurry] = []
        self._counts: list[polars.DataFrame] = []

    def survey(self, jobs: polars.DataFrame) -> None:
        self._counts.append(
            jobs.select("user", hour=_hour())
            .group_by("user", "hour")
            .agg(jobs=polars.len().cast(polars.Int64))
        )
        if len(self._counts) == 64:  # so that a long log takes no more memory than its hours
            self._counts = [_summed(self._counts)]

    def settle(self, log: Log) -> None:
        if not log.rows:
            return
        counts = _summed(self._counts).sort("user", "hour")
        self._counts = []
        activity = _Activity(counts)
        if activity.users < self.place:
            self.notes = (
                f"known users: {activity.users}, too few to distinguish flurries from ordinary "
                "work",
            )
            return
        windows, texts = {}, {}
        for hours, length in WINDOWS.items():
            busy = activity.peak_at(hours, self.place)
            least = max(self.jobs, self.factor * busy)
            windows[hours] = activity.windows(hours, least, self.share, self.factor)
            texts[hours] = f"{busy:,} in {length}"
        self.found = activity.flurries(windows, texts)
        share = sum(flurry.jobs for flurry in self.found) / max(1, log.rows)
        if share > NOTABLE:
            self.notes = (
                f"flurries are {share:.0%} of all jobs: perhaps these users are the workload; "
                "without this rule they stay (--no-flurries)",
            )

    def find(self, jobs: polars.DataFrame) -> Iterator[Finding]:
        if not self.found:
            return
        hours, users = jobs.select(_hour()).to_series().to_numpy(), jobs["user"].to_numpy()
        for user in dict.fromkeys(flurry.user for flurry in self.found):
            own = [flurry for flurry in self.found if flurry.user == user]
            first = numpy.array([flurry.first_hour for flurry in own])
            last = numpy.array([flurry.last_hour for flurry in own])
            which = numpy.searchsorted(first, hours, "right") - 1
            inside = (users == user) & (which >= 0) & (hours <= last[which])
            if inside.any():
                texts = polars.Series([flurry.evidence for flurry in own])
                evidence = texts.gather(polars.Series(which.clip(0)))
                yield Finding(f"flurry of user {user:g}", polars.Series(inside), evidence)


class _Activity:
    """Jobs by user and hour: cells, sorted by user, then by hour."""

    def __init__(self, counts: polars.DataFrame) -> None:
        hours = counts.group_by("hour").agg(polars.col("jobs").sum()).sort("hour")
        self._hours: Whole = hours["hour"].to_numpy()
        self._jobs_until = _running_sum(hours["jobs"].to_numpy())
        self._days = len(numpy.unique(self._hours // 24))
        known = counts.filter(polars.col("user") >= 0)
        self._user = known["user"].to_numpy()
        self._hour: Whole = known["hour"].to_numpy()
        self._until = _running_sum(known["jobs"].to_numpy())
        # One number for user and hour, so that one search finds hours of one user only.
        starts = numpy.flatnonzero(numpy.diff(self._user, prepend=-1.0))
        self._starts = starts
        self.users = len(starts)
        self._number = numpy.repeat(
            numpy.arange(self.users), numpy.diff(starts, append=len(self._user))
        )
        self._stride = int(self._hours[-1] - self._hours[0]) + 1 + max(WINDOWS)
        self._key: Whole = self._number * self._stride + (self._hour - self._hours[0])

    def _jobs_within(self, hours: int) -> Whole:
        """Returns for each cell how many jobs its user has in the window that begins with it."""
        end = numpy.searchsorted(self._key, self._key + hours)
        within: Whole = self._until[end] - self._until[:-1]
        return within

    def peak_at(self, hours: int, place: int) -> int:
        """Returns the peak of the user at some place, from the highest."""
        peaks = numpy.maximum.reduceat(self._jobs_within(hours), self._starts)
        return int(numpy.sort(peaks)[-place])

    def windows(self, hours: int, least: float, share: float, factor: float) -> NDArray[numpy.intp]:
        """Returns the cells with which windows begin that have enough jobs of their user.

        Args:
            hours: Length of the windows.
            least: How many are enough.
            share: Of all jobs in the window, which they must be, too.
            factor: Times the user's own mean, likewise.
        """
        own = self._jobs_within(hours)
        first = numpy.searchsorted(self._hours, self._hour)
        end = numpy.searchsorted(self._hours, self._hour + hours)
        everybody = self._jobs_until[end] - self._jobs_until[first]
        of_user = numpy.diff(self._until[[*self._starts, len(self._user)]])[self._number]
        mean = of_user * min(1.0, hours / (24 * self._days))
        return numpy.flatnonzero(
            (own >= least) & (own >= share * everybody) & (own >= factor * mean)
        )

    def flurries(
        self, windows: dict[int, NDArray[numpy.intp]], texts: dict[int, str]
    ) -> list[Flurry]:
        """Returns the bursts that windows make up which touch one another.

        Args:
            windows: Cells with which windows begin, by their hours.
            texts: What a busy user has in windows of a number of hours.
        """
        spans = sorted(
            (int(self._key[cell]), int(self._key[cell]) + hours, hours)
            for hours, cells in windows.items()
            for cell in cells
        )
        joined: list[tuple[int, int, set[int]]] = []
        for start, end, hours in spans:
            # Windows of different users are never so near: see the stride.
            if joined and start < joined[-1][1]:
                begun, ended, lengths = joined.pop()
                joined.append((begun, max(end, ended), lengths | {hours}))
            else:
                joined.append((start, end, {hours}))
        return [
            self._flurry(start, end, ", ".join(texts[hours] for hours in sorted(lengths)))
            for start, end, lengths in joined
        ]

    def _flurry(self, start: int, end: int, busy: str) -> Flurry:
        first, behind = (int(cell) for cell in numpy.searchsorted(self._key, [start, end]))
        jobs = int(self._until[behind] - self._until[first])
        user, first_hour = float(self._user[first]), int(self._hour[first])
        last_hour = int(self._hour[behind - 1])
        span = numpy.searchsorted(self._hours, [first_hour, last_hour + 1])
        everybody = int(self._jobs_until[span[1]] - self._jobs_until[span[0]])
        evidence = (
            f"one of {jobs:,} jobs of user {user:g} from {first_hour * HOUR:.0f} s to "
            f"{(last_hour + 1) * HOUR:.0f} s, {jobs / everybody:.0%} of all then; "
            f"a busy user has at most {busy}"
        )
        return Flurry(user, first_hour, last_hour, jobs, evidence)


def _hour() -> polars.Expr:
    return (polars.col("submit") / HOUR).floor().clip(-FARTHEST, FARTHEST).cast(polars.Int64)


def _summed(counts: list[polars.DataFrame]) -> polars.DataFrame:
    return polars.concat(counts).group_by("user", "hour").agg(polars.col("jobs").sum())


def _running_sum(numbers: Whole) -> Whole:
    """Returns the sums of none, the first, the first two, and so on."""
    return numpy.concatenate([[0], numpy.cumsum(numbers)]).astype(numpy.int64)
