"""A comparison at a glance: a row per dispatcher, and which is the best of each column."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from schedlab.durations import duration_text
from schedlab.results.measures import MEASURES

if TYPE_CHECKING:
    from schedlab.experiment.comparison import Comparison


class OverviewColumn(NamedTuple):
    """A column of the table: where its value is, how people read it, and which is best."""

    title: str
    key: str
    text: Callable[[float], str]
    best: Callable[[list[float]], float] | None


COLUMNS = (
    OverviewColumn("mean wait", "wait_mean", duration_text, min),
    OverviewColumn("median wait", "wait_median", duration_text, min),
    OverviewColumn("mean bounded slowdown", "bounded_slowdown_mean", "{:,.1f}".format, min),
    OverviewColumn("utilization", "utilization", "{:.1%}".format, max),
    OverviewColumn("CPU seconds", "cpu_seconds", "{:.4f}".format, min),
)

ENERGY = {
    "energy_kwh": "energy",
    "average_power": "average power",
    "energy_delay_product": "energy-delay product",
    "cost": "cost",
    "carbon_kg": "CO₂",
}
FAILURES = {
    "interruptions": "interruptions",
    "requeued": "requeued",
    "cancelled": "cancelled",
    "lost_node_hours": "node-hours lost",
    "effective_utilization": "effective utilization",
}
"""Measures that only some runs have, and what a narrow column calls them."""

MOST_INPUTS = 6
"""Pairs of workload and system that a notebook shows."""

Rows = dict[str, list[float | None]]


def tables_of(comparison: Comparison) -> list[list[OverviewColumn]]:
    """Returns the columns of each table: one for all runs, others where there are such numbers.

    In a single one they would be too wide for a terminal.
    """
    known = comparison.summary
    more = [
        [
            OverviewColumn(shown[one.name], one.name, one.text, one.best)
            for one in MEASURES
            if one.name in shown and one.name in known.columns and known[one.name].count()
        ]
        for shown in (ENERGY, FAILURES)
    ]
    return [list(COLUMNS), *(columns for columns in more if columns)]


def table_rows(
    comparison: Comparison, workload: str, system: str, columns: list[OverviewColumn]
) -> Rows:
    """Returns the values of columns by dispatcher: means over the repetitions."""
    numbers: dict[str, dict[str, float | None]] = {}
    for frame in (comparison.summary, comparison.timing_summary):
        for row in frame.iter_rows(named=True):
            if (row["workload"], row["system"]) == (workload, system):
                numbers.setdefault(comparison.labels[row["dispatcher"]], {}).update(row)
    for row in numbers.values():
        row["utilization"] = _utilization(row)
    return {name: [row.get(column.key) for column in columns] for name, row in numbers.items()}


def _utilization(row: dict[str, float | None]) -> float | None:
    """Returns the utilization of cores, or of whatever the machine has first."""
    used = [name for name in row if name.startswith("utilization_") and "deviation" not in name]
    known = [name for name in used if row[name] is not None]
    name = "utilization_core" if "utilization_core" in known else next(iter(known), None)
    return None if name is None else row[name]


def best_rows(rows: Rows, columns: list[OverviewColumn]) -> list[set[str]]:
    """Returns for each column the dispatchers that are best in it, ties included.

    None is best where all are the same.
    """
    winners: list[set[str]] = []
    for i, column in enumerate(columns):
        values = [row[i] for row in rows.values()]
        known = [value for value in values if value is not None]
        best = column.best(known) if column.best and len(set(known)) > 1 else None
        winners.append({name for name, row in rows.items() if row[i] == best is not None})
    return winners


def as_html(comparison: Comparison) -> str:
    """Returns the tables as a piece of HTML, for notebooks."""
    from schedlab import notebook_html

    parts = []
    several = len(comparison.inputs) > 1
    for workload, system in comparison.inputs[:MOST_INPUTS]:
        if several:
            parts.append(notebook_html.note(f"{workload} on {system}"))
        for columns in tables_of(comparison):
            rows = table_rows(comparison, workload, system, columns)
            best = best_rows(rows, columns)
            texts = []
            for name, row in rows.items():
                pairs = zip(columns, row, strict=True)
                texts.append([name, *("-" if v is None else c.text(v) for c, v in pairs)])
            bold = [{i + 1 for i, names in enumerate(best) if name in names} for name in rows]
            heads = ("dispatcher", *(column.title for column in columns))
            if rows:
                parts.append(notebook_html.table(heads, texts, bold))
    if len(comparison.inputs) > MOST_INPUTS:
        more = len(comparison.inputs) - MOST_INPUTS
        parts.append(notebook_html.note(f"and {more:,} more pairs of workload and system"))
    parts += [notebook_html.note(f"failed: {run}: {why}") for run, why in comparison.failures[:3]]
    runs = len(comparison.description["runs"])
    title = f"{runs:,} run{'' if runs == 1 else 's'}, {comparison.status}"
    folder = f"folder: {comparison.path}"
    return notebook_html.block(title, *parts, notebook_html.note(folder))
