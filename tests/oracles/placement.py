"""Naive placement of a job's tasks on nodes: first, best, worst and random fit."""

from collections.abc import Iterator

from .model import Job, Machine

ALLOCATORS = ("first-fit", "best-fit", "worst-fit", "random")

_MASK = (1 << 64) - 1


class SplitMix64:
    """The splitmix64 generator (Steele, Lea and Flood, OOPSLA 2014)."""

    def __init__(self, seed: int) -> None:
        """Start the sequence that belongs to `seed`."""
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next 64 random bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a random integer from 0 to n - 1, made of the upper 32 bits."""
        return ((self.next() >> 32) * n) >> 32


class Cluster:
    """The free resources of a machine, and the allocator that hands them out."""

    def __init__(self, machine: Machine, allocator: str, seed: int) -> None:
        """Start with every node idle."""
        if allocator not in ALLOCATORS:
            raise ValueError(f"unknown allocator {allocator!r}, not in {ALLOCATORS}")
        self._capacity = [list(node) for node in machine.capacity]
        self._free = [list(node) for node in machine.capacity]
        self._allocator = allocator
        self._random = SplitMix64(seed)

    def room(self, node: int, job: Job) -> int:
        """Return how many tasks of the job fit on the node now.

        This is not bounded by the number of tasks the job has, except for a job
        that requests nothing at all and would otherwise fit without end.
        """
        free = self._free[node]
        if job.whole_nodes and free != self._capacity[node]:
            return 0
        rooms = [have // need for have, need in zip(free, job.request, strict=False) if need > 0]
        if job.tasks_per_node is not None:
            rooms.append(job.tasks_per_node)
        return min(rooms, default=job.tasks)

    def total_room(self, job: Job) -> int:
        """Return how many tasks of the job fit on all nodes together now."""
        return sum(self.room(node, job) for node in range(len(self._free)))

    def fits(self, job: Job) -> bool:
        """Return whether all tasks of the job fit now. Draws no random numbers."""
        return self.total_room(job) >= job.tasks

    def place(self, job: Job) -> tuple[tuple[int, int], ...] | None:
        """Place all tasks of the job and take their resources.

        Returns:
            (node, tasks there) ascending by node, or None, with nothing taken and no
            random number drawn, when not all tasks fit.
        """
        if not self.fits(job):
            return None
        placed: list[tuple[int, int]] = []
        remaining = job.tasks
        # The order may draw a random number per node: ask for no node too many.
        for node in self._nodes_in_order(job):
            tasks = min(self.room(node, job), remaining)
            if tasks > 0:
                self._change(job, node, tasks, sign=-1)
                placed.append((node, tasks))
                remaining -= tasks
            if remaining == 0:
                break
        return tuple(sorted(placed))

    def release(self, job: Job, nodes: tuple[tuple[int, int], ...]) -> None:
        """Give back what `place` took."""
        for node, tasks in nodes:
            self._change(job, node, tasks, sign=+1)

    def _change(self, job: Job, node: int, tasks: int, sign: int) -> None:
        """Add to (+1) or subtract from (-1) a node's free amounts."""
        amounts: list[int]
        if job.whole_nodes:
            amounts = self._capacity[node]
        else:
            amounts = [tasks * need for need in job.request]
        for resource, amount in enumerate(amounts):
            self._free[node][resource] += sign * amount

    def _nodes_in_order(self, job: Job) -> Iterator[int]:
        """Yield the nodes to try, in the allocator's order."""
        nodes = range(len(self._free))
        if self._allocator == "first-fit":
            yield from nodes
        elif self._allocator == "random":
            yield from self._drawn([n for n in nodes if self.room(n, job) >= 1])
        else:
            # All keys are taken here, before the first task is placed.
            keys = [self._freeness(node) for node in nodes]
            sign = 1 if self._allocator == "best-fit" else -1
            yield from sorted(nodes, key=lambda node: (sign * keys[node], node))

    def _drawn(self, candidates: list[int]) -> Iterator[int]:
        """Yield candidates in random order, one draw each, at the time of asking."""
        while candidates:
            i = self._random.below(len(candidates))
            yield candidates[i]
            candidates[i] = candidates[-1]
            candidates.pop()

    def _freeness(self, node: int) -> float:
        """Return the sum over resources of free / capacity.

        Added one by one in resource order: `sum` of floats rounds differently from
        Python 3.12 on.
        """
        key = 0.0
        for free, capacity in zip(self._free[node], self._capacity[node], strict=True):
            if capacity > 0:
                key += free / capacity
        return key
