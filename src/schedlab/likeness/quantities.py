"""The rows of a comparison's table: where each number is, and how people read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from schedlab.durations import duration_text

Facts = dict[str, Any]


REJECTED = "rejected jobs"
"""A row that is there only where there are some."""

UNITS_IN_LABELS = ("core-s", "GFLOP", "KB", "d", "points")
"""Units that stand with the name of a row."""


class Quantity(NamedTuple):
    """A row of the table.

    Attributes:
        section: What it is part of.
        name: What it is.
        unit: "s", "share", "points", or what is counted; "" for plain numbers.
        path: Keys under which a workload's facts have it.
    """

    section: str
    name: str
    unit: str
    path: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name, with its unit where the number itself does not say it."""
        return f"{self.name} ({self.unit})" if self.unit in UNITS_IN_LABELS else self.name

    def value(self, facts: Facts) -> float | None:
        """Returns the number of a workload; None where it has none."""
        found: Any = facts
        for key in self.path:
            found = found.get(key) if isinstance(found, dict) else None
        if found is None or found != found:
            return None
        return float(found)


GENERAL = (
    Quantity("workload", "jobs", "jobs", ("jobs",)),
    Quantity("workload", "time span", "s", ("submit", "span_seconds")),
    Quantity("workload", "jobs a day", "", ("submit", "jobs_per_day")),
    Quantity("workload", "cores of the machine", "cores", ("machine_cores",)),
    Quantity("workload", "offered load", "share", ("offered_load",)),
)

_DEVIATION = "shares of jobs: largest difference"
_DAILY, _WEEKLY = ("load", "daily"), ("load", "weekly")
_AUTO, _USERS, _RANK = ("autocorrelation",), ("users",), ("correlations",)

BEHAVIOUR = (
    Quantity(_DEVIATION, "by hour of the day", "points", ("calendar", "hour", "deviation")),
    Quantity(_DEVIATION, "by weekday", "points", ("calendar", "weekday", "deviation")),
    Quantity(_DEVIATION, "by month", "points", ("calendar", "month", "deviation")),
    Quantity("load over time", "daily: deviation / mean", "", (*_DAILY, "variation")),
    Quantity("load over time", "daily: autocorrelation 1 d", "", (*_DAILY, "autocorrelation", "1")),
    Quantity("load over time", "daily: autocorrelation 7 d", "", (*_DAILY, "autocorrelation", "7")),
    Quantity("load over time", "daily: below 1/e after", "d", (*_DAILY, "correlation_lag")),
    Quantity("load over time", "weekly: deviation / mean", "", (*_WEEKLY, "variation")),
    Quantity(
        "load over time", "weekly: autocorrelation 7 d", "", (*_WEEKLY, "autocorrelation", "1")
    ),
    Quantity("autocorrelation", "jobs per hour, 1 h later", "", (*_AUTO, "next_hour")),
    Quantity("autocorrelation", "jobs per hour, daily peak", "", (*_AUTO, "daily_peak")),
    Quantity("autocorrelation", "jobs per hour, 7 d later", "", (*_AUTO, "weekly_peak")),
    Quantity("autocorrelation", "inter-arrival, next job", "", (*_AUTO, "next_interarrival")),
    Quantity("autocorrelation", "run time, next job", "", (*_AUTO, "next_run_time")),
    Quantity("users", "users", "users", (*_USERS, "users")),
    Quantity("users", "jobs of the top user", "share", (*_USERS, "top_shares", "1")),
    Quantity("users", "jobs of the top 5", "share", (*_USERS, "top_shares", "5")),
    Quantity("users", "jobs of the top 10", "share", (*_USERS, "top_shares", "10")),
    Quantity("users", "sessions", "sessions", (*_USERS, "sessions", "count")),
    Quantity("users", "jobs in a session, mean", "jobs", (*_USERS, "sessions", "jobs", "mean")),
    Quantity("users", "jobs like the user's last", "share", (*_USERS, "repeated_share")),
    Quantity("rank correlation", "cores, run time", "", (*_RANK, "cores_and_run_time")),
    Quantity(
        "rank correlation", "requested, run time", "", (*_RANK, "requested_time_and_run_time")
    ),
    Quantity("rank correlation", "cores, requested", "", (*_RANK, "cores_and_requested_time")),
)


def quantities(workloads: Sequence[Facts]) -> list[Quantity]:
    """Returns the rows for these workloads: those for which one of them has a number."""
    rows = list(GENERAL)
    titles: dict[str, tuple[str, str]] = {}
    schedulers: dict[str, None] = {}
    for facts in workloads:
        for name, values in facts["characteristics"].items():
            titles.setdefault(name, (values["title"], values["unit"]))
        schedulers.update(dict.fromkeys(facts["simulated"] or ()))
    for name, (title, unit) in titles.items():
        path = ("characteristics", name)
        rows += [
            Quantity(title, "mean", unit, (*path, "mean")),
            Quantity(title, "median", unit, (*path, "median")),
            Quantity(title, "90 % are below", unit, (*path, "p90")),
            Quantity(title, "KS distance", "KS", (*path, "ks")),
        ]
    rows += BEHAVIOUR
    for scheduler in schedulers:
        rows += _simulated(scheduler)
    return [row for row in rows if any(_is_known(row, facts) for facts in workloads)]


def _is_known(row: Quantity, facts: Facts) -> bool:
    value = row.value(facts)
    return bool(value) if row.name == REJECTED else value is not None


def _simulated(scheduler: str) -> list[Quantity]:
    section, path = f"simulated under {scheduler}", ("simulated", scheduler)
    slowdown = (*path, "bounded_slowdown")
    return [
        Quantity(section, "wait, mean", "s", (*path, "wait", "mean")),
        Quantity(section, "wait, median", "s", (*path, "wait", "median")),
        Quantity(section, "wait, 95 % are below", "s", (*path, "wait", "p95")),
        Quantity(section, "bounded slowdown, mean", "", (*slowdown, "mean")),
        Quantity(section, "bounded slowdown, median", "", (*slowdown, "median")),
        Quantity(section, "bounded slowdown, 95 %", "", (*slowdown, "p95")),
        Quantity(section, "utilization", "share", (*path, "utilization", "core")),
        Quantity(section, REJECTED, "jobs", (*path, "counts", "rejected")),
    ]


def value_text(value: float | None, unit: str) -> str:
    """Returns a number of that unit as people read it; `-` for None."""
    if value is None:
        return "-"
    if unit == "s":
        return duration_text(value)
    if unit == "share":
        return f"{value:.1%}"
    if unit == "points":
        return f"{100 * value:.1f}"
    if unit == "KS":
        return f"{value:.3f}"
    if abs(value) >= 1e7:
        return f"{value:.3g}"
    if value.is_integer() and unit:
        return f"{value:,.0f}"
    text = f"{value:,.2f}" if abs(value) < 1000 else f"{value:,.0f}"
    return "0.00" if text == "-0.00" else text
