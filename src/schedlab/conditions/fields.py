"""Fields of the tables of conditions, checked: messages begin with the field's path."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.system import decode

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST = 1e15
"""Of any number here: watts, prices, Unix times; far below it nothing is lost in a double."""

MAX_SECONDS = 4_000_000_000
"""126 years, as for windows: all times fit the engine's nanoseconds."""


def seconds(value: object, path: str, *, above: float | None = None) -> float:
    """Returns a length of time from 0 (or above something) to 126 years."""
    return decode.number(value, path, above=above, maximum=MAX_SECONDS)


def word(value: object, path: str, words: Sequence[str]) -> str:
    """Returns the value if it is one of the words."""
    if not isinstance(value, str) or value not in words:
        choice = " or ".join(f'"{one}"' for one in words)
        raise InputError(f"{path}: must be {choice} (is {decode.shown(value)})")
    return value
