"""How the dispatchers of an experiment differ, with intervals, and what failed."""

from __future__ import annotations

from html import escape
from typing import Any

import polars

from schedlab.durations import duration_text
from schedlab.experiment import Comparison
from schedlab.experiment.differences import sentence

SHOWN = {"wait": "mean wait", "bounded_slowdown": "mean bounded slowdown"}
"""Columns of jobs whose differences the page shows."""

BAR_WIDTH, BAR_HEIGHT, MARGIN = 350, 18, 76
MOST_CHANGE = 1.5
"""Larger changes are drawn at the edge, with an arrow and the value: the others would be too
short to compare if they had room."""


def differences_section(comparison: Comparison | None) -> str:
    """Returns the paired differences; nothing where there is only one dispatcher."""
    if comparison is None or len(comparison.dispatchers) < 2:
        return ""
    if comparison.description["jobs"] == "none":
        return '<p class="note">Not known: the runs were simulated without their jobs.</p>'
    parts = []
    rows = comparison.differences(column=None)
    if rows.is_empty():  # only one dispatcher came to a result
        return ""
    for column, title in SHOWN.items():
        some = rows.filter(polars.col("column") == column)
        if not some.is_empty():
            parts.append(f"<h3>{title[0].upper()}{title[1:]}</h3>")
            parts.append(_table(list(some.iter_rows(named=True)), comparison))
    blocks = [
        f"{row['blocks']:,} blocks of {duration_text(row['block_seconds'])}"
        + (f" ({row['workload']} on {row['system']})" if len(comparison.inputs) > 1 else "")
        for row in rows.unique(["workload", "system"], maintain_order=True).iter_rows(named=True)
    ]
    note = (
        "Over the jobs that ran under both. Intervals of 95 % by a block bootstrap: "
        f"{rows['draws'][0]:,} draws of {escape('; '.join(blocks))} of submissions, because jobs "
        "that are submitted near each other wait for the same reasons."
    )
    return "\n".join([*parts, f'<p class="note">{note}</p>'])


def _table(rows: list[dict[str, Any]], comparison: Comparison) -> str:
    several = len(comparison.inputs) > 1
    names = ("change_low", "change_high", "change")
    largest = max((abs(row[name]) for row in rows for name in names if row[name]), default=0.0)
    largest = min(largest, MOST_CHANGE)
    lines = ['<table class="differences">']
    if largest:
        lines.append(f"<tr><td></td><td>{_scale(largest)}</td></tr>")
    for row in rows:
        text = sentence(row, comparison.labels)
        place = f"{row['workload']} on {row['system']}: " if several else ""
        lines.append(f"<tr><td>{escape(place + text)}</td><td>{_bar(row, largest)}</td></tr>")
    lines.append("</table>")
    return "\n".join(lines)


def _scale(largest: float) -> str:
    """Returns the heading of the bars: less on the left, the same, more on the right."""
    half = BAR_WIDTH / 2
    texts = [(MARGIN, f"-{largest:.0%}"), (half, "same"), (BAR_WIDTH - MARGIN, f"+{largest:.0%}")]
    words = "".join(
        f'<text x="{x}" y="13" text-anchor="middle" font-size="11" fill="#5c6672">{text}</text>'
        for x, text in texts
    )
    return f'<svg width="{BAR_WIDTH}" height="{BAR_HEIGHT}" aria-hidden="true">{words}</svg>'


def _bar(row: dict[str, Any], largest: float) -> str:
    """Returns the change and its interval as a small picture around a line at no change."""
    if row["change"] is None or not largest:
        return ""
    half, middle = BAR_WIDTH / 2, BAR_HEIGHT // 2

    def place(value: float) -> float:
        return round(half + max(-1.0, min(1.0, value / largest)) * (half - MARGIN), 1)

    low, high = row["change_low"], row["change_high"]
    colour = "#5c6672"
    if low is not None and high is not None and not low <= 0 <= high:
        colour = "#0072b2" if row["change"] < 0 else "#d55e00"
    interval = ""
    if low is not None and high is not None:
        interval = (
            f'<line x1="{place(low)}" x2="{place(high)}" y1="{middle}" y2="{middle}" '
            f'stroke="{colour}" stroke-width="3"/>'
        )
    beyond = [value for value in (low, high, row["change"]) if value is not None]
    arrows = "".join(
        _arrow(place(most), middle, row["change"] if abs(row["change"]) > largest else most, colour)
        for most in {max(beyond), min(beyond)}
        if abs(most) > largest
    )
    mean = f'<circle cx="{place(row["change"])}" cy="{middle}" r="4.5" fill="{colour}"/>'
    return (
        f'<svg width="{BAR_WIDTH}" height="{BAR_HEIGHT}" role="img" '
        f'aria-label="{100 * row["change"]:+.1f} %">'
        f'<line x1="{half}" x2="{half}" y1="0" y2="{BAR_HEIGHT}" stroke="#b8c0c8"/>{interval}'
        f"{'' if abs(row['change']) > largest else mean}{arrows}</svg>"
    )


def _arrow(edge: float, middle: int, value: float, colour: str) -> str:
    """Returns the mark of what continues beyond the edge, and how far that is."""
    side = 1 if value > 0 else -1
    tip = edge + 9 * side
    anchor = "start" if side > 0 else "end"
    return (
        f'<path class="beyond" d="M{edge} {middle - 6}L{tip} {middle}L{edge} {middle + 6}z" '
        f'fill="{colour}"/><text x="{tip + 3 * side}" y="{middle + 4}" text-anchor="{anchor}" '
        f'font-size="11" fill="{colour}">{_percent(value)}</text>'
    )


def _percent(change: float) -> str:
    """Returns a change in at most seven signs: +340 %, +12k %."""
    percent = 100 * change
    for size, unit in ((1e6, "M"), (1e4, "k")):
        if abs(percent) >= size:
            return f"{percent / (1000 if unit == 'k' else 1e6):+,.3g}{unit} %"
    return f"{percent:+,.0f} %"


def failures_section(comparison: Comparison | None) -> str:
    """Returns which runs failed, and why; nothing where none did."""
    if comparison is None or not comparison.failures:
        return ""
    items = "".join(
        f"<li><b>{escape(name)}</b>: {escape(reason)}</li>" for name, reason in comparison.failures
    )
    return f'<div class="failed"><ul>{items}</ul></div>'
