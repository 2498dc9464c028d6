"""What is said of a run whose numbers can hardly be meant: a machine that is not the workload's."""

from __future__ import annotations

from schedlab.job_states import RAN

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system import System

FAR = 1.5
"""Processors of a machine against those of a workload's header: from this factor on they differ."""

LITTLE_USE = 0.05
FEWEST_JOBS = 100
"""Fewer jobs say nothing of how large a machine should be."""

REASONS = {
    "task-too-large": "a task does not fit a node",
    "too-large": "larger than the machine",
    "no-partition": "the system has no such partition",
    "partition-limit": "beyond a limit of their partition",
    "no-node": "no node that they may use has what they need",
    "no-queue": "no queue admits them",
    "licenses": "the system never has the licenses that they take",
    "power-cap": "no power cap ever allows them",
    "predecessor": "a job that they wait for was rejected or given up",
    "scheduler": "rejected by the scheduler",
}
"""Why jobs are rejected, by the word that jobs.csv has."""


def sizes_notice(header: dict[str, str], system: System, options: dict[str, Any]) -> str | None:
    """Returns what is wrong between a workload's header and the machine; None: they fit together.

    Args:
        header: Fields of the header, of which MaxProcs counts, or else MaxNodes.
        system: The machine.
        options: Of the run: `tasks_per_node` bounds how many processors a node has.
    """
    known = {name: text for name in ("MaxProcs", "MaxNodes") if (text := header.get(name))}
    if not known:
        return None
    from schedlab.workload.header import leading_number

    numbers = {name: n for name, text in known.items() if (n := leading_number(text)) is not None}
    if not numbers:
        return None
    processors = _processors(system, options["tasks_per_node"])
    name, stated = next(iter(numbers.items()))
    near = [processors] if name == "MaxProcs" else [processors, system.nodes]
    if any(max(stated, one) < FAR * min(stated, one) for one in near):
        return None
    text = (
        f"the workload's header has {name} {stated:,}, and the system has {processors:,} "
        f"processors on {system.nodes:,} nodes"
    )
    if stated == system.nodes:
        return (
            f"{text}: sizes of jobs are perhaps in nodes; then give --tasks-per-node 1 "
            "--whole-nodes (tasks_per_node=1, whole_nodes=True)"
        )
    return f"{text}: perhaps it is another machine, or counts something else as a processor"


def _processors(system: System, tasks_per_node: int | None) -> int:
    """Returns how many tasks of one processor the machine has room for."""
    found = 0
    for group in system.groups:
        rooms = [
            group.resources.get(kind, 0) // amount
            for kind, amount in system.processor.items()
            if amount
        ]
        found += group.nodes * min([*rooms, *([tasks_per_node] if tasks_per_node else [])])
    return found


def use_notice(run: dict[str, Any]) -> str | None:
    """Returns what is said of a machine that is far larger than the workload needs."""
    counts, wait = run["counts"], run["metrics"]["wait"]
    ran = sum([counts[state] for state in RAN])
    use = max(run["metrics"]["utilization"].values(), default=1.0)
    if ran < FEWEST_JOBS or counts["rejected"] * 10 > counts["submitted"] or wait is None:
        return None
    if not 0 < use < LITTLE_USE or wait["p95"] > 0 or wait["mean"] >= 1:
        return None
    capacity = ", ".join(f"{amount:,} {kind}" for kind, amount in run["system"]["capacity"].items())
    return (
        f"utilization is {use:.1%} and hardly any job waits: the machine ({capacity}) is probably "
        "far larger than the one that the workload was made for"
    )


def rejection_lines(run: dict[str, Any]) -> list[str]:
    """Returns why jobs were rejected, a line for each reason; of old run folders nothing."""
    submitted = run["counts"]["submitted"]
    lines = []
    for reason, of in run.get("rejections", {}).items():
        what = REASONS.get(reason, reason)
        line = f"{of['jobs']:,} of {submitted:,} jobs ({reason}): {what}"
        own = "" if reason in ("scheduler", "no-queue", "predecessor") else f": {of['because']}"
        lines.append(f"{line}; the first is job {of['first_job']}{own}")
    return lines


def doubts(run: dict[str, Any]) -> list[str]:
    """Returns what is doubtful in a run, and why jobs were rejected, a text each."""
    failed = [f"failed: {run['error']}"] if run.get("error") else []
    rejected = (f"rejected: {line}" for line in rejection_lines(run))
    return [*failed, *run.get("warnings", ()), *rejected]
