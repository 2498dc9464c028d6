"""Where a watched run stands, and what the keys do to it: the same for live runs and replays."""

from __future__ import annotations

import os
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING

from schedlab.clock import Clock
from schedlab.durations import DAY, HOUR, MINUTE, WEEK, duration_text
from schedlab.errors import InputError
from schedlab.watch.folder import PARTS, state_of

if TYPE_CHECKING:
    from schedlab.watch import LiveRun, Moment, RunView

YEAR = 365 * DAY
SPEEDS = (*(1.0, 10.0, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, WEEK, 30 * DAY, 91 * DAY, YEAR),)
"""Simulated seconds per second, as the keys walk through them."""

REPLAY_SECONDS = 120.0
"""How long a whole replay takes at first."""

_SECONDS_TO_CONFIRM = 2.0
_SECONDS_OF_SILENCE = 0.5
"""After this time without news, it is asked whether the run is still there."""


class EndOfRunError(Exception):
    """The live run is over; what it left can be replayed."""


class StoppedRunError(Exception):
    """The live run's process is gone before the end."""


class Player:
    """A run at some time, moved by keys.

    Attributes:
        view: The run.
        paused: Whether its clock stands still.
        speed: Simulated seconds per second; None: as fast as it can.
    """

    can_go_back = False

    def __init__(self, view: RunView) -> None:
        self.view = view
        self.clock = Clock.of_run(view.run)
        self.speed: float | None = None

    @property
    def paused(self) -> bool:
        raise NotImplementedError

    def next(self) -> Moment | None:
        """Returns how the run stands now; None where nothing has changed."""
        raise NotImplementedError

    def toggle(self) -> None:
        """Pauses, or continues."""
        raise NotImplementedError

    def step(self) -> None:
        """Goes to the next time point, and stays there."""
        raise NotImplementedError

    def jump(self, time: float) -> None:
        """Goes to a time, and stays there.

        Raises:
            InputError: The run has no such time, or cannot go there.
        """
        raise NotImplementedError

    def set_speed(self, speed: float | None) -> None:
        """Takes over a speed."""
        raise NotImplementedError

    def faster(self) -> None:
        """Takes the next speed that is higher."""
        if self.speed is not None:
            higher = [speed for speed in SPEEDS if speed > self.speed * 1.001]
            self.set_speed(higher[0] if higher else self.fastest)

    def slower(self) -> None:
        """Takes the next speed that is lower."""
        lower = [speed for speed in SPEEDS if self.speed is None or speed < self.speed * 0.999]
        if lower:
            self.set_speed(lower[-1])

    @property
    def fastest(self) -> float | None:
        return SPEEDS[-1]

    def speed_text(self) -> str:
        """Returns the speed in words."""
        return "as fast as it can" if self.speed is None else f"{duration_text(self.speed)}/s"


class ReplayPlayer(Player):
    """A finished run that is played back.

    Args:
        view: The run.
        at_end: Begin there, and wait; else play from the first job on.
    """

    can_go_back = True

    def __init__(self, view: RunView, *, at_end: bool = False) -> None:
        super().__init__(view)
        span = view.last - view.first
        self.speed = max(span / REPLAY_SECONDS, 1.0)
        self._place = view.last if at_end else view.first
        self._since: float | None = None if at_end or not span else monotonic()
        self._shown: float | None = None
        self._lock = RLock()  # keys come from one thread, moments are made in another

    @property
    def paused(self) -> bool:
        return self._since is None

    def time(self) -> float:
        """Returns where the replay is by now."""
        with self._lock:
            if self._since is None:
                return self._place
            assert self.speed is not None
            return min(self.view.last, self._place + (monotonic() - self._since) * self.speed)

    def next(self) -> Moment | None:
        with self._lock:
            time = self.time()
            if time >= self.view.last and not self.paused:
                self._go(time, playing=False)  # that it stands still now is news
            if time == self._shown:
                return None
            self._shown = time
        return self.view.at(time)

    def toggle(self) -> None:
        with self._lock:
            time, playing = self.time(), self.paused
            again = playing and time >= self.view.last
            self._go(self.view.first if again else time, playing=playing)

    def step(self) -> None:
        with self._lock:
            time = self.time()
            following = self.view.next_time(time)
            self._go(time if following is None else following, playing=False)

    def back(self) -> None:
        """Goes to the time point before."""
        with self._lock:
            time = self.time()
            before = self.view.previous_time(time)
            self._go(time if before is None else before, playing=False)

    def jump(self, time: float) -> None:
        if not self.view.first <= time <= self.view.last:
            raise InputError(
                f"the run goes from {self.clock.text(self.view.first)} "
                f"to {self.clock.text(self.view.last)}"
            )
        with self._lock:
            self._go(time, playing=False)

    def set_speed(self, speed: float | None) -> None:
        with self._lock:
            time = self.time()
            self.speed = speed
            self._go(time, playing=not self.paused)

    def _go(self, time: float, *, playing: bool) -> None:
        self._since = monotonic() if playing else None
        self._place, self._shown = time, None


class LivePlayer(Player):
    """A run that is being simulated, controlled through its folder."""

    def __init__(self, view: LiveRun) -> None:
        super().__init__(view)
        self.run = view
        self.speed = view.speed
        self.until: float | None = None
        self._requested_pause = view.mode == "pause"
        self._waits = False  # until the run says what it was asked
        self._requested_at = self._news = monotonic()
        self._first = True
        self._paces: list[tuple[float, float, int]] = []

    @property
    def fastest(self) -> float | None:
        return None

    @property
    def paused(self) -> bool:
        return self.run.mode == "pause" if self._confirmed() else self._requested_pause

    def _confirmed(self) -> bool:
        """Returns whether the run says what it was asked last; it takes a moment to."""
        agrees = (self.run.mode == "pause", self.run.speed) == (self._requested_pause, self.speed)
        self._waits = self._waits and not agrees
        return not self._waits or monotonic() - self._requested_at > _SECONDS_TO_CONFIRM

    def next(self) -> Moment | None:
        """Returns how the run stands now; None where nothing has changed.

        Raises:
            EndOfRunError: It is over.
            StoppedRunError: Its process is gone before that.
        """
        news = self.run.refresh() or self._first
        now = monotonic()
        if not news:
            if now - self._news > _SECONDS_OF_SILENCE:
                self._news = now
                self.look_for_the_end()
            return None
        self._first, self._news = False, now
        moment = self.run.now()
        if self.until is not None and now - self._requested_at > _SECONDS_OF_SILENCE:
            stands = bool(self._paces) and self._paces[-1][1] == moment.time
            if moment.time >= self.until or stands:  # nothing happens from here to there
                self.until = None
        self._paces = [*self._paces[-9:], (now, moment.time, moment.done)]
        if self._confirmed():
            self.speed = self.run.speed  # another watcher may have set it
        return moment

    def pace(self) -> tuple[float, float] | None:
        """Returns simulated seconds and jobs done per second of late; None if not known yet."""
        if len(self._paces) < 2:
            return None
        (began, first, few), (ended, last, many) = self._paces[0], self._paces[-1]
        elapsed = max(ended - began, 1e-9)
        return (last - first) / elapsed, (many - few) / elapsed

    def toggle(self) -> None:
        self._control("run" if self.paused else "pause")

    def step(self) -> None:
        self._control("pause", steps=1 if self.paused else 0)

    def jump(self, time: float) -> None:
        now = self.view.last
        if time < now:
            raise InputError(
                f"the run is at {self.clock.text(now)} already; it can be replayed when it is over"
            )
        self.until = time
        self._control("pause", until=time)

    def set_speed(self, speed: float | None) -> None:
        self.speed = speed
        self._control("pause" if self.paused else "run")

    def let_go(self) -> None:
        """Lets the run continue as fast as it can."""
        self.speed = None
        self._control("run")

    def _control(self, mode: str, *, until: float | None = None, steps: int = 0) -> None:
        if until is None:
            self.until = None
        self._requested_at = monotonic()
        self._requested_pause, self._waits = mode == "pause", True
        self._paces = []
        self.run.control(mode, speed=self.speed, until=until, steps=steps)

    def look_for_the_end(self) -> None:
        """Asks whether the run is still there.

        Raises:
            EndOfRunError: It is over.
            StoppedRunError: Its process is gone before that.
        """
        state = state_of(self.view.path)
        if state == "live":
            return
        left = any(os.path.exists(os.path.join(self.view.path, name)) for name in PARTS)
        if state == "finished" and not left:  # else that is the run before this one
            self.run.forget()
            raise EndOfRunError
        raise StoppedRunError
