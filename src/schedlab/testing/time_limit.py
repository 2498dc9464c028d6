"""A time limit for checks: code that never returns is a broken rule, not a check that hangs."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from schedlab.simulation.interrupting import Interrupter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMIT_SECONDS = 30.0
"""Between two findings; a simulation of the suites takes some hundredths of a second."""

OF_PROCESSES = 0.8
"""Part of the limit that other processes have, so that they can say where they are."""

NOT_LIMITED = "no time limit: it needs the main thread of a system with SIGALRM"

_limits: list[float] = []
"""Seconds of the limit that holds now, if one does. The timer is the process's, and so is this."""


class _TookTooLong(BaseException):
    """Raised in code that is busy for too long; no Exception, so that most code lets it pass."""


def restart() -> None:
    """Lets the time begin again: something was found out."""
    if _limits:
        signal.setitimer(signal.ITIMER_REAL, _limits[-1])


def seconds_for_processes() -> float | None:
    """Returns how long a process that is waited for may take; None: for ever."""
    return _limits[-1] * OF_PROCESSES if _limits else None


def can_limit() -> bool:
    """Whether there can be a limit here."""
    main = threading.current_thread() is threading.main_thread()
    return main and hasattr(signal, "setitimer")


@contextmanager
def time_limit(
    seconds: float, broken: Callable[[str, BaseException], BaseException]
) -> Iterator[None]:
    """Ends what takes longer than N seconds without finding anything out.

    Args:
        seconds: The limit.
        broken: Makes the error of what was found, and of what was raised there.
    """
    if not can_limit():
        yield
        return
    interrupter = Interrupter(_TookTooLong, politely=0)
    handler = signal.signal(signal.SIGALRM, interrupter)
    before, (left, interval) = monotonic(), signal.getitimer(signal.ITIMER_REAL)
    _limits.append(seconds)
    restart()
    try:
        yield
    except _TookTooLong as error:
        where = interrupter.where or "code of schedlab"
        raise broken(f"{where} did not return within {seconds:g} s", error) from None
    finally:
        _limits.pop()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:  # a timer of the test runner's, perhaps
            passed = monotonic() - before
            signal.setitimer(signal.ITIMER_REAL, max(left - passed, 1e-3), interval)


def local_of(error: BaseException, kind: type[Any]) -> Any:
    """Returns the innermost `self` of a class in the calls that an error came through, or None."""
    found, trace = None, error.__traceback__
    while trace is not None:
        own = trace.tb_frame.f_locals.get("self")
        found = own if isinstance(own, kind) else found
        trace = trace.tb_next
    return found
