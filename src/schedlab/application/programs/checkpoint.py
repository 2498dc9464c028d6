"""Computing, and saving the state to the shared file system now and then."""

from __future__ import annotations

from schedlab.application.marks import checked, iterative
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program


def _fits(ranks: int | None, writers: int, **_: object) -> None:
    if writers < 0 or (ranks is not None and writers > ranks):
        most = "" if ranks is None else f" to {ranks}"
        raise InputError(f"writers must be a number of ranks from 0{most}, not {writers}")


@checked(_fits)
@iterative
def checkpoint(
    mpi: Communicator,
    bytes: int = 1048576,
    writers: int = 0,
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 1.0,
) -> Program:
    """Computes, waits for all ranks, and writes everybody's state to the shared file system.

    On the wire, per iteration: one barrier. Without `writers`, each rank then writes `bytes`, all
    at once. With them, ranks are parted into as many groups of neighbours; a gather of `bytes` per
    rank brings the states of a group to its first rank, which writes them. Always ranks * `bytes`
    are written.

    Args:
        mpi: The ranks.
        bytes: Of the state of each rank.
        writers: How many ranks write; 0: all of them, each its own.
        algorithm: Of the gather.
        iterations: How often.
        compute: Seconds that each rank computes before it writes.
    """
    group = None
    if writers:
        group = yield mpi.split(mpi.rank * writers // mpi.size, key=mpi.rank)
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.barrier()
        if group is None:
            yield mpi.write(bytes)
            continue
        yield group.gather(bytes, algorithm=algorithm)
        if group.rank == 0:
            yield mpi.write(bytes * group.size)
