"""Gantt charts as a page asks for them: any part of time and nodes, at once.

`analysis.raster` makes one whole picture from a table. A page that zooms asks for many parts of the
same run, so here the table is taken apart once, and each picture costs what is visible in it.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.analysis.amounts import share_of_node
from schedlab.analysis.coverage import Edges, shares
from schedlab.analysis.spans import node_spans
from schedlab.dashboard.gantt_shares import ChartPart, SharesOfWhole
from schedlab.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BOXES = 400
"""Jobs that are few enough to be drawn one by one, with their numbers."""

MOST_BANDS = 2_000
"""Times of nodes that were off or down; the longest are drawn where there are more."""

IDLE_32 = -(2**31)
"""Stands for no job where job ids have 32 bits; not-a-number where they do not."""


MOST_ADDED = 300_000
"""Rectangles whose shares are added up for each picture; of more, sums are made beforehand."""

PIXELS_AT_ONCE = 4_000_000


class GanttIndex:
    """The jobs of a run as rectangles of time and nodes, in order of their start."""

    def __init__(
        self, jobs: polars.DataFrame, run: dict[str, Any], states: polars.DataFrame | None = None
    ) -> None:
        self._states = states
        self.nodes = int(run["system"]["nodes"])
        ran = jobs.filter(polars.col("start").is_not_null()).sort("start", maintain_order=True)
        spans = node_spans(ran)
        row = spans["job"].to_numpy()
        self._first = spans["first"].to_numpy().astype(np.int32)
        self._last = spans["last"].to_numpy().astype(np.int32)
        self._tasks = spans["tasks"].to_numpy().astype(np.int32)
        self._start = ran["start"].cast(polars.Float64).to_numpy()[row]
        end = ran["end"].cast(polars.Float64).fill_null(float("inf"))
        self._end = end.to_numpy()[row]
        self._last_end = np.maximum.accumulate(self._end) if len(row) else self._end
        self._job = ran["job_id"].cast(polars.Int64).to_numpy()[row]
        self._share = share_of_node(ran, run, row, self._first, self._tasks)
        self._whole: SharesOfWhole | None = None
        small = len(self._job) == 0 or int(np.abs(self._job).max()) < 2**31
        self.kind: str = "int32" if small else "float64"

    def picture(self, part: ChartPart) -> bytes:
        """Returns a part as a page reads it: the length of a text, the text, then two planes.

        The text is JSON; the planes are the job of each pixel and, as a byte, the share of the
        pixel in which processors are in use. All of it is compressed (zlib).
        """
        if not (0 <= part.top < part.bottom <= self.nodes and part.last > part.first):
            raise InputError(
                f"nodes {part.top} to {part.bottom} of {self.nodes}, time {part.first} to "
                f"{part.last}: there is nothing to show"
            )
        # More rows than nodes would show nothing: the page makes them taller.
        part = part._replace(height=min(part.height, part.bottom - part.top))
        # Rectangles come by their start: those from one place on begin too
        # late, and those before another place have all ended.
        since = int(np.searchsorted(self._last_end, part.first, side="right"))
        until = int(np.searchsorted(self._start, part.last, side="left"))
        near = slice(since, max(since, until))
        scale = part.width / (part.last - part.first)
        left = np.clip((self._start[near] - part.first) * scale, 0.0, part.width)
        right = np.clip((self._end[near] - part.first) * scale, 0.0, part.width)
        seen = right > left
        if part.top > 0 or part.bottom < self.nodes:
            seen &= (self._first[near] < part.bottom) & (self._last[near] >= part.top)
        jobs = self._paint(part, near, seen, left, right)
        boxes = self._boxes(np.flatnonzero(seen) + since, part)
        bands = self._bands(part)
        head = {**part._asdict(), "kind": self.kind, "boxes": boxes, "bands": bands}
        text = json.dumps(head, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)  # what follows begins where arrays of numbers may
        share = self._shares(part, near, seen, left, right)
        content = len(text).to_bytes(8, "little") + text + jobs.tobytes() + share.tobytes()
        return zlib.compress(content, 1)

    def at(self, time: float, node: int) -> list[int]:
        """Returns the jobs on a node at a time, those with most tasks on it first."""
        here = np.flatnonzero(
            (self._start <= time)
            & (self._end > time)
            & (self._first <= node)
            & (self._last >= node)
        )
        order = np.lexsort((self._job[here], -self._tasks[here]))
        return [int(job) for job in self._job[here][order]]

    def _boxes(self, seen: NDArray[np.intp], part: ChartPart) -> list[list[float]]:
        """Returns job, start, end, first node and node after the last, where these are few."""
        if len(seen) > MOST_BOXES:
            return []
        return [
            [
                int(self._job[i]),
                float(self._start[i]),
                float(min(self._end[i], part.last)),
                int(self._first[i]),
                int(self._last[i]) + 1,
            ]
            for i in seen
        ]

    def _bands(self, part: ChartPart) -> list[list[Any]]:
        """Returns node, state, start and end of nodes that were off or down, the longest if many.

        No job runs there, so a page may draw them over the jobs.
        """
        if self._states is None:
            return []
        seen = self._states.filter(
            polars.col("node").is_between(part.top, part.bottom - 1)
            & (polars.col("start") < part.last)
            & (polars.col("end").is_null() | (polars.col("end") > part.first))
        ).with_columns(
            polars.col("start").clip(part.first),
            polars.col("end").fill_null(part.last).clip(upper_bound=part.last),
        )
        if seen.height > MOST_BANDS:
            seen = seen.top_k(MOST_BANDS, by=polars.col("end") - polars.col("start"))
        return [list(row) for row in seen.select("node", "state", "start", "end").iter_rows()]

    def _paint(
        self,
        part: ChartPart,
        near: slice,
        seen: NDArray[np.bool_],
        left: NDArray[np.float64],
        right: NDArray[np.float64],
    ) -> NDArray[Any]:
        """Returns the job at the centre of each pixel: that with most tasks, then the lowest id."""
        begin, end = (np.ceil(edge - 0.5).astype(np.int32) for edge in (left, right))
        hit = np.flatnonzero(seen & (end > begin))  # the others fall between two centres
        begin, end = begin[hit].astype(np.int64), end[hit].astype(np.int64)
        nodes = part.bottom - part.top
        centres = (2 * np.arange(part.height) + 1) * nodes // (2 * part.height)
        row_of = np.searchsorted(centres, np.arange(nodes + 1), side="left")
        above = row_of[np.maximum(self._first[near][hit], part.top) - part.top]
        below = row_of[np.minimum(self._last[near][hit] + 1, part.bottom) - part.top]
        job, tasks = self._job[near][hit], self._tasks[near][hit]
        order = np.lexsort((-job, tasks))
        idle: float = IDLE_32 if self.kind == "int32" else float("nan")
        plane = np.full((part.height, part.width), idle, self.kind)
        flat = plane.ravel()
        pixels = ((below - above) * (end - begin))[order]
        # All pixels of some million at once, in the order of painting: the last one stays.
        parts = 1 + int(pixels.sum() // PIXELS_AT_ONCE)
        cuts = np.searchsorted(np.cumsum(pixels), PIXELS_AT_ONCE * np.arange(1, parts))
        for chunk in np.split(order, cuts):
            rows = (below - above)[chunk]
            line = np.repeat(chunk, rows)
            row = above[line] + _counted(rows)
            columns = (end - begin)[line]
            place = np.repeat(row * part.width + begin[line], columns) + _counted(columns)
            flat[place] = np.repeat(job[line], columns)
        return plane

    def _shares(
        self,
        part: ChartPart,
        near: slice,
        seen: NDArray[np.bool_],
        left: NDArray[np.float64],
        right: NDArray[np.float64],
    ) -> NDArray[np.uint8]:
        """Returns the share of each pixel that is in use, from 0 to 255."""
        if int(seen.sum()) <= MOST_ADDED:
            here = np.flatnonzero(seen)
            top = np.maximum(self._first[near][here], part.top) - part.top
            bottom = np.minimum(self._last[near][here] + 1, part.bottom) - part.top
            scale = part.height / (part.bottom - part.top)
            edges = Edges(left[here], right[here], top * scale, bottom * scale)
            share = shares(edges, self._share[near][here], part.width, part.height)
        else:
            if self._whole is None:
                self._whole = SharesOfWhole(
                    Edges(self._start, self._end, self._first + 0.0, self._last + 1.0),
                    self._share,
                    self.nodes,
                )
            share = self._whole.part(part)
        return (np.clip(share, 0.0, 1.0) * 255).astype(np.uint8)


def _counted(counts: NDArray[Any]) -> NDArray[Any]:
    """Returns 0, 1, ... up to each count, one after the other."""
    before = np.repeat(np.cumsum(counts) - counts, counts)
    place: NDArray[Any] = np.arange(int(counts.sum())) - before
    return place
