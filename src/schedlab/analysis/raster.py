"""Jobs on nodes as a picture: what each pixel of a Gantt chart holds.

A million jobs on thousands of nodes have more rectangles than a screen has pixels, so the chart is
made by pixel, and takes as long as the jobs are many, whatever the size of the machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars

from schedlab.analysis.spans import node_spans
from schedlab.analysis.style import IDLE_COLOUR, JOB_COLOURS
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

PIECES_AT_ONCE = 4_000_000
"""Of intervals or pixels, so that memory stays within some hundred megabytes."""


class GanttRaster(NamedTuple):
    """What the pixels of a Gantt chart hold; rows are nodes, the top one is node 0.

    Attributes:
        job: `job_id` at the centre of the pixel, -1 where none runs there. Of several jobs that
            share the node: the one with most tasks on it, then the one with the lowest id.
        busy: Share of the pixel's node-seconds in which at least one job ran, from 0 to 1.
    """

    job: NDArray[np.int64]
    busy: NDArray[np.float32]


class _Spans(NamedTuple):
    """Rectangles: nodes `first` to `last`, both included, and time in pixels."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    tasks: NDArray[np.int64]
    job: NDArray[np.int64]

    def of(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> _Spans:
        columns: tuple[Any, ...] = self
        return _Spans(*(column[which] for column in columns))


def gantt_raster(
    jobs: polars.DataFrame, nodes: int, first: float, last: float, width: int, height: int
) -> GanttRaster:
    """Returns what the pixels of a Gantt chart hold.

    Pixel row r covers the nodes from r * nodes / height to (r + 1) * nodes / height, a column the
    same share of the time. The centre of a row is the node in the middle of that.

    Args:
        jobs: Jobs with the columns `job_id`, `start`, `end` and `nodes`. A job without a start did
            not run; one without an end still runs at `last`.
        nodes: How many nodes the machine has.
        first: Time at the left edge, in the workload's own clock.
        last: Time at the right edge.
        width: Pixels of a row.
        height: Rows of pixels.

    Raises:
        InputError: There is no pixel or no time, or a job ran on a node that is not there.
    """
    if min(nodes, width, height) < 1 or not last > first:
        raise InputError(
            f"a Gantt chart of {nodes} nodes from {first} to {last} on {width} x {height} pixels: "
            "there is nothing to show"
        )
    spans = _spans(jobs, nodes, first, last, width)
    return GanttRaster(_jobs(spans, nodes, width, height), _busy(spans, nodes, width, height))


def _spans(jobs: polars.DataFrame, nodes: int, first: float, last: float, width: int) -> _Spans:
    """Returns the rectangles that reach into the picture, in order of start."""
    ran = jobs.select(
        "job_id",
        polars.col("start").cast(polars.Float64),
        polars.col("end").cast(polars.Float64).fill_null(last),
        "nodes",
    ).filter(
        polars.col("start").is_not_null()
        & (polars.col("start") < last)
        & (polars.col("end") > first)
        & (polars.col("end") > polars.col("start"))
    )
    ran = ran.sort("start", maintain_order=True)
    spans = node_spans(ran)
    row = spans["job"].to_numpy()
    beyond = spans.filter(polars.col("last") >= nodes)
    if beyond.height:
        job = ran["job_id"][int(beyond["job"][0])]
        raise InputError(f"job {job} ran on node {beyond['last'][0]}, the machine has {nodes}")
    pixels = width / (last - first)
    start, end = (
        np.clip((ran[name].to_numpy() - first) * pixels, 0.0, width)[row]
        for name in ("start", "end")
    )
    return _Spans(
        spans["first"].to_numpy(),
        spans["last"].to_numpy(),
        start,
        end,
        spans["tasks"].to_numpy(),
        ran["job_id"].cast(polars.Int64).to_numpy()[row],
    )


def _expand(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Returns for each of `counts[i]` copies of i: i, and which copy it is, from 0."""
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - (np.cumsum(counts) - counts)[which]


def _parts(counts: NDArray[np.int64]) -> Iterator[slice]:
    """Yields slices of at most N pieces in all (or of one item, if that has more)."""
    done = np.cumsum(counts)
    begin = 0
    while begin < len(counts):
        before = int(done[begin - 1]) if begin else 0
        end = int(np.searchsorted(done, before + PIECES_AT_ONCE, side="right"))
        yield slice(begin, max(end, begin + 1))
        begin = max(end, begin + 1)


def _jobs(spans: _Spans, nodes: int, width: int, height: int) -> NDArray[np.int64]:
    """Returns the job at the centre of each pixel."""
    centres, rows = np.unique(
        (2 * np.arange(height) + 1) * nodes // (2 * height), return_inverse=True
    )
    # Column c has its centre at c + 1/2, which a job holds if start <= centre < end.
    begin = np.ceil(spans.start - 0.5).astype(np.int64)
    end = np.ceil(spans.end - 0.5).astype(np.int64)
    top = np.searchsorted(centres, spans.first, side="left")
    bottom = np.searchsorted(centres, spans.last, side="right")
    seen = (end > begin) & (bottom > top)
    # Painted in this order, the job that counts comes last and stays.
    order = np.flatnonzero(seen)
    order = order[np.lexsort((-spans.job[order], spans.tasks[order]))]
    begin, end, top, bottom, job = (a[order] for a in (begin, end, top, bottom, spans.job))
    picture = np.full(len(centres) * width, -1, np.int64)
    for part in _parts((bottom - top) * (end - begin)):
        span, row = _expand((bottom - top)[part])
        line, column = _expand((end - begin)[part][span])
        span, row = span[line], row[line]
        place = (top[part][span] + row) * width + begin[part][span] + column
        picture[place] = job[part][span]
    return picture.reshape(-1, width)[rows]


def _busy(spans: _Spans, nodes: int, width: int, height: int) -> NDArray[np.float32]:
    """Returns the share of each pixel in which some job ran."""
    picture = np.zeros((height, width))
    change = np.zeros(nodes + 1, np.int64)
    np.add.at(change, spans.first, 1)
    np.add.at(change, spans.last + 1, -1)
    for block in _parts(np.cumsum(change)[:-1] + 4 * width):
        first, last = block.start, min(block.stop, nodes) - 1
        inside = (spans.first <= last) & (spans.last >= first)
        part = spans.of(inside)
        part = part._replace(
            first=np.maximum(part.first, first) - first, last=np.minimum(part.last, last) - first
        )
        by_node = _busy_nodes(part, last - first + 1, width)
        # In units of 1 / (nodes * height) of the picture a row is `nodes` high, a node `height`.
        top = np.arange(first, last + 1) * height // nodes
        bottom = -(np.arange(first + 1, last + 2) * height // -nodes)
        node, step = _expand(bottom - top)
        row = top[node] + step
        covered = np.minimum((row + 1) * nodes, (node + first + 1) * height)
        covered -= np.maximum(row * nodes, (node + first) * height)
        np.add.at(picture, row, by_node[node] * (covered / nodes)[:, None])
    return np.clip(picture, 0.0, 1.0).astype(np.float32)


def _busy_nodes(spans: _Spans, nodes: int, width: int) -> NDArray[np.float64]:
    """Returns the share of each column in which some job ran on each node."""
    which, step = _expand(spans.last - spans.first + 1)
    node = spans.first[which] + step
    # The spans come in order of their start. Sorting them by node keeps that: numpy sorts small
    # integers by radix, and stably.
    order = np.argsort(node.astype(np.uint16) if nodes <= 65_536 else node, kind="stable")
    node, which = node[order], which[order]
    # A job counts from the last end of those before it on the node. The running maximum is taken
    # of whole numbers (node, rank of the end), so that it begins anew with each node, exactly.
    ends, rank = np.unique(spans.end, return_inverse=True)
    key = node * len(ends) + rank[which]
    reached = np.maximum.accumulate(key) if len(key) else key
    before = np.zeros(len(key))
    same = node[1:] == node[:-1]
    before[1:][same] = ends[(reached[:-1] - node[:-1] * len(ends))[same]]
    start = np.maximum(spans.start[which], before)
    end = spans.end[which]
    new = end > start
    node, start, end = node[new], start[new], end[new]
    size = nodes * (width + 1)
    # Whole columns by counting starts and ends, the rest by the part of the column.
    whole, part = np.zeros(size), np.zeros(size)
    for time, sign in ((start, 1.0), (end, -1.0)):
        column = time.astype(np.int64)
        place = node * (width + 1) + column
        whole += sign * np.bincount(place, minlength=size)
        part -= sign * np.bincount(place, weights=time - column, minlength=size)
    covered = np.cumsum(whole.reshape(nodes, width + 1), axis=1) + part.reshape(nodes, width + 1)
    return np.clip(covered[:, :width], 0.0, 1.0)


def job_colours(job_ids: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Returns a colour for each job id, always the same one; the idle colour for -1.

    Neighbouring ids get different colours: the palette is walked in steps of the golden ratio.

    Returns:
        Red, green and blue from 0 to 255, along a new last axis.
    """
    ids = np.asarray(job_ids)
    scattered = (ids.astype(np.uint64) * np.uint64(2_654_435_761)) & np.uint64(0xFFFF_FFFF)
    index = ((scattered * np.uint64(len(JOB_COLOURS))) >> np.uint64(32)).astype(np.intp)
    palette = np.array([*JOB_COLOURS, IDLE_COLOUR], np.uint8)
    return palette[np.where(ids < 0, len(JOB_COLOURS), index)]
