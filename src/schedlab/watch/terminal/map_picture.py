"""The map of the nodes as a picture of characters: what fits, and who holds which part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

if TYPE_CHECKING:
    import polars

IDLE, ABSENT = "idle", "absent"
"""Stand for a job where there is none, and where the nodes lack the resource."""

Owner = int | str
"""The number of a job, or one of these two."""

_IDLE, _ABSENT = -1, -2

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
WIDEST_BAR = 24
_ROUND = (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 150, 160, 200, 250, 256)


class Geometry(NamedTuple):
    """How nodes are laid out: cells in rows, each one a bar of characters."""

    nodes: int
    nodes_per_cell: int
    per_row: int
    rows: int
    bar: int  # characters of a cell
    gap: int  # blanks between cells
    label: int  # characters in front of a row

    @property
    def cells(self) -> int:
        return -(-self.nodes // self.nodes_per_cell)

    def nodes_of(self, cell: int) -> range:
        """Returns the nodes of a cell."""
        first = cell * self.nodes_per_cell
        return range(first, min(first + self.nodes_per_cell, self.nodes))

    def cell_at(self, x: int, y: int) -> int | None:
        """Returns the cell at a character of the picture."""
        column = (x - self.label) // (self.bar + self.gap)
        cell = y * self.per_row + column
        inside = x >= self.label and column < self.per_row and 0 <= cell < self.cells
        return cell if inside else None


def geometry(nodes: int, width: int, height: int) -> Geometry:
    """Returns the layout with the largest cells that fit, rows of a round number where possible."""
    label = len(str(max(nodes - 1, 0))) + 1
    width, height = max(width - label, 1), max(height, 1)
    each = -(-nodes // (width * height))
    while True:
        cells = -(-nodes // each)
        least = max(-(-cells // height), 1)
        if least <= width:
            break
        each += 1
    per_row = next((size for size in _ROUND if least <= size <= width), least)
    space = width // per_row
    gap = 1 if space >= 3 else 0
    return Geometry(
        nodes, each, per_row, -(-cells // per_row), min(space - gap, WIDEST_BAR), gap, label
    )


class NodePicture(NamedTuple):
    """Who holds what in each cell.

    Attributes:
        place: For each cell, the place in `jobs` of the job that holds each half of a character;
            less than 0 where no job does.
        crowded: Whether more jobs hold something in the cell than it can show.
        jobs: Numbers of the jobs.
    """

    place: numpy.ndarray[Any, Any]
    crowded: numpy.ndarray[Any, Any]
    jobs: numpy.ndarray[Any, Any]

    def owners(self, cell: int) -> list[Owner]:
        """Returns who holds each half of a character of a cell."""
        free = {_IDLE: IDLE, _ABSENT: ABSENT}
        return [
            int(self.jobs[place]) if place >= 0 else free[place]
            for place in self.place[cell].tolist()
        ]


def paint(
    held: polars.DataFrame, capacity: numpy.ndarray[Any, Any], kind: str, layout: Geometry
) -> NodePicture:
    """Returns the picture of one resource type.

    Each cell is a bar whose length stands for what its nodes have of it; jobs, in order of their
    numbers, take as much of the bar as they hold. One that holds something in a cell in which
    nobody else does is always seen.

    Args:
        held: Who holds what where (`schedlab.watch.moment.occupancy`).
        capacity: What each node has of it.
        kind: The resource type.
        layout: Where the cells are.
    """
    halves, cells = 2 * layout.bar, layout.cells
    room = numpy.add.reduceat(capacity, numpy.arange(0, layout.nodes, layout.nodes_per_cell))
    owner = numpy.full((cells, halves), _IDLE, numpy.int64)
    owner[room == 0] = _ABSENT
    crowded = numpy.zeros(cells, bool)
    amounts = held[kind].to_numpy()
    some = amounts > 0
    if not some.any():
        return NodePicture(owner, crowded, numpy.empty(0, numpy.int64))
    cell = held["node"].to_numpy()[some] // layout.nodes_per_cell
    amount = amounts[some].astype(float)
    numbers, job = numpy.unique(held["job_id"].to_numpy()[some], return_inverse=True)
    order = numpy.lexsort((job, cell))
    cell, job, amount = cell[order], job[order], amount[order]
    new = numpy.concatenate(([True], (cell[1:] != cell[:-1]) | (job[1:] != job[:-1])))
    begins = numpy.flatnonzero(new)
    cell, job, amount = cell[begins], job[begins], numpy.add.reduceat(amount, begins)
    first_of_cell = numpy.searchsorted(cell, cell, side="left")
    done = numpy.cumsum(amount)
    before = done - amount
    before = before - before[first_of_cell]
    share = numpy.maximum(room[cell], 1e-9)
    # A half character belongs to the job that holds its centre.
    begin = numpy.ceil(before / share * halves - 0.5).astype(int)
    end = numpy.ceil((before + amount) / share * halves - 0.5).astype(int)
    begin, end = numpy.clip(begin, 0, halves), numpy.clip(end, 0, halves)
    for half in range(halves):
        here = (begin <= half) & (half < end)
        owner[cell[here], half] = job[here]
    held_cells, at = numpy.unique(cell, return_index=True)
    unseen = held_cells[(owner[held_cells] < 0).all(axis=1)]
    largest = numpy.lexsort((-amount, cell))[at]  # the first of each cell in that order
    owner[unseen, 0] = job[largest][numpy.isin(held_cells, unseen)]
    jobs_there = numpy.bincount(cell, minlength=cells)
    changes = (owner[:, 1:] != owner[:, :-1]) & (owner[:, 1:] >= 0)
    seen = changes.sum(axis=1) + (owner[:, 0] >= 0)
    crowded = jobs_there > seen
    return NodePicture(owner, crowded, numbers)


def letter(job_id: int) -> str:
    """Returns the letter of a job, always the same one."""
    return LETTERS[job_id % len(LETTERS)]
