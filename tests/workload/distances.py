"""Kolmogorov-Smirnov distances, for tests of what is drawn."""

from __future__ import annotations

import numpy


def distance(one, other):
    """Returns the largest difference between the shares of two samples up to any value."""
    one, other = numpy.sort(one), numpy.sort(other)
    values = numpy.concatenate([one, other])
    shares = [numpy.searchsorted(sample, values, "right") / len(sample) for sample in (one, other)]
    return float(numpy.abs(shares[0] - shares[1]).max())


def distance_to(sample, cdf):
    """Returns the largest difference between a sample and a continuous distribution function."""
    sample = numpy.sort(sample)
    shares, count = cdf(sample), len(sample)
    above = (numpy.arange(1, count + 1) / count - shares).max()
    below = (shares - numpy.arange(count) / count).max()
    return float(max(above, below))


def critical(one, other=None):
    """Returns the distance that two samples (or one and its distribution) exceed once in 10,000."""
    size = one if other is None else one * other / (one + other)
    return 2.23 / size**0.5
