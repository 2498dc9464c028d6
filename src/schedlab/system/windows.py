"""Windows: maintenance and advance reservations of nodes."""

from __future__ import annotations

from schedlab import decode
from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError
from schedlab.fields import Defined, expression, seconds, text, whole
from schedlab.system.load import load_objects
from schedlab.system.node_ranges import node_ranges

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Any

    from schedlab.fields import Taking
    from schedlab.system.definition import System

MAX_WINDOWS = 100_000


class Window(Defined):
    """A time during which some nodes are closed to jobs, or to all but some.

    A job that is not admitted is never put on one of the nodes if, by its estimate, it would be
    there during the window. One that outlasts its estimate stays.
    """

    start: Taking[float, float | str] = seconds(
        "when it begins, in the workload's clock",
        maximum=MAX_SECONDS,
        as_written=True,
        example="86400",
    )
    end: Taking[float, float | str] = seconds(
        "when it ends, after `start`", maximum=MAX_SECONDS, as_written=True, example="90000"
    )
    nodes: str = text(
        '`"all"`, the name of a group or of a node type, a number, a range, or several of these: '
        '`"fat, 0-1, 3"`',
        default="all",
    )
    when: str | None = expression(
        "an expression over a job: jobs for which it holds are **admitted** (an advance "
        "reservation)",
        default=None,
        absent="no job is (maintenance)",
    )
    every: Taking[float | None, float | str | None] = seconds(
        "time from one start to the next, not less than it lasts; goes with `times`",
        maximum=MAX_SECONDS,
        as_written=True,
        default=None,
        absent="it comes once",
    )
    times: int | None = whole(
        "how often it comes; goes with `every`",
        minimum=1,
        maximum=MAX_WINDOWS,
        default=None,
        absent="once",
    )
    name: str = text("a label, for readers of the file", default="")

    def _complete(self) -> None:
        start, end, every, times = self.start, self.end, self.every, self.times
        if not end > start:
            raise InputError(f"end: must be after start, {start} (is {end})")
        if (times is None) != (every is None):
            lacks, has = ("times", "every") if times is None else ("every", "times")
            raise InputError(
                f"{lacks}: is missing; it goes with {has}: after how many seconds the window comes "
                "again, and how often"
            )
        if every is not None and every < end - start:
            raise InputError(f"every: the window comes again after {every} s, before it ends")
        if end + ((times or 1) - 1) * (every or 0) > MAX_SECONDS:
            raise InputError("times: the last time it comes is more than 126 years away")

    def ranges(self, system: System, path: str = "") -> list[tuple[int, int]]:
        """Returns the nodes as (first, count), ascending and apart from each other.

        Args:
            system: The machine.
            path: Where the window is written, for messages.

        Raises:
            InputError: The system has no such nodes.
        """
        return node_ranges(self.nodes, system, decode.child(path, "nodes"))


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
    for place, window in enumerate(windows, 1):
        rule = None if window.when is None else conditions.index(window.when)
        if window.nodes not in numbers:
            numbers[window.nodes] = len(sets)
            sets.append(window.ranges(system, f"windows[{place}]"))
        nodes = numbers[window.nodes]
        for time in range(window.times or 1):
            later = time * (window.every or 0)
            expanded.append((window.start + later, window.end + later, nodes, rule))
    return expanded, sets, conditions
