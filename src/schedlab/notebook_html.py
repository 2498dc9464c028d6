"""Small pieces of HTML by which notebooks show results, comparisons and systems.

Loaded only when a notebook asks. The pieces need nothing from outside, and run no script.
"""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_ROWS = 40
"""Of a table; how many more there are is reported."""

_CELL = "padding:0 0.8em 0 0;vertical-align:top;white-space:pre-line;"


def block(title: str, *parts: str) -> str:
    """Returns a title and what belongs to it."""
    return f"<div><b>{escape(title)}</b>{''.join(parts)}</div>"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Returns pairs of a label and a text as a table without lines."""
    rows = "".join(
        f'<tr><td style="text-align:left;opacity:0.65;{_CELL}">{escape(label)}</td>'
        f'<td style="text-align:left;{_CELL}">{escape(text)}</td></tr>'
        for label, text in pairs
    )
    return f"<table>{rows}</table>"


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    bold: Sequence[set[int]] | None = None,
) -> str:
    """Returns a table: the first column to the left, numbers to the right.

    Args:
        heads: Titles of the columns.
        rows: Texts of the cells; at most MOST_ROWS rows are shown.
        bold: For each row, the columns whose cells stand out.
    """
    body = []
    for place, row in enumerate(rows[:MOST_ROWS]):
        cells = []
        for column, text in enumerate(row):
            side = "right" if column else "left"
            cell = escape(text)
            if bold is not None and column in bold[place]:
                cell = f"<b>{cell}</b>"
            cells.append(f'<td style="text-align:{side};{_CELL}">{cell}</td>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    titles = "".join(
        f'<th style="text-align:{"right" if column else "left"};{_CELL}">{escape(text)}</th>'
        for column, text in enumerate(heads)
    )
    more = len(rows) - MOST_ROWS
    rest = note(f"and {more:,} more") if more > 0 else ""
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(body)}</tbody></table>{rest}"


def note(text: str) -> str:
    """Returns a line in small letters."""
    return f'<div style="opacity:0.65;font-size:90%">{escape(text)}</div>'
