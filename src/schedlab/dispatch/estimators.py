"""Estimators: what a scheduler is told of a job's run time."""

from __future__ import annotations

from schedlab.policy import Policy, default

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab._engine import JobView


class Estimator(Policy):
    """Base of an estimator of your own."""

    def estimate(self, job: JobView) -> float:
        """Returns the run time, in seconds, that schedulers shall expect of an arriving job."""
        raise NotImplementedError(f"{type(self).__name__} must define estimate(job)")

    @default
    def ended(self, job: JobView) -> None:
        """Told of every job that ran; `job.elapsed` is how long."""
