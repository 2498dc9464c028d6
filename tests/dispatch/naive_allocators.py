"""Allocators in Python that do no more than their names say, and schedulers above them."""

from __future__ import annotations

from schedlab import Allocator


def fill(job, machine, nodes):
    """Returns {node: tasks}: as many on each node as fit, in the order given; None if too few."""
    placed, left = {}, job.processors
    for node in nodes:
        tasks = min(left, machine.room(node, job))
        if tasks:
            placed[node] = tasks
            left -= tasks
    return None if left else placed


class First(Allocator):
    def place(self, job, machine):
        return fill(job, machine, machine.nodes_with_room(job))


class FirstAsList(Allocator):
    """The same, as a list with a node for each task."""

    def place(self, job, machine):
        nodes = [n for n in machine.nodes_with_room(job) for _ in range(machine.room(n, job))]
        return nodes[: job.processors] if len(nodes) >= job.processors else None


class Last(Allocator):
    def place(self, job, machine):
        return fill(job, machine, reversed(range(machine.nodes)))


class ByLoad(Allocator):
    """Best fit, or worst fit."""

    def __init__(self, sign):
        self.sign = sign

    def place(self, job, machine):
        def freeness(node):
            total = 0.0
            capacity = machine.node_capacity(node)
            for kind, free in machine.node_free(node).items():
                if capacity[kind]:
                    total += free / capacity[kind]
            return total

        nodes = sorted(range(machine.nodes), key=lambda node: (self.sign * freeness(node), node))
        return fill(job, machine, nodes)


class OneEach(Allocator):
    """At most one task on a node."""

    def place(self, job, machine):
        nodes = machine.nodes_with_room(job)
        return nodes[: job.processors] if len(nodes) >= job.processors else None


SCHEDULERS = [
    "fifo",
    "fcfs-bf",
    "easy",
    "easy(order=shortest, depth=3)",
    "easy(reservations=2)",
    "easy(reservations=all)",
    "conservative",
    "conservative(order=largest)",
]
