"""What the texts of accounting logs mean: times, durations, sizes and counts as numbers.

A value that the log leaves open ("Unknown", "None", nothing at all) is MISSING. A text that is
none of those and cannot be understood is UNREADABLE, so that its row can be counted by reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import polars

from schedlab.durations import DAY, HOUR, MINUTE
from schedlab.errors import InputError
from schedlab.workload.header import unix_start

MISSING, UNREADABLE = -1.0, math.nan

LARGEST = 1e15
"""Numbers above it are damage, not data; up to it, whole numbers are exact."""

EARLIEST, LATEST = 315_532_800, 4_102_444_800
"""Unix times of 1980 and 2100. A moment outside of them is a broken clock or a broken file."""

REMEMBERED = 200_000
"""Texts whose meaning is kept; most columns of a log hold far fewer different ones."""

OPEN = frozenset(("", "unknown", "none", "n/a", "none assigned", "(null)", "not_set"))
"""How logs say, in small letters, that they do not know a value."""

NO_LIMIT = frozenset(("unlimited", "partition_limit", "invalid", "infinite"))
"""What stands for a time limit that nobody gave as a number."""

UNITS_IN_KILOBYTES = {"B": 1 / 1024} | {u: 1024.0**n for n, u in enumerate("KMGTPE")}


class Meanings(dict[str, float]):
    """Numbers by text; a text that was seen before is only looked up."""

    def __init__(self, meaning: Callable[[str], float]) -> None:
        self._meaning = meaning

    def __missing__(self, text: str) -> float:
        if len(self) >= REMEMBERED:
            self.clear()
        value = self[text] = self._meaning(text)
        return value


def plain_number(text: str) -> float:
    """Returns a decimal number without sign and exponent, up to LARGEST; else UNREADABLE."""
    if not (text.isascii() and text.replace(".", "", 1).isdigit()) or len(text) > 40:
        return UNREADABLE
    value = float(text)
    return value if value <= LARGEST else UNREADABLE


def count(text: str) -> float:
    """Returns a number of processors, nodes or tasks."""
    text = text.strip()
    if text.lower() in OPEN:
        return MISSING
    if text[-1] in "KM":  # sacct shortens large counts: 1.5K
        return plain_number(text[:-1]) * (1000 if text[-1] == "K" else 1_000_000)
    value = plain_number(text)
    return value if value.is_integer() else UNREADABLE


def duration(text: str) -> float:
    """Returns the seconds of [days-]hours:minutes:seconds, minutes:seconds, or plain seconds."""
    text = text.strip()
    small = text.lower()
    if small in OPEN or small in NO_LIMIT:
        return MISSING
    days, dash, clock = text.rpartition("-")
    parts = [plain_number(part) for part in clock.split(":")]
    if len(parts) > 3 or any(not part.is_integer() for part in parts[:-1]):
        return UNREADABLE
    if dash:
        parts += [0.0] * (3 - len(parts))  # "2-12" is two days and twelve hours
        parts = [plain_number(days) * 24 + parts[0], *parts[1:]]
    seconds = 0.0
    for part in parts:
        seconds = seconds * 60 + part
    return seconds if seconds <= LARGEST else UNREADABLE


def minutes(text: str) -> float:
    """Returns the seconds of a number of minutes, as in TimelimitRaw."""
    value = count(text) if text.strip().lower() not in NO_LIMIT else MISSING
    return value * 60 if value >= 0 else value


def kilobytes(text: str, unit: str = "K") -> float:
    """Returns the KB of a size such as 16G, 2.5M, 4000kb or 100mw (words of eight bytes).

    Args:
        text: The size.
        unit: Of a number that has none.
    """
    text = text.strip().upper()
    if text.lower() in OPEN or text.startswith("?"):
        return MISSING
    number = text.rstrip("BKMGTPEWI")
    suffix = text[len(number) :]
    words = 8.0 if suffix.endswith("W") else 1.0
    suffix = suffix.rstrip("W") if words > 1 else suffix.removesuffix("IB").removesuffix("B")
    if not suffix:
        suffix = "B" if words > 1 or len(number) < len(text) else unit
    if suffix not in UNITS_IN_KILOBYTES:
        return UNREADABLE
    value = plain_number(number) * UNITS_IN_KILOBYTES[suffix] * words
    return value if value <= LARGEST else UNREADABLE


def word_of(reader: str, argument: str, value: str, known: tuple[str, ...]) -> str:
    """Returns an argument of a reader in small letters; InputError where it is not a known word."""
    word = str(value).lower()
    if word not in known:
        raise InputError(f"reader {reader}: {argument} must be {' or '.join(known)}, not {value}")
    return word


def first_moment(header: dict[str, str]) -> int:
    """Returns the Unix time to write for time 0; one of 2001 where the header gives none."""
    start = unix_start(header) or 0
    return start if start >= EARLIEST else 1_000_000_000


def require_known_times(table: polars.DataFrame, start: int, path: str) -> None:
    """Checks that the times of a table can be written as moments that a reader takes for such.

    Raises:
        InputError: A job is after 2100.
    """
    ends = polars.sum_horizontal(polars.col("submit", "wait", "run").clip(lower_bound=0))
    late = table.filter(~(ends + start < LATEST))
    if late.height:
        raise InputError(
            f"{path}: job {late['job'][0]:.0f} is after the year 2100, which no accounting log can "
            "be; give the workload a header with UnixStartTime, and times from there"
        )


def lost_shapes(table: polars.DataFrame) -> dict[str, int]:
    """Returns how many jobs have what a log says about jobs with GPUs alone, by column."""
    names = ("tasks", "tasks_per_node", "task_core", "task_gpu", "whole_nodes")
    missing = (polars.repeat(-1.0, table.height, eager=True).alias(name) for name in names)
    known = table.with_columns(column for column in missing if column.name not in table.columns)
    tasks, per_node, cores, gpus, whole = (polars.col(name) for name in names)
    without = (gpus <= 0) | (tasks <= 0)
    shaped = (tasks > 0) & ((per_node > 0) | ((cores != 1) & (cores >= 0)))
    return {
        "tasks": known.filter(without & shaped).height,
        "whole_nodes": known.filter(without & (whole > 0)).height,
        "fractions of GPUs": known.filter(~without & (gpus * tasks % 1 != 0)).height,
    }


def number_text(value: float) -> str:
    """Returns a number as accounting logs have it: whole, or with up to six decimals."""
    return str(int(value)) if value == int(value) else f"{value:.6f}".rstrip("0").rstrip(".")


def duration_text(seconds: float) -> str:
    """Returns seconds as [days-]hours:minutes:seconds."""
    seconds = round(seconds, 6)
    whole = int(seconds)
    fraction = number_text(seconds - whole)[1:] if seconds > whole else ""
    days, rest = divmod(whole, DAY)
    clock = f"{rest // HOUR:02}:{rest // MINUTE % 60:02}:{rest % MINUTE:02}{fraction}"
    return f"{days}-{clock}" if days else clock
