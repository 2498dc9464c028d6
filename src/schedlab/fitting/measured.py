"""Measurements of a processor, out of CSV files: speeds of tasks among others, and power."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy

from schedlab.errors import InputError
from schedlab.fitting.likwid import BANDWIDTH, POWER, RUNTIME, LikwidFiles
from schedlab.fitting.measured_columns import MeasuredRow, Table, read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]

LEAST_SPEED, MOST_SPEED = 1e-4, 1.25
"""A task is not faster beside others than alone; what is beyond these is not a speed."""


class Speeds(NamedTuple):
    """How fast tasks were beside others.

    Attributes:
        source: File or files they are from.
        places: file:line of each row.
        own: Rate of the task, alone, in MB/s.
        total: Sum of the rates of all tasks, each alone, in MB/s.
        others: How many other tasks there were.
        speed: Time alone / time together.
    """

    source: str
    places: tuple[str, ...]
    own: Numbers
    total: Numbers
    others: Numbers
    speed: Numbers


class Powers(NamedTuple):
    """What the processor drew.

    Attributes:
        source: File or files they are from.
        active: Cores that were active.
        power: Watts.
        clock: GHz, not a number where it is not given.
    """

    source: str
    active: Numbers
    power: Numbers
    clock: Numbers


class Measured(NamedTuple):
    """What files of measurements hold; None where they hold nothing of a kind."""

    speeds: Speeds | None
    powers: Powers | None


def read_measured(
    paths: Sequence[str | os.PathLike[str]],
    cores: int,
    columns: Mapping[str, str] | None = None,
) -> Measured:
    """Returns the measurements of CSV files, whose columns say what they are.

    Args:
        paths: The files. Rows of the same kind are put together.
        cores: Of the processor.
        columns: Titles of columns that are not called by their own names.

    Raises:
        InputError: A file cannot be read, or something in it is wrong; with file and line.
    """
    speed_rows: list[tuple[str, float, float, float, float]] = []
    power_rows: list[tuple[str, float, float, float]] = []
    for path in map(os.fsdecode, paths):
        table = read_table(path, columns or {})
        kinds = _kinds(table, cores)
        for row in table.rows:
            place = f"{path}:{row.line}"
            used = [kind for kind in kinds if any(row.given(name) for name in kind.marks)]
            if not used:
                raise InputError(f"{place}: has no measurement in it")
            for kind in used:
                rows: list[tuple[str, ...]] = speed_rows if kind.speeds else power_rows  # type: ignore[assignment]
                rows.append((place, *kind.read(row)))  # type: ignore[arg-type]
    return Measured(_speeds(speed_rows), _powers(power_rows))


class _Kind(NamedTuple):
    """A kind of rows: by which columns it is known, and how one is read."""

    speeds: bool
    marks: tuple[str, ...]
    read: Callable[[MeasuredRow], tuple[float, ...]]


def _kinds(table: Table, cores: int) -> list[_Kind]:
    """Returns what the rows of a table may be."""
    names = set(table.names)
    files = LikwidFiles(table.path)
    others = cores - 1
    found = []
    if {"alone", "neighbours", "together"} <= names:
        marks = ("alone", "neighbours", "together")
        found.append(_Kind(True, marks, lambda row: _likwid_speed(row, files, others)))
    elif {"others", "n"} <= names and ("rate" in names or {"volume", "time_alone"} <= names):
        timed = {"time_alone", "time"} <= names
        if "speed" in names or timed:
            found.append(_Kind(True, ("others", "n"), lambda row: _plain_speed(row, others)))
    if "active" in names and ("likwid" in names or "power" in names):
        mark = "likwid" if "likwid" in names else "power"
        found.append(_Kind(False, ("active", mark), lambda row: _power(row, files, cores)))
    if not found:
        raise InputError(
            f"{table.path}: its columns are not measurements; needed are rate, others, n and speed "
            "(or time_alone and time), or active and power, or Likwid's files: alone, neighbours, "
            f"together, or active, likwid; it has {', '.join(table.titles)}; name others with "
            "--column"
        )
    if not table.rows:
        raise InputError(f"{table.path}: has no rows")
    return found


def _plain_speed(row: MeasuredRow, most_others: int) -> tuple[float, ...]:
    if row.given("rate"):
        own = row.number("rate")
    elif row.given("volume"):
        own = row.number("volume") / row.number("time_alone", above=0)
    else:
        raise row.wrong("rate", "is blank")
    n = row.whole("n", most_others, "N others have no core beside a task; see --cores")
    rest = row.number("others")
    if rest > 0 and n == 0:
        raise row.wrong("others", "is above 0, but n says that there are no others")
    if row.given("speed"):
        speed = row.number("speed", above=0)
    elif "time" in row.cells:
        speed = row.number("time_alone", above=0) / row.number("time", above=0)
    else:
        raise row.wrong("speed", "is blank")
    return own, own + rest, float(n), _checked_speed(row, speed)


def _checked_speed(row: MeasuredRow, speed: float) -> float:
    if speed > MOST_SPEED:
        raise row.wrong(
            "speed",
            f"{speed:.3g} is more than {MOST_SPEED}; it is time alone / time together, at most "
            "about 1: is it a slowdown, the other way round?",
        )
    if speed < LEAST_SPEED:
        raise row.wrong("speed", f"{speed:.3g} is less than {LEAST_SPEED:g}: no measurement")
    return speed


def _likwid_speed(row: MeasuredRow, files: LikwidFiles, most_others: int) -> tuple[float, ...]:
    alone, together = row.text("alone"), row.text("together")
    neighbours = row.cells["neighbours"].split()
    if len(neighbours) > most_others:
        raise row.wrong("neighbours", f"{len(neighbours)} are more than {most_others}; see --cores")
    try:
        own = files.value(alone, BANDWIDTH)
        rest = sum(files.value(name, BANDWIDTH) for name in neighbours)
        speed = files.value(alone, RUNTIME) / files.value(together, RUNTIME)
    except InputError as error:
        raise InputError(f"{row.path}:{row.line}: {error}") from None
    except ZeroDivisionError:
        raise row.wrong("together", f"{together} took 0 s") from None
    if not own >= 0 or not rest >= 0 or not speed > 0:
        raise row.wrong("alone", "a bandwidth below 0, or a runtime of 0 s")
    return own, own + rest, float(len(neighbours)), _checked_speed(row, speed)


def _power(row: MeasuredRow, files: LikwidFiles, cores: int) -> tuple[float, ...]:
    active = row.whole("active", cores, "the processor has no more cores; see --cores")
    if row.given("likwid"):
        try:
            power = files.value(row.text("likwid"), POWER)
        except InputError as error:
            raise InputError(f"{row.path}:{row.line}: {error}") from None
    else:
        power = row.number("power")
    clock = row.number("clock", above=0) if row.given("clock") else float("nan")
    return float(active), power, clock


def _speeds(rows: list[tuple[str, float, float, float, float]]) -> Speeds | None:
    if not rows:
        return None
    places, own, total, others, speed = zip(*rows, strict=True)
    return Speeds(_source(places), places, *map(numpy.array, (own, total, others, speed)))


def _powers(rows: list[tuple[str, float, float, float]]) -> Powers | None:
    if not rows:
        return None
    places, active, power, clock = zip(*rows, strict=True)
    known = [value == value for value in clock]
    if any(known) and not all(known):
        raise InputError(f"{places[known.index(False)]}: clock: is blank, but other rows have one")
    return Powers(_source(places), *map(numpy.array, (active, power, clock)))


def _source(places: Sequence[str]) -> str:
    """Returns the files of rows."""
    return ", ".join(dict.fromkeys(place.rpartition(":")[0] for place in places))
