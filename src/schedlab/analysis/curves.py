"""Curves over time, thinned to what a picture can show, without losing a peak or an area."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars

from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MEASURED = ("time", "dispatch_nanoseconds", "other_nanoseconds", "memory_bytes")
"""Columns of a timeline that are not a state of the machine."""


def curves(
    timeline: polars.DataFrame | polars.LazyFrame,
    first: float,
    last: float,
    bins: int,
    columns: Sequence[str] | None = None,
) -> polars.DataFrame:
    """Returns the step functions of a timeline over equal bins, one row per bin.

    A value holds from its time point up to the next one; before the first it is 0, after the last
    it stays. Where several rows have one time, the last one holds: what lasted no time counts
    neither in a mean nor in a maximum.

    The columns are `time` (the left edge of the bin) and for each function NAME (the mean over the
    bin, weighted by time), `NAME_min` and `NAME_max`. All are exact: nothing is sampled.

    Args:
        timeline: Rows of timeline.csv, in their order.
        first: Where the first bin begins, in the workload's own clock.
        last: Where the last bin ends.
        bins: How many.
        columns: Which functions; by default `queued`, `running` and every `RESOURCE_used`.

    Raises:
        InputError: There is no time between `first` and `last`, no bin, or no such column.
    """
    if not (last > first and bins >= 1):
        raise InputError(f"curves: {bins} bins from {first} to {last}: there is nothing between")
    frame = timeline.lazy()
    names = frame.collect_schema().names()
    if columns is None:
        columns = [name for name in names if name not in MEASURED]
    for name in columns:
        if name not in names:
            raise InputError(f"curves: the timeline has no column {name!r}; it has {names}")
    table = frame.select("time", *columns).collect().cast(polars.Float64)
    times = table["time"].to_numpy()
    edges = np.linspace(first, last, bins + 1)
    inside = times[np.searchsorted(times, first, "right") : np.searchsorted(times, last, "left")]
    # Between two neighbours of `points` every function is constant, and no bin begins or ends.
    points = np.sort(np.concatenate((edges, inside)), kind="stable")  # merges two sorted runs
    widths = np.diff(points)
    bin_starts = np.searchsorted(points, edges[:-1], side="left")
    row = np.searchsorted(times, points[:-1], side="right")
    result: dict[str, NDArray[np.float64]] = {"time": edges[:-1]}
    for name in columns:
        values = np.concatenate(([0.0], table[name].to_numpy()))[row]
        area = np.add.reduceat(values * widths, bin_starts)
        result[name] = area / np.add.reduceat(widths, bin_starts)
        result[f"{name}_min"] = np.minimum.reduceat(values, bin_starts)
        result[f"{name}_max"] = np.maximum.reduceat(values, bin_starts)
    return polars.DataFrame(result)
