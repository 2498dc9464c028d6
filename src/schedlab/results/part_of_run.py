"""A phase of a run as a result of its own: what plots and tables take, without the other phases."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import polars

from schedlab.durations import HOUR
from schedlab.errors import InputError
from schedlab.results.result import Result
from schedlab.results.summary import summary_of

MEASURES = ("wait", "slowdown", "bounded_slowdown", "turnaround")


def phase_windows(result: Result) -> dict[str, tuple[float, float]]:
    """Returns when each phase of a generated workload begins and ends, by name.

    As the header of the workload gives. A phase without end, because a number of jobs ended the
    workload, ends with the last submission.

    Raises:
        InputError: The workload has no phases.
    """
    listed = result.run["workload"]["header"].get("Phases", "")
    windows: dict[str, tuple[float, float]] = {}
    for part in listed.split(","):
        try:
            name, begin, end = part.split()
            windows[name] = (float(begin), float(end))
        except ValueError:
            raise InputError(
                f"{result.path}: its workload has no phases; generate one with "
                "schedlab workload generate model"
            ) from None
    if windows and max(windows.values())[1] == float("inf"):
        name, (begin, _) = max(windows.items(), key=lambda item: item[1])
        last = result.jobs.select(polars.col("submit").max()).collect().item()
        windows[name] = (begin, max(begin, float(last)))
    return windows


class PartOfRun(Result):
    """The jobs of a run that were submitted in one phase, and the timeline while it lasted.

    Counts and metrics are those of these jobs. Utilization is the share of the machine in use while
    the phase lasted, whoever used it; makespan and throughput are of the phase, too.

    Attributes:
        phase_name: Its name.
        begin: When it begins.
        end: When it ends.
    """

    def __init__(self, whole: Result, phase: str) -> None:
        windows = phase_windows(whole)
        if phase not in windows:
            raise InputError(f'{whole.path}: has no phase "{phase}", but {", ".join(windows)}')
        self.phase_name = phase
        self.begin, self.end = windows[phase]
        super().__init__(whole.path, whole.run, whole._keep)
        self.run = {**whole.run, **self._facts(), "phase": phase}

    def _scan(self, name: str) -> polars.LazyFrame:
        frame = super()._scan(name)
        if name == "jobs":
            return frame.filter(
                polars.col("submit").is_between(self.begin, self.end, closed="left")
            )
        inside = frame.filter(polars.col("time").is_between(self.begin, self.end, closed="none"))
        before = frame.filter(polars.col("time") <= self.begin).tail(1)  # what holds at its begin
        start = polars.lit(self.begin).alias("time")
        return polars.concat([before.with_columns(start), inside], how="vertical_relaxed")

    def _facts(self) -> dict[str, Any]:
        """Returns the counts, metrics and times of the phase, as run.json has those of a run."""
        columns = ("state", "submit", "start", "end", *MEASURES[:-1])
        jobs = self.jobs.select(*columns).collect()
        jobs = jobs.with_columns((polars.col("end") - polars.col("submit")).alias("turnaround"))
        states = dict(jobs["state"].value_counts().iter_rows())
        ran = jobs.filter(polars.col("end").is_not_null() & polars.col("start").is_not_null())
        length = self.end - self.begin
        return {
            "counts": {
                **dict.fromkeys(self.run["counts"], 0),
                **states,
                "submitted": jobs.height,
            },
            "metrics": {
                **{name: summary_of(ran[name]) for name in MEASURES},
                "utilization": self._utilization(),
                "makespan": length,
                "throughput_per_hour": ran.height * HOUR / length if length else 0.0,
            },
            "time": {**self.run["time"], "first_submit": self.begin, "last_end": self.end},
        }

    def _utilization(self) -> dict[str, float]:
        points = self.timeline.collect()
        times = [*points["time"].to_list(), self.end]
        lengths = polars.Series([later - time for time, later in pairwise(times)])
        whole = self.end - self.begin
        return {
            kind: float((points[f"{kind}_used"] * lengths).sum()) / (total * whole)
            if total and whole and points.height
            else 0.0
            for kind, total in self.run["system"]["capacity"].items()
        }
