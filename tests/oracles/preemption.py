"""A scheduler that ends running jobs, naively; and the same one as a user would write it.

Jobs start in order, until one does not fit. For an urgent one, jobs that are not are ended, the
youngest first, until it fits or none is left; each is put back into the queue twice at most, and
some are cancelled instead.
"""

from __future__ import annotations

import schedlab

from . import disciplines
from .failures import Failing
from .model import Running

MOST = 2
"""Interruptions after which a job is left alone."""


def urgent(job: int) -> bool:
    return job % 3 == 0


def dispensable(job: int) -> bool:
    return job % 5 == 0


class Preempting(Failing):
    """A simulation with that scheduler; see `Failing`."""

    def _dispatch(self) -> None:
        for job in disciplines.ordered(self.queue.values(), self.order, self.machine):
            if not self._fits(job) and urgent(job.id):
                for r in self._victims():
                    if self._fits(job):
                        break
                    self._end_early(r)
            if not self._fits(job):
                return
            self._start(job)

    def _victims(self) -> list[Running]:
        found = [
            r
            for r in self._jobs_running()
            if not urgent(r.job.id)
            and sum(a.job == r.job.id and a.ended_by != "itself" for a in self.attempts) < MOST
        ]
        return sorted(found, key=lambda r: (-r.start, r.job.id))

    def _end_early(self, r: Running) -> None:
        if dispensable(r.job.id):
            self.cancel(r)
        else:
            self.requeue(r)


class UrgentFirst(schedlab.Scheduler):
    """The same, through the views."""

    interrupts_jobs = True

    def __init__(self, order: str = "submit") -> None:
        self.order = order

    def schedule(self, state):
        for job in list(state.queue):
            if not state.machine.fits(job) and urgent(job.id):
                victims = [
                    one for one in state.running if not urgent(one.id) and one.interruptions < MOST
                ]
                for one in sorted(victims, key=lambda one: (-one.start, one.id)):
                    if state.machine.fits(job):
                        break
                    if dispensable(one.id):
                        yield schedlab.CancelJob(one)
                    else:
                        yield schedlab.RequeueJob(one)
            if not state.machine.fits(job):
                return
            yield job
