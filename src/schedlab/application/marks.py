"""What a program says of itself: that it goes round, and what its arguments must be like."""

from __future__ import annotations

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

GENERATOR = 0x20  # of a code object's flags, as inspect.CO_GENERATOR


def iterative(function: Function) -> Function:
    """Marks a program that does the same `iterations` times.

    It has an argument `iterations`, which may then be the word "run" where the application is
    named. Models that look at one iteration only run it with 1.

    Raises:
        InputError: It has no such argument.
    """
    code = function.__code__
    if "iterations" not in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        raise InputError(f"iterative: {function.__name__} has no argument named iterations")
    function.iterative = True  # type: ignore[attr-defined]
    return function


def checked(check: Callable[..., None]) -> Callable[[Function], Function]:
    """Marks a program with a function that refuses arguments that do not fit.

    Args:
        check: Called with the number of ranks and all arguments by their names. When the
            application is named, the number of ranks is None: not known yet. It raises InputError
            with the reason; the caller adds which application it is.
    """

    def mark(function: Function) -> Function:
        function.check = check  # type: ignore[attr-defined]
        return function

    return mark
