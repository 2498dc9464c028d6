"""When regular jobs are submitted: as drawn, or so that job pressure stays between two bounds.

Job pressure is the work that was submitted over what the machine can do in the time since
(ScSF, section 3.4): P(t) = core-seconds submitted / (t x processors). Below the low bound, further
jobs are submitted at the same time until it is reached; from the high bound on, a submission time
passes without its job.

The paper does not say whether the job that comes is part of P(t). It is not, here: else large jobs
would be discarded more often than small ones, and the workload would not be the model's any more.
So a discarded job is one that was never drawn. Time counts from the end of the fill phase, whose
work does not count either: with it, no job would be submitted until the backlog had gone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedlab.workload.models.scsf.inserted import Inserted
    from schedlab.workload.models.scsf.insertion import Inserter


class Submissions(NamedTuple):
    """What became of some jobs that were drawn.

    Attributes:
        times: When the jobs are submitted, those left out that gave way.
        withheld: Which gave way to insertions, by their place among the jobs.
        inserted: What was inserted, each with the number of submitted jobs before it.
    """

    times: list[float]
    withheld: list[int]
    inserted: list[tuple[int, Inserted]]


class Pacer:
    """Gives regular jobs their submit times, and inserts what else is due.

    Args:
        arrivals: Submit times as drawn, in order, from 0 on; it need not end.
        end: Nothing is submitted from here on.
        low: Least core-seconds that must have been submitted per second, 0 for no bound.
        high: From N on, submissions pass; infinity for no bound.
        inserter: Of workflows and the like.
        first_job: The number of the first job.

    Attributes:
        time: Of the last submission.
        work: Core-seconds that were submitted.
        discarded: Submission times that passed without a job.
        ended: Whether `end` is reached.
        next_job: The number of the next job.
    """

    def __init__(
        self,
        arrivals: Iterator[float],
        end: float,
        low: float,
        high: float,
        inserter: Inserter,
        first_job: int = 1,
    ) -> None:
        self._arrivals, self._end, self._low, self._high = arrivals, end, low, high
        self._inserter = inserter
        self.time, self.work = 0.0, 0.0
        self.discarded = 0
        self.ended = False
        self.next_job = first_job

    def submits(self, works: list[float]) -> Submissions:
        """Returns the submit times of the next jobs, fewer if the end comes first.

        Args:
            works: Core-seconds of the jobs.
        """
        submits: list[float] = []
        withheld: list[int] = []
        inserted: list[tuple[int, Inserted]] = []
        arrivals, end, low, high = self._arrivals, self._end, self._low, self._high
        time, work, alarm = self.time, self.work, self._inserter.alarm
        limited, gives_way = high < math.inf, self._inserter.withheld is not None
        for number, amount in enumerate(works):
            while work >= low * time:  # else one more job at the same time
                time = next(arrivals, end)
                if time >= alarm:
                    self.work = work
                    self._insert(min(time, end), len(submits), inserted)
                    work, alarm = self.work, self._inserter.alarm
                if time >= end:
                    self.ended = True
                    break
                if not limited or work < high * time or not work:
                    break
                self.discarded += 1
            if self.ended:
                break
            if gives_way and self._inserter.gives_way(time, amount):
                withheld.append(number)
                self.work = work
                self._insert(time, len(submits), inserted)
                work, alarm = self.work, self._inserter.alarm
                continue
            submits.append(time)
            work += amount
        self.time, self.work = time, work
        self.next_job += len(submits)
        return Submissions(submits, withheld, inserted)

    def _insert(self, now: float, submitted: int, inserted: list[tuple[int, Inserted]]) -> None:
        # Numbers of jobs go up with submission; those of this block are counted at its end.
        for one in self._inserter.due(now, self.work, self.next_job + submitted):
            inserted.append((submitted, one))
            self.work += one.footprint.core_seconds
            self.next_job += one.footprint.jobs
