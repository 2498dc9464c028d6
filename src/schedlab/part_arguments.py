"""Arguments of parts that are named by texts: those that a part does not take, or lacks."""

from __future__ import annotations

from schedlab.errors import InputError, did_you_mean

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

_OPEN_ENDED = 0x08
"""Of the flags of a function: it takes arguments of any name."""


def arguments_of(
    found: Callable[..., object], before: int, also_open_ended: bool = False
) -> tuple[tuple[str, ...], list[str]] | None:
    """Returns the names of the arguments that something takes, and of those that it needs.

    Read off the function itself, since `inspect` costs more than a small simulation. None: nobody
    knows, as of code that is written in C.

    Args:
        found: A class or a function.
        before: How many arguments come before.
        also_open_ended: Whether to return those with a name of something that takes any others.
    """
    is_class = isinstance(found, type)
    function: Any = found.__init__ if is_class else found
    if function is object.__init__:
        return (), []
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None or (code.co_flags & _OPEN_ENDED and not also_open_ended):
        return None
    positional = code.co_varnames[: code.co_argcount]
    keyword = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    optional = {*positional[code.co_argcount - len(function.__defaults__ or ()) :]}
    optional.update(function.__kwdefaults__ or ())
    bound = int(is_class or hasattr(function, "__self__"))
    names = (*positional, *keyword)[bound + before :]
    return names, [name for name in names if name not in optional]


def check_arguments(
    kind: str,
    text: str,
    given: Iterable[str],
    found: Callable[..., object],
    before: int = 0,
    takes: Callable[[str], Sequence[str]] | None = None,
    *,
    all_there: bool = False,
) -> None:
    """Raises InputError for an argument that a part does not take.

    Args:
        kind: "scheduler", "plot" and so on.
        text: What was given, such as `easy(dept=100)`.
        given: The names of the arguments in it.
        found: What the name stands for.
        before: How many arguments come before those of the text.
        takes: Returns those that it takes, by its name; None: those of its constructor.
        all_there: Whether to raise for one that it needs and that is not given, too.
    """
    own = arguments_of(found, before, takes is not None)
    known: Sequence[str] | None = None if own is None else own[0]
    if takes is not None:
        known = takes(text.partition("(")[0].strip())
    if known is not None:
        refuse_arguments(kind, text, given, known, own[1] if own and all_there else ())


def refuse_arguments(
    kind: str, text: str, given: Iterable[str], known: Sequence[str], needed: Iterable[str] = ()
) -> None:
    """Raises InputError for arguments that are not known, or that are needed and not given.

    Args:
        kind: "scheduler", "plot" and so on.
        text: What was given.
        given: The names of the arguments in it.
        known: Those that the part takes.
        needed: Those that it must have.
    """
    name = text.partition("(")[0].strip()
    *others, last = known or ("no arguments",)
    takes = f"{name} takes {', '.join(others)} and {last}" if others else f"{name} takes {last}"
    for key in given:
        if key not in known:
            hint = did_you_mean(key, known).rstrip()
            raise InputError(f"{kind} {text!r}: {takes}, not {key}{hint and '; ' + hint}")
    missing = " and ".join([one for one in needed if one not in given])
    if missing:
        raise InputError(f"{kind} {text!r}: {missing} missing; {takes}")
