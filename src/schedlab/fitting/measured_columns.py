"""Columns of measurements: their names, the units in brackets after them, their cells."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from schedlab.durations import HOUR, MINUTE
from schedlab.errors import InputError
from schedlab.input_file import read_text

_RATES = {"MB/s": 1.0, "MBytes/s": 1.0, "GB/s": 1e3, "GBytes/s": 1e3}
_RATES |= {"MiB/s": 1.048576, "GiB/s": 1073.741824}
_VOLUMES = {unit.removesuffix("/s"): factor for unit, factor in _RATES.items()}
_TIMES = {"s": 1.0, "ms": 1e-3, "min": float(MINUTE), "h": float(HOUR)}
_POWERS = {"W": 1.0, "mW": 1e-3, "kW": 1e3}
_CLOCKS = {"GHz": 1.0, "MHz": 1e-3}

UNITS: dict[str, dict[str, float]] = {
    "rate": _RATES,
    "others": _RATES,
    "n": {},
    "speed": {},
    "volume": _VOLUMES,
    "time_alone": _TIMES,
    "time": _TIMES,
    "active": {},
    "power": _POWERS,
    "clock": _CLOCKS,
    "alone": {},
    "neighbours": {},
    "together": {},
    "likwid": {},
}
"""The columns that mean something, with their units, of which the first is taken without any."""

DELIMITERS = ",;\t"
LARGEST = 1e15


class MeasuredRow(NamedTuple):
    """One line of a table."""

    path: str
    line: int
    cells: dict[str, str]
    factors: Mapping[str, float]

    def wrong(self, name: str, what: str) -> InputError:
        """Returns the error to raise about a cell."""
        return InputError(f"{self.path}:{self.line}: {name}: {what}")

    def given(self, name: str) -> bool:
        """Returns whether the row has something in that column."""
        return bool(self.cells.get(name))

    def text(self, name: str) -> str:
        """Returns a cell; raises InputError where it is blank."""
        if not self.cells[name]:
            raise self.wrong(name, "is blank")
        return self.cells[name]

    def number(self, name: str, above: float | None = None) -> float:
        """Returns a cell's number in the column's first unit; raises InputError.

        Args:
            name: Of the column.
            above: It must be larger than this; None: 0 or larger.
        """
        text = self.text(name)
        least = "0 or more" if above is None else f"above {above:g}"
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or value < 0 or (above is not None and value <= above):
            raise self.wrong(name, f"must be a number, {least}, not {text[:40]!r}")
        if value > LARGEST:
            raise self.wrong(name, f"{value:g} is too large to be a measurement")
        return value * self.factors.get(name, 1.0)

    def whole(self, name: str, most: int, why: str) -> int:
        """Returns a cell's whole number; raises InputError beyond the most, saying why."""
        value = self.number(name)
        if value != int(value):
            raise self.wrong(name, f"must be a whole number, not {self.cells[name]}")
        if value > most:
            raise self.wrong(name, f"{int(value)} is more than {most}: {why}")
        return int(value)


class Table(NamedTuple):
    """A file of measurements: the columns it has, and its rows."""

    path: str
    names: tuple[str, ...]
    titles: tuple[str, ...]
    rows: list[MeasuredRow]


def read_table(path: str, columns: Mapping[str, str]) -> Table:
    """Returns the table of a CSV file.

    Args:
        path: The file. Its delimiter is what the title line has most of: comma, semicolon, tab.
        columns: Titles in the file of columns that are not called by their own names.

    Raises:
        InputError: It cannot be read, or a line is not as it must be.
    """
    for name in columns:
        if name not in UNITS:
            raise InputError(f"column {name!r}: there is none; they are {', '.join(UNITS)}")
    return _table(path, read_text(path), columns)


def _table(path: str, text: str, columns: Mapping[str, str]) -> Table:
    lines = list(_lines(path, text))
    if not lines:
        raise InputError(f"{path}: is empty; its first line must name the columns")
    (_, titles), *rest = lines
    for title in titles:
        if titles.count(title) > 1:
            raise InputError(f"{path}: two columns are called {title!r}")
    for name, title in columns.items():
        if title not in titles:
            have = ", ".join(titles)
            raise InputError(f"{path}: column {name}: there is no {title!r}; it has {have}")
    renamed = {title: name for name, title in columns.items()}
    names: dict[int, str] = {}
    factors: dict[str, float] = {}
    for place, title in enumerate(titles):
        base, _, unit = title.partition("[")
        name = renamed.get(title, base.strip() if title not in columns.values() else "")
        if name not in UNITS or (name in columns and columns[name] != title):
            continue
        if name in names.values():
            raise InputError(f"{path}: two columns are {name}; say which with --column")
        names[place] = name
        if unit:
            factors[name] = _factor(path, title, name, unit.rstrip("] "))
    rows = []
    for line, cells in rest:
        if len(cells) != len(titles):
            raise InputError(
                f"{path}:{line}: has {len(cells)} fields; its title line has {len(titles)}"
            )
        named = {name: cells[place].strip() for place, name in names.items()}
        rows.append(MeasuredRow(path, line, named, factors))
    return Table(path, tuple(names.values()), tuple(titles), rows)


def _lines(path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yields number and fields of each line that is neither blank nor a comment."""
    first = next((line for line in text.splitlines() if line.strip() and line[0] != "#"), "")
    reader = csv.reader(text.splitlines(), delimiter=max(DELIMITERS, key=first.count))
    try:
        for number, fields in enumerate(reader, 1):
            if any(field.strip() for field in fields) and not fields[0].startswith("#"):
                yield reader.line_num or number, [field.strip() for field in fields]
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: {error}") from None


def _factor(path: str, title: str, name: str, unit: str) -> float:
    known = UNITS[name]
    if not known:
        raise InputError(f"{path}: {title!r}: {name} has no unit")
    if unit not in known:
        raise InputError(
            f"{path}: {title!r}: the unit {unit!r} is not known; {name} is in {', '.join(known)}"
        )
    return known[unit]
