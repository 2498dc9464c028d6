"""Requested times for jobs of models that have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.durations import DAY, duration_of
from schedlab.errors import InputError
from schedlab.trust import like
from schedlab.workload.distributions import distribution, draw
from schedlab.workload.models.synthetic import COMMON_REQUESTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedlab.workload.distributions import Distribution
    from schedlab.workload.distributions.special_functions import Array

COMMON = (*COMMON_REQUESTS, *(days * DAY for days in (3, 4, 5, 7)))
"""What people type as the limit of a job, in seconds: from five minutes to a week."""


class RequestedTimes:
    """What users ask for, from what their jobs run.

    Args:
        text: `none`: -1, missing; `run`: the run time; `run*DISTRIBUTION`: times a drawn factor,
            as in `run*uniform(1, 5)`; `DISTRIBUTION`: whatever the run time.
        steps: Seconds that people ask for: a request is raised to the next of them, and stays as
            it is above the last. `common`: those of COMMON.

    Raises:
        InputError: One of them is not as above.
    """

    def __init__(self, text: str = "none", steps: str | Sequence[float] | None = None) -> None:
        self.text = like(text, str(text).strip())
        self._factor: Distribution | None = None
        self._times_run = True
        head, star, rest = self.text.partition("*")
        try:
            if star and head.strip() == "run":
                self._factor = distribution(like(text, rest))
            elif self.text not in ("none", "run"):
                self._times_run = False
                self._factor = distribution(self.text, of_times=True)
        except InputError as error:
            raise InputError(
                f"requested: must be none, run, run*DISTRIBUTION or DISTRIBUTION: {error}"
            ) from None
        if steps is not None and self.text == "none":
            raise InputError("requested_steps: needs a requested time, such as requested='run'")
        given = COMMON if steps == "common" else () if steps is None else steps
        try:
            self._steps = numpy.sort(numpy.array(_in_seconds(given), dtype=numpy.float64).ravel())
        except (TypeError, ValueError):
            raise InputError(f"requested_steps: must be seconds or common, not {steps!r}") from None
        if self._steps.size and not (self._steps[0] > 0 and numpy.isfinite(self._steps).all()):
            raise InputError(f"requested_steps: must be seconds above 0, not {steps!r}")

    def __str__(self) -> str:
        if not self._steps.size:
            return self.text
        steps = ", ".join(f"{step:g}" for step in self._steps)
        common = tuple(self._steps) == COMMON
        return f"{self.text} raised to {'common values' if common else f'the next of {steps} s'}"

    def of(self, run: Array, random: numpy.random.Generator) -> Array:
        """Returns the requested times, whole seconds from 1 up, of jobs that run this long."""
        if self.text == "none":
            return numpy.full(len(run), -1.0)
        requested = run
        if self._factor is not None:
            drawn = self._factor.sample(draw(random, len(run)))
            requested = run * drawn if self._times_run else drawn
            if not (numpy.isfinite(requested).all() and requested.min(initial=0.0) >= 0):
                raise InputError(
                    f"requested {self.text!r}: drew {requested.min()}; limit it, by min=... or "
                    "max=..."
                )
        requested = numpy.maximum(numpy.ceil(requested), 1.0)
        if self._steps.size:
            place = numpy.searchsorted(self._steps, requested)
            inside = place < len(self._steps)
            requested[inside] = self._steps[place[inside]]
        return requested


def _in_seconds(steps: str | Sequence[float | str]) -> Sequence[float]:
    """Returns steps with texts such as 1h30m as numbers; raises ValueError for others."""
    each = [steps] if isinstance(steps, str) else steps
    found = [duration_of(one) if isinstance(one, str) else one for one in each]
    if None in found:
        raise ValueError
    return [one for one in found if one is not None]
