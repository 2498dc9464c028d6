"""Naive allocators that go by an order of the nodes: dealt from lists, or contiguous."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .model import Job

Limit = Callable[[Sequence[tuple[int, int]], int, int], int]


@dataclass(frozen=True)
class Ordered:
    """An allocator as the engine gets of it by name, see `str`.

    Attributes:
        name: "first-fit", "round-robin", "dual-end" or "contiguous".
        order: All nodes; empty for the order of their numbers.
        partitions: Blocks of consecutive nodes.
        threshold: Of dual-end, in seconds.
        fit: Of contiguous, "first" or "best".
    """

    name: str
    order: tuple[int, ...] = ()
    partitions: int = 1
    threshold: int = 3600
    fit: str = "first"

    def __str__(self) -> str:
        given = [f"order=[{','.join(map(str, self.order))}]"] if self.order else []
        if self.name == "contiguous":
            given.append(f"fit={self.fit}")
        else:
            given.append(f"partitions={self.partitions}")
        if self.name == "dual-end":
            given.append(f"threshold={self.threshold}")
        return f"{self.name}({', '.join(given)})"


class NodeLists:
    """The ordered nodes in blocks, and whom they are offered to."""

    def __init__(self, allocator: Ordered, nodes: int, second: int) -> None:
        """Divide the order into blocks, the first of which may have one node more."""
        self._allocator = allocator
        self._threshold = allocator.threshold * second
        self.contiguous = allocator.name == "contiguous"
        self._order = list(allocator.order or range(nodes))
        self._blocks = _divided(self._order, allocator.partitions)

    def _blocks_for(self, job: Job) -> list[list[int]]:
        """Return the blocks as the job sees them: a long one from the other end."""
        if self._allocator.name == "dual-end" and job.estimate > self._threshold:
            return _divided(self._order[::-1], self._allocator.partitions)
        return self._blocks

    def deal(
        self,
        job: Job,
        rooms: Sequence[int],
        limit: Limit | None,
        placed: list[tuple[int, int]],
    ) -> bool:
        """Fill one node of each block in turn; return whether all tasks got a place."""
        left = [list(block) for block in self._blocks_for(job)]
        remaining = job.tasks
        while remaining and any(left):
            for block in left:
                tasks = 0
                while block and remaining and not tasks:
                    node = block.pop(0)
                    tasks = min(rooms[node], remaining)
                    if limit is not None:
                        tasks = limit(placed, node, tasks)
                    if tasks:
                        placed.append((node, tasks))
                        remaining -= tasks
        return remaining == 0

    def by_block(self, job: Job, placed: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return a placement in the order of ranks: block after block."""
        order = [node for block in self._blocks_for(job) for node in block]
        return sorted(placed, key=lambda entry: order.index(entry[0]))

    def given_back(self, idle: set[int]) -> None:
        """Move nodes that became idle to the tail, in the order in which they stand."""
        if self._allocator.name == "round-robin":
            for block in self._blocks:
                block[:] = [n for n in block if n not in idle] + [n for n in block if n in idle]

    def runs(self, job: Job, rooms: Sequence[int], every: bool = False) -> Iterator[list[int]]:
        """Yield runs of nodes with room for the job, those to be tried first in front.

        Args:
            job: The job.
            rooms: Most tasks on each node.
            every: Yield every end of a run that has enough room, too, the longest first.
        """
        found: list[list[int]] = [[]]
        for node in self._order:
            if rooms[node]:
                found[-1].append(node)
            else:
                found.append([])
        if self._allocator.fit == "best":
            found.sort(key=len)
        for run in found:
            for first in range(len(run) if every else 1):
                if sum(rooms[node] for node in run[first:]) >= job.tasks:
                    yield run[first:]


def filled(
    job: Job, run: Sequence[int], rooms: Sequence[int], limit: Limit | None
) -> list[tuple[int, int]] | None:
    """Return the nodes of a run, filled one after the other; None if one may get nothing."""
    placed: list[tuple[int, int]] = []
    remaining = job.tasks
    for node in run:
        if not remaining:
            break
        tasks = min(rooms[node], remaining)
        if limit is not None:
            tasks = limit(placed, node, tasks)
        if not tasks:
            return None
        placed.append((node, tasks))
        remaining -= tasks
    return None if remaining else placed


def _divided(nodes: list[int], blocks: int) -> list[list[int]]:
    sizes = [len(nodes) // blocks + (block < len(nodes) % blocks) for block in range(blocks)]
    return [nodes[sum(sizes[:i]) : sum(sizes[: i + 1])] for i in range(blocks)]
