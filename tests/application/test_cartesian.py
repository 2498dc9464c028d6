"""Ranks on grids."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.message_passing import Run

from schedlab.application import cartesian, dims_create
from schedlab.errors import InputError


@pytest.mark.parametrize(
    ("ranks", "dims"),
    [
        (6, (3, 2)),  # the first two are examples of the MPI standard
        (7, (7, 1)),
        (1, (1, 1, 1)),
        (24, (4, 3, 2)),
        (72, (6, 4, 3)),
        (2048, (16, 16, 8)),
        (100_000, (50, 50, 40)),
        (147_456, (64, 48, 48)),
    ],
)
def test_known_grids(ranks, dims):
    assert dims_create(ranks, len(dims)) == dims


@examples(30)
@given(st.integers(1, 400), st.integers(1, 4))
def test_no_grid_is_more_even(ranks, dimensions):
    found = dims_create(ranks, dimensions)
    divisors = [one for one in range(1, ranks + 1) if ranks % one == 0]
    others = [
        dims
        for rest in product(divisors, repeat=dimensions - 1)
        if ranks % prod(rest) == 0
        for dims in [(*rest, ranks // prod(rest))]
    ]
    assert len(found) == dimensions
    assert prod(found) == ranks
    assert list(found) == sorted(found, reverse=True)
    least = min(max(dims) - min(dims) for dims in others)
    assert found[0] - found[-1] == least
    assert found[0] == min(max(dims) for dims in others if max(dims) - min(dims) == least)


class Place:
    """As much of a communicator as a grid looks at."""

    def __init__(self, rank, size):
        self.rank, self.size = rank, size


@examples(30)
@given(st.lists(st.tuples(st.integers(1, 5), st.booleans()), min_size=1, max_size=3), st.data())
def test_shifts_are_the_other_way_round_for_the_other_side(shape, data):
    dims, periodic = zip(*shape, strict=True)
    grids = [cartesian(Place(rank, prod(dims)), dims, periodic) for rank in range(prod(dims))]
    dimension = data.draw(st.integers(0, len(dims) - 1))
    step = data.draw(st.integers(-3, 3))
    assert [grid.coords for grid in grids] == list(product(*map(range, dims)))
    for rank, grid in enumerate(grids):
        assert grid.rank_of(grid.coords) == rank
        source, target = grid.shift(dimension, step)
        place = list(grid.coords)
        place[dimension] += step
        if periodic[dimension]:
            place[dimension] %= dims[dimension]
        inside = 0 <= place[dimension] < dims[dimension]
        assert target == (grids[0].rank_of(place) if inside else None)
        if target is not None:
            assert grids[target].shift(dimension, step)[0] == rank
        if source is not None:
            assert grids[source].shift(dimension, step)[1] == rank


def test_lines_are_communicators_along_a_dimension():
    def program(mpi):
        grid = cartesian(mpi, (2, 3, 2))
        line = yield grid.line(1)
        assert line.rank == grid.coords[1]
        return (yield line.allgather(4, value=grid.coords))

    for rank, coords in enumerate(product(range(2), range(3), range(2))):
        expected = [(coords[0], y, coords[2]) for y in range(3)]
        assert Run(program, 12).returned[rank] == expected


def test_wrong_grids():
    comm = Place(0, 6)
    with pytest.raises(InputError, match="a grid of 2x2 is for 4 ranks, not for 6"):
        cartesian(comm, (2, 2))
    with pytest.raises(InputError, match="one flag for each of the 2 dimensions, not 1"):
        cartesian(comm, (2, 3), [True])
    with pytest.raises(InputError, match="dimension 2 of a grid of 2"):
        cartesian(comm, (2, 3)).shift(2)
    with pytest.raises(InputError, match="on a grid of 2 dimensions"):
        cartesian(comm, (2, 3)).rank_of((1,))
    with pytest.raises(InputError, match="both are at least 1"):
        dims_create(0, 3)
