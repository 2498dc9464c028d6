"""The fill phase: jobs that build the backlog that others wait for (ScSF, section 3.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars

from schedlab.errors import InputError

MOST_JOBS = 1_000_000


@dataclass(frozen=True)
class Fill:
    """Fill jobs that leave a backlog of some hours' work, and end one by one.

    The paper says that their size follows from a fixed time between them, the capacity of the
    system and the desired wait, and shows no formula. This is ours. With C processors, a
    fill job of c of them every i seconds and a wait of W seconds:

    - Jobs wait W behind a queue of W C core-seconds of work. But a machine that is full of regular
      jobs has work left in those that run, too: L C, where L, the mean time that running work has
      still to go, is E[c r^2] / (2 E[c r]) for jobs of c cores and r seconds. Where pressure keeps
      the submitted work in step with the machine, both must be there from the beginning, so the
      backlog is B = W + L seconds of the whole machine. With W alone, as the paper has it, the
      machine runs empty once the fill has ended and long jobs have taken up their share.
    - N = C / c jobs fill the machine, each starts when it is submitted, and the phase lasts
      F = N i seconds: the soft slope of figure 11.
    - All run for R seconds. So they end i seconds apart, too, and free c processors each time.
    - What is left of them at the end of the phase is the sum over k = 1 ... N of c (R - k i)
      = C (R - (N + 1) i / 2). It must be B C, so R = B + (N + 1) i / 2.
    - Each must still run at the end of the phase, or the machine would never be full: R >= N i.
      With N i <= B it does. So c = C i / B, rounded up to whole nodes: the smallest jobs, and so
      the smallest gaps to fill when one ends, whose slope is no longer than the backlog.

    First come, first served, jobs that follow wait about W. With backfilling small ones wait less;
    `schedlab workload tune` makes up for that.

    Attributes:
        processors: Of the machine, C.
        wait_seconds: That jobs are to wait, W.
        residual_seconds: That running work has still to go, L.
        interval_seconds: Between fill jobs, i.
        job_processors: Size of a fill job, c; None: calculated.
        node_processors: Calculated sizes are multiples of this.
    """

    processors: int
    wait_seconds: float
    residual_seconds: float = 0
    interval_seconds: float = 10
    job_processors: int | None = None
    node_processors: int = 1

    def __post_init__(self) -> None:
        """Raises InputError where no such jobs can be."""
        for name in ("processors", "wait_seconds", "interval_seconds", "node_processors"):
            number = getattr(self, name)
            if not 0 < number < math.inf:
                raise InputError(f"fill: {name} must be above 0, not {number!r}")
        if not 0 <= self.residual_seconds < math.inf:
            raise InputError(
                f"fill: residual_seconds must be 0 or more, not {self.residual_seconds!r}"
            )
        given = self.job_processors
        if given is not None and not 1 <= given <= self.processors:
            raise InputError(
                f"fill: job_processors must be from 1 to the {self.processors:,} of the machine, "
                f"not {given!r}"
            )
        if self.jobs > MOST_JOBS:
            raise InputError(
                f"fill: {self.jobs:,} jobs of {self.size:,} processors; at most {MOST_JOBS:,} are "
                "made: set a longer interval, or larger jobs"
            )
        if self.run_seconds < self.duration_seconds - self.interval_seconds:
            raise InputError(
                f"fill: {self.jobs:,} jobs, one every {self.interval_seconds:g} s, take longer to "
                f"fill the machine than the {self.run_seconds:g} s that each runs; set a shorter "
                "interval, or larger jobs"
            )

    @property
    def backlog_seconds(self) -> float:
        """What the whole machine has to do at the end of the phase, B."""
        return self.wait_seconds + self.residual_seconds

    @property
    def size(self) -> int:
        """Processors of a fill job."""
        if self.job_processors is not None:
            return self.job_processors
        least = self.processors * self.interval_seconds / self.backlog_seconds
        nodes = math.ceil(least / self.node_processors)
        return min(self.processors, nodes * self.node_processors)

    @property
    def jobs(self) -> int:
        """How many there are; the last takes what the others leave."""
        return -(-self.processors // self.size)

    @property
    def duration_seconds(self) -> float:
        """How long the phase lasts."""
        return self.jobs * self.interval_seconds

    @property
    def run_seconds(self) -> float:
        """How long each of them runs, R; a whole number."""
        return math.ceil(self.backlog_seconds + (self.jobs + 1) * self.interval_seconds / 2)

    def table(self) -> polars.DataFrame:
        """Returns the fill jobs; their requested time is their run time."""
        count, size = self.jobs, self.size
        sizes = np.full(count, float(size))
        sizes[-1] = self.processors - (count - 1) * size
        return polars.DataFrame(
            {
                "submit": np.arange(count) * float(self.interval_seconds),
                "run": np.full(count, float(self.run_seconds)),
                "requested_processors": sizes,
                "requested_time": np.full(count, float(self.run_seconds)),
            }
        )
