"""Workloads compared: how similar the others are to the real one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars

import schedlab
from schedlab.analysis.workload_profile import Profile, distribution_facts
from schedlab.likeness.quantities import quantities
from schedlab.results.json_text import to_json
from schedlab.workload.statistics import ks_distance, largest_deviation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = 1
"""Of comparison.json; a change that breaks its readers counts it up."""


class Likeness:
    """A comparison of workloads, the real one first.

    Attributes:
        profiles: The workloads: their columns, distributions and statistics.
        facts: Everything compared, as nested dicts of plain values.
    """

    def __init__(
        self,
        profiles: list[Profile],
        simulated: list[dict[str, dict[str, Any]]],
        bins: Mapping[str, float | Sequence[float]],
    ) -> None:
        self.profiles = profiles
        self._bins = bins
        self.facts: dict[str, Any] = {
            "format": FORMAT,
            "schedlab": schedlab.__version__,
            "real": profiles[0].label,
            "bins": {
                name: width if isinstance(width, (int, float)) else list(width)
                for name, width in bins.items()
            },
            "workloads": [
                self._workload(profile, runs)
                for profile, runs in zip(profiles, simulated, strict=True)
            ],
        }
        self.facts["notes"] = self._notes()

    @property
    def labels(self) -> list[str]:
        """Names of the workloads, the real one first."""
        return [profile.label for profile in self.profiles]

    @property
    def workloads(self) -> list[dict[str, Any]]:
        """Facts of each workload, the real one first."""
        listed: list[dict[str, Any]] = self.facts["workloads"]
        return listed

    @property
    def table(self) -> polars.DataFrame:
        """A row for each quantity, a column for each workload; seconds, shares and plain numbers.

        Beside the workloads' own columns: `section`, `quantity` and `unit`.
        """
        rows = quantities(self.workloads)
        columns: dict[str, Any] = {
            "section": [row.section for row in rows],
            "quantity": [row.name for row in rows],
            "unit": [row.unit for row in rows],
        }
        for label, facts in zip(self.labels, self.workloads, strict=True):
            values = [row.value(facts) for row in rows]
            name = f"{label} " if label in columns else label  # one that is called "unit"
            columns[name] = polars.Series(values, dtype=polars.Float64)
        return polars.DataFrame(columns)

    def json(self) -> str:
        """Returns all facts as JSON."""
        return to_json(self.facts)

    def plot(self, name: str, file: str | os.PathLike[str] | None = None, **options: Any) -> Figure:
        """Returns a figure, and writes it to a file if one is named.

        Args:
            name: One of `schedlab.analysis.plots.workloads.PLOTS`, such as "distributions".
            file: Ends in .png, .svg or .pdf. It appears when it is whole.
            options: `size` in inches, `dpi`, `title`.

        Raises:
            InputError: There is no such plot, or nothing of what it shows.
        """
        from schedlab.analysis.plots.workloads import draw

        return draw(name, self.profiles, self.workloads, file, **options)

    def write(self, folder: str | os.PathLike[str], formats: Iterable[str] = ("png",)) -> list[str]:
        """Writes comparison.json, table.csv, the plots and overview.html; returns the files' names.

        Args:
            folder: Is made if it is not there.
            formats: Of the plots: "png", "svg", "pdf"; () for none.
        """
        from schedlab.likeness.comparison_folder import write_folder

        return write_folder(self, os.fsdecode(folder), tuple(formats))

    def _workload(self, profile: Profile, runs: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """Returns the facts of a workload, with its distances from the real one."""
        real = self.profiles[0]
        facts = dict(profile.facts)
        facts["characteristics"] = {}
        for name, one in profile.characteristics.items():
            facts["characteristics"][name] = distribution_facts(one)
            distance = None
            if profile is not real and name in real.characteristics:
                others = real.characteristics[name].values
                found = ks_distance(others, one.values, self._bins.get(name))
                distance = found if found == found else None
            facts["characteristics"][name]["ks"] = distance
        facts["calendar"] = {}
        for name, jobs in profile.facts["calendar"].items():
            before = real.facts["calendar"][name]
            # Hours since an unknown time 0 are not those of a day.
            comparable = jobs and before and (profile.start is None) == (real.start is None)
            known = profile is not real and comparable and sum(jobs) and sum(before)
            deviation = largest_deviation(jobs, before) if known else None
            facts["calendar"][name] = {"jobs": jobs, "deviation": deviation}
        series = profile.facts["autocorrelation"]
        facts["autocorrelation"] = {
            **series,
            "next_hour": _next(series["jobs_per_hour"]),
            "next_interarrival": _next(series["interarrival"]),
            "next_run_time": _next(series["run_time"]),
        }
        facts["simulated"] = runs
        return facts

    def _notes(self) -> list[str]:
        """Returns what the reader of the numbers should know."""
        notes = []
        for profile, facts in zip(self.profiles, self.workloads, strict=True):
            label, columns = profile.label, profile.columns
            for count, what in (
                (sum(facts["skipped"].values()), "that cannot be read: left out"),
                (facts["rows"] - facts["jobs"], "without submit time: left out"),
                (columns.unsorted, "submitted before the row above: sorted"),
            ):
                if count:
                    notes.append(f"{label}: {count:,} row{'s' * (count > 1)} {what}")
            notes += [f"{label}: {notice}" for notice in columns.source.notices]
            if profile.start is None:
                notes.append(f"{label}: no UnixStartTime in its header: hours count from time 0")
            if facts["jobs"] and not facts["load"]["daily"]["periods"]:
                notes.append(f"{label}: spans centuries, so no load over time is reported")
            for scheduler, run in facts["simulated"].items():
                rejected = run["counts"]["rejected"]
                if rejected:
                    notes.append(
                        f"{label} under {scheduler}: {rejected:,} "
                        f"job{'s' * (rejected > 1)} rejected: larger than {run['system']}"
                    )
        if len({profile.start is None for profile in self.profiles}) > 1:
            notes.append("hours of the day are compared only between workloads with a known date")
        return notes


def _next(series: list[float]) -> float | None:
    return series[1] if len(series) > 1 else None
