"""Exchange of halos on a grid of ranks: what codes on structured grids do in each step."""

from __future__ import annotations

from schedlab.application.cartesian import Cartesian, grid_of
from schedlab.application.marks import checked, iterative

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program


def _dims_fit_2d(ranks: int | None, dims: str, **_: object) -> None:
    grid_of(dims, 2, ranks)


def _dims_fit_3d(ranks: int | None, dims: str, **_: object) -> None:
    grid_of(dims, 3, ranks)


@checked(_dims_fit_2d)
@iterative
def stencil_2d(
    mpi: Communicator,
    bytes: int = 65536,
    dims: str = "auto",
    periodic: bool = True,
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Exchanges halos with the neighbours on a grid of two dimensions.

    On the wire, per iteration: each rank sends `bytes` to both neighbours in each dimension whose
    extent is above 1, all at once. That is 4 messages of each rank on a periodic grid; else none
    beyond the edges.

    Args:
        mpi: The ranks.
        bytes: Of the halo of one side.
        dims: The grid of ranks, such as 16x8; "auto": the most even one.
        periodic: Whether ranks at the ends of a dimension are neighbours.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    sides = neighbours(Cartesian(mpi, grid_of(dims, 2, mpi.size), periodic))
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield from exchange(mpi, sides, bytes)


@checked(_dims_fit_3d)
@iterative
def stencil_3d(
    mpi: Communicator,
    bytes: int = 65536,
    dims: str = "auto",
    periodic: bool = True,
    iterations: int = 1,
    compute: float = 0.0,
) -> Program:
    """Exchanges halos with the neighbours on a grid of three dimensions.

    On the wire, per iteration: each rank sends `bytes` to both neighbours in each dimension whose
    extent is above 1, all at once. That is 6 messages of each rank on a periodic grid; else none
    beyond the edges.

    Args:
        mpi: The ranks.
        bytes: Of the halo of one face.
        dims: The grid of ranks, such as 8x16x16; "auto": the most even one.
        periodic: Whether ranks at the ends of a dimension are neighbours.
        iterations: How often.
        compute: Seconds that each rank computes before, in each iteration.
    """
    sides = neighbours(Cartesian(mpi, grid_of(dims, 3, mpi.size), periodic))
    for _ in range(iterations):
        if compute:
            yield mpi.compute(compute)
        yield from exchange(mpi, sides, bytes)


def neighbours(grid: Cartesian) -> list[tuple[int, int, int]]:
    """Returns a rank's neighbours: each with the tag of what comes from it, and of what goes to it.

    In a dimension of extent 2 that is periodic, the same rank is the neighbour on both sides, and
    the tags distinguish the two. In one of extent 1 there is none.
    """
    found = []
    for dimension, extent in enumerate(grid.dims):
        if extent == 1:
            continue
        below, above = grid.shift(dimension)
        up, down = 2 * dimension, 2 * dimension + 1
        if below is not None:
            found.append((below, up, down))
        if above is not None:
            found.append((above, down, up))
    return found


def exchange(mpi: Communicator, sides: list[tuple[int, int, int]], bytes: int) -> Program:
    """Sends a halo to all neighbours and receives theirs, all at once."""
    requests = []
    for peer, incoming, _ in sides:
        requests.append((yield mpi.irecv(peer, tag=incoming)))
    for peer, _, outgoing in sides:
        requests.append((yield mpi.isend(peer, bytes, tag=outgoing)))
    yield mpi.waitall(requests)
