"""Synthetic measurements of a processor: what the oracle's formulas give, with noise."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from . import contention
from .contention import Constants

TASK_RATES = tuple(range(0, 42_001, 6_000))
"""Own rates of the synthetic benchmark, in MB/s, as in the paper's figure 3."""


class SpeedRow(NamedTuple):
    """A task of some rate beside n others of some rates together."""

    rate: float
    others: float
    n: int
    speed: float


def speed_rows(
    constants: Constants,
    among: Sequence[int] = (1, 2, 3),
    rates: Sequence[float] = TASK_RATES,
    noise: float = 0.0,
    seed: int = 1,
) -> list[SpeedRow]:
    """Every rate beside n others of every rate; noise is the relative deviation of the speed."""
    draw = random.Random(seed)
    return [
        SpeedRow(
            own,
            n * other,
            n,
            contention.speed(constants, own, own + n * other, n) * math.exp(draw.gauss(0, noise)),
        )
        for n in among
        for own in rates
        for other in rates
    ]


def power_rows(
    clocks: dict[float, tuple[float, float]], noise: float = 0.0, seed: int = 1, times: int = 3
) -> list[tuple[float, int, float]]:
    """(clock, active cores, watts), N times each, from 0 to 4 cores."""
    draw = random.Random(seed)
    return [
        (clock, n, contention.power(n, core, shared, 0.05 * shared) * (1 + draw.gauss(0, noise)))
        for clock, (core, shared) in clocks.items()
        for n in range(5)
        for _ in range(times)
    ]


def write_csv(path: Path, titles: str, rows: Sequence[Sequence[float]]) -> str:
    """Writes a table and returns its name."""
    lines = [titles, *(",".join(f"{value:.12g}" for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def likwid_text(group: str, metrics: dict[str, Sequence[float]]) -> str:
    """What `likwid-perfctr -O` prints: one value for each hardware thread."""
    threads = len(next(iter(metrics.values())))
    heads = [f"HWThread {i}" for i in range(threads)]
    width = threads + 2

    def line(*cells: object) -> str:
        return ",".join([*map(str, cells), *[""] * (width - len(cells))])

    lines = [
        line("STRUCT", "Info", 3),
        line("CPU name:", "Intel(R) Core(TM) i5-7500 CPU @ 3.40GHz"),
        line("CPU type:", "Intel Kabylake processor"),
        line("CPU clock:", "3.407999 GHz"),
        line("TABLE", "Group 1 Raw", group, 2),
        line("Event", "Counter", *heads),
        line("INSTR_RETIRED_ANY", "FIXC0", *[1846285918] * threads),
        line("CPU_CLK_UNHALTED_CORE", "FIXC1", *[3395861221] * threads),
        line("TABLE", "Group 1 Metric", group, len(metrics)),
        line("Metric", *heads),
        *(line(name, *values) for name, values in metrics.items()),
    ]
    if threads > 1:
        lines += [
            line("TABLE", "Group 1 Metric STAT", group, len(metrics)),
            line("Metric", "Sum", "Min", "Max", "Avg"),
            *(
                line(f"{name} STAT", sum(values), min(values), max(values), sum(values) / threads)
                for name, values in metrics.items()
            ),
        ]
    return "\n".join(lines) + "\n"
