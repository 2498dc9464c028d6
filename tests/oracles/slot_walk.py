"""Lublin and Feitelson's arrivals and jobs, one at a time, as their paper and program have it."""

from __future__ import annotations

import math
from random import Random


def arrivals(gaps, weights, slot_seconds=1800.0):
    """Returns when jobs arrive: each gap pays for slot after slot, a slot costing its weight."""
    mean = sum(weights) / len(weights)
    prices = [weight / mean for weight in weights]
    slot, spent, moments = 0, 0.0, []  # spent: points that were paid of the current slot
    start = 0.0  # when the current slot begins
    for gap in gaps:
        spent += gap / slot_seconds
        while spent > prices[slot % len(prices)]:
            spent -= prices[slot % len(prices)]
            slot += 1
            start += slot_seconds
        price = prices[slot % len(prices)]
        moments.append(start + (slot_seconds * spent / price if price else 0.0))
    return moments


def dropped(moments):
    """Returns whole seconds when fractions are dropped from each time between jobs."""
    before, sums, total = 0.0, [], 0
    for moment in moments:
        total += int(moment - before)
        before = moment
        sums.append(total)
    return sums


def size(random: Random, serial, power_of_two, low, medium, high, low_share):
    kind = random.random()
    if kind <= serial:
        return 1
    ends = (low, medium) if random.random() <= low_share else (medium, high)
    exponent = random.uniform(*ends)
    if kind <= serial + power_of_two:
        exponent = int(exponent + 0.5)
    return int(2**exponent + 0.5)


def run_time(random: Random, processors, shape1, scale1, shape2, scale2, slope, offset, limit=12):
    share = min(max(slope * processors + offset, 0), 1)
    while True:
        first = random.random() <= share
        log = random.gammavariate(*(shape1, scale1) if first else (shape2, scale2))
        if log <= limit:
            return int(math.exp(log))


def gap(random: Random, shape, scale, limit=13):
    while True:
        log = random.gammavariate(shape, scale)
        if log <= limit:
            return math.exp(log)
