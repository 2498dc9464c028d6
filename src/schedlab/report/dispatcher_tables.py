"""The numbers of the report: metrics of each dispatcher, the best marked."""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

from schedlab.analysis.groups import RunGroup
from schedlab.durations import duration_text
from schedlab.results.measures import measures_of

OF_JOBS = 8
"""Columns about waits and slowdowns, which come first and have a table of their own."""

OF_MACHINE = ("energy_kwh", "lost_node_hours", "effective_utilization")
"""Measures of energy and failures that stand beside waits; a section of their own has all."""


class MetricColumn(NamedTuple):
    """A column of the table of metrics.

    Attributes:
        title: What stands above it.
        value: Takes it from what run.json holds; None where there is none.
        text: Writes it for people.
        best: Which value is best; None where none is better than another.
    """

    title: str
    value: Callable[[dict[str, Any]], float | None]
    text: Callable[[float], str]
    best: Callable[[list[float]], float] | None


def columns_for(groups: Sequence[RunGroup]) -> list[MetricColumn]:
    """Returns the columns that say something about these runs."""
    runs = [result.run for group in groups for result in group.results]
    kinds = list(dict.fromkeys(kind for run in runs for kind in run["system"]["capacity"]))
    columns = [
        MetricColumn("mean wait", _metric("wait", "mean"), duration_text, min),
        MetricColumn("median wait", _metric("wait", "median"), duration_text, min),
        MetricColumn("95 % wait", _metric("wait", "p95"), duration_text, min),
        MetricColumn("max wait", _metric("wait", "max"), duration_text, min),
        MetricColumn("mean slowdown", _metric("slowdown", "mean"), _number, min),
        MetricColumn("mean bounded slowdown", _metric("bounded_slowdown", "mean"), _number, min),
        MetricColumn(
            "median bounded slowdown", _metric("bounded_slowdown", "median"), _number, min
        ),
        MetricColumn("max bounded slowdown", _metric("bounded_slowdown", "max"), _number, min),
    ]
    columns += [
        MetricColumn(f"{kind} utilization", _utilization(kind), "{:.1%}".format, max)
        for kind in kinds
        if any(run["metrics"]["utilization"].get(kind) for run in runs)
    ]
    columns += [
        MetricColumn("makespan", lambda run: run["metrics"]["makespan"], duration_text, min),
        MetricColumn(
            "CPU seconds", lambda run: run["simulator"]["cpu_seconds"], "{:.3f}".format, min
        ),
    ]
    columns[-1:-1] = [
        MetricColumn(one.title, one.value, one.text, one.best)
        for one in measures_of(runs)
        if one.name in OF_MACHINE
    ]
    for state in ("killed", "rejected"):
        if any(run["counts"][state] for run in runs):
            columns.append(MetricColumn(f"jobs {state}", _count(state), "{:,.0f}".format, None))
    return columns


def metrics_tables(groups: Sequence[RunGroup]) -> str:
    """Returns a table of metrics for each workload and system: the best is the best of one."""
    inputs = by_inputs(groups)
    tables = []
    for name, some in inputs.items():
        tables += [f"<h3>{escape(name)}</h3>"] if len(inputs) > 1 else []
        columns = columns_for(some)
        # In one table they would be too wide for a page.
        for part in (columns[:OF_JOBS], columns[OF_JOBS:]):
            tables.append(f'<div class="scroll">{_table(some, part)}</div>')
    return "\n".join(tables)


def by_inputs(groups: Sequence[RunGroup]) -> dict[str, list[RunGroup]]:
    """Returns the groups of each workload and system, under a text that names both."""
    inputs: dict[str, list[RunGroup]] = {}
    for group in groups:
        run = group.results[0].run
        workload = os.path.basename(run["workload"]["path"] or "jobs from Python")
        key = f"{workload} on {run['system']['path'] or run['system']['name']}"
        inputs.setdefault(key, []).append(group)
    return inputs


def _table(groups: Sequence[RunGroup], columns: Sequence[MetricColumn]) -> str:
    """Returns means over repetitions, with deviations where they differ."""
    cells = [[_values(column, group) for column in columns] for group in groups]
    means = [[_mean(values) for values in row] for row in cells]
    whole = [all(one.run["status"] == "complete" for one in group.results) for group in groups]
    comparable = [row for row, is_whole in zip(means, whole, strict=True) if is_whole]
    best = [_best(column, [row[i] for row in comparable]) for i, column in enumerate(columns)]
    heads = "".join(f'<th scope="col">{escape(column.title)}</th>' for column in columns)
    lines = [
        f'<table class="numbers"><thead><tr><th scope="col">dispatcher</th>{heads}</tr></thead>'
    ]
    lines.append("<tbody>")
    for group, values, row, is_whole in zip(groups, cells, means, whole, strict=True):
        texts = [
            _cell(column, one, mean, is_whole and mean is not None and mean == best[i])
            for i, (column, one, mean) in enumerate(zip(columns, values, row, strict=True))
        ]
        lines.append(f'<tr><th scope="row">{escape(group.label)}</th>{"".join(texts)}</tr>')
    lines.append("</tbody></table>")
    return "\n".join(lines)


def _cell(column: MetricColumn, values: list[float], mean: float | None, best: bool) -> str:
    if mean is None:
        return "<td>-</td>"
    text = escape(column.text(mean))
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    if deviation > 0 and not math.isclose(mean + deviation, mean, rel_tol=5e-4):
        text += f' <span class="deviation">± {escape(column.text(deviation))}</span>'
    star = '<span class="star" title="best of the column">★</span> '
    return f'<td class="best">{star}{text}</td>' if best else f"<td>{text}</td>"


def _values(column: MetricColumn, group: RunGroup) -> list[float]:
    found = [column.value(result.run) for result in group.results]
    return [value for value in found if value is not None]


def _mean(values: list[float]) -> float | None:
    return statistics.fmean(values) if values else None


def _best(column: MetricColumn, means: list[float | None]) -> float | None:
    """Returns the best value of a column; None where all are the same."""
    there = [value for value in means if value is not None]
    if column.best is None or len(set(there)) < 2:
        return None
    return column.best(there)


def _metric(name: str, part: str) -> Callable[[dict[str, Any]], float | None]:
    def value(run: dict[str, Any]) -> float | None:
        found = run["metrics"][name]
        return None if found is None else found[part]

    return value


def _utilization(kind: str) -> Callable[[dict[str, Any]], float | None]:
    return lambda run: run["metrics"]["utilization"].get(kind)


def _count(state: str) -> Callable[[dict[str, Any]], float | None]:
    return lambda run: run["counts"][state]


def _number(value: float) -> str:
    return f"{value:,.1f}" if value < 1e6 else f"{value:.3g}"
