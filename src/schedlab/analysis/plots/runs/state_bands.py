"""Bands of nodes that are off, asleep, on their way or down, and marks where failures hit jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars

from schedlab.analysis.node_states import STATES, interruptions, node_states, state_raster
from schedlab.analysis.style import INK, NODE_STATES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from schedlab.analysis.plots.time_axis import TimeAxis
    from schedlab.results import Result

TINT = 0.3
"""How much of the colour of its lines the ground of a band has; the rest is white."""

MANY_MARKS = 400
"""More than that are drawn small."""

HIT = "a failure ended a job"


class Bands(NamedTuple):
    """What a run has beside its jobs, within the times of a picture."""

    states: polars.DataFrame
    interruptions: polars.DataFrame

    @property
    def hits(self) -> polars.DataFrame:
        """The attempts that a failure of a node ended; others ended by the scheduler's decision."""
        return self.interruptions.filter(polars.col("node").is_not_null())

    @classmethod
    def of_run(cls, result: Result, axis: TimeAxis) -> Bands:
        """Returns the bands and marks of a run that reach into the picture."""
        inside = (polars.col("start") < axis.last) & (
            polars.col("end").is_null() | (polars.col("end") > axis.first)
        )
        return cls(node_states(result).filter(inside), interruptions(result).filter(inside))

    def painted(
        self, picture: NDArray[np.uint8], busy: NDArray[Any], nodes: int, axis: TimeAxis
    ) -> NDArray[np.uint8]:
        """Returns a picture with bands where a state takes more of a pixel than jobs do."""
        if self.states.is_empty():
            return picture
        height, width = picture.shape[:2]
        share = state_raster(self.states, nodes, axis.first, axis.last, width, height)
        most, covered = share.argmax(axis=0), share.max(axis=0)
        shown = (covered > busy) & (covered >= 0.3)
        return np.where(shown[..., None], band_colours(most), picture).astype(np.uint8)

    def mark(self, axes: Axes, axis: TimeAxis) -> None:
        """Draws a cross where a failure ended a job: on the node that failed, at that time."""
        hits = self.hits.filter(polars.col("end") <= axis.last)
        if hits.is_empty():
            return
        size = 5.0 if hits.height <= MANY_MARKS else 2.5
        for colour, width in (("white", 2.6), (INK, 1.1)):
            axes.plot(
                axis.places(hits["end"].to_numpy()),
                hits["node"].to_numpy() + 0.5,
                linestyle="",
                marker="x",
                color=colour,
                markersize=size,
                markeredgewidth=width if hits.height <= MANY_MARKS else width / 2,
                rasterized=True,
                clip_on=True,
            )


def band_colours(states: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Returns the colours of pixels in states, which are places in STATES: lines on a light ground.

    Each state has lines of its own direction, so that bands are distinguished without colours.
    """
    row, column = (np.asarray(place) for place in np.indices(states.shape))
    lines: dict[str, Any] = {
        "off": (row + column) % 7 < 2,
        "sleeping": (row - column) % 7 < 2,
        "booting": column % 4 < 1,
        "stopping": row % 4 < 1,
        "down": ((row + column) % 7 < 2) | ((row - column) % 7 < 2),
    }
    picture = np.zeros((*states.shape, 3), np.uint8)
    for place, state in enumerate(STATES):
        colour = np.array(NODE_STATES[state][0], float)
        ground = 255 - TINT * (255 - colour)
        painted = np.where(lines[state][..., None], colour, ground).astype(np.uint8)
        picture = np.where((states == place)[..., None], painted, picture)
    return picture


def band_handles(bands: Iterable[Bands]) -> list[Any]:
    """Returns what a legend shows of the states and marks that occur."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    every = list(bands)
    seen = {state for one in every for state in one.states["state"].unique().to_list()}
    handles: list[Any] = []
    for state, (colour, hatch) in NODE_STATES.items():
        if state in seen:
            red, green, blue = (part / 255 for part in colour)
            ground = (1 - TINT * (1 - red), 1 - TINT * (1 - green), 1 - TINT * (1 - blue))
            handles.append(
                Patch(
                    facecolor=ground,
                    edgecolor=(red, green, blue),
                    hatch=hatch,
                    linewidth=0,
                    label=state,
                )
            )
    if any(one.hits.height for one in every):
        handles.append(
            Line2D([], [], linestyle="", marker="x", color=INK, markeredgewidth=1.1, label=HIT)
        )
    return handles
