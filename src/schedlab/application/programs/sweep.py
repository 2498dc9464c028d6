"""Wavefronts over a grid of ranks, as in particle transport."""

from __future__ import annotations

from schedlab.application.cartesian import Cartesian, grid_of
from schedlab.application.marks import checked, iterative
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program

CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
"""Directions of the sweeps, from each corner of the grid; there are two octants for each."""


def _fits(ranks: int | None, dims: str, octants: int, blocks: int, **_: object) -> None:
    if not 1 <= octants <= 8:
        raise InputError(f"octants must be from 1 to 8, not {octants}")
    if blocks < 1:
        raise InputError(f"blocks must be a whole number from 1 up, not {blocks}")
    grid_of(dims, 2, ranks)


@checked(_fits)
@iterative
def sweep(
    mpi: Communicator,
    bytes: int = 8192,
    dims: str = "auto",
    octants: int = 8,
    blocks: int = 10,
    iterations: int = 1,
    compute: float = 0.001,
) -> Program:
    """Sweeps over a grid of two dimensions from its corners (Koch, Baker and Alcouffe 1992).

    The third dimension of the space is on one rank as a whole, in `blocks` parts. For each of them
    a rank waits for its two neighbours up the wind, computes, and sends to those down the wind. So
    a front runs over the grid, and others follow it before it has arrived.

    On the wire, per iteration, on a grid of p x q ranks: octants * blocks * ((p - 1) q + p (q - 1))
    messages of `bytes`, blocking.

    Args:
        mpi: The ranks.
        bytes: Of the message to one neighbour for one part.
        dims: The grid of ranks, such as 16x8; "auto": the most even one.
        octants: How many directions are swept, of 8; two in a row begin at the same corner.
        blocks: Parts of the third dimension.
        iterations: How often.
        compute: Seconds that each rank computes in each iteration, in octants * blocks equal parts.
    """
    grid = Cartesian(mpi, grid_of(dims, 2, mpi.size))
    part = compute / (octants * blocks)
    for _ in range(iterations):
        for octant in range(octants):
            step_x, step_y = CORNERS[octant // 2]
            from_x, to_x = grid.shift(0, step_x)
            from_y, to_y = grid.shift(1, step_y)
            for _ in range(blocks):
                yield mpi.recv(from_x)
                yield mpi.recv(from_y)
                if part:
                    yield mpi.compute(part)
                yield mpi.send(to_x, bytes)
                yield mpi.send(to_y, bytes)
