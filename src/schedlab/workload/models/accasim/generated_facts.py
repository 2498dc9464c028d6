"""What can be said of a generated workload: counted while it is written, beside the data."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy

from schedlab.workload.models.accasim.calendar import Counts
from schedlab.workload.models.accasim.target_machine import CORE, serial_cores
from schedlab.workload.table import TASK

if TYPE_CHECKING:
    import polars

    from schedlab.workload.models.accasim.calendar import Numbers
    from schedlab.workload.models.accasim.original import Original
    from schedlab.workload.models.accasim.target_machine import Limits, Machine
    from schedlab.workload.writer import Writer

QUANTILES = 4_096
"""Points at which the distribution of GFLOP is compared with the data's."""

ROUNDING = 0.006
"""Run times below 100 s have thousandths, the others are whole seconds: GFLOP are off by half a per
cent at most where a job runs for 0.1 s or longer."""


class Quantiles(NamedTuple):
    """Numbers that half of the jobs, nine in ten, 99 in a hundred, and all jobs do not exceed."""

    median: float
    ninety: float
    ninety_nine: float
    largest: float


class Generated(NamedTuple):
    """What was written.

    Attributes:
        path: Of the file.
        jobs: How many.
        span_seconds: From the first submission to the last.
        rate: Jobs a day, relative to the data.
        serial_share: Share of serial jobs.
        hour_deviation: Largest difference to the data's share of jobs in any hour of the day, in
            percentage points.
        weekday_deviation: The same for weekdays; None where the data are shorter than a week.
        month_deviation: The same for months; None where the data have no whole year.
        work_distance: Kolmogorov-Smirnov distance of the GFLOP of jobs to the data's, at 4,096
            quantiles of the data, where values that differ by 0.6 % or less count as equal.
        nodes: Of the jobs.
        original_nodes: Nodes of its machine that jobs of the data take at least.
        size_distance: Kolmogorov-Smirnov distance of the cores of jobs to the data's.
        losses: What the format cannot hold, and how many jobs have it.
        notes: What to know of the file, as sentences.
    """

    path: str
    jobs: int
    span_seconds: float
    rate: float
    serial_share: float
    hour_deviation: float
    weekday_deviation: float | None
    month_deviation: float | None
    work_distance: float
    nodes: Quantiles
    original_nodes: Quantiles
    size_distance: float
    losses: dict[str, int]
    notes: list[str]


class Yardstick:
    """What generated jobs are compared with: shares and quantiles of the data."""

    def __init__(self, original: Original) -> None:
        self.zone = original.zone
        self.shares = original.counts.shares()
        self.has_weeks, self.has_years = original.has_weeks, original.has_years
        self.mean_gap = original.mean_gap_seconds
        ordered = numpy.sort(original.work)
        chosen = numpy.linspace(0, len(ordered) - 1, QUANTILES).astype(numpy.int64)
        # A little above values that many jobs have: rounded run times move none of them across.
        self.points = numpy.unique(ordered[chosen]) * (1 + ROUNDING)
        self.below = numpy.searchsorted(ordered, self.points, side="right") / len(ordered)
        self.nodes = Sizes()
        self.nodes.add(original.nodes)
        self.cores = Sizes()
        self.cores.add(original.cores)


class Sizes:
    """How many jobs have each size."""

    def __init__(self) -> None:
        self._jobs: Counter[float] = Counter()

    def add(self, sizes: Numbers) -> None:
        """Counts jobs of these sizes."""
        values, counts = numpy.unique(sizes, return_counts=True)
        self._jobs.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))

    def quantiles(self) -> Quantiles:
        """Returns what shares of the jobs do not exceed."""
        values = numpy.array(sorted(self._jobs))
        sums = numpy.cumsum([self._jobs[value] for value in values.tolist()])
        places = numpy.searchsorted(sums, numpy.array((0.5, 0.9, 0.99, 1.0)) * sums[-1])
        return Quantiles(*values[numpy.minimum(places, len(values) - 1)].tolist())

    def distance(self, other: Sizes) -> float:
        """Returns the Kolmogorov-Smirnov distance to other sizes."""
        values = sorted(self._jobs | other._jobs)
        shares = [
            numpy.cumsum([one._jobs[value] for value in values]) / one._jobs.total()
            for one in (self, other)
        ]
        return float(numpy.abs(shares[0] - shares[1]).max())


class Tally:
    """Counts of generated jobs."""

    def __init__(self, yardstick: Yardstick, machine: Machine, limits: Limits) -> None:
        self._data, self._machine = yardstick, machine
        self._serial_cores = serial_cores(machine, limits)
        self._counts = Counts(yardstick.zone)
        self._serial = 0
        self._last = 0.0
        self._nodes, self._cores = Sizes(), Sizes()
        self._below = numpy.zeros(len(yardstick.points) + 1, numpy.int64)

    def add(self, table: polars.DataFrame, start: int) -> None:
        """Counts the jobs of a table; `start` is the Unix time of its time 0."""
        submit = table["submit"].to_numpy()
        self._counts.add(submit + start)
        self._last = float(submit[-1])
        request = {
            name.removeprefix(TASK): table[name].to_numpy()
            for name in table.columns
            if name.startswith(TASK)
        }
        nodes = table["tasks"].to_numpy()
        self._nodes.add(nodes)
        self._cores.add(nodes * request[CORE])
        single = (nodes == 1) & (request[CORE] <= self._serial_cores)
        self._serial += int(numpy.count_nonzero(single))
        work = table["run"].to_numpy() * nodes * self._machine.power(request)
        places = numpy.searchsorted(self._data.points, work)
        self._below += numpy.bincount(places, minlength=len(self._below))

    def facts(self, made: Writer, jobs: int) -> Generated:
        """Returns what the counts say of a file."""
        data, ours = self._data, self._counts.shares()
        deviation = {
            name: 100 * float(numpy.abs(data.shares[name] - ours[name]).max()) for name in ours
        }
        shares = numpy.cumsum(self._below)[:-1] / jobs
        return Generated(
            path=made.path,
            jobs=jobs,
            span_seconds=self._last,
            rate=data.mean_gap * (jobs - 1) / self._last if self._last else float("inf"),
            serial_share=self._serial / jobs,
            hour_deviation=deviation["hour"],
            weekday_deviation=deviation["weekday"] if data.has_weeks else None,
            month_deviation=deviation["month"] if data.has_years else None,
            work_distance=float(numpy.abs(shares - data.below).max()),
            nodes=self._nodes.quantiles(),
            original_nodes=data.nodes.quantiles(),
            size_distance=data.cores.distance(self._cores),
            losses=dict(made.losses),
            notes=made.notes,
        )
