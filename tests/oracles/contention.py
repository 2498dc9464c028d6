"""How tasks on a socket slow each other down and what the socket draws: plain Python.

The model is IRMaSim's (Herrera, Ibanez, Stafford, Bosque: "A Simulator for Intelligent Workload
Managers in Heterogeneous Clusters", 2021, section III-B). Its formulas are printed with slips; what
is here agrees with its figure 3 and its text:

- Equation 1 multiplies the time alone by the factor S <= 1: it would shorten the task. It divides.
- Equation 2 puts the end of the slope at d + b c - a, which is a factor minus one, compared with a
  rate. The slope b (R_T - c) + 1 meets the floor d at R_T = c + (d - 1) / b.
- Equation 3 with the s that rises gives the floor 1 / (1 + n) to tasks of low rate and 1 to those
  of high rate: the other way round. It takes 1 - s.
- Equation 4 prints 6x^5 + 15x^4 - 10x^3, which is 11 at x = 1: the last two signs are those of
  1 - s.
- The text's "minimum slowdown 1 / n" counts all tasks; n here counts the others: 1 / (1 + n).

Equation 3 has k = 1. The public code of the simulator multiplies n by k = 0.6.
"""

from __future__ import annotations

from typing import NamedTuple


class Constants(NamedTuple):
    """Constants of a processor type; rates in MB/s, in the order of the engine's `platform`."""

    b: float
    c: float
    da: float
    db: float
    dc: float
    dd: float
    k: float = 1.0


I5_7500 = Constants(b=-1.85e-5, c=32000, da=1.75, db=3500, dc=45000, dd=3000)
"""An Intel Core i5-7500 (the paper's table III); they hold for n <= 3, its four cores."""

I5_7500_CLOCK = 3.4
I5_7500_POWER = {3.4: (6.14, 5.59), 2.5: (3.51, 3.20), 1.7: (2.31, 1.59)}
"""(watts per active core, watts of what they share) by clock in GHz (table III)."""

NPB = {
    "bt": (633.50e10, 3.06, 5.17e6),
    "cg": (60.31e10, 1.10, 7.30e6),
    "ep": (80.94e10, 1.16, 0.21e6),
    "is": (6.43e10, 0.95, 0.07e6),
    "lu": (370.25e10, 2.20, 8.70e6),
    "sp": (356.10e10, 2.74, 9.60e6),
    "ua": (312.57e10, 2.30, 4.32e6),
}
"""(instructions, instructions per cycle, memory volume in MB) of class C jobs (table IV)."""


def time_alone(instructions: float, ipc: float, operations_per_second: float) -> float:
    """Return the seconds that a task takes alone on a core."""
    return instructions / (ipc * operations_per_second)


def smooth_step(x: float) -> float:
    """Return 0 below 0, 1 above 1, and between them the polynomial of fifth order."""
    if x < 0:
        return 0.0
    if x > 1:
        return 1.0
    return 6 * x**5 - 15 * x**4 + 10 * x**3


def floor(constants: Constants, rate: float, others: int) -> float:
    """Return d(R, n), below which the factor of a task never falls.

    Args:
        constants: Of the processor type.
        rate: The task's own rate R, alone, in MB/s.
        others: How many other tasks n are on the socket.
    """
    _, _, da, db, dc, dd, k = constants
    x = (rate - (da - others) * db) / (dc - others * dd)
    return ((1 - smooth_step(x)) * k * others + 1) / (1 + k * others)


def speed(constants: Constants | None, rate: float, total_rate: float, others: int) -> float:
    """Return the speed factor S of a task; 1 on processors without constants.

    Args:
        constants: Of the processor type.
        rate: The task's own rate R, alone, in MB/s.
        total_rate: R_T, the sum of the own rates of all tasks on the socket.
        others: How many other tasks n are on the socket.
    """
    if constants is None or total_rate < constants.c:
        return 1.0
    slope = constants.b * (total_rate - constants.c) + 1
    return max(slope, floor(constants, rate, others))


def power(active: int, core: float, shared: float, idle: float) -> float:
    """Return the watts of a socket with N active cores (equation 5, and what idles)."""
    return core * active + shared if active > 0 else idle
