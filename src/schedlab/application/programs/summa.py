"""Matrix multiplication: SUMMA (van de Geijn and Watts 1997)."""

from __future__ import annotations

from schedlab.application.cartesian import Cartesian, grid_of
from schedlab.application.marks import checked, iterative
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program

ELEMENT = 8
"""Bytes of a number."""


def _fits(ranks: int | None, n: int, block: int, dims: str, **_: object) -> None:
    for name, value in (("n", n), ("block", block)):
        if value < 1:
            raise InputError(f"{name} must be a whole number from 1 up, not {value}")
    grid_of(dims, 2, ranks)


@checked(_fits)
@iterative
def summa(
    mpi: Communicator,
    n: int = 4096,
    block: int = 64,
    dims: str = "auto",
    algorithm: str = "standard",
    operations: bool = True,
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Multiplies two matrices of n x n numbers of 8 bytes on a grid of ranks.

    Blocks of block x block are dealt to the grid in turn in both directions, as ScaLAPACK does.
    There are ceil(n / block) steps, one for each panel of `block` columns of the first matrix and
    rows of the second.

    On the wire, per step, on a grid of p x q ranks: in each row of ranks a bcast of its rows of the
    panel to q ranks, in each column one of its columns to p ranks. Over an iteration that is 8 n n
    bytes to each of q - 1 columns, and to each of p - 1 rows of ranks: 8 n n (p + q - 2) bytes
    received in all.

    Each rank then adds the product of the two panels to its part: 2 m k w floating-point operations
    for its m rows, k columns and w columns of the panel; 8 (m w + w k + 2 m k) bytes of memory.

    Args:
        mpi: The ranks.
        n: Rows and columns of the matrices.
        block: Rows and columns of a block.
        dims: The grid of ranks, such as 16x8 for 16 rows; "auto": the most even one.
        algorithm: Of the bcast.
        operations: Whether the ranks compute on the node model.
        iterations: How often.
        compute: Seconds that each rank computes besides, before each iteration.
    """
    grid = Cartesian(mpi, grid_of(dims, 2, mpi.size))
    row = yield grid.line(1)
    column = yield grid.line(0)
    own_rows = dealt(n, block, grid.coords[0], grid.dims[0])
    own_columns = dealt(n, block, grid.coords[1], grid.dims[1])
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        for panel in range(-(-n // block)):
            width = min(block, n - panel * block)
            yield row.bcast(ELEMENT * own_rows * width, root=panel % row.size, algorithm=algorithm)
            yield column.bcast(
                ELEMENT * width * own_columns, root=panel % column.size, algorithm=algorithm
            )
            if operations:
                numbers = width * (own_rows + own_columns) + 2 * own_rows * own_columns
                yield mpi.operations(
                    floating=2 * own_rows * own_columns * width, memory=ELEMENT * numbers
                )


def dealt(n: int, block: int, place: int, places: int) -> int:
    """Returns how many of n rows one of several places gets, if blocks of them go round."""
    whole, rest = divmod(n, block)
    rounds, more = divmod(whole, places)
    return rounds * block + (block if place < more else rest if place == more else 0)
