"""Who names whom as a predecessor in a workload: jobs before, later, unknown, in circles."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy
import polars

from schedlab.workload.table import PREDECESSORS
from schedlab.workload.workflow import one_circle, order_of_tasks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.int64]


class DependencyTally:
    """The pairs of a job and one that it names, over the tables seen so far: 16 bytes each."""

    def __init__(self) -> None:
        self.rows = 0
        self.jobs = array("q")  # places of those that name a predecessor, from 0
        self.named = array("q")

    def add(self, table: polars.DataFrame) -> None:
        """Takes a table; where a job lists no predecessors, SWF's preceding job counts."""
        place = polars.int_range(self.rows, self.rows + table.height, eager=True)
        preceding = table["preceding_job"].cast(polars.Int64, strict=False)
        pairs = [_pairs(place, preceding, preceding > 0)]
        if PREDECESSORS in table.columns:
            lists = table[PREDECESSORS].cast(polars.List(polars.Int64))
            empty = (lists.list.len() == 0).fill_null(True)
            pairs = [_pairs(place, preceding, (preceding > 0) & empty)]
            both = polars.DataFrame({"job": place, "named": lists}).filter(~empty).explode("named")
            pairs.append((both["job"], both["named"]))
        for jobs, named in pairs:
            self.jobs.frombytes(jobs.to_numpy().tobytes())
            self.named.frombytes(named.to_numpy().tobytes())
        self.rows += table.height

    def facts(
        self, job_numbers: NDArray[numpy.float64], submissions: NDArray[numpy.float64]
    ) -> dict[str, Any]:
        """Returns which names hold no job, by why, and a circle among them.

        Args:
            job_numbers: Of each row.
            submissions: When each is submitted; simulations go by that, then by the row.
        """
        with numpy.errstate(invalid="ignore"):  # a row without a number is nobody's predecessor
            numbers = job_numbers.astype(numpy.int64)
        jobs, named = numpy.frombuffer(self.jobs, "q"), numpy.frombuffer(self.named, "q")
        order = numpy.argsort(submissions, kind="stable")
        turn = numpy.empty(len(order), "q")
        turn[order] = numpy.arange(len(order))
        known, first = numpy.unique(numbers[order], return_index=True)
        place = numpy.searchsorted(known, named)
        place[place == len(known)] = 0
        found = known[place] == named if len(known) else numpy.zeros(len(named), bool)
        wanted = first[place] if len(known) else place  # a turn, too
        own = turn[jobs]
        kinds = {
            "itself": numbers[jobs] == named,
            "later": found & (wanted > own),
            "unknown": ~found,
        }
        waiting, circle = _circle(own[found], wanted[found], kinds["later"] | kinds["itself"])
        return {
            **{why: _first(chosen, own, numbers[jobs], named) for why, chosen in kinds.items()},
            "never_in_turn": waiting,
            "circle": [int(numbers[order[job]]) for job in circle],
        }


def _pairs(
    place: polars.Series, named: polars.Series, chosen: polars.Series
) -> tuple[polars.Series, polars.Series]:
    chosen = chosen.fill_null(False)
    return place.filter(chosen), named.filter(chosen)


def _first(
    chosen: NDArray[numpy.bool_], own: Numbers, jobs: Numbers, named: Numbers
) -> dict[str, int] | None:
    """Returns how many were chosen, and whom the first job of them in turn names; None for none."""
    rows = numpy.flatnonzero(chosen)
    if not len(rows):
        return None
    first = min(rows.tolist(), key=lambda row: (own[row], named[row]))
    return {"number": len(rows), "job": int(jobs[first]), "predecessor": int(named[first])}


def _circle(jobs: Numbers, wanted: Numbers, forward: NDArray[numpy.bool_]) -> tuple[int, list[int]]:
    """Returns how many jobs are in a circle or wait for one that is, and one circle.

    Every circle has a name that points forward, so a workload without such names has none.
    """
    if not forward.any():
        return 0, []
    all_jobs = numpy.union1d(jobs, wanted)
    waits_for: list[list[int]] = [[] for _ in all_jobs]
    both = (numpy.searchsorted(all_jobs, side).tolist() for side in (jobs, wanted))
    for job, other in zip(*both, strict=True):
        waits_for[job].append(other)
    order = order_of_tasks(waits_for)
    left = len(all_jobs) - len(order)
    circle = one_circle(waits_for, order) if left else []
    return left, [int(all_jobs[job]) for job in circle]
