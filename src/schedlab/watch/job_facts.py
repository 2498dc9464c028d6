"""Everything about one job, as data and in words."""

from __future__ import annotations

from typing import Any

import polars

from schedlab.analysis.amounts import amounts_per_task, node_capacities
from schedlab.clock import Clock
from schedlab.durations import duration_text
from schedlab.node_lists import parse_placement, placement_text
from schedlab.watch.moment import occupancy

MOST_GROUPS = 50
"""Groups whose nodes are listed one by one."""


def job_facts(row: dict[str, Any], run: dict[str, Any], time: float) -> dict[str, Any]:
    """Returns a job's columns and what follows from them at a time.

    Args:
        row: Its row of jobs.csv.
        run: What run.json holds.
        time: For which `state`, `waits` and `runs` are reported; what is later stays in, as the run
            that is replayed knows it.
    """
    frame = polars.DataFrame([row], schema_overrides={"nodes": polars.String})
    kinds = list(run["system"]["capacity"])
    task = amounts_per_task(frame, run).row(0, named=True)
    whole = task[kinds[0]] is None
    held = occupancy(frame, run)
    if held.is_empty():
        total = None if whole else {kind: task[kind] * row["tasks"] for kind in kinds}
    else:
        total = {kind: int(held[kind].sum()) for kind in kinds}
    start, end = row["start"], row["end"]
    state = state_at(row, time)
    began = start is not None and start <= time
    ended = end is not None and end <= time
    run_seconds = None if start is None or end is None else end - start
    return {
        **row,
        "state": state,
        "expected_end": None if start is None else start + row["estimate"],
        "waits": time - row["submit"] if state == "queued" else row["wait"] if began else None,
        "runs": time - start if began and not ended else run_seconds if ended else None,
        "run": run_seconds,
        "whole_nodes": whole,
        "each_task": None if whole else task,
        "in_all": total,
        "nodes_by_group": _by_group(held, run),
    }


def state_at(row: dict[str, Any], time: float) -> str:
    """Returns the state of a job at a time."""
    if row["submit"] > time:
        return "not submitted yet"
    if row["state"] == "rejected":
        return "rejected"
    if row["start"] is None or row["start"] > time:
        return "queued"
    if row["end"] is None or row["end"] > time:
        return "running"
    return str(row["state"])


def _by_group(held: polars.DataFrame, run: dict[str, Any]) -> dict[str, str]:
    """Returns the nodes of a job by group, in the form of jobs.csv."""
    groups: dict[str, list[tuple[int, int]]] = {}
    located = held.join(node_capacities(run).select("node", "group"), on="node", how="left")
    for node, tasks, group in located.select("node", "tasks", "group").iter_rows():
        groups.setdefault(str(group), []).append((node, tasks))
    return {group: placement_text(nodes) for group, nodes in groups.items()}


def in_words(facts: dict[str, Any], run: dict[str, Any], time: float) -> list[tuple[str, str]]:
    """Returns the facts of a job as pairs of a label and a text, in the order of its life."""
    clock = Clock.of_run(run)
    state = facts["state"]

    def moment(when: float | None) -> str:
        return "-" if when is None else f"{clock.text(when)}  ({number(when)} s)"

    def later(when: float | None, past: str, future: str) -> str:
        return past if when is not None and when <= time else future

    pairs = [
        ("state", state),
        ("user", "not known" if facts["user"] < 0 else str(facts["user"])),
        (later(facts["submit"], "submitted", "will be submitted"), moment(facts["submit"])),
    ]
    if state == "queued":
        pairs.append(("has waited", duration_text(facts["waits"])))
    if facts["start"] is not None:
        pairs.append((later(facts["start"], "started", "will start"), moment(facts["start"])))
        pairs.append((later(facts["start"], "waited", "will wait"), duration_text(facts["wait"])))
    if state == "running":
        pairs.append(("has run", duration_text(facts["runs"])))
        pairs.append(("expected end", moment(facts["expected_end"])))
    if facts["end"] is not None:
        pairs.append((later(facts["end"], "ended", "will end"), moment(facts["end"])))
        pairs.append((later(facts["end"], "ran", "will run"), duration_text(facts["run"])))
    pairs.append(("estimate", f"{duration_text(facts['estimate'])} of run time"))
    if facts["end"] is not None:
        slowdown, bounded = _ratio(facts["slowdown"]), _ratio(facts["bounded_slowdown"])
        pairs.append((later(facts["end"], "slowdown", "slowdown will be"), slowdown))
        label = later(facts["end"], "bounded slowdown", "bounded slowdown will be")
        pairs.append((label, f"{bounded} (10 s at least)"))
    pairs.append(("tasks", f"{facts['tasks']:,}"))
    each = "all of its nodes" if facts["whole_nodes"] else amounts_text(facts["each_task"])
    pairs.append(("each task takes", each))
    if facts["in_all"] is not None:
        pairs.append(("in all", amounts_text(facts["in_all"])))
    for group, nodes in list(facts["nodes_by_group"].items())[:MOST_GROUPS]:
        label = later(facts["start"], f"group {group}", f"will be in group {group}")
        pairs.append((label, nodes_text(nodes)))
    return pairs


def amounts_text(amounts: dict[str, int]) -> str:
    """Returns amounts such as `2 core, 512 mem`; those that are 0 are left out."""
    return ", ".join(f"{amount:,} {kind}" for kind, amount in amounts.items() if amount) or "-"


def nodes_text(nodes: str) -> str:
    """Returns nodes of the form of jobs.csv with their count and tasks in words."""
    count, items = 0, []
    for first, last, tasks in parse_placement(nodes):
        many = last - first + 1
        count += many
        span = f"{first}" if many == 1 else f"{first}-{last}"
        each = " each" if many > 1 else ""
        items.append(f"{span} ({tasks} tasks{each})" if tasks > 1 else span)
    return f"{count:,} node{'s' if count > 1 else ''}: {', '.join(items)}"


def number(value: float) -> str:
    """Returns a time in seconds, whole where it is."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"


def _ratio(value: float | None) -> str:
    return "none (it ran for 0 s)" if value is None else f"{value:,.2f}"
