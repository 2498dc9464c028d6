"""Runs that are open: a few are kept, because loading a large one takes a second."""

from __future__ import annotations

import os
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

import polars

from schedlab.dashboard.gantt import GanttIndex
from schedlab.errors import InputError
from schedlab.watch import Replay, open_run, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.dashboard.guard import Folder
    from schedlab.watch import RunView

MOST_OPEN, MOST_JOBS = 4, 2_000_000
"""Runs that are kept, and jobs of all of them: a million take a gigabyte with their Gantt chart."""

MOST_ANSWERS = 32

Made = TypeVar("Made")


class OpenRun:
    """A run that is open, with what was made of it.

    Attributes:
        view: The run.
    """

    def __init__(self, view: RunView) -> None:
        self.view = view
        self._lock = Lock()
        self._gantt: GanttIndex | None = None
        self._answers: dict[tuple[Any, ...], Any] = {}

    def kept(self, key: tuple[Any, ...], make: Callable[[], Made]) -> Made:
        """Returns what was made under a key, or makes it; of each kind, the last few are kept."""
        found = self._answers.get(key)
        if found is None:
            found = make()
            while len(self._answers) >= MOST_ANSWERS:
                self._answers.pop(next(iter(self._answers)), None)
            self._answers[key] = found
        return cast("Made", found)

    def gantt(self) -> GanttIndex:
        """Returns what Gantt charts are painted from."""
        with self._lock:
            if self._gantt is None:
                view = self.view
                jobs, attempts = view.jobs(), view.attempts()
                every = jobs if attempts is None else polars.concat([jobs, attempts])
                self._gantt = GanttIndex(every, view.run, view.states())
            return self._gantt


class OpenRuns:
    """Opens runs by name, and keeps the finished ones that were looked at last."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, int], _LoadedRun] = OrderedDict()

    def get(self, name: str) -> OpenRun:
        """Returns the run of a folder.

        Raises:
            InputError: There is none, or it cannot be shown.
        """
        path = self._folder.existing(name)
        if state_of(path) != "finished":
            return OpenRun(open_run(path))
        try:
            key = (path, os.stat(os.path.join(path, "run.json")).st_mtime_ns)
        except OSError:
            raise InputError(f"{name}: the run has just been replaced; try again") from None
        with self._lock:
            place = self._kept.setdefault(key, _LoadedRun())
            self._kept.move_to_end(key)
        with place.lock:  # others may look at other runs while this one is loaded
            if place.opened is None:
                place.opened = OpenRun(_load(path))
                place.jobs = place.opened.view.jobs().height
                self._forget_some()
            return place.opened

    def _forget_some(self) -> None:
        """Forgets runs that were not looked at for longest, but never the last one."""
        with self._lock:
            while len(self._kept) > 1 and (
                len(self._kept) > MOST_OPEN
                or sum(place.jobs for place in self._kept.values()) > MOST_JOBS
            ):
                self._kept.popitem(last=False)


class _LoadedRun:
    """Where a run is kept once it is loaded."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.opened: OpenRun | None = None
        self.jobs = 0


def _load(path: str) -> Replay:
    """Returns a finished run, looked at once, so that its tables are read and are sound.

    Raises:
        InputError: It is not whole.
    """
    replay = Replay(path)
    replay.at(replay.first)
    return replay
