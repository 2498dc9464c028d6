"""What was run: machines, workloads, options, versions and checksums, as tables of the page."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from html import escape
from typing import Any

import schedlab
from schedlab import _engine
from schedlab.analysis.groups import RunGroup
from schedlab.durations import duration_text
from schedlab.options import DEFAULTS
from schedlab.results.checksums import conditions_checksums

Rows = list[tuple[str, str]]

HEADER_FIELDS = ("Computer", "Installation", "UnixStartTime", "MaxNodes", "MaxProcs", "Version")
"""Fields of an SWF header that say what a trace is."""


def facts(groups: Sequence[RunGroup]) -> str:
    """Returns the tables, each machine and each workload once."""
    runs = [result.run for group in groups for result in group.results]
    parts = [
        _table(f"Machine: {run['system']['name'] or 'unnamed'}", _machine(run))
        for run in _different(runs, "system")
    ]
    for run in _different(runs, "workload"):
        name = os.path.basename(run["workload"]["path"] or "jobs from Python")
        parts.append(_table(f"Workload: {name}", _workload(run)))
    parts.append(_table("Options", _options(runs)))
    parts.append(_table("Versions", _versions(runs)))
    return "\n".join(parts)


def _different(runs: list[dict[str, Any]], part: str) -> list[dict[str, Any]]:
    """Returns one run for each machine or workload."""
    seen: dict[object, dict[str, Any]] = {}
    for run in runs:
        key = (run[part]["path"], run[part].get("checksum"), run[part].get("name"))
        seen.setdefault(key, run)
    return list(seen.values())


def _machine(run: dict[str, Any]) -> Rows:
    system = run["system"]
    groups = [
        f"{name}: {group['nodes']:,} nodes of " + _amounts(group["resources"])
        for name, group in system["groups"].items()
    ]
    return [
        ("nodes", f"{system['nodes']:,}"),
        ("in all", _amounts(system["capacity"])),
        ("groups", "; ".join(groups)),
        ("one processor takes", _amounts(system["processor"])),
        ("file", system["path"] or "none: run.json describes it"),
        ("checksum", f"{system['checksum']} (XXH64 of the definition)"),
    ]


def _workload(run: dict[str, Any]) -> Rows:
    workload, times = run["workload"], run["time"]
    rows = [
        ("jobs", f"{run['counts']['submitted']:,} of {workload['rows']:,} rows"),
        ("file", workload["path"] or "given in Python"),
    ]
    if workload.get("checksum"):
        rows.append(("checksum", f"{workload['checksum']} (XXH64 of the content)"))
    if times["first_submit"] is not None and times["last_end"] is not None:
        rows.append(("time", duration_text(times["last_end"] - times["first_submit"])))
    own = [name for name in ("reader", "job_factory") if workload.get(name)]
    rows += [(name.replace("_", " "), workload[name]) for name in own]
    rows += [
        ("skipped", f"{skipped['rows']:,} rows: {reason}")
        for reason, skipped in workload["skipped"].items()
    ]
    header = workload["header"]
    rows += [(name, str(header[name])) for name in HEADER_FIELDS if header.get(name)]
    return rows


def _options(runs: list[dict[str, Any]]) -> Rows:
    """Returns every option, with all its values where runs differ."""
    rows: Rows = []
    rules = sorted({run["rules"] for run in runs if run["rules"]})
    if rules:
        rows.append(("rules", ", ".join(rules)))
    for name in runs[0]["options"]:
        values = list(dict.fromkeys(str(run["options"].get(name)) for run in runs))
        text = ", ".join(values) if len(values) <= 4 else f"{values[0]} to {values[-1]}"
        changed = name in DEFAULTS and values != [str(DEFAULTS[name])]
        rows.append((name.replace("_", " ") + (" *" if changed else ""), text))
    for name in ("windows", "queues", "data"):
        if any(run[name] for run in runs):
            rows.append((name, "; ".join(map(str, runs[0][name]))))
    if runs[0].get("conditions"):
        rows.append(("conditions", runs[0]["conditions"]["text"]))
        for place, checksum in conditions_checksums(runs[0]["conditions"]).items():
            name = place.partition(".")[2]
            rows.append((f"checksum of {name}", f"{checksum} (XXH64 of times and values)"))
    return rows


def _versions(runs: list[dict[str, Any]]) -> Rows:
    return [
        ("schedlab", ", ".join(sorted({run["schedlab"] for run in runs}))),
        ("engine", f"{_engine.compiler}, {_engine.build_type}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("this page", f"written by schedlab {schedlab.__version__}"),
    ]


def _amounts(resources: dict[str, int]) -> str:
    return ", ".join(f"{amount:,} {kind}" for kind, amount in resources.items()) or "nothing"


def _table(title: str, rows: Rows) -> str:
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>'
        for name, text in rows
    )
    return f'<section class="facts"><h3>{escape(title)}</h3><table>{body}</table></section>'
