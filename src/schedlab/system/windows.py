"""Windows: maintenance and advance reservations of nodes."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import Defined, other
from schedlab.naming import refuse_long
from schedlab.system.load import load_objects
from schedlab.system.node_ranges import node_ranges

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Any

    from schedlab.system.definition import System

MAX_WINDOWS = 100_000
MAX_TIME = 4_000_000_000


def _moment(value: Any, path: str) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value <= MAX_TIME:
        raise InputError(f"window: {path} must be seconds from 0 up, not {value!r}")
    moment: float = value
    return moment


def _nodes(value: Any, path: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f'window: {path} must be a text such as "all" or "0-15", not {value!r}')
    return value


def _condition(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"window: {path} must be an expression, not {value!r}")
    refuse_long(f"window: {path}", value)
    return value


def _often(value: Any, path: str) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and 1 <= value <= MAX_WINDOWS):
        raise InputError(f"window: {path} must be from 1 to {MAX_WINDOWS}, not {value!r}")
    return int(value)


def _label(value: Any, path: str) -> str:
    return decode.text(value, path) if value else ""


_SECONDS = {"type": "number", "minimum": 0, "maximum": MAX_TIME}


class Window(Defined):
    """A time during which some nodes are closed to jobs, or to all but some.

    A job that is not admitted is never put on one of the nodes if, by its estimate, it would be
    there during the window. One that outlasts its estimate stays.
    """

    start: float = other(
        _moment,
        "when it begins, in the workload's clock",
        unit="s",
        values="from 0 to 126 years",
        written=_SECONDS,
    )
    end: float = other(
        _moment,
        "when it ends, after `start`",
        unit="s",
        values="from 0 to 126 years",
        written=_SECONDS,
    )
    nodes: str = other(
        _nodes,
        '`"all"`, the name of a group, a number, a range, or several of these: `"fat, 0-1, 3"`',
        values="text",
        default="all",
        written={"type": "string"},
    )
    when: str | None = other(
        _condition,
        "an expression over a job: jobs for which it holds are **admitted** (an advance "
        "reservation)",
        values="expression",
        default=None,
        absent="no job is (maintenance)",
        written={"type": "string"},
    )
    every: float | None = other(
        _moment,
        "time from one start to the next, not less than it lasts; goes with `times`",
        unit="s",
        values="from 0 to 126 years",
        default=None,
        absent="it comes once",
        written=_SECONDS,
    )
    times: int | None = other(
        _often,
        "how often it comes; goes with `every`",
        values=f"from 1 to {MAX_WINDOWS:,}",
        default=None,
        absent="once",
        written={"type": "integer", "minimum": 1, "maximum": MAX_WINDOWS},
    )
    name: str = other(_label, "for people", values="text", default="", written={"type": "string"})

    def _complete(self) -> None:
        start, end, every, times = self.start, self.end, self.every, self.times
        if not end > start:
            raise InputError(f"window: end ({end}) must be after start ({start})")
        if (times is None) != (every is None):
            raise InputError("window: every (seconds from start to start) and times go together")
        if every is not None and every < end - start:
            raise InputError(f"window: comes again after {every} s, before it ends")
        if end + ((times or 1) - 1) * (every or 0) > MAX_TIME:
            raise InputError("window: the last time it comes is more than 126 years away")

    def ranges(self, system: System) -> list[tuple[int, int]]:
        """Returns the nodes as (first, count), ascending and apart from each other.

        Raises:
            InputError: The system has no such nodes.
        """
        return node_ranges(self.nodes, system, "window: nodes")


def load_windows(given: str | os.PathLike[str] | Iterable[Window]) -> tuple[Window, ...]:
    """Returns the windows of a file (.toml, .json, .yaml), or those given.

    A file has a list `windows` of tables with the arguments of `Window`.

    Raises:
        InputError: Something in it is wrong.
    """
    return load_objects(given, "windows", Window)


def for_engine(
    windows: tuple[Window, ...], system: System
) -> tuple[list[Any], list[list[tuple[int, int]]], list[str]]:
    """Returns the windows, each as often as it comes, and the nodes and conditions they refer to.

    Windows refer to nodes and conditions by number: many have the same.
    """
    if (count := sum(window.times or 1 for window in windows)) > MAX_WINDOWS:
        raise InputError(f"windows: {count} in all; at most {MAX_WINDOWS} are possible")
    conditions = list(dict.fromkeys(window.when for window in windows if window.when is not None))
    if len(conditions) > 64:
        raise InputError(
            f"windows: {len(conditions)} different conditions; at most 64 are possible"
        )
    expanded: list[Any] = []
    sets: list[list[tuple[int, int]]] = []
    numbers: dict[str, int] = {}  # of the sets of nodes, by their texts
    for window in windows:
        rule = None if window.when is None else conditions.index(window.when)
        if window.nodes not in numbers:
            numbers[window.nodes] = len(sets)
            sets.append(window.ranges(system))
        nodes = numbers[window.nodes]
        for time in range(window.times or 1):
            later = time * (window.every or 0)
            expanded.append((window.start + later, window.end + later, nodes, rule))
    return expanded, sets, conditions
