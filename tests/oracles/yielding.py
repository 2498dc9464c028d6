"""Preemption by priority, naively: any discipline, and after its pass jobs that take room.

What takes time is asked of a copy of the cluster, and everything is looked at anew each time.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

from . import disciplines
from .failures import Failing
from .model import Job, Running


@dataclass(frozen=True)
class Taking:
    """How a job takes room from running jobs of lower priority; that of others is 0."""

    priority: int
    cancels: bool = False
    grace: int = 0
    exempt: int = 0


@dataclass
class Announced:
    """Jobs that are to end for a waiting one."""

    job: int
    joined: int  # the queue, as which in turn
    since: int
    until: int
    victims: list[Running]


@dataclass
class Yielding(Failing):
    """A simulation in which some jobs, by id, take room; see `Failing`."""

    taking: dict[int, Taking] = field(default_factory=dict)
    announced: dict[int, Announced] = field(default_factory=dict)  # by priority
    wakes: set[int] = field(default_factory=set)

    def _event_times(self) -> list[float]:
        return [*super()._event_times(), *(t for t in self.wakes if t > self.now)]

    def _dispatch(self) -> None:
        super()._dispatch()
        while self._one_starts():
            self.reservations.clear()  # whoever keeps plans makes them anew
            self.places.clear()
            super()._dispatch()

    def _priority(self, job: Job) -> int:
        return self.taking[job.id].priority if job.id in self.taking else 0

    def _one_starts(self) -> bool:
        for priority, one in list(self.announced.items()):
            if one.job not in self.queue or self.joined[one.job] != one.joined:
                del self.announced[priority]
        waiting = disciplines.ordered(self.queue.values(), self.order, self.machine)
        for priority in sorted({self._priority(job) for job in waiting} - {0}, reverse=True):
            job = next(job for job in waiting if self._priority(job) == priority)
            if priority in self.announced:
                job = self.queue[self.announced[priority].job]
            if self._starts(job):
                return True
        return False

    def _starts(self, job: Job) -> bool:
        taking = self.taking[job.id]
        announced = self.announced.get(taking.priority)
        if announced is None:
            found = [r for r in self._lower(taking) if self.now - r.start >= taking.exempt]
        elif self.now < announced.until:
            found = []
        else:
            found = [r for r in announced.victims if r in self.running]
            found += [
                r
                for r in self._lower(taking)
                if r.start >= announced.since and r not in announced.victims
            ]
        victims = self._chosen(job, found)
        if victims is None and announced is None:
            if taking.exempt:
                ends = [r.start + taking.exempt for r in self._lower(taking)]
                self.wakes.update([min((t for t in ends if t > self.now), default=self.now)])
            return False
        if victims is None:
            if self.now < announced.until:
                return False
            del self.announced[taking.priority]
            return self._starts(job)
        if victims and announced is None and taking.grace:
            until = self.now + taking.grace
            self.wakes.add(until)
            self.announced[taking.priority] = Announced(
                job.id, self.joined[job.id], self.now, until, victims
            )
            return False
        self.announced.pop(taking.priority, None)
        for r in victims:
            if taking.cancels:
                self.cancel(r)
            else:
                self.requeue(r)
        assert self._start(job)
        return True

    def _lower(self, taking: Taking) -> list[Running]:
        """Return the running jobs of lower priority, in the order in which they give way."""
        found = [r for r in self._jobs_running() if self._priority(r.job) < taking.priority]
        return sorted(found, key=lambda r: (self._priority(r.job), -r.start, -r.job.id))

    def _chosen(self, job: Job, found: list[Running]) -> list[Running] | None:
        """Return the first ones that do, without those that are not needed."""
        for number in range(len(found) + 1):
            if self._fits_without(job, found[:number]):
                break
        else:
            return None
        chosen = found[:number]
        for r in reversed(found[:number]):
            others = [one for one in chosen if one is not r]
            if self._fits_without(job, others):
                chosen = others
        return chosen

    def _fits_without(self, job: Job, gone: list[Running]) -> bool:
        cluster = deepcopy(self.cluster)
        for r in gone:
            cluster.release(r.job, r.nodes)
        end = self.now + disciplines.planned_length(job, self.second)
        for part in job.parts():
            rooms = [
                0 if any(w.bars(part, node, self.now, end) for w in self.windows) else room
                for node, room in enumerate(cluster.rooms(part))
            ]
            if cluster.place(part, rooms) is not None:
                return True
        return False
