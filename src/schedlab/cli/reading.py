"""Plain command lines: a command's words become its arguments, without typer.

Plain is what needs no explanation. Everything else (--help, completion, mistakes, numbers that are
not written with digits alone) is None here, and typer's, which reads the same declarations and
words its answers as ever. `tests/cli/test_reading.py` holds the two to the same results.
"""

from __future__ import annotations

from schedlab.cli.declaring import Argument, Group, Option, parameters_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from schedlab.cli.declaring import Parameter

    Arguments = dict[str, Any]
    Command = Callable[..., None]


def call_of(group: Group, words: Sequence[str]) -> tuple[list[Group], Command, Arguments] | None:
    """Returns the groups on the way to a command, the command and its arguments.

    Args:
        group: The commands.
        words: Of the command line, after the name of the program.

    Returns:
        None where that is not plain.
    """
    groups: list[Group] = []
    found: Group | Command = group
    for place, word in enumerate(words):
        assert isinstance(found, Group)
        if word not in found.homes:
            return None
        groups.append(found)
        found = found.load(word)
        if not isinstance(found, Group):
            arguments = arguments_of(parameters_of(found), words[place + 1 :])
            return None if arguments is None else (groups, found, arguments)
    return None


def arguments_of(parameters: Sequence[Parameter], words: Sequence[str]) -> Arguments | None:
    """Returns a command's arguments by name; None where the words are not plain."""
    flags = {
        flag: (one, not number)
        for one in parameters
        if isinstance(one.declaration, Option)
        for number, flag in enumerate(one.flags)
    }
    arguments: Arguments = {}
    others: list[str] = []
    coming = iter(words)
    for word in coming:
        if word == "--":
            others.extend(coming)
        elif word[:1] != "-" or word == "-":
            others.append(word)
        else:
            flag, equals, text = word.partition("=")
            if flag not in flags:
                return None
            one, switched = flags[flag]
            if one.kind is bool:
                if equals:
                    return None
                arguments[one.name] = switched
            elif not _take(one, text if equals else next(coming, None), arguments):
                return None
    for one in parameters:
        if isinstance(one.declaration, Argument):
            taken = len(others) if one.several else 1
            if not all(_take(one, text, arguments) for text in others[:taken]):
                return None
            del others[:taken]
        if one.name not in arguments:
            if one.default is ...:
                return None
            arguments[one.name] = one.default
    return None if others else arguments


def _take(one: Parameter, text: str | None, arguments: Arguments) -> bool:
    """Takes a word for a parameter; returns whether it could be read."""
    value = None if text is None else _value(one, text)
    if value is None:
        return False
    if one.several:
        arguments.setdefault(one.name, []).append(value)
    else:
        arguments[one.name] = value
    return True


def _value(one: Parameter, text: str) -> str | float | None:
    if one.kind is str:
        return text
    digits = text.removeprefix("-")
    if one.kind is float:
        digits = digits.replace(".", "", 1)
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 15):
        return None
    value: float = one.kind(text)
    declaration = one.declaration
    least, largest = getattr(declaration, "least", None), getattr(declaration, "largest", None)
    if (least is not None and value < least) or (largest is not None and value > largest):
        return None
    return value
