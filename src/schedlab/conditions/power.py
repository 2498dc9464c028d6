"""Power caps, and the switching off of idle nodes."""

from __future__ import annotations

from schedlab.conditions.series import LEAST_PERIOD
from schedlab.conditions.series_field import series
from schedlab.conditions.series_file import read_series, series_of
from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError
from schedlab.fields import Defined, file_key, identifier, seconds, text, whole, word
from schedlab.system.definition import MAX_NODES

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    import os
    from typing import Any

    from schedlab.conditions.series import Series
    from schedlab.fields import Taking

ACTIONS = ("refuse", "slow")
STATES = ("off", "sleeping")
"""What nodes can be switched to."""


class PowerCap(Defined):
    """The most that the machine, or a group of it, may draw."""

    _reads_files = True
    _one_of = ("watts", "file")
    watts: Series = series(
        "watts", "the most that may be drawn", unit="W", default=None, absent="this or `file`"
    )
    file = file_key(
        "CSV file with the columns `time,watts` (or `date,watts`)",
        values="path",
        written={"type": "string"},
        default=None,
        taken=True,
    )
    every = seconds(
        "time after which the file's series begins anew",
        minimum=LEAST_PERIOD,
        maximum=MAX_SECONDS,
        default=None,
        absent="never",
        stored=False,
    )
    group: str | None = identifier(
        "name of the group that it is for", default=None, absent="the whole machine"
    )
    action: str = word(
        ACTIONS,
        "`refuse`: jobs that would exceed the cap do not start; `slow`: frequencies of processors "
        "are lowered first",
        default="refuse",
    )
    name: str = text("a label, for readers of the file", default="")

    def __init__(
        self,
        watts: float | Series | dict[str, Any] | None = None,
        group: str | None = None,
        action: str = "refuse",
        name: str = "",
        *,
        file: str | os.PathLike[str] | None = None,
        every: float | str | None = None,
        folder: str = "",
    ) -> None:
        """Takes `watts`, or a file to read them from; `folder` is where relative paths begin."""
        if (watts is None) == (file is None):
            given = "is missing; give it, or file" if watts is None else "is given beside file"
            raise InputError(f'watts: {given}: watts = 9000, or file = "cap.csv"')
        if file is None and every is not None:
            raise InputError("every: goes with file; watts = 9000 holds at all times")
        drawn = (
            series_of(watts, "watts", "watts", folder=folder)
            if file is None
            else read_series(file, "", "watts", every=every, folder=folder)
        )
        super().__init__(drawn, group, action, name)

    def _table(self, method: str) -> dict[str, Any]:
        table = super()._table(method)  # which run.json has in another order
        return {key: table[key] for key in ("name", "group", "action", "watts") if key in table}

    def __str__(self) -> str:
        watts = spread(self.watts)
        scale, unit = (1000, "kW") if watts[-1] >= 1000 else (1, "W")
        level = " to ".join(f"{one / scale:.4g}" for one in watts)
        where = f" on {self.group}" if self.group else ""
        return f"cap {level} {unit}{where}" + (" (slows first)" if self.action == "slow" else "")


class SwitchOff(Defined):
    """Idle nodes are switched off, and on again when a job needs them."""

    after: Taking[float, float | str] = seconds(
        "time for which a node must have been idle", maximum=MAX_SECONDS, example="600"
    )
    to: str = word(STATES, "the state that it is put into", default="off")
    keep: int = whole("idle nodes that stay on", maximum=MAX_NODES, default=0)

    def __str__(self) -> str:
        what = "switch off" if self.to == "off" else "put to sleep"
        return f"{what} after {self.after:g} s" + (f" ({self.keep} stay on)" if self.keep else "")


def spread(series: Series) -> tuple[float, ...]:
    """Returns the smallest and the largest value, or the one that there is."""
    smallest, largest = min(series.values), max(series.values)
    return (smallest,) if smallest == largest else (smallest, largest)
