"""Getting out of code of the user's that does not return."""

from __future__ import annotations

import signal

from schedlab import _engine
from schedlab.simulation.whereabouts import Whereabouts, of_frame

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from types import FrameType

TERMINATING = (signal.SIGTERM, signal.SIGHUP)
"""What asks a process to end, as batch systems do at the limit of a job, and terminals that go."""


class Terminated(KeyboardInterrupt):
    """One of these signals came: whatever Ctrl-C does is done, and the process ends."""


class Interrupter:
    """A handler of a signal that raises an error; where that is not enough, at every line.

    Code that catches everything (`except:`) would go on otherwise.

    Args:
        error: The class of what is raised.
        politely: How many signals raise just once.

    Attributes:
        where: What of the user's code the first signal came to, if it did.
        number: Of the last signal; None before.
    """

    def __init__(self, error: type[BaseException], politely: int) -> None:
        self._error, self._politely = error, politely
        self.where: Whereabouts | None = None
        self.number: int | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Raises in the main thread, which is in this frame."""
        where = of_frame(frame)
        self.where, self.number = self.where or where, number
        error = Terminated if number in TERMINATING else self._error
        self._politely -= 1
        if self._politely < 0 and where is not None:
            _engine.leave(where.entry, error)
        raise error
