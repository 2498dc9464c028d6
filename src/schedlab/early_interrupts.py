"""Ctrl-C while the program starts or ends: one line and an exit code, whatever is being imported.

Commands load some hundred modules, and none of them expects to be interrupted. Nothing is written
yet at that time, so the process can leave where it stands. What cannot be caught is Ctrl-C before
the first line of this module runs, while the interpreter itself starts.
"""

from __future__ import annotations

import os
from _signal import (  # type: ignore[import-not-found]  # `signal` costs 4 ms
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from types import FrameType

MESSAGE = b"schedlab: interrupted\n"
EXIT_CODE = 1
"""As where a command is interrupted later."""


def leave(number: int, frame: FrameType | None) -> None:
    """Ends the process at once, from a handler of a signal."""
    try:  # noqa: SIM105 - contextlib costs more than this module
        os.write(2, MESSAGE)
    except OSError:
        pass  # the shell closed it
    os._exit(EXIT_CODE)


def leave_when_interrupted() -> None:
    """Lets Ctrl-C end the process until a command handles it; one that is ignored stays so."""
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, leave)
