"""What monitors show of the machine itself: power, energy so far, nodes that are off or down."""

from __future__ import annotations

import os
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy
import polars

from schedlab.decode import shown
from schedlab.errors import InputError
from schedlab.regular_file import open_regular
from schedlab.results.stored_columns import LONGEST_HEADER
from schedlab.units import energy_text, power_text

if TYPE_CHECKING:
    from collections.abc import Mapping

NUMBERS = (
    *("power", "cap", "price", "carbon", "clock", "speed", "nodes_down", "nodes_off"),
    *("hottest", "cooling"),
)
"""Columns of a timeline that platforms and conditions publish."""

TAIL_BYTES = 4096
"""Of a timeline that is being written; its rows are shorter."""


def numbers_of(row: Mapping[str, Any]) -> dict[str, float]:
    """Returns what a row of a timeline says about the machine."""
    return {name: float(row[name]) for name in NUMBERS if row.get(name) is not None}


def energy_until(timeline: polars.DataFrame, time: float) -> float | None:
    """Returns the joules from the first time point to a time; None where power is not known."""
    if "power" not in timeline.columns:
        return None
    times = timeline["time"].to_numpy()
    count = int(numpy.searchsorted(times, time, side="right"))
    lengths = numpy.diff(numpy.append(times[:count], time))
    return float(lengths @ timeline["power"].to_numpy()[:count])


def last_numbers(path: str) -> dict[str, float]:
    """Returns what the last whole row of a timeline says that is being written; maybe nothing.

    Raises:
        InputError: It has something else than numbers.
    """
    try:
        with open_regular(path) as file:
            header = file.readline(LONGEST_HEADER).decode("utf-8", "replace").strip().split(",")
            begin = file.tell()
            file.seek(max(begin, os.fstat(file.fileno()).st_size - TAIL_BYTES))
            rows = file.read(TAIL_BYTES).split(b"\n")
    except OSError:
        return {}
    if len(rows) < 2:  # after the last whole row there is at least an empty one
        return {}
    cells = rows[-2].decode("utf-8", "replace").split(",")
    if len(cells) != len(header):
        return {}
    texts = {name: cell for name, cell in zip(header, cells, strict=True) if name in NUMBERS}
    return {name: _finite(cell, f"{path}: last row, column {name}") for name, cell in texts.items()}


def _finite(cell: str, place: str) -> float:
    try:
        value = float(cell)
        if isfinite(value):
            return value
    except ValueError:
        pass
    raise InputError(f"{place}: must be a finite number (is {shown(cell)})")


def machine_words(numbers: Mapping[str, float]) -> list[tuple[str, str]]:
    """Returns the numbers for people, as pairs of a label and a text; none of what is not known."""
    words = []
    if "power" in numbers:
        cap = numbers.get("cap", 0.0)
        limit = f" of {power_text(cap)}" if cap > 0 else ""
        words.append(("power", power_text(numbers["power"]) + limit))
    if "energy" in numbers:
        words.append(("energy", energy_text(numbers["energy"])))
    for name, label in (("nodes_down", "nodes down"), ("nodes_off", "nodes off")):
        if name in numbers:
            words.append((label, f"{numbers[name]:,.0f}"))
    if "hottest" in numbers:
        words.append(("hottest", f"{numbers['hottest']:.1f} °C"))
    if numbers.get("clock"):
        words.append(("clock", f"{numbers['clock']:.2f} GHz"))
    if numbers.get("speed"):
        words.append(("speed", f"{numbers['speed']:.2f}"))
    if "cooling" in numbers:
        words.append(("cooling", power_text(numbers["cooling"])))
    return words
