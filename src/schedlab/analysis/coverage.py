"""How much of each pixel rectangles cover, whatever their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Edges(NamedTuple):
    """Rectangles, in pixels: from left to right, from top to bottom."""

    left: NDArray[np.floating[Any]]
    right: NDArray[np.floating[Any]]
    top: NDArray[np.floating[Any]]
    bottom: NDArray[np.floating[Any]]


def shares(edges: Edges, weight: NDArray[Any], width: int, height: int) -> NDArray[np.float64]:
    """Returns the share of each pixel that rectangles of some weight cover; a row per line.

    A rectangle is the sum of its edges: along each axis an edge at x adds to the pixel it cuts and
    to all after it. So small and large rectangles cost the same.
    """
    row_length = width + 2
    sums = np.zeros((height + 2) * row_length)
    for across, sign_across in ((edges.left, 1.0), (edges.right, -1.0)):
        column = across.astype(np.int64)
        inside = across - column
        for along, sign_along in ((edges.top, 1.0), (edges.bottom, -1.0)):
            row = along.astype(np.int64)
            below = along - row
            amount = sign_across * sign_along * weight
            place = row * row_length + column
            cuts = ((0, 1.0 - below), (row_length, below)) if below.any() else ((0, 1.0),)
            for down, part_down in cuts:
                scaled = amount * part_down
                cut = scaled * inside
                sums += np.bincount(place + down, scaled - cut, len(sums))
                sums += np.bincount(place + down + 1, cut, len(sums))
    return sums.reshape(height + 2, row_length).cumsum(axis=0).cumsum(axis=1)[:height, :width]
