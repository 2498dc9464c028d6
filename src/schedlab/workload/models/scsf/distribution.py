"""The empirical distribution of one variable: a histogram, its cumulative, and the mapping table.

ScSF (Rodrigo and others, 2017), section 3.1 and figure 3: observed values are counted in bins of
one size, open below and closed above; the counts are added up; and each bin's range of
probabilities maps to one value of the bin, so that a random number becomes a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

VALUES = ("middle", "upper")
"""What a bin stands for: its mid-value, as in the paper, or its upper edge."""

ROUNDING = 1e-9
"""Of a bin: 0.007 / 0.001 is a little above 7, and belongs into the seventh bin all the same."""


def bins_of(values: ArrayLike, bin_size: float) -> NDArray[np.int64]:
    """Returns the number of each value's bin: n is that from n - 1 to n bin sizes, 0 that of zero.

    Args:
        values: Not below 0.
        bin_size: Above 0.
    """
    given = np.asarray(values, np.float64)
    return np.ceil(given / bin_size - ROUNDING).astype(np.int64)


def values_of(bins: NDArray[np.int64], bin_size: float, value: str) -> NDArray[np.float64]:
    """Returns the value that stands for each bin.

    Args:
        bins: Their numbers, as of `bins_of`.
        bin_size: Of the distribution.
        value: "middle" or "upper"; bin 0 holds nothing but zeros, and is 0 with both.
    """
    upper: NDArray[np.float64] = bins * np.float64(bin_size)
    if value == "upper":
        return upper
    middle: NDArray[np.float64] = np.where(bins > 0, upper - bin_size / 2, 0.0)
    return middle


def check_bin(bin_size: float, value: str, name: str) -> None:
    """Raises InputError where these are not the size of a bin and what it stands for."""
    if not 0 < bin_size < float("inf"):
        raise InputError(f"{name}: the size of a bin must be above 0, not {bin_size!r}")
    if value not in VALUES:
        raise InputError(f"{name}: a bin stands for its {' or '.join(VALUES)}, not {value!r}")


@dataclass(frozen=True, eq=False)
class EmpiricalDistribution:
    """How often a variable had which values, in bins of one size; bins without any are left out.

    Attributes:
        bins: Numbers of the bins that have values, in ascending order.
        counts: How many values each has.
        bin_size: In the variable's unit.
        value: What a bin stands for: "middle" or "upper".
    """

    bins: NDArray[np.int64]
    counts: NDArray[np.int64]
    bin_size: float
    value: str = "middle"

    @classmethod
    def of(cls, values: ArrayLike, bin_size: float, value: str = "middle") -> EmpiricalDistribution:
        """Returns the distribution of observed values.

        Raises:
            InputError: There are none, one is below 0, or the bins are wrong.
        """
        check_bin(bin_size, value, "distribution")
        given = np.asarray(values, np.float64)
        if not given.size or not np.all(np.isfinite(given)) or given.min() < 0:
            raise InputError("distribution: needs values, and none below 0 or without bound")
        bins, counts = np.unique(bins_of(given, bin_size), return_counts=True)
        return cls(bins, counts.astype(np.int64), bin_size, value)

    @classmethod
    def counted(
        cls, bins: polars.Series, counts: polars.Series, bin_size: float, value: str
    ) -> EmpiricalDistribution:
        """Returns the distribution of bins that were counted in parts; a bin may be there twice."""
        table = polars.DataFrame({"bin": bins, "count": counts}).group_by("bin").sum().sort("bin")
        numbers = table["bin"].cast(polars.Int64).to_numpy()
        return cls(numbers, table["count"].cast(polars.Int64).to_numpy(), bin_size, value)

    @cached_property
    def cumulative_counts(self) -> NDArray[np.int64]:
        """How many values are in each bin and those below it."""
        return np.cumsum(self.counts)

    @property
    def total(self) -> int:
        """How many values it was made of."""
        return int(self.cumulative_counts[-1])

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The value that stands for each bin."""
        return values_of(self.bins, self.bin_size, self.value)

    @property
    def upper_edges(self) -> NDArray[np.float64]:
        """Up to where each bin reaches."""
        return values_of(self.bins, self.bin_size, "upper")

    @property
    def mean(self) -> float:
        """Of the values that it produces."""
        return float(self.values @ self.counts / self.total)

    def quantile(self, share: float) -> float:
        """Returns the value that so great a share of all does not exceed, such as 0.5."""
        place = int(np.searchsorted(self.cumulative_counts, share * self.total, "left"))
        return float(self.values[min(place, len(self.values) - 1)])

    def table(self) -> polars.DataFrame:
        """Returns figure 3 as a table: histogram, cumulative, and ranges that map to values."""
        ends = self.cumulative_counts / self.total
        return polars.DataFrame(
            {
                "above": self.upper_edges - np.where(self.bins > 0, self.bin_size, 0.0),
                "up_to": self.upper_edges,
                "count": self.counts,
                "share": self.counts / self.total,
                "probability_from": np.concatenate(([0.0], ends[:-1])),
                "probability_to": ends,
                "value": self.values,
            }
        )

    def sample(self, uniforms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the values that random numbers from 0 up to, but not including, 1 map to."""
        return self.values[sample_places(self.cumulative_counts, uniforms)]

    def up_to(self, most: float) -> EmpiricalDistribution | None:
        """Returns the distribution of those values that are not above `most`; None without any."""
        kept = self.values <= most
        if not kept.any():
            return None
        return EmpiricalDistribution(self.bins[kept], self.counts[kept], self.bin_size, self.value)

    def distance(self, values: ArrayLike) -> float:
        """Returns the Kolmogorov-Smirnov distance to other values, both in these bins."""
        return bin_distance(
            self.bins, self.counts, *np.unique(bins_of(values, self.bin_size), return_counts=True)
        )

    def __repr__(self) -> str:
        return (
            f"EmpiricalDistribution({self.total:,} values in {len(self.bins):,} bins of "
            f"{self.bin_size:g}, mean {self.mean:.6g})"
        )


def sample_places(
    cumulative: NDArray[np.int64], uniforms: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Returns the place in a list of added-up counts that each random number falls in."""
    places: NDArray[np.int64] = np.searchsorted(cumulative, uniforms * cumulative[-1], "right")
    return places


def bin_distance(
    bins: NDArray[np.int64],
    counts: NDArray[Any],
    other_bins: NDArray[np.int64],
    other_counts: NDArray[Any],
) -> float:
    """Returns the largest difference of two cumulative histograms over the same bins.

    Raises:
        InputError: One of them is empty.
    """
    if not len(bins) or not len(other_bins):
        raise InputError("a distance needs values on both sides")
    every = np.union1d(bins, other_bins)
    shares = []
    for numbers, times in ((bins, counts), (other_bins, other_counts)):
        cumulative = np.concatenate(([0], np.cumsum(times)))
        shares.append(cumulative[np.searchsorted(numbers, every, "right")] / cumulative[-1])
    return float(np.abs(shares[0] - shares[1]).max())


def merged(parts: Iterable[polars.DataFrame], keys: list[str]) -> polars.DataFrame:
    """Returns counts (column `count`) of several tables by the same keys, added up, in order."""
    return polars.concat(parts).group_by(keys).sum().sort(keys)
