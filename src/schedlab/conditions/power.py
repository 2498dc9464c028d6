"""Power caps, and the switching off of idle nodes."""

from __future__ import annotations

from schedlab.conditions.fields import seconds, word
from schedlab.conditions.series_file import read_series, series_of
from schedlab.errors import InputError
from schedlab.frozen import Frozen
from schedlab.system import decode
from schedlab.system.definition import MAX_NODES

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    import os
    from typing import Any

    from schedlab.conditions.series import Series

ACTIONS = ("refuse", "slow")
STATES = ("off", "sleeping")
"""What nodes can be switched to."""


class PowerCap(Frozen):
    """The most that the machine, or a group of it, may draw.

    Args:
        watts: A number, which holds at all times; a Series; or a table of one.
        group: Name of the group; None: the whole machine.
        action: "refuse": jobs that would exceed the cap do not start; "slow": the frequencies of
            processors are lowered first.
        name: For people.
        file: CSV file with the columns time (or date) and watts, instead of `watts`.
        every: Seconds after which the file's series begins anew.
        folder: That the path of a file begins from, if it is relative.

    Raises:
        InputError: With the field's name.
    """

    __slots__ = _fields = ("watts", "group", "action", "name")
    watts: Series
    group: str | None
    action: str
    name: str

    def __init__(
        self,
        watts: float | Series | dict[str, Any] | None = None,
        group: str | None = None,
        action: str = "refuse",
        name: str = "",
        *,
        file: str | os.PathLike[str] | None = None,
        every: float | None = None,
        folder: str = "",
    ) -> None:
        if (watts is None) == (file is None):
            given = "is missing; give it, or file" if watts is None else "is given beside file"
            raise InputError(f'watts: {given}: watts = 9000, or file = "cap.csv"')
        if file is None and every is not None:
            raise InputError("every: goes with file; watts = 9000 holds at all times")
        self._set(
            watts=read_series(file, "", "watts", every=every, folder=folder)
            if file is not None
            else series_of(watts, "watts", "watts", folder=folder),
            group=None if group is None else decode.identifier(group, "group"),
            action=word(action, "action", ACTIONS),
            name=decode.text(name, "name") if name != "" else "",
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the content as plain data."""
        return {**self._rest(), "watts": self.watts.to_dict()}

    def described(self) -> dict[str, Any]:
        """Returns what run.json holds of it."""
        return {**self._rest(), "watts": self.watts.described()}

    def _rest(self) -> dict[str, Any]:
        rest = {"name": self.name or None, "group": self.group, "action": self.action}
        return {name: value for name, value in rest.items() if value is not None}

    def __str__(self) -> str:
        watts = spread(self.watts)
        scale, unit = (1000, "kW") if watts[-1] >= 1000 else (1, "W")
        level = " to ".join(f"{one / scale:.4g}" for one in watts)
        where = f" on {self.group}" if self.group else ""
        return f"cap {level} {unit}{where}" + (" (slows first)" if self.action == "slow" else "")


class SwitchOff(Frozen):
    """Idle nodes are switched off, and on again when somebody needs them.

    Args:
        after: Seconds for which a node must have been idle.
        to: "off" or "sleeping".
        keep: So many idle nodes stay on.

    Raises:
        InputError: With the field's name.
    """

    __slots__ = _fields = ("after", "to", "keep")
    after: float
    to: str
    keep: int

    def __init__(self, after: float, to: str = "off", keep: int = 0) -> None:
        self._set(
            after=seconds(after, "after"),
            to=word(to, "to", STATES),
            keep=decode.whole_number(keep, "keep", maximum=MAX_NODES),
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the content as plain data."""
        return {"after": self.after, "to": self.to, "keep": self.keep}

    described = to_dict

    def __str__(self) -> str:
        what = "switch off" if self.to == "off" else "put to sleep"
        return f"{what} after {self.after:g} s" + (f" ({self.keep} stay on)" if self.keep else "")


def spread(series: Series) -> tuple[float, ...]:
    """Returns the smallest and the largest value, or the one that there is."""
    smallest, largest = min(series.values), max(series.values)
    return (smallest,) if smallest == largest else (smallest, largest)
