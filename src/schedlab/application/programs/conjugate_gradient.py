"""A solver of sparse linear systems."""

from __future__ import annotations

from math import ceil

from schedlab.application.cartesian import Cartesian, dims_create
from schedlab.application.marks import checked, iterative
from schedlab.application.programs.stencils import exchange as exchange_halos
from schedlab.application.programs.stencils import neighbours
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program

NUMBER = 8
"""Bytes of a number."""
INDEX = 4
"""Bytes of a column index."""


def _fits(ranks: int | None, n: int, nonzeros: int, exchange: str, **_: object) -> None:
    for name, value in (("n", n), ("nonzeros", nonzeros)):
        if value < 1:
            raise InputError(f"{name} must be a whole number from 1 up, not {value}")
    if exchange not in ("halo", "allgather"):
        raise InputError(f"exchange must be halo or allgather, not {exchange}")
    if ranks is not None and n < ranks:
        raise InputError(f"n={n} unknowns are fewer than the ranks")


@checked(_fits)
@iterative
def conjugate_gradient(
    mpi: Communicator,
    n: int = 1000000,
    nonzeros: int = 27,
    exchange: str = "halo",
    algorithm: str = "standard",
    operations: bool = True,
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Does iterations of the conjugate gradient method with a sparse matrix, rows spread evenly.

    On the wire, per iteration: the direction vector is exchanged; two dot products are an allreduce
    of 8 bytes each. "halo": unknowns form a cube, ranks the most even grid of three dimensions
    without wrapping; neighbours exchange faces of 8 ceil((n / ranks)^(2/3)) bytes. "allgather":
    one allgather of all parts of the vector, 8 n bytes, as for a matrix without structure.

    Each rank does 2 nonzeros + 10 floating-point operations for each of its rows, and moves 12
    nonzeros + 104 bytes of memory: the product with the matrix, two dot products and three updates
    of vectors.

    Args:
        mpi: The ranks.
        n: Unknowns.
        nonzeros: Of each row of the matrix.
        exchange: "halo" or "allgather".
        algorithm: Of the allreduce.
        operations: Whether the ranks compute on the node model.
        iterations: How often.
        compute: Seconds that each rank computes besides, before each iteration.
    """
    parts = [n // mpi.size + (rank < n % mpi.size) for rank in (0, mpi.rank, mpi.size - 1)]
    largest, rows, smallest = parts
    sides, face = [], 0
    whole: int | list[int] = NUMBER * rows
    if exchange == "halo":
        sides = neighbours(Cartesian(mpi, dims_create(mpi.size, 3)))
        face = NUMBER * ceil(round((n / mpi.size) ** (2 / 3), 6))  # 8.000000000000002 is 8
    elif largest != smallest:
        whole = [NUMBER * (n // mpi.size + (rank < n % mpi.size)) for rank in range(mpi.size)]
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        if exchange == "halo":
            yield from exchange_halos(mpi, sides, face)
        else:
            yield mpi.allgather(whole)
        if operations:  # the product with the matrix, and its dot product with the direction
            yield mpi.operations(
                floating=(2 * nonzeros + 2) * rows,
                memory=((NUMBER + INDEX) * nonzeros + 2 * NUMBER) * rows,
            )
        yield mpi.allreduce(NUMBER, algorithm=algorithm)
        if operations:  # solution and residual move on, and the residual's dot product with itself
            yield mpi.operations(floating=6 * rows, memory=8 * NUMBER * rows)
        yield mpi.allreduce(NUMBER, algorithm=algorithm)
        if operations:  # the next direction
            yield mpi.operations(floating=2 * rows, memory=3 * NUMBER * rows)
