"""Policies as a user would write them, measured by the case `policies`."""

from __future__ import annotations

import schedlab as sl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Fifo(sl.Scheduler):
    """Starts jobs in order and stops at the first that does not fit."""

    def schedule(self, state: sl._engine.State) -> Iterator[sl._engine.JobView]:
        for job in state.queue:
            if not state.machine.fits(job):
                return
            yield job


class Easy(sl.Scheduler):
    """EASY with the helpers of the views."""

    def schedule(self, state: sl._engine.State) -> Iterator[sl._engine.JobView]:
        for job in state.queue:
            if not state.machine.fits(job):
                break
            yield job
        else:
            return
        reservation = state.reserve(job)
        for other in state.queue.fitting(behind=job):
            if reservation.allows(other):
                yield other


class NaiveEasy(sl.Scheduler):
    """The same from the textbook: shadow time and extra processors by hand, a scan of the queue."""

    def schedule(self, state: sl._engine.State) -> Iterator[sl._engine.JobView]:
        waiting = list(state.queue)
        free = state.machine.free_processors
        while waiting and waiting[0].processors <= free:
            free -= waiting[0].processors
            yield waiting.pop(0)
        if not waiting:
            return
        head, shadow, extra = waiting[0], None, 0
        available = free
        for job in state.running:
            end = job.expected_end
            if shadow is not None and end > shadow:
                break
            available += job.processors
            if shadow is None and available >= head.processors:
                shadow = end
        extra = available - head.processors
        for job in waiting[1:]:
            if job.processors > free:
                continue
            if state.now + job.estimate > shadow:
                if job.processors > extra:
                    continue
                extra -= job.processors
            free -= job.processors
            yield job
