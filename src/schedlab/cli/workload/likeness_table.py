"""A comparison of workloads as lines of a terminal; numbers never break."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from schedlab.likeness.quantities import quantities, value_text

if TYPE_CHECKING:
    from rich.text import Text

    from schedlab.likeness import Likeness

GAP = 2
LONGEST_NAME = 18
"""Of a workload on one line of the heading."""


class _WorkloadColumn(NamedTuple):
    """A workload: the lines of its name, its cells, and how wide they are."""

    name: list[str]
    cells: list[str]
    width: int


def table_lines(likeness: Likeness, width: int) -> Iterator[Text]:
    """Yields the lines of the table, or of several with the real workload in each.

    Args:
        likeness: What was compared.
        width: Of the terminal, in characters; a table of two workloads may need more.
    """
    rows = quantities(likeness.workloads)
    columns = []
    for label, facts in zip(likeness.labels, likeness.workloads, strict=True):
        cells = [value_text(row.value(facts), row.unit) for row in rows]
        name = wrap(label, LONGEST_NAME, break_on_hyphens=True) or [label]
        columns.append(_WorkloadColumn(name, cells, max(map(len, (*cells, *name)))))
    first = max(len(row.label) for row in rows) + 2
    real, *others = columns
    while others:
        room = width - first - real.width - GAP
        count = 0
        while count < len(others) and room >= (needed := others[count].width + GAP):
            room -= needed
            count += 1
        shown, others = others[: max(1, count)], others[max(1, count) :]
        yield from _lines(first, [real, *shown], [(row.section, row.label) for row in rows])


def _lines(
    first: int, columns: list[_WorkloadColumn], rows: list[tuple[str, str]]
) -> Iterator[Text]:
    from rich.text import Text

    height = max(len(column.name) for column in columns)
    heads = [[""] * (height - len(column.name)) + column.name for column in columns]
    for parts in zip_longest(*heads, fillvalue=""):
        yield Text(_line(first, "", columns, parts), "bold")
    section = ""
    for place, (part, label) in enumerate(rows):
        if part != section:
            section = part
            yield Text()
            yield Text(section, "bold cyan")
        cells = tuple(column.cells[place] for column in columns)
        marked = label == "KS distance" or "points" in label
        yield Text(_line(first, f"  {label}", columns, cells), "bold" if marked else "")
    yield Text()


def _line(first: int, label: str, columns: list[_WorkloadColumn], cells: tuple[str, ...]) -> str:
    texts = (cell.rjust(column.width) for cell, column in zip(cells, columns, strict=True))
    gap = " " * GAP
    return (label.ljust(first) + gap + gap.join(texts)).rstrip()
