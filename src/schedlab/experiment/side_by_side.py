"""The jobs of several dispatchers side by side: one row per job, one column per dispatcher."""

from __future__ import annotations

from typing import Any

import numpy
import polars
from numpy.typing import NDArray

from schedlab.experiment.bootstrap import Numbers
from schedlab.experiment.differences import COLUMNS
from schedlab.results import Result

KEYS = {
    "workload": polars.String,
    "system": polars.String,
    "job_id": polars.Int64,
    "user": polars.Int64,
    "submit": polars.Float64,
    "tasks": polars.Int64,
}
_OF_JOB = ("user", "submit", "tasks")


def side_by_side(
    groups: list[tuple[str, str, str, list[Result]]],
) -> polars.DataFrame:
    """Returns a row per job and a column such as `wait:easy+first-fit` per dispatcher and value.

    Values are means over the repetitions in which the job ran; null where it ran in none.

    Args:
        groups: Workload, system, dispatcher, and the repetitions.
    """
    tables: dict[tuple[str, str], _JobsOfDispatchers] = {}
    names: dict[str, None] = {}
    for workload, system, dispatcher, results in groups:
        jobs = tables.setdefault((workload, system), _JobsOfDispatchers())
        for repetition, result in enumerate(results, 1):
            jobs.add(dispatcher, result, repetition)
        names.update(dict.fromkeys(f"{column}:{dispatcher}" for column in COLUMNS if results))
    schema = {**KEYS, **dict.fromkeys(names, polars.Float64)}
    frames = [table.frame(*key, list(names)) for key, table in tables.items()]
    return polars.concat(frames).select(*schema) if frames else polars.DataFrame(schema=schema)


class _JobsOfDispatchers:
    """The jobs of one workload on one system, and the mean values of each dispatcher."""

    def __init__(self) -> None:
        self._ids = numpy.zeros(0, numpy.int64)  # ascending
        self._of_job = {name: numpy.zeros(0) for name in _OF_JOB}
        self._means: dict[str, Numbers] = {}
        self._counts: dict[str, NDArray[numpy.int64]] = {}

    def add(self, dispatcher: str, result: Result, repetition: int) -> None:
        """Takes in a repetition of a dispatcher."""
        turnaround = (polars.col("end") - polars.col("submit")).alias("turnaround")
        frame = result.jobs.with_columns(turnaround).select("job_id", *_OF_JOB, *COLUMNS).collect()
        ids = frame["job_id"].to_numpy()
        self._extend(ids, frame)
        places = numpy.searchsorted(self._ids, ids)
        for column in COLUMNS:
            values = numpy.full(len(self._ids), numpy.nan)
            values[places] = frame[column].fill_null(float("nan")).to_numpy()
            self._add_values(f"{column}:{dispatcher}", values)

    def _add_values(self, name: str, values: Numbers) -> None:
        if name not in self._means:
            self._means[name] = values
            self._counts[name] = (~numpy.isnan(values)).astype(numpy.int64)
            return
        # Step by step, so that the mean of equal values is exactly that value.
        means, counts = self._means[name], self._counts[name]
        ran = ~numpy.isnan(values)
        counts += ran
        first = ran & (counts == 1)
        means[first] = values[first]
        means[ran] += (values[ran] - means[ran]) / counts[ran]

    def _extend(self, ids: NDArray[numpy.int64], frame: polars.DataFrame) -> None:
        """Makes room for jobs that were in no run so far: nearly always those of the first."""
        if not len(self._ids):
            new, where = numpy.unique(ids, return_index=True)
        else:
            new, where = numpy.unique(ids, return_index=True)
            missing = ~numpy.isin(new, self._ids, assume_unique=True)
            new, where = new[missing], where[missing]
            if not len(new):
                return
        joined = numpy.concatenate([self._ids, new])
        order = numpy.argsort(joined, kind="stable")
        self._ids = joined[order]
        for name in _OF_JOB:
            values = frame[name].to_numpy()[where]
            self._of_job[name] = numpy.concatenate([self._of_job[name], values])[order]
        nothing = numpy.full(len(new), numpy.nan)
        for name, means in self._means.items():
            self._means[name] = numpy.concatenate([means, nothing])[order]
            padded = numpy.concatenate([self._counts[name], numpy.zeros(len(new), numpy.int64)])
            self._counts[name] = padded[order]

    def frame(self, workload: str, system: str, names: list[str]) -> polars.DataFrame:
        """Returns the table, in order of submission."""
        order = numpy.lexsort((self._ids, self._of_job["submit"]))
        columns: dict[str, Any] = {"job_id": self._ids[order]}
        columns.update({name: values[order] for name, values in self._of_job.items()})
        absent = numpy.full(len(order), numpy.nan)
        for name in names:
            columns[name] = self._means[name][order] if name in self._means else absent
        return (
            polars.DataFrame(columns)
            .with_columns(
                polars.lit(workload).alias("workload"),
                polars.lit(system).alias("system"),
                polars.col("user", "tasks").cast(polars.Int64),
                polars.col(names).fill_nan(None) if names else [],
            )
            .with_columns(polars.col("submit").cast(polars.Float64))
            .select(*KEYS, *names)
        )
