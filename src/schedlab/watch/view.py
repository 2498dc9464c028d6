"""What a monitor needs of a run, whether it is still running or not."""

from __future__ import annotations

from typing import Any

import numpy
import polars

from schedlab.job_states import RAN
from schedlab.watch.machine_now import energy_until, numbers_of
from schedlab.watch.moment import Moment, occupancy

TIMES = ("submit", "start", "end")


class RunView:
    """A run that can be looked at as it was at any time.

    Attributes:
        path: The run folder.
        run: What run.json holds, or will hold; of a live run, as of its last moment.
        is_live: Whether the run is still being simulated.
    """

    is_live = False

    def __init__(self, path: str, run: dict[str, Any]) -> None:
        self.path, self.run = path, run

    def jobs(self) -> polars.DataFrame:
        """Returns all jobs known by now, those in flight included, with the columns of jobs.csv."""
        raise NotImplementedError

    def timeline(self) -> polars.DataFrame | None:
        """Returns the time points known by now; None where the run records none."""
        raise NotImplementedError

    def attempts(self) -> polars.DataFrame | None:
        """Returns attempts that failures ended, with the columns of jobs; None: there are none.

        `jobs` has the last attempt of each job.
        """
        return None

    def states(self) -> polars.DataFrame | None:
        """Returns when which node was off or down, as states.csv has it; None: not known."""
        return None

    @property
    def first(self) -> float:
        """The first time there is."""
        first = self.run["time"]["first_submit"]
        return float(first) if first is not None else 0.0

    @property
    def last(self) -> float:
        """The last time there is so far."""
        return float(max(self.run["time"]["now"], self.first))

    def at(self, time: float) -> Moment:
        """Returns how the run stood right after all that happened at or before a time."""
        frame, times = self.jobs(), self._times()
        submit, start, end = times["submit"], times["start"], times["end"]
        rejected = times["rejected"]
        submitted = submit <= time
        running = (start <= time) & ~(end <= time)
        queued = submitted & ~rejected & ~(start <= time)
        ended = frame["state"].filter(polars.Series(end <= time)).value_counts()
        by_state = dict(ended.iter_rows())
        counts = {
            "submitted": int(submitted.sum()),
            **{state: int(by_state.get(state, 0)) for state in RAN},
            "rejected": int((submitted & rejected).sum()),
            "held": 0,
            "queued": int(queued.sum()),
            "running": int(running.sum()),
        }
        rows, queue = frame.filter(polars.Series(running)), frame.filter(polars.Series(queued))
        attempts = self.attempts()
        if attempts is not None:  # those that had started were not queued
            began = attempts.filter((polars.col("start") <= time) & (polars.col("end") > time))
            rows = polars.concat([rows, began])
            queue = queue.join(began, on="job_id", how="anti", maintain_order="left")
            counts["running"], counts["queued"] = rows.height, queue.height
        recorded = self._recorded_at(time)
        if recorded is None:
            held = occupancy(rows, self.run)
            used = {kind: int(held[kind].sum()) for kind in self.run["system"]["capacity"]}
        else:
            used = {kind: recorded[f"{kind}_used"] for kind in self.run["system"]["capacity"]}
            counts["held"] = max(0, counts["queued"] - recorded["queued"])
            counts["queued"], counts["running"] = recorded["queued"], recorded["running"]
        numbers = self._numbers_at(time, recorded)
        return Moment(time, counts, used, rows, queue.sort("submit"), numbers)

    def _numbers_at(self, time: float, recorded: dict[str, Any] | None) -> dict[str, float]:
        """Returns what is known of the machine itself, given the last time point before a time."""
        timeline = self.timeline() if recorded is not None else None
        if timeline is None or recorded is None:
            return {}
        energy = energy_until(timeline, time)
        return {**numbers_of(recorded), **({} if energy is None else {"energy": energy})}

    def job(self, job_id: int) -> dict[str, Any] | None:
        """Returns everything known of a job; None if there is no such job by now."""
        rows = self.jobs().filter(polars.col("job_id") == job_id)
        return None if rows.is_empty() else rows.row(0, named=True)

    def next_time(self, time: float) -> float | None:
        """Returns when something next happens after a time; None if nothing does."""
        moments = self._moments()
        place = int(numpy.searchsorted(moments, time, side="right"))
        return float(moments[place]) if place < len(moments) else None

    def previous_time(self, time: float) -> float | None:
        """Returns when something last happened before a time; None if nothing did."""
        moments = self._moments()
        place = int(numpy.searchsorted(moments, time, side="left"))
        return float(moments[place - 1]) if place > 0 else None

    def _recorded_at(self, time: float) -> dict[str, Any] | None:
        """Returns the last time point at or before a time; None where there is none."""
        timeline = self.timeline()
        if timeline is None:
            return None
        place = timeline["time"].search_sorted(time, side="right") - 1
        return timeline.row(place, named=True) if place >= 0 else None

    def _times(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """Returns submit, start and end of the jobs as arrays; not a number where there is none.

        And `rejected`, whether they were: comparing a million texts takes longer than all else.
        """
        frame = self.jobs()
        times = {
            name: frame[name].cast(polars.Float64).fill_null(float("nan")).to_numpy()
            for name in TIMES
        }
        return {**times, "rejected": (frame["state"] == "rejected").to_numpy()}

    def _moments(self) -> numpy.ndarray[Any, Any]:
        """Returns the times at which something happens, sorted."""
        times = self._times()
        every = numpy.concatenate([times[name] for name in TIMES])
        return numpy.unique(every[~numpy.isnan(every)])
