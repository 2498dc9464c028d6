"""Ranks on a grid: coordinates, neighbours, and grids that are as even as can be."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from schedlab.application.communicator import Communicator


class Cartesian:
    """A communicator's ranks on a grid; the last coordinate runs fastest, as in MPI.

    Attributes:
        comm: The communicator.
        dims: Extents of the grid.
        periodic: By dimension, whether its ends are neighbours.
        coords: Where this rank is.
    """

    __slots__ = ("comm", "coords", "dims", "periodic")

    def __init__(
        self, comm: Communicator, dims: Sequence[int], periodic: bool | Sequence[bool] = False
    ) -> None:
        """Puts all ranks of a communicator on a grid.

        Raises:
            InputError: The extents do not multiply to the number of ranks, or are not as many as
                the flags.
        """
        flags = (periodic,) * len(dims) if isinstance(periodic, bool) else tuple(periodic)
        if not dims or min(dims) < 1 or prod(dims) != comm.size:
            raise InputError(
                f"a grid of {dims_text(dims) or 'no dimensions'} is for {prod(dims)} ranks, not "
                f"for {comm.size}"
            )
        if len(flags) != len(dims):
            raise InputError(
                f"periodic: one flag for each of the {len(dims)} dimensions, not {len(flags)}"
            )
        self.comm = comm
        self.dims = tuple(dims)
        self.periodic = flags
        self.coords = self.coords_of(comm.rank)

    def coords_of(self, rank: int) -> tuple[int, ...]:
        """Returns where a rank is."""
        coords = []
        for extent in reversed(self.dims):
            rank, place = divmod(rank, extent)
            coords.append(place)
        return tuple(reversed(coords))

    def rank_of(self, coords: Sequence[int]) -> int | None:
        """Returns the rank at some coordinates, or None beyond an edge.

        Raises:
            InputError: There are more or fewer coordinates than dimensions.
        """
        if len(coords) != len(self.dims):
            raise InputError(
                f"coordinates {tuple(coords)} on a grid of {len(self.dims)} dimensions"
            )
        rank = 0
        for place, extent, wraps in zip(coords, self.dims, self.periodic, strict=True):
            if wraps:
                place %= extent
            elif not 0 <= place < extent:
                return None
            rank = rank * extent + place
        return rank

    def shift(self, dimension: int, step: int = 1) -> tuple[int | None, int | None]:
        """Returns whom to receive from and whom to send to, if all move data by some steps.

        Args:
            dimension: Along which, from 0.
            step: How far; below 0, down.

        Returns:
            The source and the destination; None stands for beyond an edge.

        Raises:
            InputError: There is no such dimension.
        """
        if not 0 <= dimension < len(self.dims):
            raise InputError(
                f"dimension {dimension} of a grid of {len(self.dims)}; they count from 0"
            )
        return self._beside(dimension, -step), self._beside(dimension, step)

    def line(self, dimension: int) -> Any:
        """Returns the operation that gives the communicator of all ranks along a dimension.

        Their ranks in it are their coordinates. To be yielded, by all ranks.
        """
        place = self.coords[dimension]
        start = (*self.coords[:dimension], 0, *self.coords[dimension + 1 :])
        return self.comm.split(self.rank_of(start), key=place)

    def _beside(self, dimension: int, step: int) -> int | None:
        """Returns the rank N steps away along a dimension: that far away in numbers too."""
        extent, place = self.dims[dimension], self.coords[dimension]
        beside = place + step
        if self.periodic[dimension]:
            beside %= extent
        elif not 0 <= beside < extent:
            return None
        return self.comm.rank + (beside - place) * prod(self.dims[dimension + 1 :])

    def __repr__(self) -> str:
        return f"Cartesian({dims_text(self.dims)}, coords={self.coords})"


def cartesian(
    comm: Communicator, dims: Sequence[int], periodic: bool | Sequence[bool] = False
) -> Cartesian:
    """Returns a communicator's ranks on a grid, see Cartesian."""
    return Cartesian(comm, dims, periodic)


@lru_cache(maxsize=64)
def dims_create(ranks: int, dimensions: int) -> tuple[int, ...]:
    """Returns the extents of the most even grid for N ranks, longest first.

    Of all grids, the one with the least difference between the longest and the shortest extent, and
    of several the one with the shortest longest one, then second one and so on. MPI_Dims_create is
    asked for the same, but not how to do it.

    Raises:
        InputError: One of the two is below 1.
    """
    if ranks < 1 or dimensions < 1:
        raise InputError(
            f"no grid of {dimensions} dimensions for {ranks} ranks; both are at least 1"
        )
    return min(_grids(ranks, dimensions, ranks), key=lambda dims: (dims[0] - dims[-1], dims))


def _grids(ranks: int, dimensions: int, longest: int) -> Iterator[tuple[int, ...]]:
    """Yields all grids whose extents do not grow, and are at most `longest`."""
    if dimensions == 1:
        if ranks <= longest:
            yield (ranks,)
        return
    for extent in _divisors(ranks):
        if extent <= longest:
            for rest in _grids(ranks // extent, dimensions - 1, extent):
                yield (extent, *rest)


@lru_cache(maxsize=1024)
def _divisors(number: int) -> tuple[int, ...]:
    small = [one for one in range(1, int(number**0.5) + 1) if number % one == 0]
    return (*small, *(number // one for one in reversed(small) if one * one != number))


def dims_text(dims: Sequence[int]) -> str:
    """Returns extents as `8x16x16`."""
    return "x".join(map(str, dims))


@lru_cache(maxsize=64)
def grid_of(dims: str, dimensions: int, ranks: int | None) -> tuple[int, ...]:
    """Returns the grid that an application's argument `dims` stands for.

    Args:
        dims: `8x16x16`, or "auto" for the most even one.
        dimensions: How many there must be.
        ranks: How many ranks there are; None: not known, and the text is checked alone.

    Raises:
        InputError: It is not such a text, or is for another number of ranks.
    """
    if dims == "auto":
        return dims_create(1 if ranks is None else ranks, dimensions)
    parts = dims.split("x")
    if len(parts) != dimensions or not all(part.isdecimal() and int(part) for part in parts):
        example = dims_text((8, 16, 16)[:dimensions])
        raise InputError(f"dims must be auto or {dimensions} extents such as {example}, not {dims}")
    grid = tuple(map(int, parts))
    if ranks is not None and prod(grid) != ranks:
        even = dims_text(dims_create(ranks, dimensions))
        raise InputError(f"dims={dims} is for {prod(grid)} ranks; {even} would fit, or auto")
    return grid
