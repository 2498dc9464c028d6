"""Shapes of plain values: what a field of a JSON file may hold, checked where the file is read.

A shape is a function of a value and its path that raises InputError, with the path, for a value of
another shape. Fields that are not named are left alone: later versions may write more.
"""

from __future__ import annotations

from schedlab.decode import child, listed, shown
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Shape = Callable[[Any, str], None]

LARGEST_NUMBER = 1e100
"""Beyond anything measured, and its square is still a number."""

LARGEST_WHOLE = 2**63 - 1


def number(least: float = -LARGEST_NUMBER, most: float = LARGEST_NUMBER) -> Shape:
    """Returns the shape of a finite number within bounds; true and false are not numbers."""

    def check(value: Any, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"{path}: must be a number (is {shown(value)})")
        if not least <= value <= most:  # which not-a-number is not, either
            raise InputError(f"{path}: must be from {least:g} to {most:g} (is {shown(value)})")

    return check


def whole(least: int = 0, most: int = LARGEST_WHOLE) -> Shape:
    """Returns the shape of a whole number within bounds."""

    def check(value: Any, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError(f"{path}: must be a whole number (is {shown(value)})")
        if not least <= value <= most:
            raise InputError(f"{path}: must be from {least} to {most} (is {shown(value)})")

    return check


def text(value: Any, path: str) -> None:
    """The shape of a text, of any length and content."""
    if not isinstance(value, str):
        raise InputError(f"{path}: must be text (is {shown(value)})")


def boolean(value: Any, path: str) -> None:
    """The shape of true and false."""
    if not isinstance(value, bool):
        raise InputError(f"{path}: must be true or false (is {shown(value)})")


def plain(value: Any, path: str) -> None:
    """The shape of a single value: null, true, false, a number or a text; or a list of them."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, (list, dict)):
            raise InputError(f"{path}: must be one value, or a list of values (has {shown(one)})")


def word(*known: str) -> Shape:
    """Returns the shape of a text that is one of these."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, str) or value not in known:
            raise InputError(f"{path}: must be one of {listed(known)} (is {shown(value)})")

    return check


def maybe(shape: Shape) -> Shape:
    """Returns the shape of null, or of something."""

    def check(value: Any, path: str) -> None:
        if value is not None:
            shape(value, path)

    return check


def list_of(shape: Shape, least: int = 0) -> Shape:
    """Returns the shape of a list of things of one shape."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, list):
            raise InputError(f"{path}: must be a list (is {shown(value)})")
        if len(value) < least:
            raise InputError(f"{path}: must have {least} or more items (has {len(value)})")
        for place, one in enumerate(value):
            shape(one, f"{path}[{place}]")

    return check


def table_of(shape: Shape) -> Shape:
    """Returns the shape of a table with any keys, and values of one shape."""

    def check(value: Any, path: str) -> None:
        for key, one in _table(value, path).items():
            shape(one, child(path, key))

    return check


def fields(
    needed: dict[str, Shape], more: dict[str, Shape] | None = None, are_all: bool = False
) -> Shape:
    """Returns the shape of a table with these fields.

    Args:
        needed: Those that must be there.
        more: Those that may be.
        are_all: Whether there must be no others.
    """

    def check(value: Any, path: str) -> None:
        table = _table(value, path)
        for key, shape in needed.items():
            if key not in table:
                raise InputError(f"{child(path, key)}: is missing")
            shape(table[key], child(path, key))
        for key, shape in (more or {}).items():
            if key in table:
                shape(table[key], child(path, key))
        for key in table if are_all else ():
            if key not in needed and key not in (more or {}):
                raise InputError(
                    f"{child(path, key)}: is not one of {listed([*needed, *(more or {})])}"
                )

    return check


def _table(value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        where = path or "the whole file"
        raise InputError(f"{where}: must be a table in braces (is {shown(value)})")
    return value
