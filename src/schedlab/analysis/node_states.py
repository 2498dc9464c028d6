"""Nodes that were not simply on, and attempts that ended early: states.csv, interruptions.csv."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars

from schedlab.analysis.coverage import Edges, shares
from schedlab.analysis.style import NODE_STATES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schedlab.results import Result

STATES = tuple(NODE_STATES)

_STATES = {
    "node": polars.Int64,
    "state": polars.String,
    "start": polars.Float64,
    "end": polars.Float64,
}
_INTERRUPTIONS = {
    "job_id": polars.Int64,
    "attempt": polars.Int64,
    "start": polars.Float64,
    "end": polars.Float64,
    "node": polars.Int64,
    "kept_seconds": polars.Float64,
    "lost_seconds": polars.Float64,
    "nodes": polars.String,
}


def node_states(result: Result) -> polars.DataFrame:
    """Returns node, state, start and end of each time a node was not simply on; maybe no row."""
    return _collected(result.states, _STATES)


def interruptions(result: Result) -> polars.DataFrame:
    """Returns the attempts of jobs that ended early, as interruptions.csv has them."""
    return _collected(result.interruptions, _INTERRUPTIONS)


def _collected(
    frame: polars.LazyFrame | None, schema: dict[str, type[polars.DataType]]
) -> polars.DataFrame:
    if frame is None:
        return polars.DataFrame(schema=schema)
    return frame.select(polars.col(name).cast(kind) for name, kind in schema.items()).collect()


def state_raster(
    states: polars.DataFrame, nodes: int, first: float, last: float, width: int, height: int
) -> NDArray[np.float64]:
    """Returns the share of each pixel in which nodes were in each of STATES, along the first axis.

    Pixel row r covers the nodes from r * nodes / height to (r + 1) * nodes / height, a column the
    same share of the time. Shares are exact.
    """
    found = np.zeros((len(STATES), height, width))
    across, down = width / (last - first), height / nodes
    for place, state in enumerate(STATES):
        some = states.filter(polars.col("state") == state)
        if some.is_empty():
            continue
        begin, end = (
            np.clip((some[name].fill_null(last).to_numpy() - first) * across, 0.0, width)
            for name in ("start", "end")
        )
        top = some["node"].to_numpy()
        edges = Edges(begin, end, top * down, (top + 1) * down)
        found[place] = shares(edges, np.ones(some.height), width, height)
    return np.clip(found, 0.0, 1.0)
