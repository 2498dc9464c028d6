"""Series and temperatures, written as plainly as they are defined: exact, row by row."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise


def value_at(times, values, every, time):
    """Returns the value of a step function, by looking at every row."""
    rows = list(zip(times, values, strict=True))
    if every is not None:
        time = Fraction(time)
        time -= (time - Fraction(times[0])) // Fraction(every) * Fraction(every)
    holds = values[0]
    for start, value in rows:
        if start <= time:
            holds = value
    return holds


def mean_of(times, values, every, start, end):
    """Returns the mean of a step function: cut at every step there is, summed exactly."""
    start, end = Fraction(start), Fraction(end)
    cuts = {start, end}
    for time in map(Fraction, times):
        if every is None:
            cuts.add(time)
            continue
        period = Fraction(every)
        time -= (time - start) // period * period  # the first one that is not before the start
        while time < end:
            cuts.add(time)
            time += period
    edges = sorted(cut for cut in cuts if start <= cut <= end)
    total = Fraction(0)
    for before, behind in pairwise(edges):
        total += Fraction(value_at(times, values, every, before)) * (behind - before)
    return total / (end - start)


def engine_value(engine_series, time):
    """Returns the value at a time of (times, values, period), as the engine gets them."""
    times, values, period = engine_series
    if period:
        time = time % period
    return value_at(times, values, None, time)


def hottest_idle(watts, racks, supply, resistance, recirculation, neighbour):
    """Returns the highest temperature of an idle machine, and the first node that has it.

    Args:
        watts: Of each node.
        racks: Of each node the name of its rack.
        supply: As of the model, like the others.
        resistance: Likewise.
        recirculation: Likewise.
        neighbour: Likewise.
    """
    temperatures = []
    for node, own in enumerate(watts):
        rack = sum(w for n, w in enumerate(watts) if racks[n] == racks[node] and n != node)
        beside = sum(
            watts[n]
            for n in (node - 1, node + 1)
            if 0 <= n < len(watts) and racks[n] == racks[node]
        )
        temperatures.append(supply + resistance * own + recirculation * rack + neighbour * beside)
    return max(temperatures)
