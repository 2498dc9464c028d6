"""Series of CSV files, and of the tables that name them."""

from __future__ import annotations

import os
from array import array
from io import StringIO

from schedlab import decode
from schedlab.conditions.series import LARGEST, LEAST_PERIOD, MAX_ROWS, Series, check_rows
from schedlab.decode import MAX_SECONDS
from schedlab.durations import PATTERN
from schedlab.errors import InputError
from schedlab.input_file import read_text

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BESIDE_FILE = ("times", "values", "dated", "source")
"""Keys that a table with `file` does not have."""

_TABLE = ("file", "times", "values", "every", "dated", "source")


def written(least: float) -> dict[str, Any]:
    """Returns the JSON Schema of what `series_of` takes, of values from the least one on."""
    value = {"type": "number", "minimum": least, "maximum": LARGEST}
    every = {"type": ["number", "string"], "minimum": LEAST_PERIOD, "maximum": MAX_SECONDS}
    time = {"type": ["number", "string"], "minimum": -LARGEST, "maximum": LARGEST}
    properties = {
        "file": {
            "type": "string",
            "description": "CSV file with the columns time (or date) and value",
        },
        "times": {"type": "array", "items": {**time, "pattern": PATTERN}, "minItems": 1},
        "values": {"type": "array", "items": value, "minItems": 1},
        "every": {**every, "pattern": PATTERN},
        "dated": {"type": "boolean"},
        "source": {"type": ["string", "null"]},
    }
    table = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "oneOf": [{"required": ["file"]}, {"required": ["times", "values"]}],
        "dependentSchemas": {"file": {"properties": dict.fromkeys(_BESIDE_FILE, False)}},
    }
    return {"oneOf": [value, table]}


def series_of(
    given: object, path: str, column: str, *, negative: bool = False, folder: str = ""
) -> Series:
    """Returns the series that a number, a table or a Series stands for.

    Args:
        given: A number, which holds at all times; a table with `file` and perhaps `every`, or with
            `times` and `values`; or a Series.
        path: Where it is, for messages.
        column: What the file calls its values.
        negative: Whether values may be negative.
        folder: That relative paths begin from.

    Raises:
        InputError: With the path, and file and line where there is one.
    """
    if isinstance(given, Series):
        made = given
    elif isinstance(given, dict):
        made = _of_table(given, path, column, negative, folder)
    elif isinstance(given, (str, os.PathLike)):
        raise InputError(
            f'{path}: must be a number or a table; for a file: {{ file = "NAME.csv" }}'
        )
    else:
        least = -LARGEST if negative else 0
        return Series.constant(decode.number(given, path, minimum=least, maximum=LARGEST))
    smallest, _ = made.lowest()
    if not negative and smallest < 0:
        raise InputError(f"{path}: must not be negative (is {smallest:g})")
    return made


def _of_table(
    given: dict[str, object], path: str, column: str, negative: bool, folder: str
) -> Series:
    table = decode.table(given, path, 'a series, such as file = "NAME.csv"')
    decode.refuse_unknown(table, _TABLE, path)
    fields = dict(table)
    file = fields.pop("file", None)
    try:
        if file is None:
            for name in ("times", "values"):
                if name not in fields:
                    raise InputError(f'{name}: is missing; give file = "NAME.csv", or both lists')
            return Series(**fields)
        for name in _BESIDE_FILE:
            if name in fields:
                raise InputError(f"{name}: is given beside file; give one of the two")
    except InputError as error:
        raise InputError(f"{path}.{error}") from None
    return read_series(
        file, f"{path}.", column, every=fields.get("every"), negative=negative, folder=folder
    )


def read_series(
    file: object,
    path: str,
    column: str,
    *,
    every: object = None,
    negative: bool = False,
    folder: str = "",
) -> Series:
    """Returns the series of a CSV file with the columns `time` (or `date`) and `column`.

    Args:
        file: The file; at most ten million rows.
        path: What stands before the fields file and every in messages.
        column: Name of the second column.
        every: The series' period.
        negative: Whether values may be negative.
        folder: That a relative path begins from.

    Raises:
        InputError: With the path of the field, file and line.
    """
    if not isinstance(file, (str, os.PathLike)) or not os.fsdecode(file).strip():
        raise InputError(f"{path}file: must be the path of a CSV file (is {decode.shown(file)})")
    name = os.fsdecode(os.path.join(folder, file))
    try:
        times, values, dated = _rows(name, column)
        check_rows(times, values, dated, lambda row: f"{name}:{row + 2}")
        if not negative and (smallest := min(values)) < 0:
            row = values.index(smallest) + 2
            raise InputError(f"{name}:{row}: {column} must not be negative (is {smallest:g})")
        if len(times) == 1:
            raise InputError(
                f"{name}: has one row, so {column} never changes; if that is meant, write "
                f"{values[0]:g} instead of the file"
            )
    except InputError as error:
        raise InputError(f"{path}file: {error}") from None
    try:
        return Series(times, values, every, dated, name)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(f"{path}{error}") from None


def _rows(name: str, column: str) -> tuple[array[float], array[float], bool]:
    """Returns the times and values of a file, and whether the times were dates."""
    times, values = array("d"), array("d")
    lines = iter(StringIO(read_text(name), None))
    header = next(lines, "")
    first, _, second = (part.strip() for part in header.partition(","))
    if first not in ("time", "date") or second != column:
        raise InputError(
            f"{name}:1: the header must be time,{column} or date,{column} "
            f"(is {decode.shown(header.strip())})"
        )
    moment: Callable[[str], float] = float
    if first == "date":
        from schedlab.dates import unix_time  # in UTC, where it names no zone

        moment = unix_time
    for row, line in enumerate(lines):
        left, _, right = line.partition(",")
        try:
            time, value = moment(left), float(right)
        except (ValueError, OverflowError):
            if not line.strip():
                if any(rest.strip() for rest in lines):
                    raise InputError(f"{name}:{row + 2}: is an empty line; remove it") from None
                break  # nothing but empty lines at the end
            example = "3600,0.25" if first == "time" else "2026-01-31T06:00,0.25"
            raise InputError(
                f"{name}:{row + 2}: must be {first},{column}, such as {example} "
                f"(is {decode.shown(line.strip())})"
            ) from None
        if row >= MAX_ROWS:
            raise InputError(f"{name}: has more than {MAX_ROWS} rows; use a coarser series")
        times.append(time)
        values.append(value)
    if not times:
        raise InputError(f"{name}: has no rows below its header")
    return times, values, first == "date"
