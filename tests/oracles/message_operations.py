"""The `mpi` of the executor of programs: operations as plain tuples, collectives by definition."""

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce as fold
from typing import Any

from schedlab.application import reduction

ANY = -1

Received = namedtuple("Received", "value source tag bytes")


@dataclass(eq=False)
class Request:
    """A send or receive under way."""

    receives: bool
    source: int = ANY  # of a receive, as it was asked for
    tag: int = ANY
    done: bool = False
    outcome: Received | None = None
    time: float = 0.0
    waited: bool = False


@dataclass(eq=False)
class Group:
    """What the handles of one communicator share."""

    number: int
    members: tuple[int, ...]  # ranks of the job
    arrived: dict[int, list] = field(default_factory=dict)  # by receiver: (Received, time, request)
    posted: dict[int, list[Request]] = field(default_factory=dict)
    called: dict[int, int] = field(default_factory=dict)  # collectives so far, by rank
    pending: dict[int, dict[int, tuple]] = field(default_factory=dict)  # by number of the call


class Communicator:
    """The `mpi` of one rank."""

    ANY = ANY

    def __init__(self, run: Any, group: Group, rank: int) -> None:
        self._run, self.group, self.rank = run, group, rank
        self.size = len(group.members)
        self.job, self.run_time, self.repetitions = run.job, run.run_time, run.repetitions
        self.random = run.randoms[group.members[rank]]

    @property
    def now(self) -> float:
        return self._run.clocks[self.group.members[self.rank]]

    def compute(self, seconds):
        return "compute", self, seconds

    def operations(self, integer=0, floating=0, memory=0, threads=1):
        return "operations", self, (integer, floating, memory, threads)

    def read(self, bytes):
        return "read", self, bytes

    def write(self, bytes):
        return "write", self, bytes

    def send(self, to, bytes, tag=0, value=None):
        return "send", self, to, bytes, tag, value

    def isend(self, to, bytes, tag=0, value=None):
        return "isend", self, to, bytes, tag, value

    def recv(self, source=ANY, tag=ANY):
        return "recv", self, source, tag

    def irecv(self, source=ANY, tag=ANY):
        return "irecv", self, source, tag

    def sendrecv(self, to, bytes, source=ANY, tag=0, value=None):
        return "sendrecv", self, to, bytes, source, tag, value

    def wait(self, request):
        return "wait", self, request

    def waitall(self, requests):
        return "waitall", self, list(requests)

    def _collective(self, name, bytes=0, given=None, root=0, op=None, algorithm="standard"):
        return "collective", self, name, bytes, given, root, op, algorithm

    def barrier(self, algorithm="standard"):
        return self._collective("barrier", algorithm=algorithm)

    def bcast(self, bytes, root=0, value=None, algorithm="standard"):
        return self._collective("bcast", bytes, value, root, None, algorithm)

    def reduce(self, bytes, root=0, value=None, op="sum", algorithm="standard"):
        return self._collective("reduce", bytes, value, root, op, algorithm)

    def allreduce(self, bytes, value=None, op="sum", algorithm="standard"):
        return self._collective("allreduce", bytes, value, 0, op, algorithm)

    def gather(self, bytes, root=0, value=None, algorithm="standard"):
        return self._collective("gather", bytes, value, root, None, algorithm)

    def scatter(self, bytes, root=0, values=None, algorithm="standard"):
        return self._collective("scatter", bytes, values, root, None, algorithm)

    def allgather(self, bytes, value=None, algorithm="standard"):
        return self._collective("allgather", bytes, value, 0, None, algorithm)

    def alltoall(self, bytes, values=None, algorithm="standard"):
        return self._collective("alltoall", bytes, values, 0, None, algorithm)

    def reduce_scatter(self, bytes, values=None, op="sum", algorithm="standard"):
        return self._collective("reduce_scatter", bytes, values, 0, op, algorithm)

    def scan(self, bytes, value=None, op="sum", algorithm="standard"):
        return self._collective("scan", bytes, value, 0, op, algorithm)

    def split(self, colour, key=0):
        return self._collective("split", given=(colour, key))

    def dup(self):
        return self._collective("split", given=(0, self.rank))

    def create(self, ranks):
        return self._collective("create", given=tuple(ranks))


def given_to(name: str, values: list, rank: int, root: int, op: Any) -> Any:
    """What a collective gives to a rank, of what all ranks gave, by its definition."""

    def combined(some: Sequence) -> Any:
        some = [value for value in some if value is not None]
        return fold(reduction(op), some) if some else None

    if name == "bcast":
        return values[root]
    if name == "reduce":
        return combined(values) if rank == root else None
    if name == "allreduce":
        return combined(values)
    if name == "scan":
        return combined(values[: rank + 1])
    if name == "gather":
        return list(values) if rank == root else None
    if name == "allgather":
        return list(values)
    if name == "scatter":
        return None if values[root] is None else values[root][rank]
    if name == "alltoall":
        return [None if blocks is None else blocks[rank] for blocks in values]
    if name == "reduce_scatter":
        return combined([None if blocks is None else blocks[rank] for blocks in values])
    return None  # barrier


def in_words(operation: tuple) -> str:
    """An operation in words, for messages."""
    name, comm, *given = operation
    place = f" on communicator {comm.group.number}" if comm.group.number else ""
    if name == "collective":
        return f"{given[0]}{place}"
    if name in ("wait", "waitall"):
        requests = given[0] if name == "waitall" else [given[0]]
        open_ones = [
            f"recv from {request.source} tag {request.tag}" if request.receives else "send"
            for request in requests
            if not request.done
        ]
        return f"{name} for {', '.join(open_ones)}{place}"
    if name == "recv":
        return f"recv from {given[0]} tag {given[1]}{place}"
    return f"{name}{tuple(given)}{place}"
