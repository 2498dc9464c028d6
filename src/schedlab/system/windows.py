"""Windows: maintenance and advance reservations of nodes."""

from __future__ import annotations

from schedlab import decode
from schedlab.calling import explained
from schedlab.errors import InputError
from schedlab.frozen import Frozen
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


class Window(Frozen):
    """A time during which some nodes are closed to jobs, or to all but some.

    A job that is not admitted is never put on one of the nodes if, by its estimate, it would be
    there during the window. One that outlasts its estimate stays.

    Args:
        start: When it begins, in seconds of the workload's clock.
        end: When it ends.
        nodes: "all", the name of a group, or numbers and ranges such as "0-15, 20".
        when: An expression over a job's attributes; jobs for which it holds may use the nodes all
            the same (an advance reservation). None: no job may (maintenance).
        every: Seconds from one start to the next, for windows that come again.
        times: How often it comes; given with `every`, and only then.
        name: For people.
    """

    __slots__ = _fields = ("start", "end", "nodes", "when", "every", "times", "name")
    start: float
    end: float
    nodes: str
    when: str | None
    every: float | None
    times: int | None
    name: str

    @explained
    def __init__(
        self,
        start: float,
        end: float,
        nodes: str = "all",
        when: str | None = None,
        every: float | None = None,
        times: int | None = None,
        name: str = "",
    ) -> None:
        for label, value in (("start", start), ("end", end), ("every", every)):
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if value is None and label == "every":
                continue
            if not number or not 0 <= value <= MAX_TIME:  # type: ignore[operator]
                raise InputError(f"window: {label} must be seconds from 0 up, not {value!r}")
        if not end > start:
            raise InputError(f"window: end ({end}) must be behind start ({start})")
        if not isinstance(nodes, str) or not nodes.strip():
            raise InputError(f'window: nodes must be a text such as "all" or "0-15", not {nodes!r}')
        if when is not None and not isinstance(when, str):
            raise InputError(f"window: when must be an expression, not {when!r}")
        if when is not None:
            refuse_long("window: when", when)
        whole = isinstance(times, int) and not isinstance(times, bool)
        if times is not None and not (whole and 1 <= times <= MAX_WINDOWS):
            raise InputError(f"window: times must be from 1 to {MAX_WINDOWS}, not {times!r}")
        if (times is None) != (every is None):
            raise InputError("window: every (seconds from start to start) and times go together")
        if every is not None and every < end - start:
            raise InputError(f"window: comes again after {every} s, before it ends")
        if end + ((times or 1) - 1) * (every or 0) > MAX_TIME:
            raise InputError("window: the last time it comes is more than 126 years away")
        self._set(
            start=start,
            end=end,
            nodes=nodes,
            when=when,
            every=every,
            times=times,
            name=decode.text(name, "name") if name else "",
        )

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
