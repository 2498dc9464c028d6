"""A finished run, looked at as it was at any time."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy
import polars

from schedlab.analysis.node_states import interruptions, node_states
from schedlab.errors import InputError
from schedlab.results import Result
from schedlab.results.tables_check import refuse_changed
from schedlab.watch.view import RunView


class Replay(RunView):
    """A finished run; its files are read once, when they are first needed.

    Raises:
        InputError: There is no whole run in the folder, it lacks the jobs, or a table was changed.
    """

    def __init__(self, path: str) -> None:
        self.result = Result.load(path)
        super().__init__(path, self.result.run)
        for name in self.run["files"]:
            refuse_changed(path, self.run, name)
        if not any(name.startswith("jobs.") for name in self.run["files"]):
            raise InputError(f'{path}: has no jobs to show; simulate with jobs="csv"')

    def jobs(self) -> polars.DataFrame:
        return self._jobs

    def timeline(self) -> polars.DataFrame | None:
        return self._timeline

    def attempts(self) -> polars.DataFrame | None:
        return self._attempts

    @cached_property
    def _attempts(self) -> polars.DataFrame | None:
        ended = interruptions(self.result)
        if ended.is_empty():
            return None
        own = ("start", "end", "nodes")
        return (
            ended.select("job_id", *own)
            .join(self._jobs.drop(own), on="job_id", how="inner", maintain_order="left")
            .select(self._jobs.columns)
            .cast(self._jobs.schema)
        )

    def states(self) -> polars.DataFrame | None:
        return None if self.result.states is None else node_states(self.result)

    @cached_property
    def _jobs(self) -> polars.DataFrame:
        return self.result.jobs.collect()

    @cached_property
    def _timeline(self) -> polars.DataFrame | None:
        if not any(name.startswith("timeline.") for name in self.run["files"]):
            return None
        return self.result.timeline.collect()

    @cached_property
    def _known_times(self) -> dict[str, numpy.ndarray[Any, Any]]:
        return super()._times()

    def _times(self) -> dict[str, numpy.ndarray[Any, Any]]:
        return self._known_times

    @cached_property
    def _known_moments(self) -> numpy.ndarray[Any, Any]:
        return super()._moments()

    def _moments(self) -> numpy.ndarray[Any, Any]:
        return self._known_moments
