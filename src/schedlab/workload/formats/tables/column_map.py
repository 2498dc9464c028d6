"""Which columns of a foreign table are which of our own: a small language, as polars expressions.

`submit=time(Submitted)`, `run=End - Start`, `requested_time=minutes(Limit)`, `status=1`. Names are
columns of the file, numbers are constants. Nothing is ever executed but what is listed here.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

import polars

from schedlab.durations import DAY, HOUR, MINUTE
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    Ambiguous = Literal["earliest", "latest"]

UNITS: dict[str, float] = {
    "milliseconds": 0.001,
    "minutes": MINUTE,
    "hours": HOUR,
    "days": DAY,
    "bytes": 1 / 1024,
    "megabytes": 1024,
    "gigabytes": 1024**2,
}
"""What a number in such a unit is times, to be seconds or KB."""

OPERATORS: dict[type, Callable[[polars.Expr, polars.Expr], polars.Expr]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
}
SEVERAL: dict[str, Callable[[list[polars.Expr]], polars.Expr]] = {
    "min": polars.min_horizontal,
    "max": polars.max_horizontal,
    "first": polars.coalesce,
}
"""Functions of any number of expressions."""

ISO_TIMES = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M")
DURATION = r"^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$"
DEEPEST = 50


class Source(NamedTuple):
    """What one of our own columns is made of.

    Attributes:
        expression: Of columns of the file.
        columns: Those.
        is_time: Whether it is a moment, as Unix seconds.
        is_name: Whether texts stand for numbers.
        local: What it is made of that are dates without a time zone.
    """

    expression: polars.Expr
    columns: tuple[str, ...]
    is_time: bool = False
    is_name: bool = False
    local: tuple[polars.Expr, ...] = ()


def source_of(
    given: object, target: str, types: Mapping[str, polars.DataType], zone: str
) -> Source:
    """Returns the source that a text or a number of a column map stands for.

    Args:
        given: The name of a column, an expression, or a number.
        target: Our own column, for messages.
        types: The columns of the file.
        zone: Time zone of moments that give none.

    Raises:
        InputError: It is not such an expression, or names a column that is not there.
    """
    if isinstance(given, str) and given in types:
        return _column(given, types, zone)
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return Source(polars.lit(float(given)), ())
    text = str(given)
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(
            f"{target}={text}: is neither a column of the file nor an expression; {_known(types)}"
        ) from None
    return _Builder(f"{target}={text}", types, zone).build(tree, 0)


def _known(types: Mapping[str, polars.DataType]) -> str:
    names = ", ".join(list(types)[:40])
    return f"the file's columns: {names}" + (", ..." if len(types) > 40 else "")


def _column(name: str, types: Mapping[str, polars.DataType], zone: str) -> Source:
    """Returns a column as numbers: texts are read as such, moments become Unix seconds."""
    kind, column = types[name], polars.col(name)
    if kind == polars.String:
        return Source(column.str.strip_chars().cast(polars.Float64, strict=False), (name,))
    if isinstance(kind, (polars.Datetime, polars.Date)):
        local = () if getattr(kind, "time_zone", None) else (column.cast(polars.Datetime("us")),)
        return Source(_moment(column, kind, zone), (name,), is_time=True, local=local)
    if isinstance(kind, polars.Duration):
        return Source(column.dt.total_microseconds() / 1e6, (name,))
    return Source(column.cast(polars.Float64, strict=False), (name,))


def _moment(column: polars.Expr, kind: polars.DataType, zone: str) -> polars.Expr:
    column = column.cast(polars.Datetime("us", getattr(kind, "time_zone", None)))
    if getattr(kind, "time_zone", None) is None:
        column = in_zone(column, zone)
    return column.dt.epoch("us") / 1e6


def in_zone(local: polars.Expr, zone: str, ambiguous: Ambiguous = "earliest") -> polars.Expr:
    """Returns dates as moments of a zone; one that clocks leave out is as if they had not been set.

    Args:
        local: Dates without a zone.
        zone: Its name.
        ambiguous: Which of two moments a date is in the hour that clocks go through twice.
    """
    day = polars.duration(days=1)  # clocks have been set forward by that, on islands
    moment = local.dt.replace_time_zone(zone, ambiguous=ambiguous, non_existent="null")
    before = (local - day).dt.replace_time_zone(zone, ambiguous=ambiguous, non_existent="null")
    return polars.coalesce(moment, before + day)


def zone_counts(local: polars.Expr, zone: str) -> tuple[polars.Expr, polars.Expr, polars.Expr]:
    """Returns how many dates there are, how many clocks show twice, and how many they leave out."""
    first = local.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    second = local.dt.replace_time_zone(zone, ambiguous="latest", non_existent="null")
    left_out = local.is_not_null() & first.is_null()
    return local.count(), (first != second).sum(), left_out.sum()


class _Builder:
    """Makes a source of the syntax tree of an expression."""

    def __init__(self, text: str, types: Mapping[str, polars.DataType], zone: str) -> None:
        self._text, self._types, self._zone = text, types, zone

    def _wrong(self, why: str) -> InputError:
        return InputError(f"{self._text}: {why}")

    def build(self, tree: ast.expr, depth: int) -> Source:
        if depth > DEEPEST:
            raise self._wrong("is too deep an expression")
        if isinstance(tree, ast.Name):
            return _column(self._name(tree), self._types, self._zone)
        if isinstance(tree, ast.Constant) and isinstance(tree.value, (int, float)):
            return Source(polars.lit(float(tree.value)), ())
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
            inner = self.build(tree.operand, depth + 1)
            return Source(-inner.expression, inner.columns, local=inner.local)
        if isinstance(tree, ast.BinOp) and type(tree.op) in OPERATORS:
            left, right = self.build(tree.left, depth + 1), self.build(tree.right, depth + 1)
            made = OPERATORS[type(tree.op)](left.expression, right.expression)
            # A moment plus a time is a moment, the difference of two is none.
            is_time, local = left.is_time != right.is_time, left.local + right.local
            return Source(made, left.columns + right.columns, is_time, local=local)
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.keywords:
            return self._call(tree.func.id, tree.args, depth)
        raise self._wrong("takes columns, numbers, + - * / and functions alone")

    def _call(self, name: str, arguments: list[ast.expr], depth: int) -> Source:
        if name in UNITS and len(arguments) == 1:
            inner = self.build(arguments[0], depth + 1)
            return Source(inner.expression * UNITS[name], inner.columns, local=inner.local)
        if name in SEVERAL and arguments:
            parts = [self.build(argument, depth + 1) for argument in arguments]
            columns = tuple(column for part in parts for column in part.columns)
            made = SEVERAL[name]([part.expression for part in parts])
            local = tuple(date for part in parts for date in part.local)
            return Source(made, columns, any(part.is_time for part in parts), local=local)
        if name == "ceil" and len(arguments) == 1:
            inner = self.build(arguments[0], depth + 1)
            return Source(inner.expression.ceil(), inner.columns, local=inner.local)
        if name == "column" and len(arguments) == 1:
            return _column(self._name(arguments[0]), self._types, self._zone)
        if name == "names" and len(arguments) == 1:
            if depth:
                raise self._wrong("names(...) must stand alone")
            column = self._name(arguments[0])
            return Source(polars.col(column).cast(polars.String), (column,), is_name=True)
        if name == "duration" and len(arguments) == 1:
            column = self._name(arguments[0])
            return Source(self._duration(column), (column,))
        if name == "time" and 1 <= len(arguments) <= 2:
            column = self._name(arguments[0])
            made, local = self._time(column, arguments[1:])
            return Source(made, (column,), is_time=True, local=local)
        known = ", ".join((*UNITS, *SEVERAL, "ceil", "column", "duration", "names", "time"))
        raise self._wrong(f"{name}() of {len(arguments)} is not a function; there are {known}")

    def _name(self, tree: ast.expr) -> str:
        """Returns the column that a name or a text in quotes names."""
        name = tree.id if isinstance(tree, ast.Name) else None
        if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
            name = tree.value
        if name is None:
            raise self._wrong("must have the name of a column there")
        if name not in self._types:
            raise self._wrong(f"the file has no column {name!r}; {_known(self._types)}")
        return name

    def _duration(self, name: str) -> polars.Expr:
        """Returns [DD-][HH:]MM:SS, or a number, as seconds."""
        if self._types[name] != polars.String:
            return _column(name, self._types, self._zone).expression
        text = polars.col(name).str.strip_chars()
        days, hours, minutes, seconds = (
            text.str.extract(DURATION, group).cast(polars.Float64) for group in range(1, 5)
        )
        total = days.fill_null(0) * DAY + hours.fill_null(0) * HOUR + minutes * MINUTE + seconds
        return polars.coalesce(total, text.cast(polars.Float64, strict=False))

    def _time(self, name: str, form: list[ast.expr]) -> tuple[polars.Expr, tuple[polars.Expr, ...]]:
        """Returns a moment as Unix seconds, and the dates in it that name no zone.

        A moment is a number, or a date of ISO 8601 or of the given form.
        """
        kind = self._types[name]
        if kind != polars.String:
            known = _column(name, self._types, self._zone)
            return known.expression, known.local
        text = polars.col(name).str.strip_chars()
        if form:
            shape = form[0]
            if not isinstance(shape, ast.Constant) or not isinstance(shape.value, str):
                raise self._wrong('the form of a time must be a text, as "%d/%m/%Y %H:%M"')
            moment = _parsed(text, shape.value)
            if "%z" in shape.value or "%:z" in shape.value or "%#z" in shape.value:
                return moment.dt.epoch("us") / 1e6, ()
            return _moment(moment, polars.Datetime("us"), self._zone), (moment,)
        text = text.str.replace(r"^(\d{4}-\d\d-\d\d)[ Tt](\d.*)$", "${1}T${2}")
        zoned = text.str.replace(r"[Zz]$", "+00:00").str.replace(r"([+-]\d\d)(\d\d)$", "${1}:${2}")
        aware = zoned.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%:z", strict=False, time_unit="us")
        day = text.str.to_date("%Y-%m-%d", strict=False).cast(polars.Datetime("us"))
        local = polars.coalesce(*(_parsed(text, shape) for shape in ISO_TIMES), day)
        moment = polars.coalesce(
            text.cast(polars.Float64, strict=False),
            aware.dt.epoch("us") / 1e6,
            _moment(local, polars.Datetime("us"), self._zone),
        )
        return moment, (local,)


def _parsed(text: polars.Expr, shape: str) -> polars.Expr:
    return text.str.to_datetime(shape, strict=False, time_unit="us", ambiguous="earliest")
