"""Policies by name: `easy`, or with arguments `easy(order=shortest, depth=100)`."""

from __future__ import annotations

from schedlab.errors import InputError


def parse_call(text: str, kind: str) -> tuple[str, dict[str, str]]:
    """Returns the name and the keyword arguments of a text such as `easy(depth=100)`."""
    name, bracket, rest = text.strip().partition("(")
    if not bracket:
        return name.strip(), {}
    if not rest.endswith(")"):
        raise InputError(f"{kind} {text!r}: the closing bracket is missing")
    arguments: dict[str, str] = {}
    for part in rest[:-1].split(","):
        if not part.strip():
            continue
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            raise InputError(
                f"{kind} {text!r}: write arguments as name=value, not {part.strip()!r}"
            )
        if key in arguments:
            raise InputError(f"{kind} {text!r}: {key} is given twice")
        arguments[key] = value
    return name.strip(), arguments


def unknown(kind: str, name: str, known: tuple[str, ...]) -> InputError:
    """Returns the error for a name that is not one of the known ones."""
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    hint = f'did you mean "{close[0]}"? ' if close else ""
    return InputError(f'unknown {kind} "{name}"; {hint}known: {", ".join(known)}')
