"""The model written as the paper has it, one value at a time: slow, and easy to see through."""

from __future__ import annotations

import math
from collections import Counter


class NaiveDistribution:
    """Figure 3: a histogram, its cumulative, and ranges of probabilities that map to a value."""

    def __init__(self, values, size, value="middle"):
        counts = Counter(math.ceil(v / size - 1e-9) for v in values)
        total = sum(counts.values())
        self.ranges, before = [], 0
        for place in sorted(counts):
            low, before = before, before + counts[place]
            middle = (place - 0.5) * size if place else 0.0
            self.ranges.append(
                (low / total, before / total, place * size if value == "upper" else middle)
            )

    def sample(self, number):
        for low, high, value in self.ranges:
            if low <= number < high:
                return value
        return self.ranges[-1][2]


def distance(ones, others, size):
    """The largest difference of two cumulative histograms."""
    ones = [math.ceil(v / size - 1e-9) for v in ones]
    others = [math.ceil(v / size - 1e-9) for v in others]
    return max(
        abs(
            sum(v <= place for v in ones) / len(ones)
            - sum(v <= place for v in others) / len(others)
        )
        for place in {*ones, *others}
    )


def paced(arrivals, works, end, cores, low, high):
    """The paper's load mechanism: at each arrival, look at the pressure; discard, or add until."""
    submits, submitted, jobs = [], 0.0, iter(works)
    for time in arrivals:
        if time >= end:
            break
        produced = time * cores
        if submitted > 0 and submitted >= high * produced:
            continue  # the submit time is maintained as reference, the job is discarded
        for work in jobs:
            submits.append(time)
            submitted += work
            if submitted >= low * produced:
                break
        else:
            break
    return submits


def pairings(requested, run):
    """Returns all orders of the requests in which each covers the run time beside it."""
    from itertools import permutations

    return {
        order
        for order in permutations(requested)
        if all(limit >= ran for limit, ran in zip(order, run, strict=True))
    }
