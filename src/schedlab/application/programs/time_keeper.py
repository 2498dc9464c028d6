"""The application of jobs that name none."""

from __future__ import annotations

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program


def time_keeper(mpi: Communicator, seconds: float | None = None) -> Program:
    """Lets time pass: all ranks compute for the job's recorded run time.

    On the wire: nothing.

    Args:
        mpi: The ranks.
        seconds: How long; None: the job's recorded run time.
    """
    length = mpi.run_time if seconds is None else seconds
    if length is None:
        raise InputError(
            f"job {mpi.job}: has no run time that a time-keeper could keep; give it one, or "
            "time-keeper(seconds=...)"
        )
    yield mpi.compute(length)
