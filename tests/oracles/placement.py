"""Naive placement of a job's tasks on nodes: first, best, worst and random fit, and by lists."""

from collections.abc import Callable, Iterator, Sequence

from .model import Job, Machine
from .node_lists import NodeLists, Ordered, filled

ALLOCATORS = ("first-fit", "best-fit", "worst-fit", "random")

# Where tasks are: (node, tasks there), ascending by node.
Nodes = tuple[tuple[int, int], ...]

# How many of the given tasks may go to a node, after those already placed:
# limit(placed, node, tasks).
Limit = Callable[[Sequence[tuple[int, int]], int, int], int]

_MASK = (1 << 64) - 1


def room(free: Sequence[int], capacity: Sequence[int], job: Job) -> int:
    """Return how many tasks of the job fit on a node where `free` is left.

    This is not bounded by the number of tasks the job has, except for a job
    that requests nothing at all and would otherwise fit without end.
    """
    if job.whole_nodes and list(free) != list(capacity):
        return 0
    rooms = [have // need for have, need in zip(free, job.request, strict=False) if need > 0]
    if job.tasks_per_node is not None:
        rooms.append(job.tasks_per_node)
    return min(rooms, default=job.tasks)


def amounts(capacity: Sequence[int], job: Job, tasks: int) -> list[int]:
    """Return how much of each type N (at least one) tasks take on a node."""
    if job.whole_nodes:
        return list(capacity)
    needs = [tasks * need for need in job.request[: len(capacity)]]
    return needs + [0] * (len(capacity) - len(needs))


class SplitMix64:
    """The splitmix64 generator (Steele, Lea and Flood, OOPSLA 2014)."""

    def __init__(self, seed: int) -> None:
        """Start the sequence that belongs to `seed`."""
        self.state = seed & _MASK

    def next(self) -> int:
        """Return the next 64 random bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a random integer from 0 to n - 1, made of the upper 32 bits."""
        return ((self.next() >> 32) * n) >> 32


class Cluster:
    """The free resources of a machine, and the allocator that hands them out."""

    def __init__(
        self, machine: Machine, allocator: str | Ordered, seed: int, second: int = 1
    ) -> None:
        """Start with every node idle; jobs count time in parts of a `second`."""
        if allocator not in ALLOCATORS and not isinstance(allocator, Ordered):
            raise ValueError(f"unknown allocator {allocator!r}, not in {ALLOCATORS}")
        self._lists: NodeLists | None = None
        if isinstance(allocator, Ordered):
            self._lists = NodeLists(allocator, len(machine.capacity), second)
        self.taken: dict[int, list[tuple[int, int]]] = {}  # by job, nodes in the order of ranks
        self._capacity = [list(node) for node in machine.capacity]
        self._free = [list(node) for node in machine.capacity]
        self._licenses = list(machine.licenses)
        self._allocator = allocator
        self._random = SplitMix64(seed)

    @property
    def may_refuse(self) -> bool:
        """Whether a job may be refused though all its tasks have room."""
        return self._lists is not None and self._lists.contiguous

    def room(self, node: int, job: Job) -> int:
        """Return how many tasks of the job fit on the node now."""
        return room(self._free[node], self._capacity[node], job) if job.may_use(node) else 0

    def rooms(self, job: Job) -> list[int]:
        """Return how many tasks of the job fit on each node now, none if it lacks licenses."""
        nodes = range(len(self._free))
        if any(need > have for need, have in zip(job.licenses, self._licenses, strict=False)):
            return [0 for _ in nodes]
        return [self.room(node, job) for node in nodes]

    def total_room(self, job: Job) -> int:
        """Return how many tasks of the job fit on all nodes together now."""
        return sum(self.rooms(job))

    def fits(self, job: Job, rooms: Sequence[int] | None = None) -> bool:
        """Return whether the job would be placed now. Draws no random numbers."""
        if rooms is None:
            rooms = self.rooms(job)
        if self._lists is not None and self._lists.contiguous:
            return any(self._lists.runs(job, rooms))
        return sum(rooms) >= job.tasks

    def place(
        self, job: Job, rooms: Sequence[int] | None = None, limit: Limit | None = None
    ) -> Nodes | None:
        """Place all tasks of the job and take their resources.

        Args:
            job: The job.
            rooms: Most tasks on each node; None for all that fit there now.
            limit: What else bounds the tasks of a node. It does not change which nodes
                the random allocator draws from.

        Returns:
            (node, tasks there) ascending by node, or None, with nothing taken and the
            random generator as it was, when not all tasks got a place.
        """
        fitting = self.rooms(job)
        if rooms is None:
            rooms = fitting
        assert all(most <= fits for most, fits in zip(rooms, fitting, strict=True))
        if sum(rooms) < job.tasks:
            return None
        if self._lists is not None:
            return self._place_by_list(self._lists, job, rooms, limit)
        before = self._random.state
        placed: list[tuple[int, int]] = []
        remaining = job.tasks
        # The order may draw a random number per node: ask for no node too many.
        for node in self._nodes_in_order(rooms):
            tasks = min(rooms[node], remaining)
            if limit is not None:
                tasks = limit(placed, node, tasks)
            if tasks > 0:
                placed.append((node, tasks))
                remaining -= tasks
            if remaining == 0:
                break
        if remaining > 0:
            self._random.state = before
            return None
        return self._take(job, placed)

    def _take(self, job: Job, placed: list[tuple[int, int]]) -> Nodes:
        for node, tasks in placed:
            self._change(job, node, tasks, sign=-1)
        for i, amount in enumerate(job.licenses):
            self._licenses[i] -= amount
        self.taken[job.id] = placed
        return tuple(sorted(placed))

    def _place_by_list(
        self, lists: NodeLists, job: Job, rooms: Sequence[int], limit: Limit | None
    ) -> Nodes | None:
        """Try what the lists offer, in order; each offer is nodes that may be filled."""
        if lists.contiguous:
            for run in lists.runs(job, rooms, every=limit is not None):
                found = filled(job, run, rooms, limit)
                if found is not None:
                    return self._take(job, found)
            return None
        placed: list[tuple[int, int]] = []
        if lists.deal(job, rooms, limit, placed):
            return self._take(job, lists.by_block(job, placed))
        return None

    def release(self, job: Job, nodes: Nodes) -> None:
        """Give back what `place` took."""
        for node, tasks in nodes:
            self._change(job, node, tasks, sign=+1)
        for i, amount in enumerate(job.licenses):
            self._licenses[i] += amount
        if self._lists is not None:
            self._lists.given_back({n for n, _ in nodes if self._free[n] == self._capacity[n]})

    def _change(self, job: Job, node: int, tasks: int, sign: int) -> None:
        """Add to (+1) or subtract from (-1) a node's free amounts."""
        taken = amounts(self._capacity[node], job, tasks)
        self._free[node] = [a + sign * b for a, b in zip(self._free[node], taken, strict=True)]

    def _nodes_in_order(self, rooms: Sequence[int]) -> Iterator[int]:
        """Yield the nodes to try, in the allocator's order."""
        nodes = range(len(self._free))
        if self._allocator == "first-fit":
            yield from nodes
        elif self._allocator == "random":
            yield from self._drawn([n for n in nodes if rooms[n] >= 1])
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
