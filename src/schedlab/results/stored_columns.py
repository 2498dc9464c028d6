"""Columns of tables that schedlab wrote: types, bounds, and the first row that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars

from schedlab.decode import listed, shown
from schedlab.errors import InputError
from schedlab.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from io import BytesIO

    Source = str | BytesIO

LONGEST_HEADER = 2**20
MOST_COLUMNS = 4096
PROBLEMS = (polars.exceptions.PolarsError, polars.exceptions.PanicException, UnicodeDecodeError)
"""What polars raises for a file that is not a table; its panics are errors of other kinds."""

ROW = "row of table"
_TYPES: dict[str, Any] = {
    "whole": polars.Int64,
    "unsigned": polars.UInt64,
    "number": polars.Float64,
    "text": polars.String,
}


class StoredColumn(NamedTuple):
    """What a column may hold.

    Attributes:
        kind: "whole", "unsigned", "number" or "text".
        least: Least number.
        most: Largest number; both are allowed.
        may_be_empty: Whether cells may be.
        words: Texts that it may hold; none: any.
        form: What else its texts must match, as a regular expression.
        ascends: Whether no value is less than the one before.
    """

    kind: str
    least: float = -1e100
    most: float = 1e100
    may_be_empty: bool = False
    words: tuple[str, ...] = ()
    form: str = ""
    ascends: bool = False

    @property
    def type(self) -> Any:
        """Its type in polars."""
        return _TYPES[self.kind]

    def wrong(self, name: str) -> Iterator[tuple[str, polars.Expr]]:
        """Yields what can be wrong with a cell, in words, and which cells are so."""
        column = polars.col(name)
        if not self.may_be_empty:
            yield "must not be empty", column.is_null()
        if self.kind == "text":
            if self.words:
                yield f"must be one of {listed(self.words)}", ~column.is_in(self.words)
            if self.form:
                yield f"must match {self.form}", ~column.str.contains(f"^(?:{self.form})$")
            return
        if self.kind == "number":
            yield "must be a finite number", ~column.is_finite()
        bounds = f"from {self.least:.16g} to {self.most:.16g}"
        yield f"must be {bounds}", (column < self.least) | (column > self.most)
        if self.ascends:
            yield "must not be less than in the row before", column.diff() < 0


def read_header(source: Source, label: str) -> list[str]:
    """Returns the names of the columns of a CSV file.

    Raises:
        InputError: It is not a regular file with a first line that names columns.
        OSError: There is no such file, or it cannot be read.
    """
    if isinstance(source, str):
        with open_regular(source) as file:
            line = file.readline(LONGEST_HEADER)
    else:
        line = source.getvalue()[:LONGEST_HEADER].partition(b"\n")[0] + b"\n"
    try:
        names = line.decode().strip().split(",")
    except UnicodeDecodeError:
        raise InputError(f"{label}:1: is not UTF-8 text") from None
    if not line.endswith(b"\n") or names == [""] or len(names) > MOST_COLUMNS:
        raise InputError(f"{label}:1: is not a line that names the columns of a table")
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InputError(f"{label}:1: names column {shown(twice[0])} twice")
    return names


def scan(
    source: Source, label: str, type_of: Callable[[str], Any], names: list[str] | None = None
) -> polars.LazyFrame:
    """Returns the table of a CSV file, read lazily.

    Args:
        source: The file, or its content.
        label: What messages call it.
        type_of: Returns the type of a column, by its name.
        names: Of the columns, where they are known.

    Raises:
        InputError: Its first line does not name columns.
    """
    header = read_header(source, label) if names is None else names
    types = {name: type_of(name) for name in header}
    return _scan_csv(source, schema=types)


def _scan_csv(source: Source, **options: Any) -> polars.LazyFrame:
    """Returns a table of a file that is open: by its name it might be another one by then."""
    if not isinstance(source, str):
        return polars.scan_csv(source, glob=False, **options)
    with open_regular(source) as file:  # polars keeps it, and maps it as it would by its name
        return polars.scan_csv(file, glob=False, **options)


def check_columns(
    frame: polars.LazyFrame, columns: Mapping[str, StoredColumn], needed: Iterable[str], label: str
) -> None:
    """Raises InputError for a table that lacks a column, or has one of another type."""
    try:
        schema = frame.collect_schema()
    except PROBLEMS as error:
        raise InputError(f"{label}: cannot be read: {_reason(error)}") from None
    for name in needed:
        if name not in schema:
            raise InputError(f"{label}: has no column {name}")
    for name, column in columns.items():
        if name in schema and schema[name] != column.type:
            kinds = f"must be of type {column.type} (is of type {schema[name]})"
            raise InputError(f"{label}: column {name}: {kinds}")


def check_rows(
    frame: polars.LazyFrame, columns: Mapping[str, StoredColumn], source: Source, label: str
) -> int:
    """Returns how many rows a table has.

    Args:
        frame: The table.
        columns: What they may hold, by name; others may hold anything of their type.
        source: Where it is from.
        label: What messages call that.

    Raises:
        InputError: A cell is wrong; the message has its row.
    """
    names = frame.collect_schema().names()
    known = [name for name in names if name in columns]
    wrong = [(name, *one) for name in known for one in columns[name].wrong(name)]
    checks = [bad.any().alias(f"{ROW} {place}") for place, (_, _, bad) in enumerate(wrong)]
    # The others are read, too: their cells must be what their type says.
    checked_names = {name for name, _, _ in wrong}
    others = [place for place, name in enumerate(names) if name not in checked_names]
    checks += [polars.nth(place).null_count() for place in others]
    try:
        rows, *found = frame.select(polars.len().alias(ROW), *checks).collect().row(0)
        place = next((place for place in range(len(wrong)) if found[place]), None)
        if place is None:
            return int(rows)
        name, what, bad = wrong[place]
        cell = frame.with_row_index(ROW).filter(bad).select(ROW, name)
        number, value = cell.head(1).collect().row(0)
    except PROBLEMS as error:
        raise InputError(_unreadable(error, frame, source, label)) from None
    raise InputError(f"{place_of(label, number)}: column {name}: {what} (is {shown(value)})")


def place_of(label: str, row: int) -> str:
    """Returns a file with the place of a row in it, counted from 0."""
    if label.endswith(".parquet"):
        return f"{label}: row {row + 1}"
    return f"{label}:{row + 2}"  # the first line has the names


def _reason(error: BaseException) -> str:
    return " ".join(str(error).partition("\n")[0].split())[:200]


def _unreadable(error: BaseException, frame: polars.LazyFrame, source: Source, label: str) -> str:
    """Returns why a table cannot be read, with the line of a CSV file where that is found."""
    if label.endswith(".parquet"):
        return f"{label}: cannot be read: {_reason(error)}"
    types = frame.collect_schema()
    number = _line_with_more(source, len(types))
    if number is not None:
        return f"{label}:{number}: has more than the {len(types)} cells that the first line names"
    cells = _scan_csv(
        source,
        schema=dict.fromkeys(types, polars.String),
        encoding="utf8-lossy",
        truncate_ragged_lines=True,
    ).with_row_index(ROW)
    for place, (name, kind) in enumerate(types.items(), 1):
        column = polars.nth(place)
        bad = column.is_not_null() & column.cast(kind, strict=False).is_null()
        if kind == polars.String:
            bad = column.str.contains("\ufffd")
        try:
            found = cells.filter(bad).select(ROW, column).head(1).collect()
        except PROBLEMS:
            continue
        if found.height:
            row, value = found.row(0)
            what = "is not UTF-8 text" if kind == polars.String else "cannot be read as a number"
            return f"{place_of(label, row)}: column {name}: {what} (is {shown(value)})"
    return f"{label}: cannot be read: {_reason(error)}"


def _line_with_more(source: Source, cells: int) -> int | None:
    """Returns the first line of a CSV file with more cells than it has columns."""
    file = open_regular(source) if isinstance(source, str) else source
    try:
        file.seek(0)
        for number, line in enumerate(file, 1):
            if line.count(b",") >= cells and b'"' not in line:
                return number
    finally:
        if isinstance(source, str):
            file.close()
    return None
