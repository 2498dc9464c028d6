"""Outages that are known beforehand: when which node was down."""

from __future__ import annotations

import os
from io import StringIO
from math import isfinite

from schedlab.errors import InputError
from schedlab.frozen import Frozen
from schedlab.input_file import read_text
from schedlab.system import decode

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from schedlab.system import System

    Outage = tuple[int, float, float]

COLUMNS = ("node", "start", "end")
MAX_ROWS = 10_000_000
MAX_SECONDS = 4_000_000_000


class FailureTrace(Frozen):
    """Times during which nodes are down, in seconds of the workload's clock.

    Args:
        outages: (node, start, end) of each; they may overlap.
        source: Where they come from, for people; it has no part in equality.
        file: Path of a CSV file with the columns node, start and end, instead.
        folder: That a relative path begins from.

    Raises:
        InputError: Something given is wrong; with the file's line, where there is one.
    """

    __slots__ = _fields = ("outages", "source")
    outages: tuple[Outage, ...]
    source: str | None

    def __init__(
        self,
        outages: Iterable[Any] = (),
        source: str | None = None,
        *,
        file: str | os.PathLike[str] | None = None,
        folder: str = "",
    ) -> None:
        if file is not None:
            if outages != ():
                raise InputError("file: outages are given too; give one of them")
            source = os.path.join(folder, _path(file))
            outages = _read(source)
        else:
            outages = (_row(row, f"outages[{n}]") for n, row in enumerate(outages, 1))
        self._set(outages=tuple(outages), source=source)
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

    def to_dict(self) -> dict[str, Any]:
        """Returns the content as plain data."""
        return {"outages": [list(row) for row in self.outages], "source": self.source}

    def described(self) -> dict[str, Any]:
        """Returns what run.json holds of it."""
        return {"rows": len(self.outages), "source": self.source}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FailureTrace) and self.outages == other.outages

    def __hash__(self) -> int:
        return hash(self.outages)


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
        yield _row([_value(cells[index]) for index in order], place)


def _value(cell: str) -> float | str:
    try:
        value = float(cell)
    except ValueError:
        return cell.strip()
    return int(value) if isfinite(value) and value.is_integer() else value


def _row(given: Any, place: str) -> Outage:
    if isinstance(given, str) or not hasattr(given, "__iter__") or len(row := [*given]) != 3:
        raise InputError(f"{place}: must be (node, start, end) (is {decode.shown(given)})")
    node, start, end = row
    for name, value in (("start", start), ("end", end)):
        real = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not real or not -MAX_SECONDS <= value <= MAX_SECONDS:
            raise InputError(
                f"{place}: {name} must be seconds within 126 years (is {decode.shown(value)})"
            )
    number = decode.whole_number(node, f"{place}: node")
    if not end > start:
        raise InputError(f"{place}: end ({end:g}) must be behind start ({start:g})")
    return number, start, end
