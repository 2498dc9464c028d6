"""What one workload is like, in numbers: everything a comparison sets beside another's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from schedlab.durations import DAY, HOUR, WEEK
from schedlab.workload.header import date_text, time_zone, unix_start
from schedlab.workload.local_time import (
    jobs_by_hour,
    jobs_by_month,
    jobs_by_weekday,
    local_seconds,
)
from schedlab.workload.statistics import (
    autocorrelation,
    rank_correlation,
    series_facts,
    spread,
    sums_per_period,
    user_activity,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schedlab.analysis.workload_columns import WorkloadColumns

    Numbers = NDArray[numpy.float64]


LONGEST_SPAN = 200 * 365 * DAY
"""Seconds; a log that lasts longer has an absurd time in it, and no load over time is reported."""

JOB_LAGS, HOUR_LAGS = 100, 14 * 24
"""How far autocorrelations go: in jobs, and in hours."""

DAY_LAGS = (1, 7)
"""Whose autocorrelation of the daily load is reported, in days."""


class Characteristic(NamedTuple):
    """Something every job has a value of, and its distribution.

    Attributes:
        name: Key in JSON.
        title: As people read it.
        unit: "s", "cores", "core-s", "GFLOP", "KB", or a resource's name.
        values: Of all jobs that have one.
    """

    name: str
    title: str
    unit: str
    values: Numbers


class Profile:
    """A workload's statistics.

    Args:
        columns: The workload.
        cores: Of the machine it is for; None where that is not known.
        performance: GFLOP a second of one unit of each resource; None: work is in core-seconds.

    Attributes:
        columns: The workload.
        cores: Of the machine.
        characteristics: Distributions by name.
        facts: Everything else, as nested dicts of plain values.
    """

    def __init__(
        self,
        columns: WorkloadColumns,
        cores: float | None = None,
        performance: Mapping[str, float] | None = None,
    ) -> None:
        self.columns, self.cores = columns, cores
        self.characteristics = _characteristics(columns, performance)
        self.start = unix_start(columns.header)
        self.zone, self.zone_name = time_zone(dict(columns.header))
        submit = columns.submit
        self.span = float(submit[-1] - submit[0]) if columns.jobs else 0.0
        self.core_seconds = numpy.maximum(columns.work(), 0.0)
        self.facts: dict[str, Any] = {
            "label": columns.label,
            "path": columns.source.path,
            "jobs": columns.jobs,
            "rows": columns.rows,
            "skipped": {reason: rows["rows"] for reason, rows in columns.skipped.items()},
            "submit": self._submit(),
            "machine_cores": cores,
            "offered_load": self._offered_load(),
            "calendar": self._calendar(),
            "load": {"daily": self._load(DAY, DAY_LAGS), "weekly": self._load(WEEK, (1,))},
            "autocorrelation": self._autocorrelation(),
            "users": self._users(),
            "correlations": self._correlations(),
        }

    @property
    def label(self) -> str:
        """Name in tables and plots."""
        return self.columns.label

    def _submit(self) -> dict[str, Any]:
        jobs, submit = self.columns.jobs, self.columns.submit
        dates: list[str | None] = [None, None]
        if self.start is not None and jobs:
            dates = [date_text(self.start + float(submit[i]), self.zone) for i in (0, -1)]
        return {
            "first_date": dates[0],
            "last_date": dates[1],
            "time_zone": self.zone_name if self.start is not None else None,
            "span_seconds": self.span,
            "jobs_per_day": jobs / (self.span / DAY) if self.span > 0 else None,
        }

    def _offered_load(self) -> float | None:
        """Core-seconds over those that the machine has from the first submission to the last."""
        if self.cores is None or self.span <= 0:
            return None
        return float(self.core_seconds.sum()) / (self.cores * self.span)

    def load_per(self, period: float) -> Numbers:
        """Returns the load of each whole period: cores' worth, or shares of the machine if known.

        None for a workload without jobs, or of an absurd span.
        Work counts where it is submitted, not where it runs, which no scheduler has decided yet.
        """
        if self.span >= LONGEST_SPAN:
            return numpy.zeros(0)
        sums = sums_per_period(self.columns.submit, self.core_seconds, period)
        return sums / period / (self.cores or 1.0)

    def _load(self, period: float, lags: tuple[int, ...]) -> dict[str, Any]:
        values = self.load_per(period)
        return {**series_facts(values, lags), "values": [float(value) for value in values]}

    def _calendar(self) -> dict[str, list[int] | None]:
        """Jobs by hour, weekday and month; without a date of time 0, by hour since then alone."""
        submit = self.columns.submit
        if self.start is None:
            hours = [int(count) for count in jobs_by_hour(submit)]
            return {"hour": hours, "weekday": None, "month": None}
        local = local_seconds(submit + self.start, self.zone)
        return {
            name: [int(count) for count in counts(local)]
            for name, counts in (
                ("hour", jobs_by_hour),
                ("weekday", jobs_by_weekday),
                ("month", jobs_by_month),
            )
        }

    def _autocorrelation(self) -> dict[str, Any]:
        """Of inter-arrival and run times as logarithms, which no single giant decides."""
        by_job = {}
        for name in ("interarrival", "run_time"):
            values = numpy.log1p(self.characteristics[name].values)
            by_job[name] = [float(value) for value in autocorrelation(values, JOB_LAGS)]
        hours = autocorrelation(sums_per_period(self.columns.submit, None, HOUR), HOUR_LAGS)
        around = hours[20:29]  # the daily peak, if there is one, need not be at 24 h to the hour
        return {
            **by_job,
            "jobs_per_hour": [float(value) for value in hours],
            "daily_peak": float(around.max()) if len(around) == 9 else None,
            "weekly_peak": float(hours[7 * 24]) if len(hours) > 7 * 24 else None,
        }

    def _users(self) -> dict[str, Any] | None:
        named = self.columns.user >= 0
        if not named.any():
            return None
        columns = (self.columns.submit, self.columns.cores, self.columns.requested)
        submit, cores, requested = (column[named] for column in columns)
        return user_activity(self.columns.user[named], submit, cores, requested)

    def _correlations(self) -> dict[str, float | None]:
        columns = {
            "cores": self.columns.cores,
            "run_time": self.columns.run,
            "requested_time": self.columns.requested,
        }
        found = {}
        for a, b in (
            ("cores", "run_time"),
            ("requested_time", "run_time"),
            ("cores", "requested_time"),
        ):
            known = (columns[a] > 0) & (columns[b] > 0)
            found[f"{a}_and_{b}"] = rank_correlation(columns[a][known], columns[b][known])
        return found


def _characteristics(
    columns: WorkloadColumns, performance: Mapping[str, float] | None
) -> dict[str, Characteristic]:
    """Returns the distributions of a workload; memory and resources only where jobs have some."""
    work = columns.work(performance)
    listed = [
        Characteristic("interarrival", "inter-arrival time", "s", numpy.diff(columns.submit)),
        Characteristic("run_time", "run time", "s", columns.run[columns.run >= 0]),
        Characteristic("cores", "cores", "cores", columns.cores[columns.cores > 0]),
        Characteristic(
            "requested_time", "requested time", "s", columns.requested[columns.requested > 0]
        ),
        Characteristic("work", "work", "GFLOP" if performance else "core-s", work[work >= 0]),
    ]
    if (columns.memory > 0).any():
        memory = columns.memory[columns.memory > 0]
        listed.append(Characteristic("memory", "memory per processor", "KB", memory))
    for kind, taken in columns.amounts.items():
        if kind != "core" and (taken > 0).any():
            # All jobs: whether a job takes any of it is part of what it is like.
            listed.append(Characteristic(kind, kind, kind, numpy.maximum(taken, 0.0)))
    return {one.name: one for one in listed}


def distribution_facts(one: Characteristic) -> dict[str, Any]:
    """Returns a distribution as plain values."""
    return {"title": one.title, "unit": one.unit, **spread(one.values)}
