"""EASY that reserves watts as it reserves processors, for machines under a power cap.

    schedlab run TRACE --system seth.toml --conditions capped.toml
        --scheduler power_easy:PowerEasy

in the folder of this file. The page docs/tutorials/power-capped.md says more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import schedlab as sl


class Amount(NamedTuple):
    """Processors and watts, of a job or free on the machine."""

    processors: int
    watts: float

    def plus(self, other: Amount) -> Amount:
        """Returns the sum."""
        return Amount(self.processors + other.processors, self.watts + other.watts)

    def minus(self, other: Amount) -> Amount:
        """Returns what is left."""
        return Amount(self.processors - other.processors, self.watts - other.watts)

    def covers(self, other: Amount) -> bool:
        """Returns whether it suffices for the other one."""
        return self.processors >= other.processors and self.watts >= other.watts - 1e-6


class PowerEasy(sl.Scheduler):
    """EASY whose reservation for the head of the queue is one of processors and of watts.

    The cap and the power now are read as `state.data("cap")` and `state.data("power")`, which the
    engine publishes. Processors are counted, wherever they are.

    Args:
        watts: What a busy processor draws beyond an idle one, at most.
    """

    def __init__(self, watts: float = 40.0) -> None:
        self.watts = watts

    def schedule(self, state: sl.State) -> Iterator[sl.JobView]:
        """Starts jobs in order, then those that leave the head its processors and its watts."""
        free = Amount(state.machine.free_processors, state.data("cap") - state.data("power"))
        head = None
        for job in state.queue:
            if not (free.covers(self._needs(job)) and state.machine.fits(job)):
                head = job
                break
            yield job
            free = free.minus(self._needs(job))
        if head is None:
            return
        shadow, extra = self._shadow(state, self._needs(head), free)
        most = int(max(free.watts, 0.0) / self.watts + 1e-6)
        for job in state.queue.fitting(min(most, free.processors), behind=head):
            needs = self._needs(job)
            if not (free.covers(needs) and state.machine.fits(job)):
                continue
            if job.expected_end > shadow:
                if not extra.covers(needs):
                    continue
                extra = extra.minus(needs)
            yield job
            free = free.minus(needs)

    def _shadow(self, state: sl.State, head: Amount, free: Amount) -> tuple[float, Amount]:
        """Returns when the head can start, and what it leaves to others then."""
        shadow = None
        for job in state.running:
            if shadow is not None and job.expected_end > shadow:
                break
            free = free.plus(self._needs(job))
            if shadow is None and free.covers(head):
                shadow = job.expected_end
        if shadow is None:  # a higher cap or repaired nodes must come first: all is kept for it
            return state.now, Amount(0, 0.0)
        return shadow, free.minus(head)

    def _needs(self, job: sl.JobView) -> Amount:
        return Amount(job.processors, job.processors * self.watts)
