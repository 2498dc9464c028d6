"""What `likwid-perfctr -O` wrote about one run: its metrics by name.

Its CSV output holds tables, one below the other; the ones that count begin with a line
`TABLE,Group 1 Metric,MEM,...`, then `Metric,HWThread 0,...`, then a line for each metric with a
value for each hardware thread. What the whole socket has, such as its memory bandwidth, stands with
one thread, and 0 with the others.
"""

from __future__ import annotations

import csv
import io
import math
import os

from schedlab.errors import InputError
from schedlab.input_file import read_input

RUNTIME = "Runtime (RDTSC) [s]"
BANDWIDTH = "Memory bandwidth [MBytes/s]"
POWER = "Power [W]"

GROUPS = {RUNTIME: "any", BANDWIDTH: "MEM", POWER: "ENERGY"}
"""The performance group that gives a metric."""


def metrics(path: str) -> dict[str, list[float]]:
    """Returns the values of each metric, one for each hardware thread.

    Raises:
        InputError: It cannot be read, or is not such a file.
    """
    text = read_input(path).decode("utf-8", "replace")
    try:
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise InputError(f"{path}: {error}") from None
    found: dict[str, list[float]] = {}
    inside = False
    for line in lines:
        if line[:1] in (["TABLE"], ["STRUCT"]):
            # "Group 1 Metric STAT" has sums and means of the table before it.
            inside = line[0] == "TABLE" and len(line) > 1 and line[1].endswith(" Metric")
        elif inside and len(line) > 1 and line[0] != "Metric":
            values = [_number(cell) for cell in line[1:] if cell.strip()]
            found.setdefault(line[0].strip(), [value for value in values if value is not None])
    if not found:
        raise InputError(
            f"{path}: has no table of metrics; write it with: likwid-perfctr -O -g MEM ..."
        )
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


class LikwidFiles:
    """Metrics out of files that a table names, each read once; names count from its folder."""

    def __init__(self, table: str) -> None:
        self._folder = os.path.dirname(table)
        self._known: dict[str, dict[str, list[float]]] = {}

    def value(self, name: str, metric: str) -> float:
        """Returns a metric of a run: the longest runtime, or the sum over hardware threads.

        Raises:
            InputError: The file lacks it.
        """
        path = os.path.join(self._folder, name)
        if path not in self._known:
            self._known[path] = metrics(path)
        values = self._known[path].get(metric)
        if not values:
            have = ", ".join(list(self._known[path])[:8])
            raise InputError(
                f"{path}: has no {metric}, which the group {GROUPS[metric]} gives; it has {have}"
            )
        return max(values) if metric == RUNTIME else sum(values)
