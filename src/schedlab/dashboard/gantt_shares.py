"""How much of the pixels of a Gantt chart is in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from schedlab.analysis.coverage import Edges, shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS, MOST_ROWS = 8_192, 256
"""Of the sums over a whole run."""


class ChartPart(NamedTuple):
    """What a page looks at, and in how many pixels."""

    first: float
    last: float
    top: int  # first node
    bottom: int  # node after the last one
    width: int
    height: int


class SharesOfWhole:
    """Sums over a whole run, from which the shares of any large part are read.

    Times are exact to 1/8,192 of the run, nodes to 1/256 of the machine where it has more. That is
    finer than the pixels of the parts which this is for.

    Args:
        edges: The rectangles, in seconds and nodes.
        weight: What part of a node each takes.
        nodes: Nodes of the machine.
    """

    def __init__(self, edges: Edges, weight: NDArray[Any], nodes: int) -> None:
        self._nodes, self._rows = nodes, min(nodes, MOST_ROWS)
        ends = edges.right[np.isfinite(edges.right)]
        self._first = float(edges.left.min())
        self._last = max(float(ends.max(initial=self._first)), self._first + 1.0)
        across, down = COLUMNS / (self._last - self._first), self._rows / nodes
        pixels = Edges(
            (edges.left - self._first) * across,
            (np.minimum(edges.right, self._last) - self._first) * across,
            edges.top * down,
            edges.bottom * down,
        )
        shown = np.minimum(shares(pixels, weight, COLUMNS, self._rows), 1.0)
        sums = np.zeros((self._rows + 1, COLUMNS + 1))
        sums[1:, 1:] = shown.cumsum(axis=0).cumsum(axis=1)
        self._sums = sums

    def part(self, part: ChartPart) -> NDArray[np.float64]:
        """Returns the share of each pixel of a part that is in use."""
        times = np.linspace(part.first, part.last, part.width + 1)
        at = (times - self._first) / (self._last - self._first) * COLUMNS
        rows = np.linspace(part.top, part.bottom, part.height + 1) * (self._rows / self._nodes)
        picture = _between(_between(self._sums, rows).T, np.clip(at, 0, COLUMNS)).T
        area = np.diff(rows)[:, None] * np.diff(at)[None, :]
        covered: NDArray[np.float64] = np.diff(np.diff(picture, axis=0), axis=1) / area
        return covered


def _between(sums: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns rows of a table at places that need not be whole."""
    low = np.minimum(places.astype(np.int64), len(sums) - 2)
    rest = (places - low)[:, None]
    between: NDArray[np.float64] = sums[low] * (1 - rest) + sums[low + 1] * rest
    return between
