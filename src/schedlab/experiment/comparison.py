"""What came of an experiment: its tables, its runs, and how dispatchers differ."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import polars

from schedlab.analysis.groups import RunGroup
from schedlab.errors import InputError
from schedlab.experiment.differences import COLUMNS, difference_table, sentence
from schedlab.experiment.folder import RUNS, read_description
from schedlab.experiment.metrics_tables import GROUP, summary_of
from schedlab.experiment.side_by_side import KEYS
from schedlab.experiment.stored_files import check_run_name, read_csv, scan_jobs
from schedlab.results import Result


class Comparison:
    """The results of an experiment, read when asked.

    Attributes:
        path: The folder.
        description: What experiment.json holds: what was asked, versions, checksums, runs.
    """

    def __init__(self, path: str, description: dict[str, Any]) -> None:
        self.path = path
        self.description = description

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        """Returns what came of the experiment in a folder.

        Raises:
            InputError: There is none, or it has no tables yet.
        """
        folder = os.fsdecode(path)
        description = read_description(folder)
        if description.get("tables") is None:
            raise InputError(
                f"{folder}: the experiment is running, or was killed; the same command continues "
                "with it"
            )
        return cls(folder, description)

    @property
    def status(self) -> str:
        """`complete`, or `partial`: interrupted, or with runs that failed."""
        return str(self.description["status"])

    @property
    def failures(self) -> list[tuple[str, str]]:
        """Name and reason of each run that failed."""
        return [(one["run"], one["reason"]) for one in self.description["failures"]]

    @property
    def dispatchers(self) -> list[str]:
        """Names of the dispatchers, in the order in which they were given."""
        return [one["name"] for one in self.description["dispatchers"]]

    @property
    def labels(self) -> dict[str, str]:
        """What tables for people call the dispatchers, by name: without what is always the same."""
        return {one["name"]: one["label"] for one in self.description["dispatchers"]}

    @property
    def inputs(self) -> list[tuple[str, str]]:
        """Names of workload and system, for each pair of them."""
        return [
            (workload["name"], system["name"])
            for workload in self.description["workloads"]
            for system in self.description["systems"]
        ]

    @cached_property
    def metrics(self) -> polars.DataFrame:
        """One row per run: which one, its jobs, waits, slowdowns, utilization, queue."""
        return read_csv(self.path, "metrics", self.description)

    @cached_property
    def timing(self) -> polars.DataFrame:
        """One row per run: time and memory that its simulation took."""
        return read_csv(self.path, "timing", self.description)

    @cached_property
    def summary(self) -> polars.DataFrame:
        """One row per group of repetitions: mean and deviation of what `metrics` has."""
        return read_csv(self.path, "summary", self.description)

    @cached_property
    def timing_summary(self) -> polars.DataFrame:
        """One row per group of repetitions: mean and deviation of what `timing` has."""
        return summary_of(self.timing)

    def jobs(self, column: str = "wait") -> polars.DataFrame:
        """Returns one row per job, and one column per dispatcher with its value of this column.

        Args:
            column: "wait", "slowdown", "bounded_slowdown" or "turnaround".
        """
        if column not in COLUMNS:
            raise InputError(f'column: unknown "{column}"; known: {", ".join(COLUMNS)}')
        names = [f"{column}:{name}" for name in self.dispatchers]
        lazy = self._jobs_file
        known = lazy.collect_schema().names()
        labels = {
            f"{column}:{name}": label
            for name, label in self.labels.items()
            if f"{column}:{name}" in known
        }
        frame = lazy.select(*KEYS, *(name for name in names if name in known)).collect()
        same = [key for key, count in self._counts().items() if count == 1]
        return frame.rename(labels).drop(same)

    def _counts(self) -> dict[str, int]:
        return {
            "workload": len(self.description["workloads"]),
            "system": len(self.description["systems"]),
        }

    @cached_property
    def _jobs_file(self) -> polars.LazyFrame:
        return scan_jobs(self.path, self.description)

    def differences(
        self, baseline: str | None = None, column: str | None = "wait"
    ) -> polars.DataFrame:
        """Returns how each dispatcher differs from a baseline, with intervals of 95 %.

        Args:
            baseline: Name or label of a dispatcher; None: that of the experiment.
            column: "wait", "slowdown", "bounded_slowdown" or "turnaround"; None: all of them.
        """
        if column is not None and column not in COLUMNS:
            raise InputError(f'column: unknown "{column}"; known: {", ".join(COLUMNS)}')
        chosen = find_dispatcher(baseline, self.description["dispatchers"])
        columns = COLUMNS if column is None else (column,)
        if baseline is None or chosen == self.description["baseline"]:
            written = read_csv(self.path, "differences", self.description)
            return written.filter(polars.col("column").is_in(columns))
        groups = self.metrics.select(GROUP[:3]).unique(maintain_order=True)
        return difference_table(self._jobs_file.collect(), groups.rows(), chosen, columns)

    def sentences(self, baseline: str | None = None, column: str = "wait") -> list[str]:
        """Returns the differences as sentences: `easy beats fifo on mean wait by 41 % [38, 44]`."""
        labels = self.labels
        place = [key for key, count in self._counts().items() if count > 1]
        lines = []
        for row in self.differences(baseline, column).iter_rows(named=True):
            where = ", ".join(row[key] for key in place)
            lines.append(f"{where}: " * bool(where) + sentence(row, labels))
        return lines

    @cached_property
    def groups(self) -> list[RunGroup]:
        """The runs by workload, system and dispatcher; labels leave out what is the same."""
        labels, counts = self.labels, self._counts()
        results: dict[tuple[str, ...], list[Result]] = {}
        for row in self.metrics.select(*GROUP[:3], "run").iter_rows(named=True):
            place = [row[key] for key in ("workload", "system") if counts[key] > 1]
            key = (", ".join([labels[row["dispatcher"]], *place]), *place)
            results.setdefault(key, []).append(self.result(row["run"]))
        return [RunGroup(key[0], tuple(found)) for key, found in results.items()]

    def result(self, run: str) -> Result:
        """Returns the result of a run by its name, as `metrics` has it."""
        check_run_name(run, "run")
        return Result.load(os.path.join(self.path, RUNS, *run.split("/")))

    def _repr_html_(self) -> str:
        """Returns the dispatchers beside each other, for notebooks."""
        from schedlab.experiment.overview import as_html

        return as_html(self)

    def __repr__(self) -> str:
        runs = len(self.description["runs"])
        return f"Comparison({self.path!r}, {runs} runs, {self.status})"


def find_dispatcher(given: str | None, dispatchers: list[dict[str, Any]]) -> str:
    """Returns the name of the dispatcher that a name, a label or a scheduler stands for.

    Raises:
        InputError: There is none, or more than one.
    """
    if given is None:
        return str(dispatchers[0]["name"])
    for key in ("name", "label", "scheduler"):
        found = [one["name"] for one in dispatchers if one[key] == given]
        if len(found) == 1:
            return str(found[0])
    names = ", ".join(one["name"] for one in dispatchers)
    raise InputError(f'baseline: "{given}" is not one of the dispatchers: {names}')
