"""Policies of every kind that remember something, for forks, state files and conformance suites."""

from __future__ import annotations

import random

import schedlab as sl


class Moody(sl.Scheduler):
    """Starts what fits, at the throw of a coin, and remembers whose jobs it started."""

    order = "shortest"

    def __init__(self):
        self.random = random.Random(7)
        self.starts = {}

    def schedule(self, state):
        for job in state.queue.fitting():
            if self.random.random() < 0.8:
                self.starts[job.user] = self.starts.get(job.user, 0) + 1
                yield job
        yield sl.WakeAt(state.now + 3)


class LastFit(sl.Allocator):
    """From the last node down."""

    def place(self, job, machine):
        chosen, left = {}, job.processors
        for node in reversed(machine.nodes_with_room(job)):
            chosen[node] = min(left, machine.room(node, job))
            left -= chosen[node]
            if left == 0:
                return chosen
        return None


class Doubled(sl.Estimator):
    """Twice what the user's last job took."""

    def __init__(self, factor=2):
        self.factor = factor
        self.last = {}

    def estimate(self, job):
        return self.factor * self.last.get(job.user, job.requested_time)

    def ended(self, job):
        self.last[job.user] = job.elapsed


class Use(sl.AdditionalData):
    """Core-seconds of each user, halved every 50 s."""

    publishes = ("jobs_seen",)
    publishes_tables = ("use",)
    every = 5

    def __init__(self):
        self.use = {}
        self.seen = 0

    def ended(self, job):
        self.seen += 1
        self.use[job.user] = self.use.get(job.user, 0.0) + job.processors * job.elapsed

    def update(self, state):
        self.use = {user: use * 0.5 ** (5 / 50) for user, use in self.use.items()}
        return {"jobs_seen": self.seen, "use": self.use}


def by_size(job):
    """An order of the queue."""
    return job.processors


BY_SIZE = sl.Order(by_size, fixed=True)


def backwards(system):
    """An order of nodes."""
    return range(system.nodes)[::-1]
