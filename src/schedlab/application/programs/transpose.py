"""Transposition of a distributed array, as between the passes of a Fourier transform."""

from __future__ import annotations

from schedlab.application.cartesian import Cartesian, grid_of
from schedlab.application.marks import checked, iterative

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program


def _dims_fit(ranks: int | None, dims: str, **_: object) -> None:
    grid_of(dims, 2, ranks)


@checked(_dims_fit)
@iterative
def transpose(
    mpi: Communicator,
    bytes: int = 1048576,
    dims: str = "auto",
    algorithm: str = "standard",
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Redistributes an array within the rows, then within the columns of a grid of ranks.

    This is how a Fourier transform of three dimensions goes from pencils along one of them to
    pencils along the next, and on to the third.

    On the wire, per iteration, on a grid of rows x columns: in each row an alltoall of `columns`
    ranks with blocks of `bytes` / columns, then in each column one of `rows` ranks with blocks of
    `bytes` / rows, each rounded up. Pairwise, a rank sends columns - 1 + rows - 1 messages.

    Args:
        mpi: The ranks.
        bytes: That each rank has of the array.
        dims: The grid of ranks, such as 16x8 for 16 rows; "auto": the most even one.
        algorithm: Of the alltoall.
        iterations: How often.
        compute: Seconds that each rank computes in each iteration: a third before, between and
            after the two steps.
    """
    grid = Cartesian(mpi, grid_of(dims, 2, mpi.size))
    row = yield grid.line(1)
    column = yield grid.line(0)
    for _ in range(iterations):
        for line in (row, column):
            if compute:
                yield mpi.compute(compute / 3)
            yield line.alltoall(-(-bytes // line.size), algorithm=algorithm)
        if compute:
            yield mpi.compute(compute / 3)
