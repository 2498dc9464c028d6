"""Running a simulation for a check: its rows, what it published, and what its errors mean."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from schedlab import _engine
from schedlab.errors import SimulationError
from schedlab.results.temporary import TemporaryFolder
from schedlab.testing.report import NO_ERROR, RETURNS, VIEWS

if TYPE_CHECKING:
    from schedlab.simulation import Simulation

TIME_POINTS = 200_000
"""A simulation that has not ended by then never will: a policy that wakes up for ever."""


class Outcome(NamedTuple):
    """What a simulation led to.

    Attributes:
        rows: Those of jobs.csv.
        waiting: Ids of the jobs that never started.
        published: Times and values of additional data, where they are looked at.
    """

    rows: str
    waiting: tuple[int, ...]
    published: list[Any]


def folder() -> TemporaryFolder:
    """Returns a new folder, in memory where that is possible: state files wait for the disk."""
    memory = "/dev/shm"
    usable = os.path.isdir(memory) and os.access(memory, os.W_OK | os.X_OK)
    return TemporaryFolder(memory if usable else None)


def record(simulation: Simulation, path: str, time_points: int = TIME_POINTS) -> str:
    """Continues for N time points, and returns the rows of the jobs that ended.

    Jobs that wait when nothing is left to happen are not an error here.
    """
    # Unlike `record_jobs`, it waits for no disk.
    recorder = _engine.CsvJobs(path, simulation.system.resource_types, simulation.kept)
    simulation.engine.record_jobs(recorder)
    try:
        simulation.engine.advance(time_points)
    except SimulationError as error:
        if "nothing is left to happen" not in str(error):
            raise
    finally:
        recorder.close()
    with open(path, encoding="utf-8") as file:
        return file.read().partition("\n")[2]


def published_in(simulation: Simulation) -> list[Any]:
    return [item for data in simulation.data for item in getattr(data, "observed_by_schedlab", ())]


def rule_of(error: Exception) -> str:
    """Returns the rule that an error of a run breaks."""
    text = str(error)
    if any(words in text for words in ("after the call", "outside the call")):
        return VIEWS
    return RETURNS if isinstance(error, SimulationError) else NO_ERROR


def text_of(error: Exception) -> str:
    """Returns what an error says, where it was, and what could be done about it."""
    lines = [f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())]
    if "needs an allocator that places every job" in lines[0]:
        lines.append("(one that means it says so in its class: places_whatever_fits = False)")
    return "\n".join(lines)
