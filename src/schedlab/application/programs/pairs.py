"""Messages between ranks two by two, and round in a ring."""

from __future__ import annotations

from functools import lru_cache

from schedlab.application.marks import checked, iterative
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program


def _two_of_them(ranks: int | None, first: int, second: int, **_: object) -> None:
    if first == second:
        raise InputError(f"first and second are two ranks, not {first} twice")
    for name, rank in (("first", first), ("second", second)):
        if rank < 0 or (ranks is not None and rank >= ranks):
            last = "" if ranks is None else f" to {ranks - 1}"
            raise InputError(f"{name} must be a rank from 0{last}, not {rank}")


@checked(_two_of_them)
@iterative
def ping_pong(
    mpi: Communicator,
    bytes: int = 128,
    first: int = 0,
    second: int = 1,
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Sends a message from one rank to another, and then one back.

    On the wire, per iteration: 2 messages, 2 `bytes`, one after the other. All other ranks only
    compute.

    Args:
        mpi: The ranks.
        bytes: Of a message.
        first: The rank that begins.
        second: The rank that answers.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        if mpi.rank == first:
            yield mpi.send(second, bytes)
            yield mpi.recv(second)
        elif mpi.rank == second:
            yield mpi.recv(first)
            yield mpi.send(first, bytes)


@iterative
def even_odd(
    mpi: Communicator, bytes: int = 128, iterations: int = 1, compute: float = 0.0
) -> Program:
    """Exchanges messages between ranks 2i and 2i + 1, both ways at once.

    On the wire, per iteration: 2 * (ranks // 2) messages of `bytes`. Of an odd number of ranks, the
    last one only computes.

    Args:
        mpi: The ranks.
        bytes: Of a message.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    partner = mpi.rank ^ 1 if mpi.rank ^ 1 < mpi.size else None
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.sendrecv(partner, bytes, source=partner)


@iterative
def random_pairs(
    mpi: Communicator, bytes: int = 128, seed: int = 0, iterations: int = 1, compute: float = 0.0
) -> Program:
    """Exchanges messages between ranks that are paired at random, both ways at once.

    On the wire, per iteration: 2 * (ranks // 2) messages of `bytes`. Pairs are the same in each
    iteration. Of an odd number of ranks, one only computes.

    Args:
        mpi: The ranks.
        bytes: Of a message.
        seed: Of the pairs.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    partner = random_partners(mpi.size, seed)[mpi.rank]
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield mpi.sendrecv(partner, bytes, source=partner)


@lru_cache(maxsize=16)
def random_partners(ranks: int, seed: int) -> tuple[int | None, ...]:
    """Returns each rank's partner in a random perfect matching; None for one of an odd number."""
    from random import Random

    # Only random() itself is promised to give the same numbers in all versions of Python.
    draw, order = Random(seed).random, list(range(ranks))
    for last in range(ranks - 1, 0, -1):
        chosen = int(draw() * (last + 1))
        order[last], order[chosen] = order[chosen], order[last]
    partners: list[int | None] = [None] * ranks
    for one, other in zip(order[::2], order[1::2], strict=False):
        partners[one], partners[other] = other, one
    return tuple(partners)


@iterative
def ring(
    mpi: Communicator,
    bytes: int = 128,
    both: bool = False,
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Sends a message from each rank to the next one, and from the last to the first.

    On the wire, per iteration: as many messages of `bytes` as there are ranks, all at once; twice
    as many with `both`. A rank that is alone sends nothing.

    Args:
        mpi: The ranks.
        bytes: Of a message.
        both: Whether each rank also sends to the one before it, at the same time.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    alone = mpi.size == 1
    after = None if alone else (mpi.rank + 1) % mpi.size
    before = None if alone else (mpi.rank - 1) % mpi.size
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        if not both:
            yield mpi.sendrecv(after, bytes, source=before)
            continue
        requests = [
            (yield mpi.irecv(before, tag=0)),
            (yield mpi.irecv(after, tag=1)),
            (yield mpi.isend(after, bytes, tag=0)),
            (yield mpi.isend(before, bytes, tag=1)),
        ]
        yield mpi.waitall(requests)
