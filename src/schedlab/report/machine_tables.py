"""What became of the machine: energy by what it went into, caps, failures, heat."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from schedlab.analysis.groups import RunGroup
from schedlab.analysis.plots.runs.energy import ENERGY, NODE_HOURS
from schedlab.durations import duration_text
from schedlab.results.measures import MEASURES
from schedlab.units import energy_text, power_text

Value = Callable[[dict[str, Any]], float | None]
Columns = list[tuple[str, Value, Callable[[float], str]]]

BY_NAME = {measure.name: measure for measure in MEASURES}


def machine_section(groups: Sequence[RunGroup], pictures: str) -> str:
    """Returns tables of energy, caps, failures and heat with their figures; nothing without."""
    tables = [
        ("Energy", _energy_columns(groups)),
        ("Power caps", _cap_columns(groups)),
        ("Node-hours", _failure_columns(groups)),
        ("Heat", _measures("hottest", "throttled_node_hours", "cooling_kwh")),
    ]
    parts = [_table(title, columns, groups) for title, columns in tables]
    return "\n".join([part for part in (*parts, pictures) if part])


def _energy_columns(groups: Sequence[RunGroup]) -> Columns:
    shown = [
        name
        for name in ENERGY
        if any((_part("energy", name)(run) or 0) > 0 for run in _runs(groups))
    ]
    columns: Columns = [(ENERGY[name].label, _part("energy", name), energy_text) for name in shown]
    names = ("energy_kwh", "average_power", "peak_power", "energy_delay_product", "cost")
    return [*columns, *_measures(*names, "carbon_kg")]


def _cap_columns(groups: Sequence[RunGroup]) -> Columns:
    most = max((len(_caps(run)) for run in _runs(groups)), default=0)
    columns: Columns = []
    for place in range(most):
        label = f"cap {place + 1}: " if most > 1 else ""
        columns += [
            (f"{label}starts refused", _cap(place, "refused_starts"), "{:,.0f}".format),
            (f"{label}slowed for", _cap(place, "seconds_slowed"), duration_text),
            (f"{label}exceeded for", _cap(place, "seconds_above"), duration_text),
            (f"{label}at most by", _cap(place, "most_above"), power_text),
            (f"{label}energy above", _cap(place, "energy_above"), energy_text),
        ]
    return columns


def _failure_columns(groups: Sequence[RunGroup]) -> Columns:
    hours: Columns = [
        (part.label, _part("node_hours", name), "{:,.1f}".format)
        for name, part in NODE_HOURS.items()
    ]
    counts: Columns = [
        (label, _part("failures", name), "{:,.0f}".format)
        for name, label in (
            ("node_failures", "failures of nodes"),
            ("interruptions", "interruptions"),
            ("interrupted_jobs", "jobs interrupted"),
            ("given_up", "jobs given up"),
        )
    ]
    ended = _measures("requeued", "cancelled")
    return [*hours, *counts, *ended, *_measures("effective_utilization")]


def _measures(*names: str) -> Columns:
    return [(BY_NAME[name].title, BY_NAME[name].value, BY_NAME[name].text) for name in names]


def _runs(groups: Sequence[RunGroup]) -> list[dict[str, Any]]:
    return [result.run for group in groups for result in group.results]


def _part(metric: str, part: str) -> Value:
    return lambda run: (run["metrics"].get(metric) or {}).get(part)


def _caps(run: dict[str, Any]) -> list[dict[str, Any]]:
    caps: list[dict[str, Any]] = (run["metrics"].get("energy") or {}).get("caps") or []
    return caps


def _cap(place: int, key: str) -> Value:
    return lambda run: _caps(run)[place][key] if place < len(_caps(run)) else None


def _table(title: str, columns: Columns, groups: Sequence[RunGroup]) -> str:
    """Returns means over repetitions; nothing where no run has any of the numbers."""
    shown = [column for column in columns if any(column[1](r) is not None for r in _runs(groups))]
    if not shown:
        return ""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name, _, _ in shown)
    lines = []
    for group in groups:
        cells = [_cell(group, value, text) for _, value, text in shown]
        lines.append(f'<tr><th scope="row">{escape(group.label)}</th>{"".join(cells)}</tr>')
    body = "\n".join(lines)
    return (
        f'<h3>{escape(title)}</h3>\n<div class="scroll"><table class="numbers"><thead><tr>'
        f'<th scope="col">dispatcher</th>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'
        "</div>"
    )


def _cell(group: RunGroup, value: Value, text: Callable[[float], str]) -> str:
    found = [one for one in (value(result.run) for result in group.results) if one is not None]
    return f"<td>{escape(text(statistics.fmean(found)))}</td>" if found else "<td>-</td>"
