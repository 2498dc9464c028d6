"""The speed of a task among others, for many measurements at once, with its derivatives.

The model of IRMaSim (2021, section III-B) as docs/reference/fitting.md has it: 1 on the plateau, a
slope from the total rate c on, and a floor that depends on the task's own rate and on the number of
others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]

NAMES = ("b", "c", "da", "db", "dc", "dd", "k")
"""The constants, in the order of every vector of them."""

PLATEAU, SLOPE, FLOOR = 0, 1, 2
PLACES = ("plateau", "slope", "floor")


class Rates(NamedTuple):
    """What contends in each measurement.

    Attributes:
        own: Rate of the task of interest, alone, in MB/s.
        total: Sum of the rates of all tasks, each alone, in MB/s.
        others: How many other tasks there are.
    """

    own: Numbers
    total: Numbers
    others: Numbers


def valid(constants: Numbers, most_others: float) -> Numbers:
    """Returns which sets of constants, along the last axis, mean anything for that many others."""
    b, c, _, _, dc, dd, k = numpy.moveaxis(constants, -1, 0)
    sound = (b < 0) & (c >= 0) & (k > 0)
    result: Numbers = sound & (dc - dd > 0) & (dc - most_others * dd > 0)
    return result


def floor_argument(constants: Numbers, rates: Rates) -> tuple[Numbers, Numbers]:
    """Returns x of the smooth step within [0, 1], and the width it was divided by."""
    _, _, da, db, dc, dd, _ = numpy.moveaxis(constants, -1, 0)[..., None]
    width = dc - rates.others * dd
    return numpy.clip((rates.own - (da - rates.others) * db) / width, 0.0, 1.0), width


def speeds(constants: Numbers, rates: Rates) -> tuple[Numbers, Numbers]:
    """Returns the speed of each measurement, and whether it is on plateau, slope or floor.

    Args:
        constants: One set, or many along the first axis; then results have that axis, too.
        rates: Of the measurements.
    """
    b, c, *_, k = numpy.moveaxis(constants, -1, 0)[..., None]
    x, _ = floor_argument(constants, rates)
    step = x * x * x * (10 + x * (6 * x - 15))
    most = k * rates.others / (1 + k * rates.others)  # what a task may lose
    floor = 1 - step * most
    slope = 1 + b * (rates.total - c)
    place = numpy.where(slope > floor, SLOPE, FLOOR)
    place = numpy.where((rates.total < c) | (floor >= 1), PLATEAU, place)
    speed = numpy.where(place == PLATEAU, 1.0, numpy.maximum(slope, floor))
    if constants.ndim == 1:
        return speed[...].reshape(rates.own.shape), place.reshape(rates.own.shape)
    return speed, place


def derivatives(constants: Numbers, rates: Rates) -> Numbers:
    """Returns the derivatives of the speeds: a row for each measurement, a column per constant.

    At the two edges of the slope there is none; it is then the one of the side `speeds` names.
    """
    b, c, da, db, _, _, k = constants
    _, place = speeds(constants, rates)
    x, width = (part.reshape(rates.own.shape) for part in floor_argument(constants, rates))
    n = rates.others
    step = x * x * x * (10 + x * (6 * x - 15))
    by_x = -(30 * x * x * (1 - x) ** 2) * k * n / (1 + k * n)
    result = numpy.zeros((len(rates.own), len(NAMES)))
    on_floor = numpy.stack(
        [
            numpy.zeros_like(x),
            numpy.zeros_like(x),
            by_x * -db / width,
            by_x * -(da - n) / width,
            by_x * -x / width,
            by_x * n * x / width,
            -step * n / (1 + k * n) ** 2,
        ],
        axis=1,
    )
    result[place == FLOOR] = on_floor[place == FLOOR]
    result[place == SLOPE, 0] = (rates.total - c)[place == SLOPE]
    result[place == SLOPE, 1] = -b
    return result
