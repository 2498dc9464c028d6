"""How well measurements determine what was fitted to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]

SMALLEST_SINGULAR = 1e-9
"""Of the largest: along directions with less effect than this the measurements say nothing."""

LEAST_DEVIATION = 1e-4
"""Relative: no measurement of a time is more exact. Rows that agree better are rounded alike."""

NORMAL_95 = 1.959963984540054


def student_95(freedom: int) -> float:
    """Returns the factor of a two-sided 95 % interval (Cornish and Fisher's series of Student's t).

    Off by less than 1 % from three degrees of freedom on.
    """
    z, v = NORMAL_95, float(freedom)
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


def half_widths(
    slopes: Numbers,
    weights: Numbers,
    residuals: Numbers,
    scales: Numbers,
    informative: NDArray[numpy.bool_],
) -> list[float | None]:
    """Returns half of each parameter's 95 % interval; None where the data do not determine it.

    Args:
        slopes: Derivatives of the residuals, a row for each of them.
        weights: How much each residual counts.
        residuals: At the best parameters, relative.
        scales: How far off each parameter would not be known at all.
        informative: Which residuals depend on the parameters.
    """
    count = slopes.shape[1]
    freedom = int(informative.sum()) - count
    if freedom <= 0:
        return [None] * count
    scaled = slopes[informative] * scales * numpy.sqrt(weights[informative])[:, None]
    _, singular, directions = numpy.linalg.svd(scaled, full_matrices=False)
    known = singular > SMALLEST_SINGULAR * max(singular[0], 1e-300)
    if not known.any():
        return [None] * count
    squares = float((weights[informative] * residuals[informative] ** 2).sum())
    deviation = max((squares / freedom) ** 0.5, LEAST_DEVIATION)
    spread = ((directions[known] / singular[known, None]) ** 2).sum(axis=0) ** 0.5
    unknown = (directions[~known] ** 2).sum(axis=0) > 1e-6
    halves = spread * deviation * student_95(freedom)
    # An interval as wide as the parameter is large gives no more than its sign.
    return [
        None if lost or half > 1 else float(half * scale)
        for half, lost, scale in zip(halves, unknown, scales, strict=True)
    ]
