"""Lists of nodes as texts: `7`, `16-35`, and with the tasks on each node, `16-35*2 40`.

jobs.csv, system and condition files and the logs of batch systems all have ranges of numbers. What
a range is, is said here alone; `results.placements` reads whole columns of them.
"""

from __future__ import annotations

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

BEYOND = 10**18
"""Stands for all larger numbers: no machine has that many nodes, and Python refuses to read numbers
of thousands of digits."""

_ITEM = r"[0-9]{1,9}(-[0-9]{1,9})?(\*[0-9]{1,9})?"
PLACEMENT = rf"{_ITEM}( {_ITEM})*"
"""The same form as a regular expression, for whole columns of files that schedlab wrote."""

SHOWN = 40
"""Characters of a wrong text that a message shows."""


def range_of(text: str) -> range | None:
    """Returns the numbers of `7` or `16-35`; none of `35-16`; None where the text is neither."""
    first, dash, last = text.partition("-")
    low, high = _number(first), _number(last if dash else first)
    return None if low is None or high is None else range(low, high + 1)


def _number(text: str) -> int | None:
    if not (text.isascii() and text.isdecimal()):
        return None
    return int(text) if len(text) <= 18 else min(int(text.lstrip("0")[:19] or 0), BEYOND)


def parse_placement(text: str) -> list[tuple[int, int, int]]:
    """Returns first node, last node and tasks on each of them, for each item of `16-35*2 40`.

    Raises:
        InputError: An item is of another form.
    """
    found = []
    for item in text.split(" ") if text else ():
        span, star, tasks = item.partition("*")
        numbers, each = range_of(span), _number(tasks) if star else 1
        if not numbers or each is None:
            raise InputError(not_a_placement(item))
        found.append((numbers[0], numbers[-1], each))
    return found


def not_a_placement(item: str) -> str:
    """Returns what is wrong with an item of a list of nodes and tasks."""
    return f"{item[:SHOWN]!r} is not of the form 7, 7*2, 16-35 or 16-35*2"


def placement_text(nodes: Iterable[tuple[int, int]]) -> str:
    """Returns pairs of node and tasks, ascending by node, as jobs.csv has them: `16-35*2 40`."""
    spans: list[list[int]] = []
    for node, tasks in nodes:
        if spans and spans[-1][1] == node - 1 and spans[-1][2] == tasks:
            spans[-1][1] = node
        else:
            spans.append([node, node, tasks])
    return " ".join(
        (f"{first}" if first == last else f"{first}-{last}") + (f"*{tasks}" if tasks > 1 else "")
        for first, last, tasks in spans
    )
