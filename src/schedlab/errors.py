"""The exceptions of schedlab: one root, few kinds."""

from __future__ import annotations

import errno
import os

from schedlab.printable import printable

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ArgumentError",
    "InputError",
    "LossWarning",
    "SchedlabError",
    "SimulationError",
    "UntrustedCodeError",
    "did_you_mean",
    "reason_of",
]


class SchedlabError(Exception):
    """Root of every error that schedlab raises on purpose.

    Its text may be printed, whatever names and texts of files it has in it.
    """

    def __str__(self) -> str:
        return printable(super().__str__())


class InputError(SchedlabError):
    """Something the user gave is wrong: the message says what, where and what to do."""


class ArgumentError(InputError, TypeError):
    """A function was called with arguments that it does not take, or without one that it needs."""


class UntrustedCodeError(InputError):
    """A file or a request names code, and the person did not say that such code may run."""


class SimulationError(SchedlabError):
    """A simulation cannot continue, for example after an invalid decision of a policy."""


class LossWarning(UserWarning):
    """What was written lacks something that the jobs have: plain SWF has no field for it."""


def did_you_mean(word: str, known: Iterable[str], alike: float = 0.6) -> str:
    """Returns the question whether the known word nearest to another one was meant, if any is.

    Args:
        word: What was given.
        known: What could have been.
        alike: How alike they must be, from 0 to 1.
    """
    import difflib  # only here: nobody else pays for it

    near = difflib.get_close_matches(word[:100], list(known), 1, alike)
    return f'did you mean "{near[0]}"? ' if near else ""


def reason_of(error: BaseException) -> str:
    """Returns what went wrong as one line for people, with the place where code of theirs did."""
    # A note says which policy, reader or the like of the user's own raised it.
    notes = getattr(error, "__notes__", None)
    is_known = True
    if isinstance(error, SchedlabError):
        text, notes = str(error), None
    elif isinstance(error, OSError):
        text = _file_error(error)
    elif isinstance(error, MemoryError):
        text = "not enough memory"
    else:
        text, is_known = f"{type(error).__name__}: {error}", False
    if notes or not is_known:
        text = f"{f'{notes[0]}: ' if notes else ''}{text}{_place(error)}"
    return " ".join(text.split())


def _place(error: BaseException) -> str:
    """Returns file and line where it was raised, in code of the user's if there is any."""
    from schedlab.code_places import of_traceback

    line = of_traceback(error.__traceback__)
    return f" ({line})" if line else ""


def written_error(error: Exception, path: str) -> Exception:
    """Returns what polars raised while it wrote a file as Python would raise it: with the name."""
    _, found, rest = str(error).rpartition("(os error ")
    number = rest.partition(")")[0]
    if not found or not number.isdigit():
        return error
    return OSError(int(number), os.strerror(int(number)), path)


def _file_error(error: OSError) -> str:
    name = os.fsdecode(error.filename).removesuffix(".part") if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        reason = "no space left on device" if error.errno == errno.ENOSPC else "disk quota exceeded"
        return f"{reason} while writing {name or 'the output'}"
    reason = error.strerror or str(error)
    return f"{name}: {reason}" if name else reason
