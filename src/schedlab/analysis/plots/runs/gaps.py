"""Curves over time of runs that may begin or end before others, or have nothing to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars

from schedlab.analysis.curves import curves
from schedlab.analysis.plots.runs.over_time import Curve
from schedlab.analysis.plots.time_axis import TimeAxis, simulated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup


def masked_curves(
    group: RunGroup,
    axis: TimeAxis,
    bins: int,
    columns: Sequence[str | polars.Expr],
    active: Sequence[str] = (),
) -> dict[str, Curve]:
    """Returns curves of columns of the timeline, NaN where the run was not there yet or is over.

    The mean is over the repetitions that were there; least and most are of any of them.

    Args:
        group: The runs.
        axis: From where to where.
        bins: In how many.
        columns: Of the timeline, `time` included.
        active: Columns that count only while they are above 0, because they are means over what
            runs and 0 where nothing does.
    """
    edges = np.linspace(axis.first, axis.last, bins + 1)
    parts: dict[str, list[tuple[NDArray[np.float64], ...]]] = {}
    for run in group.schedules.runs:
        table = run.timeline(*columns)
        names = [name for name in table.columns if name != "time"]
        high, on = "{}_where_known", "{}_known"
        for name in active:
            value = polars.col(name).cast(polars.Float64)
            known = polars.when(value > 0).then(1.0).otherwise(0.0).alias(on.format(name))
            table = table.with_columns(
                known, polars.when(value > 0).then(value).otherwise(np.inf).alias(high.format(name))
            )
        every = [name for name in table.columns if name != "time"]
        found = curves(table, axis.first, axis.last, bins, every)
        span = simulated(run.results[0].run) or (axis.last, axis.first)
        # Where every job was rejected, the second that a picture shows at least.
        there = (edges[:-1] < max(span[1], span[0] + 1.0)) & (edges[1:] > span[0])
        for name in names:
            mean, least, most = (found[f"{name}{end}"].to_numpy() for end in ("", "_min", "_max"))
            seen = there
            if name in active:
                share = found[on.format(name)].to_numpy()
                seen = there & (share > 0)
                mean = np.divide(mean, share, out=np.zeros_like(mean), where=seen)
                lowest = found[f"{high.format(name)}_min"].to_numpy()
                least = np.where(lowest > 0, lowest, mean)  # 0 before the first time point
            parts.setdefault(name, []).append(
                tuple(np.where(seen, values, np.nan) for values in (mean, least, most))
            )
    return {name: Curve(*_joined(of_runs)) for name, of_runs in parts.items()}


def _joined(of_runs: list[tuple[NDArray[np.float64], ...]]) -> list[NDArray[np.float64]]:
    """Returns the mean of means, the least and the most of some runs, each where there is one."""
    mean, least, most = (np.vstack(part) for part in zip(*of_runs, strict=True))
    count = np.isfinite(mean).sum(axis=0)
    none = count == 0
    total = np.nansum(mean, axis=0) / np.maximum(count, 1)
    low = np.where(np.isfinite(least), least, np.inf).min(axis=0)
    high = np.where(np.isfinite(most), most, -np.inf).max(axis=0)
    return [np.where(none, np.nan, values) for values in (total, low, high)]
