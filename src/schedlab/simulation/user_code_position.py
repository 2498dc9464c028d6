"""Where a simulation is in the code of its user's, if it is there: class, line, simulated time."""

from __future__ import annotations

import os
import sys

from schedlab.code_places import called, is_foreign, of_frames

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from types import FrameType

_HERE = os.path.dirname(__file__)  # as in the names of code objects
_CALLERS = (
    os.path.join(_HERE, "core.py"),
    os.path.join(os.path.dirname(_HERE), "testing") + os.sep,
)
"""Code that calls the user's, most of it through the engine."""


class UserCodePosition:
    """A call of the user's code that has not returned.

    Attributes:
        entry: The frame that schedlab, or its engine, called.
        name: What was called: `Mine.schedule()`.
        line: Where in the user's file it is now: `mine.py:12`.
        time: Seconds in the workload's clock; None where no simulation is under way yet.
    """

    __slots__ = ("entry", "line", "name", "time")

    def __init__(self, entry: FrameType, line: str, time: float | None) -> None:
        self.entry, self.name = entry, called(entry)
        self.line, self.time = line, time

    def __str__(self) -> str:
        moment = "" if self.time is None else f" at {self.time} s"
        return f"{self.name} ({self.line}){moment}"


def of_error(error: BaseException) -> UserCodePosition | None:
    """Returns where an error was raised; None where no code of the user's was being called."""
    steps, trace = [], error.__traceback__
    while trace is not None:
        steps.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return _of(steps)


def of_frame(frame: FrameType | None) -> UserCodePosition | None:
    """Returns where a thread is, given its innermost frame."""
    steps = []
    while frame is not None:
        steps.append((frame, frame.f_lineno or 0))
        frame = frame.f_back
    return _of(steps[::-1])


def of_thread(identifier: int) -> UserCodePosition | None:
    """Returns where a thread of this process is."""
    return of_frame(sys._current_frames().get(identifier))


def _of(steps: list[tuple[FrameType, int]]) -> UserCodePosition | None:
    """Returns the call within frames and their lines, the outermost first."""
    callers = [
        place
        for place, (frame, _) in enumerate(steps)
        if frame.f_code.co_filename.startswith(_CALLERS)
    ]
    if not callers:
        return None
    within = steps[callers[-1] + 1 :]
    while within and not is_foreign(within[0][0]):
        del within[0]
    if not within:
        return None
    times = [_time_in(frame) for frame, _ in steps[: callers[-1] + 1]]
    known = [time for time in times if time is not None]
    return UserCodePosition(within[0][0], of_frames(within), known[-1] if known else None)


def _time_in(frame: FrameType) -> float | None:
    """Returns the time of the simulation that a frame works on, if it does."""
    from schedlab.simulation.core import Simulation

    for name in ("self", "simulation"):
        found = frame.f_locals.get(name)
        if isinstance(found, Simulation) and hasattr(found, "engine"):
            return found.now
    return None
