"""One collective operation over all ranks, again and again.

What a collective sends depends on its algorithm (docs/reference/collectives.md), and so the counts
here are those of the data that must move at least, without the algorithm's own.
"""

from __future__ import annotations

from schedlab.application.marks import checked, iterative
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program


def _root_exists(ranks: int | None, root: int, **_: object) -> None:
    if root < 0 or (ranks is not None and root >= ranks):
        last = "" if ranks is None else f" to {ranks - 1}"
        raise InputError(f"root must be a rank from 0{last}, not {root}")


@iterative
def barrier(
    mpi: Communicator, algorithm: str = "standard", iterations: int = 1, compute: float = 0.0
) -> Program:
    """Makes all ranks wait for each other.

    On the wire, per iteration: one barrier of all ranks, messages without bytes.

    Args:
        mpi: The ranks.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.barrier(algorithm=algorithm)


@checked(_root_exists)
@iterative
def bcast(
    mpi: Communicator,
    bytes: int = 128,
    root: int = 0,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Gives one rank's vector to all.

    On the wire, per iteration: one bcast. Each of the other ranks gets the vector once: in a tree,
    (ranks - 1) messages of `bytes`.

    Args:
        mpi: The ranks.
        bytes: Of the vector.
        root: The rank that has it.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.bcast(bytes, root=root, algorithm=algorithm)


@checked(_root_exists)
@iterative
def reduce(
    mpi: Communicator,
    bytes: int = 128,
    root: int = 0,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Combines a vector of each rank into one, on one rank.

    On the wire, per iteration: one reduce. In a tree, (ranks - 1) messages of `bytes`.

    Args:
        mpi: The ranks.
        bytes: Of each vector.
        root: The rank that gets the result.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.reduce(bytes, root=root, algorithm=algorithm)


@iterative
def allreduce(
    mpi: Communicator,
    bytes: int = 128,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Combines a vector of each rank into one, on all ranks.

    On the wire, per iteration: one allreduce. As reduce and bcast in trees, 2 (ranks - 1) messages
    of `bytes`.

    Args:
        mpi: The ranks.
        bytes: Of each vector.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.allreduce(bytes, algorithm=algorithm)


@checked(_root_exists)
@iterative
def gather(
    mpi: Communicator,
    bytes: int = 128,
    root: int = 0,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Brings a block of each rank to one rank.

    On the wire, per iteration: one gather. (ranks - 1) blocks of `bytes` come to the root; in a
    tree, those of a branch in one message.

    Args:
        mpi: The ranks.
        bytes: Of each rank's block.
        root: The rank that gets them.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.gather(bytes, root=root, algorithm=algorithm)


@checked(_root_exists)
@iterative
def scatter(
    mpi: Communicator,
    bytes: int = 128,
    root: int = 0,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Gives each rank a block of its own from one rank.

    On the wire, per iteration: one scatter. (ranks - 1) blocks of `bytes` leave the root; in a
    tree, those of a branch in one message.

    Args:
        mpi: The ranks.
        bytes: Of each rank's block.
        root: The rank that has them.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.scatter(bytes, root=root, algorithm=algorithm)


@iterative
def allgather(
    mpi: Communicator,
    bytes: int = 128,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Brings a block of each rank to all ranks.

    On the wire, per iteration: one allgather. Each rank gets (ranks - 1) blocks of `bytes`: in a
    ring, ranks (ranks - 1) messages.

    Args:
        mpi: The ranks.
        bytes: Of each rank's block.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.allgather(bytes, algorithm=algorithm)


@iterative
def alltoall(
    mpi: Communicator,
    bytes: int = 128,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Sends a block of its own from each rank to each other one.

    On the wire, per iteration: one alltoall. Pairwise, ranks (ranks - 1) messages of `bytes`.

    Args:
        mpi: The ranks.
        bytes: Of the block for each rank.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.alltoall(bytes, algorithm=algorithm)


@iterative
def reduce_scatter(
    mpi: Communicator,
    bytes: int = 128,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Combines a vector of each rank into one, of which each rank gets its part.

    On the wire, per iteration: one reduce-scatter. Pairwise, ranks (ranks - 1) messages of `bytes`
    / ranks.

    Args:
        mpi: The ranks.
        bytes: Of each vector, as a whole.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.reduce_scatter(bytes, algorithm=algorithm)


@iterative
def scan(
    mpi: Communicator,
    bytes: int = 128,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Combines, for each rank, its vector with those of all ranks before it.

    On the wire, per iteration: one scan. Rank i depends on the i vectors of `bytes` before it.

    Args:
        mpi: The ranks.
        bytes: Of each vector.
        algorithm: Of the collective.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.scan(bytes, algorithm=algorithm)
