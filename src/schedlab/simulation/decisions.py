"""Decisions from outside: by a person, an agent or another program instead of a scheduler."""

from __future__ import annotations

from schedlab import decode
from schedlab.dispatch import Scheduler
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from schedlab import _engine
    from schedlab._engine import State

    Decisions = Scheduler | Callable[[State], Iterable[Any]] | Iterable[int] | None


_MANY_TIME_POINTS = 100_000
"""Between looks at Ctrl-C."""


class Deciding:
    """A simulation that stops where its scheduler must decide."""

    engine: _engine.Simulation

    def step(self, to_decision: bool = False) -> bool:
        """Handles the next time point; False when nothing is left to happen.

        Args:
            to_decision: Stop where the scheduler must decide; `at_decision` says if it did.
        """
        return self.engine.advance(1, None, to_decision)

    @property
    def at_decision(self) -> bool:
        """Whether it stands where the scheduler must decide: see `decide`."""
        return self.engine.at_decision

    def next_decision(self, until: float | str | None = None) -> bool:
        """Continues to where the scheduler must decide; False where it need not any more.

        Args:
            until: A time in the workload's own clock, as for `run`: not past it.
        """
        until = decode.duration(until, "until")
        while self.engine.advance(_MANY_TIME_POINTS, until, True):
            if self.engine.at_decision:
                return True
        return False

    def decide(self, decisions: Decisions = None) -> None:
        """Decides, and continues to the next decision of this time, or to its end.

        Args:
            decisions: None: the simulation's own scheduler decides. Else jobs that start now, as
                their ids in this order; or a scheduler, or a function of the state, that gives
                decisions as `Scheduler.schedule` does.

        Raises:
            InputError: An id is not that of a job that waits; nothing has happened.
            SimulationError: There is nothing to decide, or a decision cannot be carried out. As
                after an error of a scheduler, the simulation cannot continue then.
        """
        chosen = deciding(decisions)
        if isinstance(chosen, StartedJobs) and self.engine.at_decision:
            self.engine.look(chosen.check)
        self.engine.decide(chosen)

    def look(self, function: Callable[[State], Any]) -> Any:
        """Returns what a function returns, given the state as policies see it; nothing changes."""
        return self.engine.look(function)


def deciding(given: Decisions) -> object | None:
    """Returns what the engine asks for decisions; None: its own scheduler.

    Raises:
        InputError: It is something else.
    """
    if given is None or isinstance(given, Scheduler):
        return given
    if callable(given) and not isinstance(given, type):
        return DecidingFunction(given)
    if isinstance(given, (str, bytes, type)) or not hasattr(given, "__iter__"):
        raise InputError(
            "decisions: must be ids of waiting jobs, a function of the state, a scheduler of your "
            f"own, or None for that of the simulation, not {given!r}"
        )
    return StartedJobs(list(given))


class DecidingFunction:
    """A function of the state that gives decisions."""

    def __init__(self, function: Callable[[State], Iterable[Any]]) -> None:
        self.schedule = function


class StartedJobs:
    """Jobs that start now, in this order."""

    def __init__(self, ids: list[int]) -> None:
        self._ids = ids

    def check(self, state: State) -> None:
        """Raises InputError for an id that is not of a job that waits, or is there twice."""
        waiting = {job.id for job in state.queue}
        for number in self._ids:
            if not hasattr(number, "__index__") or number not in waiting:
                again = self._ids.count(number) > 1
                raise InputError(
                    f"decisions: job {number!r} " + ("is there twice" if again else "does not wait")
                )
            waiting.remove(number)

    def schedule(self, state: State) -> Iterable[Any]:
        waiting = {job.id: job for job in state.queue}
        for number in self._ids:
            yield waiting[number]
