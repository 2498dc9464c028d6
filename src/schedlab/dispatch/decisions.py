"""What a scheduler may decide, besides a waiting job itself, which means: start it now."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schedlab._engine import JobView


class StartJob:
    """Start a waiting job now, on these nodes instead of those that the allocator would choose.

    Args:
        job: The job.
        nodes: A node for each task, or the number of tasks by node; None leaves it to the
            allocator.
    """

    __slots__ = ("job", "nodes")
    kind = "start"

    def __init__(
        self, job: JobView, nodes: Iterable[int] | Mapping[int, int] | None = None
    ) -> None:
        self.job = job
        self.nodes = nodes


class RejectJob:
    """Reject a waiting job: it leaves without having run."""

    __slots__ = ("job",)
    kind = "reject"

    def __init__(self, job: JobView) -> None:
        self.job = job


class RequeueJob:
    """End the attempt of a running job now, and put the job back into the queue.

    It resumes from its start, or from its last checkpoint where `resubmission` of the conditions
    says so. The scheduler's class must have `interrupts_jobs = True`.
    """

    __slots__ = ("job",)
    kind = "requeue"

    def __init__(self, job: JobView) -> None:
        self.job = job


class CancelJob:
    """End a running job now and for good: it leaves as killed, with the reason cancelled.

    The scheduler's class must have `interrupts_jobs = True`.
    """

    __slots__ = ("job",)
    kind = "cancel"

    def __init__(self, job: JobView) -> None:
        self.job = job


class WakeAt:
    """Call the scheduler at that time, in the workload's clock, even if nothing happens then."""

    __slots__ = ("time",)
    kind = "wake"

    def __init__(self, time: float) -> None:
        self.time = time


class SetClock:
    """Let nodes of a platform go no faster than a frequency step of their processors.

    Args:
        nodes: Their numbers.
        step: 0 is the nominal clock, 1 the first step below it, and so on; past the last one, the
            last. A power cap or a limit of temperature may slow nodes down further.
    """

    __slots__ = ("nodes", "step")
    kind = "clock"

    def __init__(self, nodes: Iterable[int], step: int) -> None:
        self.nodes = nodes
        self.step = step


class PowerDown:
    """Send idle nodes of a platform to rest; one that gets a job wakes up for it.

    Args:
        nodes: Their numbers.
        to: "off" or "sleeping".
    """

    __slots__ = ("nodes", "to")
    kind = "power down"

    def __init__(self, nodes: Iterable[int], to: str = "off") -> None:
        self.nodes = nodes
        self.to = to


class PowerUp:
    """Wake nodes of a platform before a job needs them."""

    __slots__ = ("nodes",)
    kind = "power up"

    def __init__(self, nodes: Iterable[int]) -> None:
        self.nodes = nodes
