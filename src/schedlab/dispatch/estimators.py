"""Estimators: what a scheduler knows of a job's run time."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.naming import build
from schedlab.options import CHOICES
from schedlab.policy import Policy, default

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab._engine import JobView
    from schedlab.trust import Origin


class Estimator(Policy):
    """Base of an estimator of your own."""

    def estimate(self, job: JobView) -> float:
        """Returns the run time, in seconds, that schedulers should expect of an arriving job."""
        raise NotImplementedError(f"{type(self).__name__} must define estimate(job)")

    @default
    def ended(self, job: JobView) -> None:
        """Called with every job that ran; `job.elapsed` is how long."""

    def __str__(self) -> str:
        return f"{type(self).__module__}:{type(self).__qualname__}"


def estimator_named(given: str | Estimator, origin: Origin) -> Estimator:
    """Returns the estimator: itself, or by `package.module:Class` or the name of an entry point.

    Args:
        given: The estimator, or its name.
        origin: Where the name comes from.

    Raises:
        InputError: The name is not known.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    if isinstance(given, Estimator):
        return given
    if not isinstance(given, str):
        words = ", ".join(CHOICES["estimate"])
        raise InputError(f"estimate: must be one of {words} or an Estimator, not {given!r}")
    made = build("estimator", given, Estimator, CHOICES["estimate"], origin=origin)
    assert isinstance(made, Estimator)
    return made
