"""Robust least squares for a handful of parameters: Levenberg and Marquardt, with Huber's loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]

MOST_STEPS = 100
LEAST_DAMPING, MOST_DAMPING = 1e-12, 1e12


def huber_loss(residuals: Numbers, bend: float) -> float:
    """Returns half of the squares up to the bend, and beyond it what grows linearly."""
    size = numpy.abs(residuals)
    return float(numpy.where(size <= bend, size**2 / 2, bend * (size - bend / 2)).sum())


def huber_weights(residuals: Numbers, bend: float) -> Numbers:
    """Returns 1 up to the bend, and less beyond it: how much a residual counts."""
    size = numpy.abs(residuals)
    return numpy.where(size <= bend, 1.0, bend / numpy.maximum(size, bend))


def minimise(
    start: Numbers,
    residuals: Callable[[Numbers], Numbers | None],
    jacobian: Callable[[Numbers], Numbers],
    bend: float,
) -> tuple[Numbers, float]:
    """Returns the parameters of a local minimum of the loss, and the loss there.

    Args:
        start: Where the search begins; the residuals there must be known.
        residuals: Of parameters; None where they mean nothing.
        jacobian: Derivatives of the residuals, a row for each of them.
        bend: Residuals beyond this count linearly.
    """
    here = start.astype(float)
    first = residuals(here)
    assert first is not None
    now: Numbers = first
    loss, damping = huber_loss(now, bend), 1e-3
    for _ in range(MOST_STEPS):
        slopes = jacobian(here)
        weighted = slopes * huber_weights(now, bend)[:, None]
        gradient, curvature = weighted.T @ now, weighted.T @ slopes
        # Marquardt's scale: a step does not depend on the units of the parameters. What has no
        # effect here keeps its value.
        scale = numpy.sqrt(numpy.diag(curvature))
        scale = numpy.where(scale > 0, scale, 1.0)
        curvature, gradient = curvature / numpy.outer(scale, scale), gradient / scale
        better: Numbers | None = None
        while better is None and damping <= MOST_DAMPING:
            damped = curvature + damping * numpy.eye(len(scale))
            step = numpy.linalg.solve(damped, -gradient) / scale
            there = residuals(here + step)
            if there is not None and (less := huber_loss(there, bend)) < loss:
                better = there
            else:
                damping *= 4
        if better is None:
            break
        gain, here, now, loss = loss - less, here + step, better, less
        damping = max(damping / 9, LEAST_DAMPING)
        small = numpy.all(numpy.abs(step) <= 1e-13 * (numpy.abs(here) + 1e-13))
        if gain <= 1e-10 * loss or small:
            break
    return here, loss
