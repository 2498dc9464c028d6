"""Getting out of the user's code when it does not return."""

from __future__ import annotations

import signal

from schedlab import _engine
from schedlab.simulation.user_code_position import UserCodePosition, of_frame

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from types import FrameType

    from schedlab.simulation.core import Simulation

TERMINATING = (signal.SIGTERM, signal.SIGHUP)
"""What asks a process to end, as batch systems do at the limit of a job, and terminals that go."""

PATIENCE_SECONDS = 5.0
"""How long a first signal waits for code of the user's to return; batch systems kill after 30."""


class Terminated(KeyboardInterrupt):
    """One of these signals came: whatever Ctrl-C does is done, and the process ends."""


class Interrupter:
    """A handler of a signal that raises an error; where that is not enough, at every line.

    Code that catches everything (`except:`) would continue otherwise. Within `BetweenSlices`, a
    first signal waits instead.

    Args:
        error: The class of what is raised.
        politely: How many signals raise just once.

    Attributes:
        where: What of the user's code the first signal came to, if it did.
        number: Of the last signal; None before.
    """

    def __init__(self, error: type[BaseException], politely: int) -> None:
        self._error, self._politely = error, politely
        self.where: UserCodePosition | None = None
        self.number: int | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Raises in the main thread, which is in this frame."""
        where = of_frame(frame)
        self.where, self.number = self.where or where, number
        error = Terminated if number in TERMINATING else self._error
        if where is not None and _slices is not None and _slices.wait(error, self):
            return
        self._politely -= 1
        if self._politely < 0 and where is not None:
            _engine.leave(where.entry, error)
        raise error


class BetweenSlices:
    """While it lasts, a first signal waits until code of the user's that it came to has returned.

    A policy that was interrupted in the middle of a call is in no state to be saved.

    Args:
        simulation: It returns from `advance` soon after, and `check` raises.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._error: type[BaseException] | None = None
        self._outer: BetweenSlices | None = None

    def __enter__(self) -> BetweenSlices:
        global _slices
        self._outer, _slices = _slices, self
        return self

    def __exit__(self, *error: object) -> None:
        global _slices
        _slices = self._outer
        self._end_waiting()

    def wait(self, error: type[BaseException], interrupter: Interrupter) -> bool:
        """Returns whether a signal waits: not a second one, nor where there is no clock for it.

        Args:
            error: What it raises later.
            interrupter: Called when that takes too long.
        """
        if self._error is not None or error not in (Terminated, KeyboardInterrupt):
            return False
        if not hasattr(signal, "SIGALRM") or signal.getsignal(signal.SIGALRM) != signal.SIG_DFL:
            return False
        number = interrupter.number
        assert number is not None
        signal.signal(signal.SIGALRM, lambda _, frame: interrupter(number, frame))
        signal.setitimer(signal.ITIMER_REAL, PATIENCE_SECONDS)
        self._error = error
        self._simulation.engine.return_soon()
        return True

    def check(self, _: Simulation) -> None:
        """Raises what waits; called where the simulation can be saved."""
        if self._error is not None:
            error = self._error
            self._end_waiting()
            raise error

    def _end_waiting(self) -> None:
        if self._error is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            self._error = None


_slices: BetweenSlices | None = None
