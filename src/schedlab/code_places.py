"""Places in files of Python code, as messages name them: `mine.py:12`."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FrameType, TracebackType
    from typing import Any

_PACKAGE = os.path.dirname(__file__) + os.sep  # as in the names of code objects
_LIBRARY = os.path.dirname(os.__file__) + os.sep
_INSTALLED = tuple(os.path.join(_LIBRARY, name) for name in ("site-packages", "dist-packages"))


def of_function(function: Any) -> str:
    """Returns where a function, a method or the class of an object is defined; "" if unknown."""
    import inspect

    try:
        function = inspect.unwrap(function)
    except ValueError:  # it wraps itself
        return ""
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        call = vars(type(function)).get("__call__")  # of an object that can be called
        code = getattr(call, "__code__", None)
    return "" if code is None else _line(code, code.co_firstlineno)


def of_generator(iterator: Any) -> str:
    """Returns the line at which a generator has yielded; "" of any other iterator."""
    place = ""
    while getattr(iterator, "gi_frame", None) is not None:
        place = _line(iterator.gi_code, iterator.gi_frame.f_lineno)
        iterator = iterator.gi_yieldfrom
    return place


def of_traceback(trace: TracebackType | None) -> str:
    """Returns the line where an error was raised, in the user's file, if one of theirs is there."""
    steps = []
    while trace is not None:
        steps.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return of_frames(steps)


def of_frames(steps: Iterable[tuple[FrameType, int]]) -> str:
    """Returns the innermost line of the user's; where none is, the innermost of all.

    Args:
        steps: Frames with their lines, the outermost first.
    """
    place = own = ""
    for frame, line in steps:
        place = _line(frame.f_code, line)
        if is_users(frame):
            own = place
    return own or place


def is_foreign(frame: FrameType) -> bool:
    """Whether a frame runs code that is neither schedlab's nor Python's."""
    file = frame.f_code.co_filename
    if file.startswith(_INSTALLED):
        return not file.startswith(_PACKAGE)
    return not file.startswith((_PACKAGE, _LIBRARY, "<frozen"))


def is_users(frame: FrameType) -> bool:
    """Whether a frame runs code of a file that is not installed: the user's, most likely."""
    return is_foreign(frame) and not frame.f_code.co_filename.startswith(_INSTALLED)


def called(frame: FrameType) -> str:
    """Returns what a frame runs as people write it: `Mine.schedule()`."""
    code = frame.f_code
    name = code.co_qualname if sys.version_info >= (3, 11) else code.co_name
    if code.co_argcount and code.co_varnames[0] == "self" and "self" in frame.f_locals:
        # The class of the object, not the one that the method comes from.
        name = f"{type(frame.f_locals['self']).__qualname__}.{code.co_name}"
    return f"{name.rpartition('<locals>.')[2]}()"


def _line(code: CodeType, line: int) -> str:
    return f"{os.path.basename(code.co_filename)}:{line}"
