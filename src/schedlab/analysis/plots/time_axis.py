"""The axis of simulated time: dates where the workload's first moment is known, else days."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.clock import Clock
from schedlab.durations import DAY, HOUR, MINUTE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup

UNITS = (("days", float(DAY)), ("h", float(HOUR)), ("min", float(MINUTE)), ("s", 1.0))
LATEST = 253_000_000_000
"""A Unix time in the year 9987; later ones are not dates."""

DATES = {
    "formats": ["%Y", "%b", "%d %b", "%H:%M", "%H:%M", "%S.%f"],
    "zero_formats": ["", "%Y", "%d %b", "%d %b", "%H:%M", "%H:%M"],
    "offset_formats": ["", "%Y", "%Y", "%d %b %Y", "%d %b %Y", "%d %b %Y %H:%M"],
}
"""How ticks are written that are years, months, days, hours, minutes and seconds; at the first of
the next larger one; and what stands at the end of the axis."""


class TimeAxis:
    """What a shared axis of time shows.

    Attributes:
        first: Where it begins: the first submission, in the workload's own clock.
        last: Where it ends: the last end, or where a run stopped. At least a second later.
        origin: Unix time of time 0 if all runs agree on it, else None.
        clock: In whose zone dates are: that of the traces, UTC where they have several or none.
        empty: Whether no run has a job.
    """

    def __init__(
        self, groups: Sequence[RunGroup], first: float | None = None, last: float | None = None
    ) -> None:
        runs = [result.run for group in groups for result in group.results]
        spans = [span for span in map(simulated, runs) if span is not None]
        self.empty = not spans
        begin = min((span[0] for span in spans), default=0.0)
        end = max((span[1] for span in spans), default=1.0)
        self.first = float(begin if first is None else first)
        self.last = float(end if last is None else last)
        if first is None and last is None:
            self.last = max(self.last, self.first + 1.0)
        clocks = [Clock.of_run(run) for run in runs]
        origins = {clock.start_time for clock in clocks}
        self.origin = origins.pop() if len(origins) == 1 else None
        if self.origin is not None and not 0 < self.origin + self.last < LATEST:
            self.origin = None
        self.clock = Clock(self.origin)
        if len({clock.zone_name for clock in clocks}) == 1:
            self.clock = Clock(self.origin, clocks[0].zone, clocks[0].zone_name)

    def places(self, times: NDArray[np.float64] | Sequence[float]) -> NDArray[np.float64]:
        """Returns where times of the workload's own clock are on the axis."""
        values = np.asarray(times, np.float64)
        if self.origin is not None:
            return (values + self.origin) / DAY  # matplotlib counts days since 1970
        return values / self._unit[1]

    @property
    def _unit(self) -> tuple[str, float]:
        length = self.last - self.first
        return next(unit for unit in UNITS if length >= 3 * unit[1] or unit[1] == 1)

    def show(self, axes: Axes, label: bool = True, inches: float = 6.0) -> None:
        """Sets limits, ticks and the label of the axes' x axis."""
        left, right = self.places([self.first, self.last])
        axes.set_xlim(left, right)
        ticks = max(2, min(9, int(inches / 0.75)))
        axis: Any = axes.xaxis
        if self.origin is None:
            from matplotlib.ticker import FuncFormatter, MaxNLocator

            axis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
            text = f"time ({self._unit[0]})"
        else:
            from matplotlib import dates

            from schedlab.analysis.plots.date_ticks import DateFormatter, DateLocator

            untyped: Any = dates
            zone = self.clock.zone
            ends = [untyped.num2date(place, tz=zone) for place in (left, right)]
            for most in range(ticks, ticks + 4):  # with few, it may find a single one, or none
                locator = DateLocator(tz=zone, minticks=2, maxticks=most)
                if sum(left <= place <= right for place in locator.tick_values(*ends)) >= 2:
                    break
            axis.set_major_locator(locator)
            axis.set_major_formatter(DateFormatter(locator, tz=zone, **DATES))
            text = f"date ({self.clock.zone_name})"
        if label:
            axes.set_xlabel(text)


def simulated(run: dict[str, Any]) -> tuple[float, float] | None:
    """Returns the first submission and the last end; of an interrupted run, where it stopped.

    None where no job was submitted.
    """
    time = run["time"]
    if time["first_submit"] is None:
        return None
    ends = [time["last_end"]] if run["status"] == "complete" else [time["last_end"], time["now"]]
    first = float(time["first_submit"])
    return first, max([first, *(float(end) for end in ends if end is not None)])


def moment_of(given: float | str | None, axis: TimeAxis) -> float | None:
    """Returns a time in the workload's own clock, of seconds, or of a text as `Clock` reads it.

    Raises:
        InputError: It is neither, or dates are not known.
    """
    return axis.clock.parse(given) if isinstance(given, str) else given


def moment_text(time: float, axis: TimeAxis) -> str:
    """Returns a time as it can be given: a date where it has one, else seconds."""
    date = axis.clock.date(time)
    return f"{time:.10g} s" if date is None else f"{date:%Y-%m-%dT%H:%M:%S}"
