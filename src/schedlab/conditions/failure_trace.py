"""Outages that are known beforehand: when which node was down."""

from __future__ import annotations

import os
from io import StringIO
from math import isfinite

from schedlab import decode
from schedlab.decode import MAX_SECONDS
from schedlab.durations import PATTERN, duration_of
from schedlab.errors import InputError
from schedlab.fields import Defined, file_key, other
from schedlab.input_file import read_text

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from schedlab.system import System

    Outage = tuple[int, float, float]

COLUMNS = ("node", "start", "end")
MAX_ROWS = 10_000_000


_TIME = {
    "type": ["number", "string"],
    "minimum": -MAX_SECONDS,
    "maximum": MAX_SECONDS,
    "pattern": PATTERN,
}


def _seconds(given: Any) -> Any:
    """Returns the seconds of a text such as "1h30m", and anything else as it is."""
    seconds = duration_of(given) if isinstance(given, str) else None
    return given if seconds is None else seconds


def _row(given: Any, place: str, in_seconds: Callable[[Any], Any] = _seconds) -> Outage:
    if isinstance(given, str) or not hasattr(given, "__iter__") or len(row := [*given]) != 3:
        raise InputError(f"{place}: must be (node, start, end) (is {decode.shown(given)})")
    node, start, end = row[0], *map(in_seconds, row[1:])
    for name, value in (("start", start), ("end", end)):
        real = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not real or not -MAX_SECONDS <= value <= MAX_SECONDS:
            raise InputError(
                f"{place}: {name} must be seconds within 126 years (is {decode.shown(value)})"
            )
    number = decode.whole_number(node, f"{place}: node")
    if not end > start:
        raise InputError(f"{place}: end ({end:g}) must be after start ({start:g})")
    return number, start, end


def _rows(given: Any, path: str) -> tuple[Outage, ...]:
    if isinstance(given, (str, dict)) or not hasattr(given, "__iter__"):
        raise InputError(f"{path}: must be a list of (node, start, end) (is {decode.shown(given)})")
    return tuple([_row(row, f"{path}[{number}]") for number, row in enumerate(given, 1)])


class FailureTrace(Defined):
    """Times during which nodes are down, in seconds of the workload's clock."""

    _reads_files = True
    _one_of = ("file", "outages")
    file = file_key(
        "CSV file with the columns `node,start,end`",
        values="path",
        default=None,
        absent="this or `outages`",
        written={"type": "string"},
        taken=True,
    )
    outages: tuple[Outage, ...] = other(
        _rows,
        '`[node, start, end]` of each outage, in the workload\'s clock, in s or as `"1h30m"`; they '
        "may overlap",
        values="list",
        default=(),
        written={
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "array",
                "prefixItems": [{"type": "integer", "minimum": 0}, _TIME, _TIME],
                "minItems": 3,
                "maxItems": 3,
            },
        },
    )
    source: str | None = other(
        decode.file_name,
        "where they come from, for readers of the file",
        values="text",
        default=None,
        compared=False,
        written={"type": ["string", "null"]},
    )

    def __init__(
        self,
        outages: Iterable[Any] = (),
        source: str | None = None,
        *,
        file: str | os.PathLike[str] | None = None,
        folder: str = "",
    ) -> None:
        """Takes outages, or a file to read them from; `folder` is where relative paths begin."""
        if file is not None:
            if outages != ():
                raise InputError("file: outages are given too; give one of them")
            source = os.path.join(folder, _path(file))
            outages = _read(source)
            self._set(outages=tuple(outages), source=source)
        else:
            super().__init__(outages, source)
        if not self.outages:
            place = f"file: {source}: has no rows" if file is not None else "outages: is empty"
            raise InputError(f"{place}; remove the failure trace, or say when which node is down")

    def on(self, system: System) -> list[Outage]:
        """Returns the outages; raises InputError where the machine has no such node."""
        for node, start, _ in self.outages:
            if node >= system.nodes:
                where = self.source or "outages"
                raise InputError(
                    f"failure_trace: {where}: node {node}, down from {start:g} on, is not one of "
                    f"the nodes 0 to {system.nodes - 1} of {system.name}"
                )
        return list(self.outages)

    def described(self) -> dict[str, Any]:
        """Returns what run.json holds of it: the number of its rows, and their checksum."""
        from array import array

        from schedlab._engine import Checksum

        checksum = Checksum()
        checksum.add(array("d", [value for row in self.outages for value in row]).tobytes())
        return {"rows": len(self.outages), "checksum": checksum.hex(), "source": self.source}


def _path(file: object) -> str:
    if not isinstance(file, (str, os.PathLike)):
        raise InputError(f"file: must be the path of a CSV file (is {decode.shown(file)})")
    return os.fsdecode(file)


def _read(path: str) -> Iterator[Outage]:
    """Yields the rows of a CSV file."""
    try:
        file = StringIO(read_text(path), None)
    except InputError as error:
        raise InputError(f"file: {error}") from None
    head = [name.strip() for name in file.readline().split(",")]
    if sorted(head) != sorted(COLUMNS):
        raise InputError(
            f"file: {path}:1: the heading must be node,start,end "
            f"(is {decode.shown(','.join(head))})"
        )
    order = [head.index(name) for name in COLUMNS]
    for number, line in enumerate(file, 2):
        if not line.strip():
            continue
        place = f"file: {path}:{number}"
        if number > MAX_ROWS:
            raise InputError(f"{place}: more than {MAX_ROWS:,} rows")
        cells = line.rstrip("\r\n").split(",")
        if len(cells) != len(COLUMNS):
            raise InputError(f"{place}: has {len(cells)} values, not 3: node,start,end")
        yield _row([_value(cells[index]) for index in order], place, lambda time: time)


def _value(cell: str) -> float | str:
    try:
        value = float(cell)
    except ValueError:
        return cell.strip()
    return int(value) if isfinite(value) and value.is_integer() else value
