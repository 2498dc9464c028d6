"""Everything that a screen shows of a moment, made outside the thread that draws."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import polars

from schedlab.analysis.amounts import amounts_per_task, node_capacities
from schedlab.analysis.curves import curves
from schedlab.watch.moment import Moment, occupancy
from schedlab.watch.terminal.map_picture import Geometry, NodePicture, geometry, paint

if TYPE_CHECKING:
    from schedlab.watch import RunView

MOST_ROWS = 200
"""Jobs of a table; how many there are stands in its title."""

_SHARE_OF_TIME = 0.05
"""How much of the time may be spent on the curves of a live run."""


class Frame(NamedTuple):
    """A moment, ready to be drawn."""

    moment: Moment
    kind: str
    held: polars.DataFrame
    layout: Geometry
    picture: NodePicture
    curves: polars.DataFrame | None
    first: float
    last: float
    running: polars.DataFrame
    queue: polars.DataFrame


class FrameMaker:
    """Makes frames of one run; sizes and the resource type may change between them.

    Attributes:
        bins: Columns of the curves.
        size: Columns and rows of the map.
        kind: The resource type that the map shows.
    """

    def __init__(self, view: RunView) -> None:
        self.view = view
        self.kinds = [kind for kind, n in view.run["system"]["capacity"].items() if n] or [
            *view.run["system"]["capacity"]
        ]
        self.kind = self.kinds[0]
        self.bins, self.size = 60, (40, 10)
        self._capacity = node_capacities(view.run)
        self._curves: polars.DataFrame | None = None
        self._curves_key: tuple[object, ...] = ()
        self._next_curves = 0.0

    def make(self, moment: Moment) -> Frame:
        """Returns what a screen shows of a moment."""
        held = occupancy(moment.running, self.view.run)
        layout = geometry(self._capacity.height, *self.size)
        kind = self.kind
        capacity = self._capacity[kind].to_numpy()
        return Frame(
            moment,
            kind,
            held,
            layout,
            paint(held, capacity, kind, layout),
            self._curves_now(),
            self.view.first,
            self.view.last,
            moment.running.sort("start", "job_id").tail(MOST_ROWS).reverse(),
            moment.queue.head(MOST_ROWS),
        )

    def _curves_now(self) -> polars.DataFrame | None:
        """Returns the curves from the first time to the last one there is."""
        now = monotonic()
        key: tuple[object, ...] = (self.bins, None if self.view.is_live else self.view.last)
        if key == self._curves_key and (not self.view.is_live or now < self._next_curves):
            return self._curves
        self._curves_key = key
        first, last = self.view.first, self.view.last
        if last <= first:
            return None
        timeline = self.view.timeline()
        if timeline is None:
            timeline = timeline_of_jobs(self.view.jobs(), self.view.run)
        self._curves = curves(timeline, first, last, max(self.bins, 1))
        self._next_curves = monotonic() + max(1.0, (monotonic() - now) / _SHARE_OF_TIME)
        return self._curves


def timeline_of_jobs(jobs: polars.DataFrame, run: dict[str, Any]) -> polars.DataFrame:
    """Returns what timeline.csv would hold of queue and use, out of the jobs."""
    kinds = list(run["system"]["capacity"])
    accepted = jobs.filter(polars.col("state") != "rejected")
    ran = accepted.filter(polars.col("start").is_not_null())
    amounts = amounts_per_task(ran, run)
    used = {kind: (amounts[kind] * ran["tasks"]).to_numpy() for kind in kinds}
    if amounts.height and amounts[kinds[0]].null_count():  # of whole nodes: it depends on those
        taken = occupancy(ran, run).group_by("job_id").agg(polars.col(kind).sum() for kind in kinds)
        by_job = ran.select("job_id").join(taken, on="job_id", how="left", maintain_order="left")
        used = {kind: by_job[kind].fill_null(0).to_numpy() for kind in kinds}
    begin, end = ran["start"].to_numpy(), ran["end"].fill_null(float("inf")).to_numpy()
    submit = accepted["submit"].to_numpy()
    times = numpy.unique(numpy.concatenate((submit, begin, end)))
    times = times[numpy.isfinite(times)]

    def sum_until(when: Any, values: Any) -> Any:
        order = numpy.argsort(when, kind="stable")
        sums = numpy.concatenate(([0], numpy.cumsum(values[order])))
        return sums[numpy.searchsorted(when[order], times, side="right")]

    ones = numpy.ones(len(begin), numpy.int64)
    started, ended = sum_until(begin, ones), sum_until(end, ones)
    columns = {
        "time": times,
        "queued": sum_until(submit, numpy.ones(len(submit), numpy.int64)) - started,
        "running": started - ended,
    }
    for kind in kinds:
        columns[f"{kind}_used"] = sum_until(begin, used[kind]) - sum_until(end, used[kind])
    return polars.DataFrame(columns)
