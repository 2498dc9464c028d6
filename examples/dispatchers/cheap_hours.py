"""EASY in which each job waits for a time, within its patience, at which its power is cheap.

    schedlab run TRACE --system seth.toml --conditions tariff.toml
        --scheduler cheap_hours:CheapHours

in the folder of this file. The page docs/tutorials/energy-aware.md says more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import schedlab as sl
from schedlab.durations import DAY

HALF_HOUR = 1800
NIGHTS = {"price": {"times": [0, 21600, 79200], "values": [0.1, 0.3, 0.1], "every": DAY}}
"""Money per kWh: cheap from 22:00 to 6:00, for workloads that begin at midnight."""


class CheapHours(sl.Scheduler):
    """Holds jobs back for cheap hours, and is EASY for all others.

    A job looks at the first hours of its wait, in steps of half an hour, and takes the start with
    the lowest mean price over its estimate; of equal ones the earliest. Before that it is not
    looked at. Then it is a job like others, in order of submission, and may have to wait for room.

    Args:
        conditions: Where the series is from: a file, a dict or a Conditions. It is known in
            advance, as prices are on a day-ahead market.
        by: "price" or "carbon".
        patience: Seconds for which a job may be held back, at most.
        stretch: Nor is it held back for more than N times its estimate: short jobs have
            little to save, and much to lose.
        longest: Jobs with a longer estimate are never held back: they see cheap and dear hours
            whenever they start.
    """

    def __init__(
        self,
        conditions: Any = NIGHTS,
        by: str = "price",
        patience: float = 28800,
        stretch: float = 1.0,
        longest: float = DAY,
    ) -> None:
        self.series: sl.Series = getattr(sl.load_conditions(conditions), by)
        self.patience = patience
        self.stretch = stretch
        self.longest = longest
        self.starts: dict[int, float] = {}  # not before, by the numbers of waiting jobs

    def schedule(self, state: sl.State) -> Iterator[object]:
        """Starts jobs as EASY does, those that are held back aside."""
        head = None
        for job in state.queue:
            if self._is_held(job, state.now):
                continue
            if not state.machine.fits(job):
                head = job
                break
            yield self._leaving(job)
        if head is not None:
            reservation = state.reserve(head)
            for job in state.queue.fitting(behind=head):
                if not self._is_held(job, state.now) and reservation.allows(job):
                    yield self._leaving(job)
        to_come = [start for start in self.starts.values() if start > state.now]
        if to_come:
            yield sl.WakeAt(min(to_come))

    def get_state(self) -> dict[int, float]:
        """Returns what a saved simulation keeps of it: all but what it was made with."""
        return self.starts

    def set_state(self, state: dict[int, float]) -> None:
        """Takes that over."""
        self.starts = state

    def _is_held(self, job: sl.JobView, now: float) -> bool:
        """Returns whether the job's time has yet to come; chosen when it is first looked at."""
        if job.id not in self.starts:
            self.starts[job.id] = self._cheapest(job, now)
        return self.starts[job.id] > now

    def _leaving(self, job: sl.JobView) -> sl.JobView:
        del self.starts[job.id]
        return job

    def _cheapest(self, job: sl.JobView, now: float) -> float:
        """Returns the start with the lowest mean price, the earliest of equal ones."""
        patience = min(self.patience, self.stretch * job.estimate)
        left = int(job.submit + patience - now)
        if left <= 0 or job.estimate > self.longest:
            return now
        starts = [now + later for later in range(0, left + 1, HALF_HOUR)]
        length = max(job.estimate, 1)
        return min(starts, key=lambda start: round(self.series.mean(start, start + length), 9))
