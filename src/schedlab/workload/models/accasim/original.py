"""The workload that generated ones are to be like: the columns of it that are learnt from."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy

from schedlab.durations import DAY, WEEK
from schedlab.errors import InputError
from schedlab.workload.header import time_zone, unix_start
from schedlab.workload.models.accasim.calendar import YEAR, Counts
from schedlab.workload.models.accasim.target_machine import CORE
from schedlab.workload.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    import polars

    from schedlab.workload.models.accasim.calendar import Flags, Numbers
    from schedlab.workload.models.accasim.target_machine import Machine

FEW_JOBS = 1_000
"""Below this AccaSim refuses to learn; schedlab warns."""

LONGEST_SPAN = 200 * YEAR


class Original:
    """What the parts of a generator learn from.

    Attributes:
        name: Of the file, or of the reader.
        zone: Time zone of its header, UTC where it gives none.
        zone_header: The same as lines of a header.
        jobs: Rows that have a submit time.
        moments: Unix time at which each was submitted, sorted.
        counts: The same by half hour, weekday and month.
        run, processors, requested_time: Of the rows with run time and processors; -1: not given.
        users: Jobs of each (user, group).
        machine_nodes: Nodes of its machine.
        skipped: Rows that could not be used, by reason.
        warnings: What a user should know of it, as sentences.
    """

    def __init__(
        self,
        reader: Reader,
        machine: Machine,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Reads a workload; `machine` is the one it ran on."""
        self.name = str(reader.path or reader)
        self.users: Counter[tuple[int, int]] = Counter()
        self.skipped: Counter[str] = Counter()
        self.warnings: list[str] = []
        submit, run, processors, requested = self._read(reader, progress)
        for reason, rows in reader.skipped.items():
            self.skipped[reason] += rows["rows"]
        self.warnings += [f"{self.name}: {notice}" for notice in reader.notices]
        self._set_moments(submit, reader.header, machine.start_time)
        self.run, self.processors, self.requested_time = run, processors, requested
        if not len(run):
            raise InputError(f"{self.name}: no row has both a run time and processors")
        self._processor_power = machine.processor_power
        self.machine_nodes = machine.nodes
        self._processors_per_node = machine.processors_per_node
        self._cores_of_processor = machine.processor[CORE]
        if self.jobs < FEW_JOBS:
            self.warnings.append(
                f"{self.name} has {self.jobs:,} jobs only: what is generated may not be typical"
            )

    def _read(
        self, reader: Reader, progress: Callable[[int], None] | None
    ) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        parts: list[list[Numbers]] = [[], [], [], []]
        rows = 0
        for table in reader.tables():
            for columns, column in zip(parts, self._columns(table), strict=True):
                columns.append(column)
            rows += table.height
            if progress is not None:
                progress(rows)
        whole = []
        while parts:  # one column after the other, so that little is in memory twice
            whole.append(numpy.concatenate(parts.pop(0) or [numpy.empty(0)]))
        submit, run, processors, requested = whole
        return submit, run, processors, requested

    def _columns(self, table: polars.DataFrame) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        submit, run, allocated, requested_processors, requested = (
            table[name].to_numpy()
            for name in (
                *("submit", "run", "allocated_processors"),
                *("requested_processors", "requested_time"),
            )
        )
        processors = numpy.where(requested_processors > 0, requested_processors, allocated)
        known = submit >= 0
        usable = known & (run >= 0) & (processors > 0)
        self.skipped["no submit time"] += int(numpy.count_nonzero(~known))
        self.skipped["no run time or no processors"] += int(numpy.count_nonzero(known & ~usable))
        users, groups = (
            table[name].to_numpy()[known].astype(numpy.int64).tolist() for name in ("user", "group")
        )
        self.users.update(zip(users, groups, strict=True))
        return submit[known], run[usable], processors[usable], requested[usable]

    def _set_moments(self, submit: Numbers, header: dict[str, str], start_time: int) -> None:
        self.jobs = len(submit)
        if self.jobs < 2:
            raise InputError(f"{self.name}: {self.jobs} jobs; at least 2 are needed to learn from")
        start = unix_start(header)
        if start is None:
            start = start_time
            if not start:
                self.warnings.append(
                    f"{self.name} has no UnixStartTime: hours of the day are counted from time 0"
                )
        self.zone, _ = time_zone(header)
        self.zone_header = _zone_header(self.zone)
        submit.sort()
        submit += start
        self.moments = submit
        first, last = self.moments[0], self.moments[-1]
        if last - first > LONGEST_SPAN:
            raise InputError(f"{self.name}: its jobs span more than 200 years")
        if last - first < 1:
            raise InputError(f"{self.name}: all jobs are submitted within the same second")
        try:
            self.counts = Counts(self.zone)
            self.counts.add(self.moments)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None

    @property
    def serial(self) -> Flags:
        """Which jobs ran on one processor."""
        return numpy.equal(self.processors, 1)

    @property
    def work(self) -> Numbers:
        """GFLOP of each job: run time x processors x GFLOPS of one processor."""
        return self.run * self.processors * self._processor_power

    @property
    def cores(self) -> Numbers:
        """Cores of each job."""
        return self.processors * self._cores_of_processor

    @property
    def nodes(self) -> Numbers:
        """How many nodes of its machine each job takes at least; all, if it says more."""
        nodes = numpy.ceil(self.processors / self._processors_per_node)
        return numpy.minimum(nodes, self.machine_nodes)

    @property
    def has_weeks(self) -> bool:
        """Whether it lasts so long that shares of weekdays say something."""
        return self.span_seconds >= WEEK

    @property
    def has_years(self) -> bool:
        """The same for months: a year, with jobs in all of its months."""
        return self.span_seconds >= 365 * DAY and bool(self.counts.months.all())

    @property
    def span_seconds(self) -> float:
        """From the first submission to the last."""
        return float(self.moments[-1] - self.moments[0])

    @property
    def mean_gap_seconds(self) -> float:
        """Mean time from one submission to the next."""
        return self.span_seconds / (self.jobs - 1)


def _zone_header(zone: tzinfo) -> dict[str, str]:
    name = getattr(zone, "key", None)
    if name is not None:
        return {"TimeZoneString": name}
    offset = zone.utcoffset(None)
    return {"TimeZone": str(int(offset.total_seconds()))} if offset else {"TimeZoneString": "UTC"}
