"""Measures of jobs as run.json has them."""

from __future__ import annotations

import polars

QUANTILES = {"median": 0.5, "p95": 0.95}


def summary_of(values: polars.Series) -> dict[str, float] | None:
    """Returns mean, median, 95th percentile and largest of the values there are; None: of none."""
    known = values.drop_nulls()
    if known.is_empty():
        return None
    return {
        "mean": float(known.mean()),  # type: ignore[arg-type]
        **{name: float(known.quantile(at, "lower")) for name, at in QUANTILES.items()},  # type: ignore[arg-type]
        "max": float(known.max()),  # type: ignore[arg-type]
    }
