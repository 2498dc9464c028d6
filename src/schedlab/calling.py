"""Calls with arguments that a function does not take: what was meant, instead of a TypeError."""

from __future__ import annotations

from schedlab.errors import ArgumentError, did_you_mean

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import Parameter
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """Lets a function say what was meant when it is called with wrong arguments.

    It costs nothing but a call: arguments are only examined once Python has refused them.
    """

    def call(*given: P.args, **named: P.kwargs) -> R:
        try:
            return function(*given, **named)
        except TypeError as error:
            trace = error.__traceback__
            if trace is None or trace.tb_next is not None:  # raised within the function
                raise
            text = _what_is_wrong(function, given, named)
            if text is None:
                raise
            raise ArgumentError(text) from None

    for attribute in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(call, attribute, getattr(function, attribute))
    call.__wrapped__ = function  # type: ignore[attr-defined]  # for signatures
    return call


def _what_is_wrong(
    function: Callable[..., object], given: tuple[object, ...], named: dict[str, Any]
) -> str | None:
    """Returns what is wrong with arguments, and what could have been meant."""
    from inspect import signature

    takes = dict(signature(function).parameters)
    label = function.__name__
    if "self" in takes:
        del takes["self"]
        if label == "__init__":
            label = type(given[0]).__name__  # which may be a class below the function's
        given = given[1:]
    return what_is_wrong(label, takes, given, named)


def what_is_wrong(
    label: str, takes: dict[str, Parameter], given: tuple[object, ...], named: dict[str, Any]
) -> str | None:
    """Returns what is wrong with the arguments of a call, and what could have been meant.

    Args:
        label: What is called.
        takes: Its parameters; those whose names begin with an underscore are for schedlab alone.
        given: Arguments without a name.
        named: Arguments by name.
    """
    takes = {name: one for name, one in takes.items() if not name.startswith("_")}
    by_place = [name for name, one in takes.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    by_name = [name for name, one in takes.items() if one.kind is one.KEYWORD_ONLY]
    if len(given) > len(by_place):
        wanted = [f"{name}=..." for name in by_name if name not in named]
        names = [*by_place, *wanted[: len(given) - len(by_place)]]
        return (
            f"{label}() takes {len(by_place)} without a name, not {len(given)}; "
            f"did you mean {label}({', '.join(names)})?"
        )
    known = [*by_place, *by_name]
    open_ended = any(one.kind is one.VAR_KEYWORD for one in takes.values())
    strange = [name for name in named if name not in known]
    missing = [
        name
        for place, (name, one) in enumerate(takes.items())
        if _is_needed(one) and name not in named and place >= len(given)
    ]
    for name in strange:
        hint = did_you_mean(name, missing) or did_you_mean(name, known)
        if hint or not open_ended:
            return f"{label}() takes no {name!r}; {hint}known: {', '.join(known)}"
    if missing:
        return f"{label}() missing {' and '.join(map(repr, missing))}"
    return None


def _is_needed(one: Parameter) -> bool:
    return one.default is one.empty and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
