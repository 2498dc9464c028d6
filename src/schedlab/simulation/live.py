"""What a running simulation shows to watchers in other processes, and what they may ask of it.

Everything goes through two files in the run folder. A watcher writes `watch.json` and touches it
every second; the simulation looks for it between slices of work, and while it is fresh publishes
`live.json` a few times a second. While nobody watches, all this costs one failed `stat` per slice.
"""

from __future__ import annotations

import os
from stat import S_ISREG
from time import monotonic, sleep, time

from schedlab.errors import InputError
from schedlab.results.json_text import to_json
from schedlab.simulation.description import describe
from schedlab.simulation.run_folder import LIVE, WATCH

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from schedlab.simulation.core import Simulation
    from schedlab.simulation.run_folder import RunFolder

FORMAT = 1
"""Version of both files."""

SECONDS_BETWEEN_MOMENTS = 0.2
WATCHED_SECONDS = 5.0
"""After this time without a sign of life from any watcher, nothing is published any more."""

MOST_QUEUED = 1000
"""Jobs of the queue that are published; how many there are is always reported."""

STEPS_AT_ONCE = 1000
"""Between looks at what watchers ask: many steps of a slow scheduler must not shut them out."""

_NAP_SECONDS = 0.02
_MODES = ("run", "pause")
_MOST_BYTES = 100_000
_MOST_STEPS = 2**62


class Live:
    """Publishes how a run stands, and lets watchers pause it, step it and set its pace.

    Args:
        folder: Where the run is written.
        seconds: Returns wall and CPU seconds of the run so far.
        progress: Called meanwhile, when a watcher holds the run up.
        pause: Begin paused.
    """

    def __init__(
        self,
        folder: RunFolder,
        seconds: Callable[[], tuple[float, float]],
        progress: Callable[[Simulation], None] | None,
        pause: bool,
    ) -> None:
        self._folder, self._seconds, self._progress = folder, seconds, progress
        self._request = os.path.join(folder.path, WATCH)
        self._live = os.path.join(folder.path, LIVE)
        self._read_at: int | None = None  # when the request was changed that was read last
        self._mode = "pause" if pause else "run"
        self._speed: float | None = None
        self._until: float | None = None
        self._requested_until: float | None = None  # what the request says, even when that is done
        self._steps = 0
        self._steps_done = 0
        self._next = 0.0
        self._moments = 0
        self._pace: tuple[float, float] | None = (
            None  # real and simulated time that belong together
        )
        self._changed = False

    def __call__(self, simulation: Simulation) -> None:
        """Looks whether a user watches; returns when the run may continue at full speed."""
        while self._watched():
            if self._changed or monotonic() >= self._next:
                self._publish(simulation)
            if not self._held_up(simulation):
                return
            if self._progress is not None:
                self._progress(simulation)

    def _watched(self) -> bool:
        """Reads what watchers ask for; False where none does any more."""
        try:
            status = os.stat(self._request)
        except OSError:
            return self._mode == "pause"  # since it began
        if status.st_mtime_ns != self._read_at:
            self._read_at = status.st_mtime_ns
            # Whoever may write to the folder can put anything there: a pipe would never be read.
            if S_ISREG(status.st_mode) and status.st_size <= _MOST_BYTES:
                self._read()
        # A run that was paused stays so while nobody looks; one at full speed need not be asked.
        return self._mode != "run" or self._speed is not None or self._fresh()

    def _fresh(self) -> bool:
        return self._read_at is not None and time() - self._read_at / 1e9 < WATCHED_SECONDS

    def _read(self) -> None:
        """Takes over what the request says; what makes no sense is left as it is."""
        import json

        try:
            with open(self._request, encoding="utf-8") as file:
                request = json.load(file)
        except (OSError, ValueError, RecursionError):
            return  # it is being replaced, or is not our own
        if not isinstance(request, dict) or request.get("format") != FORMAT:
            return
        before = (self._mode, self._speed, self._until, self._steps)
        if request.get("mode") in _MODES:
            self._mode = request["mode"]
        speed, steps = _number(request.get("speed")), request.get("steps")
        self._speed = speed if speed is not None and speed > 0 else None
        until = _number(request.get("until"))
        if until != self._requested_until:
            self._requested_until = self._until = until
        if isinstance(steps, int) and not isinstance(steps, bool) and 0 <= steps <= _MOST_STEPS:
            self._steps = steps
        if before != (self._mode, self._speed, self._until, self._steps):
            self._changed, self._pace = True, None

    def _held_up(self, simulation: Simulation) -> bool:
        """Continues as watchers say; False when that is at full speed, or nothing is left to do."""
        engine = simulation.engine
        upcoming = engine.next_time()
        if upcoming is None:
            return False
        if self._until is not None:
            if upcoming <= self._until:
                simulation.advance(self._until)
                return True
            self._until = None
            self._changed = True
        if self._mode == "pause":
            simulation.paused = True
            if self._steps > self._steps_done:
                few = min(self._steps - self._steps_done, STEPS_AT_ONCE)
                engine.advance(few)
                self._steps_done += few
                self._changed = self._steps_done == self._steps
            else:
                sleep(_NAP_SECONDS)
            return True
        simulation.paused = False
        self._steps_done = self._steps
        if self._speed is None:
            return False
        self._keep_pace(simulation, upcoming)
        return True

    def _keep_pace(self, simulation: Simulation, upcoming: float) -> None:
        """Continues to where the simulated clock should be by now."""
        assert self._speed is not None
        now = monotonic()
        if self._pace is None:
            begin = simulation.now if simulation.engine.time_points else upcoming
            self._pace = (now, float(begin))
        target = self._pace[1] + (now - self._pace[0]) * self._speed
        if upcoming <= target:
            simulation.advance(target)
        else:
            sleep(min(_NAP_SECONDS, (upcoming - target) / self._speed))

    def _publish(self, simulation: Simulation) -> None:
        """Writes live.json; jobs and timeline that were recorded so far can be read then."""
        self._next, self._changed = monotonic() + SECONDS_BETWEEN_MOMENTS, False
        if not self._fresh():
            return
        self._folder.flush()
        self._moments += 1
        engine = simulation.engine
        moment: dict[str, Any] = {
            "format": FORMAT,
            "moment": self._moments,
            "process": os.getpid(),
            "mode": self._mode,
            "speed": self._speed,
            "steps": self._steps_done,
            "share_read": simulation.share_read,
            "used": dict(zip(simulation.system.resource_types, engine.used(), strict=True)),
            "run": describe(simulation, "running", self._folder.recorded, *self._seconds()),
            "jobs": engine.jobs_in_flight(MOST_QUEUED),
        }
        from schedlab.whole_file import whole_file

        try:
            with (
                whole_file(self._live, lasts=False) as partial,
                open(partial, "w", encoding="utf-8") as file,
            ):
                file.write(to_json(moment))
        except (OSError, InputError):
            pass  # a full disk must end the run where its results are written, not here


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number of some hundred digits
        return None
