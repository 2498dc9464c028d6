"""Accounting of a schedule: from the rows of jobs.csv and the workload alone.

Nothing here asks the engine. Times are whole nanoseconds, as in the files.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from schedlab import _engine
from schedlab.conditions import load_conditions
from schedlab.errors import InputError
from schedlab.node_lists import parse_placement
from schedlab.system import load_system
from schedlab.system.features import Constraint, group_features, nodes_that_have
from schedlab.testing.report import DOWN, ENDS, LENGTH, ORDER, ROOM, WINDOWS
from schedlab.workload.licenses import asked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedlab.system import System
    from schedlab.system.windows import Window
    from schedlab.testing.scenarios import Scenario
    from schedlab.workload import Job

SECOND = 1_000_000_000
RULES = (ENDS, ORDER, LENGTH, ROOM, WINDOWS)


class BrokenRule(Exception):  # noqa: N818 - becomes a ConformanceError where the scenario is known
    """A rule and what was found instead."""

    def __init__(self, rule: str, found: str) -> None:
        super().__init__(rule, found)
        self.rule = rule
        self.found = found


class ScheduleRow(NamedTuple):
    """A row of jobs.csv; times in nanoseconds, None of a job that did not run."""

    id: int
    start: int | None
    end: int | None
    state: str
    tasks: int
    estimate: int
    nodes: dict[int, int]
    reason: str


def nanoseconds(seconds: float | str) -> int:
    return int(Decimal(str(seconds)) * SECOND)


def read_rows(text: str) -> list[ScheduleRow]:
    """Returns the rows of a jobs.csv without its heading."""
    rows = []
    for line in text.splitlines():
        job, _user, _submit, start, end, state, tasks, estimate, nodes, *more = line.split(",")
        rows.append(
            ScheduleRow(
                int(job),
                nanoseconds(start) if start else None,
                nanoseconds(end) if end else None,
                state,
                int(tasks),
                nanoseconds(estimate),
                expand(nodes),
                more[4],
            )
        )
    return rows


def expand(nodes: str) -> dict[int, int]:
    """Returns the tasks on each node of a text such as `16-35*2 40`."""
    return {
        node: tasks
        for first, last, tasks in parse_placement(nodes)
        for node in range(first, last + 1)
    }


def check_schedule(
    scenario: Scenario, rows: list[ScheduleRow], may_wait: Iterable[int] = ()
) -> None:
    """Raises BrokenRule unless the rows are a right schedule of the scenario's jobs.

    Args:
        scenario: What was simulated.
        rows: A row for each job.
        may_wait: Jobs that need no row.
    """
    jobs = {job.id: job for job in scenario.jobs}
    missing = jobs.keys() - {row.id for row in rows} - set(may_wait)
    if missing or len(rows) != len({row.id for row in rows}):
        raise BrokenRule(ENDS, f"jobs without a row: {sorted(missing)[:10]}")
    system = load_system(scenario.system)
    ran = [(jobs[row.id], row, row.start, row.end) for row in rows if row.start is not None]
    ends = {job.id: end for job, _, _, end in ran if end is not None}
    limited = bool(scenario.options.get("enforce_limits"))
    down, resumes = _failures(scenario)
    for job, row, start, end in ran:
        if start is None or end is None:
            raise BrokenRule(ENDS, f"job {job.id} started at {row.start} and has no end")
        _check_times(job, start, end, ends)
        cut_off = row.state == "failed" or row.reason == "cancelled"
        if not cut_off and not resumes:  # else an attempt is shorter than the job
            _check_length(job, end - start, limited)
        _check_tasks(job, row, system)
        _check_down(job, row, start, end, down)
        for window in scenario.windows:
            _check_window(job, row, start, window, system)
    _check_room([(job, row.nodes, start, end) for job, row, start, end in ran], system)  # type: ignore[misc]
    _check_licenses([(job, start, end) for job, _, start, end in ran], system)  # type: ignore[misc]


def _failures(scenario: Scenario) -> tuple[list[tuple[int, int, int]], bool]:
    """Returns when which node is down, by the trace, and whether jobs resume from checkpoints."""
    given = scenario.options.get("conditions")
    if given is None:
        return [], False
    conditions = load_conditions(given)
    again, trace = conditions.resubmission, conditions.failure_trace
    outages = () if trace is None else trace.outages
    down = [(node, nanoseconds(start), nanoseconds(end)) for node, start, end in outages]
    return down, again is not None and again.from_ == "checkpoint"


def _check_down(
    job: Job, row: ScheduleRow, start: int, end: int, down: list[tuple[int, int, int]]
) -> None:
    for node, since, until in down:
        if node in row.nodes and start < until and since < end:
            raise BrokenRule(
                DOWN,
                f"job {job.id} runs from {start} to {end} ns on node {node}, which is down from "
                f"{since} to {until} ns",
            )


def _check_times(job: Job, start: int, end: int, ends: dict[int, int]) -> None:
    if start < nanoseconds(job.submit):
        raise BrokenRule(ORDER, f"job {job.id}, submitted at {job.submit}, starts at {start} ns")
    for other in job.predecessors:
        if other in ends and start < ends[other] + nanoseconds(job.think):
            raise BrokenRule(
                ORDER, f"job {job.id} starts at {start} ns, job {other} ends at {ends[other]} ns"
            )


def _check_length(job: Job, taken: int, limited: bool) -> None:
    length = nanoseconds(job.run)
    if limited and job.requested_time is not None:
        length = min(length, nanoseconds(job.requested_time))
    if taken != length:
        raise BrokenRule(LENGTH, f"job {job.id} runs for {taken} ns, not for {length} ns")


def _check_tasks(job: Job, row: ScheduleRow, system: System) -> None:
    placed = sum(row.nodes.values())
    most = max(row.nodes.values())
    if placed != job.processors or most > (job.tasks_per_node or most):
        limit = f", at most {job.tasks_per_node} on a node" if job.tasks_per_node else ""
        raise BrokenRule(
            ROOM, f"job {job.id} has {job.processors} tasks{limit}, and runs on {row.nodes}"
        )
    if max(row.nodes) >= system.nodes:
        raise BrokenRule(ROOM, f"job {job.id} runs on node {max(row.nodes)}, which there is not")
    named = (job.partition or system.default_partition or "").split(",")
    wrong = min((row.nodes.keys() - _nodes_for(job, one, system) for one in named), key=len)
    if wrong:
        raise BrokenRule(ROOM, f"job {job.id} runs on nodes {sorted(wrong)}, which it may not use")


def _nodes_for(job: Job, named: str, system: System) -> set[int]:
    """Returns the nodes that are in a partition, or all, and have what the job needs."""
    ranges = [(0, system.nodes)]
    for partition in system.partitions:
        if partition.name == named.strip():
            ranges = partition.ranges(system)
    nodes = {node for first, count in ranges for node in range(first, first + count)}
    if job.needs is not None and any(group_features(system)):
        having = nodes_that_have(Constraint(job.needs), system)
        nodes &= {node for first, count in having for node in range(first, first + count)}
    return nodes


def _check_room(ran: list[tuple[Job, dict[int, int], int, int]], system: System) -> None:
    """No node ever gives more than it has, and whole nodes are shared with nobody."""
    capacity = [group.resources for group in system.groups for _ in range(group.nodes)]
    changes = []
    for job, nodes, start, end in ran:
        if start < end:  # one of length zero gives back at once what it takes
            changes += [(end, 0, job, nodes), (start, 1, job, nodes)]
    used = [dict.fromkeys(system.resource_types, 0) for _ in capacity]
    jobs_on: list[set[int]] = [set() for _ in capacity]
    whole: list[set[int]] = [set() for _ in capacity]
    for time, starts, job, nodes in sorted(changes, key=lambda change: change[:2]):
        request = job.resources or system.processor
        for node, tasks in nodes.items():
            change = set.add if starts else set.discard
            change(jobs_on[node], job.id)
            if job.whole_nodes:
                change(whole[node], job.id)
            if whole[node] and len(jobs_on[node]) > 1:
                jobs = sorted(jobs_on[node])
                raise BrokenRule(ROOM, f"at {time} ns jobs {jobs} share node {node}, taken whole")
            for kind, amount in request.items():
                used[node][kind] += amount * tasks * (1 if starts else -1)
                if used[node][kind] > capacity[node].get(kind, 0):
                    raise BrokenRule(
                        ROOM,
                        f"at {time} ns node {node} gives {used[node][kind]} {kind} of "
                        f"{capacity[node].get(kind, 0)}, to jobs {sorted(jobs_on[node])}",
                    )


def _check_licenses(ran: list[tuple[Job, int, int]], system: System) -> None:
    """Never are more licenses taken than there are."""
    asking = [
        (start, end, asked(job.licenses)) for job, start, end in ran if job.licenses and start < end
    ]
    for time, _, _ in asking:
        for name, most in system.licenses.items():
            taken = [amounts.get(name, 0) for start, end, amounts in asking if start <= time < end]
            if sum(taken) > most:
                raise BrokenRule(
                    ROOM, f"at {time} ns {sum(taken)} of license {name} are taken, of {most}"
                )


def _check_window(job: Job, row: ScheduleRow, start: int, window: Window, system: System) -> None:
    expected_end = start + max(row.estimate, SECOND)
    closed = {first + i for first, count in window.ranges(system) for i in range(count)}
    if not closed & row.nodes.keys() or _admitted(job, row, window, system) is not False:
        return
    for time in range(window.times or 1):
        later = nanoseconds(window.every or 0) * time
        if start < nanoseconds(window.end) + later and nanoseconds(window.start) + later < (
            expected_end
        ):
            raise BrokenRule(
                WINDOWS,
                f"job {job.id} starts at {start} ns on nodes {sorted(row.nodes)}, and is expected "
                f"to end at {expected_end} ns; {window!r}",
            )


def _admitted(job: Job, row: ScheduleRow, window: Window, system: System) -> bool | None:
    """Returns whether the window lets the job in; None where that cannot be said from here."""
    if window.when is None:
        return False
    values: dict[str, float] = {
        "id": job.id,
        "submit": job.submit,
        "estimate": row.estimate / SECOND,
        "processors": job.processors,
        "tasks_per_node": job.tasks_per_node or 0,
        "user": job.user,
        **{f"request.{kind}": n for kind, n in (job.resources or system.processor).items()},
        **(job.attributes or {}),
    }
    if job.requested_time is not None:
        values["requested_time"] = job.requested_time
    try:
        condition = _engine.Expression(window.when, list(values))
    except InputError:
        return None
    return bool(condition.evaluate({name: [value] for name, value in values.items()})[0])
