"""Series as a kind of field."""

from __future__ import annotations

from schedlab.conditions.series import LARGEST
from schedlab.conditions.series_file import series_of, written
from schedlab.fields import Declaration

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.conditions.series import Series
    from schedlab.fields.reading import Tables


def series(column: str, meaning: str, *, negative: bool = False, **rest: Any) -> Any:
    """Returns a field that is a number which changes with time.

    Args:
        column: What CSV files call it.
        meaning: As for every field.
        negative: Whether it may be.
        **rest: As for every field.
    """

    def read(value: Any, path: str, tables: Tables) -> Series:
        return series_of(value, path, column, negative=negative, folder=tables.folder)

    def check(value: Any, path: str) -> Series:
        return series_of(value, path, column, negative=negative)

    schema = written(-LARGEST if negative else 0)
    rest = {"values": "number or series", "written": schema, **rest}
    return Declaration("series", check, meaning, read=read, **rest)
