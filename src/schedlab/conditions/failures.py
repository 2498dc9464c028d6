"""Nodes that fail and are repaired, and what becomes of the jobs on them."""

from __future__ import annotations

from schedlab.conditions.failure_trace import FailureTrace
from schedlab.conditions.time_laws import WRITTEN, law_of
from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError
from schedlab.fields import Defined, other, seconds, text, whole, word
from schedlab.system.node_ranges import node_ranges

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.fields import Taking
    from schedlab.system import System

__all__ = ["FailureTrace", "Failures", "Resubmission", "for_engine"]

MAX_ATTEMPTS = 10_000
"""After which a job that nothing else limits ends a simulation with an error."""

LEAST_BETWEEN = 1.0
"""Mean seconds between two failures of a node: with less, a simulation would get nowhere."""


def _time_up(value: object, path: str) -> str:
    mean = law_of(value, path).expected()
    if mean < LEAST_BETWEEN:
        raise InputError(
            f"{path}: {value} is {mean:g} s on average; a node must be up for at least "
            f"{LEAST_BETWEEN:g} s between two failures"
        )
    return str(value)


def _time_down(value: object, path: str) -> str:
    law_of(value, path)
    return str(value)


class Failures(Defined):
    """A process by which nodes, or whole racks, fail and are repaired.

    All nodes are up when the first job is submitted. Each node, or rack, then is up for a time
    drawn from `between`, down for one drawn from `repair`, and so on, with random numbers of its
    own: failures depend on the seed alone, not on jobs or dispatchers.
    """

    between: str = other(
        _time_up,
        "time from a repair to the next failure; on average at least 1 s",
        unit="s",
        values="distribution",
        example='"exponential(mean=2.6e6)"',
        written=WRITTEN,
    )
    repair: str = other(
        _time_down,
        "time that a repair takes",
        unit="s",
        values="distribution",
        example='"exponential(mean=14400)"',
        written=WRITTEN,
    )
    nodes: str = text(
        '`"all"`, the name of a group or of a node type, a number, a range, or several of these: '
        '`"fat, 0-1, 3"`',
        default="all",
    )
    per: str = word(
        ("node", "rack"),
        "`node`: each fails by itself; `rack`: those of a rack fail together (groups need `rack`)",
        default="node",
    )


class Resubmission(Defined):
    """How a job resumes after an attempt that ended early: from its start, or a checkpoint."""

    from_: str = word(("start", "checkpoint"), "where a job resumes", default="start")
    interval: Taking[float | None, float | str | None] = seconds(
        "work between two checkpoints",
        minimum=1,
        maximum=MAX_SECONDS,
        as_written=True,
        default=None,
        absent='required for `"checkpoint"`',
    )
    cost: Taking[float, float | str] = seconds(
        "time that writing a checkpoint takes", maximum=MAX_SECONDS, as_written=True, default=0
    )
    restart: Taking[float, float | str] = seconds(
        "time that resuming from a checkpoint takes",
        maximum=MAX_SECONDS,
        as_written=True,
        default=0,
    )
    limit: int | None = whole(
        "attempts that failures end, after which a job is given up",
        minimum=1,
        maximum=MAX_ATTEMPTS,
        default=None,
    )

    def _complete(self) -> None:
        if self.from_ == "checkpoint" and self.interval is None:
            raise InputError(
                "interval: is missing; say after how many seconds of work a checkpoint is written, "
                "such as interval = 3600"
            )
        if self.from_ == "start":
            for name in ("interval", "cost", "restart"):
                if getattr(self, name):
                    raise InputError(f'{name}: has no effect without from = "checkpoint"')


def for_engine(
    failures: tuple[Failures, ...],
    trace: FailureTrace | None,
    resubmission: Resubmission | None,
    system: System,
    *,
    interrupts_jobs: bool = False,
) -> dict[str, Any] | None:
    """Returns failures and resubmission as the engine takes them; None where no attempt ends early.

    The engine needs a `seed` beside them.

    Args:
        failures: Processes by which nodes fail.
        trace: Outages that are known beforehand.
        resubmission: How jobs resume.
        system: The machine.
        interrupts_jobs: Whether the scheduler, or preemption, may end running jobs.

    Raises:
        InputError: They do not fit the machine; the message begins with the field's path.
    """
    if not failures and trace is None and not interrupts_jobs:
        if resubmission is None:
            return None
        raise InputError(
            "resubmission: has no effect without failures; add [[failures]] or [failure_trace], "
            "a scheduler that ends running jobs (interrupts_jobs), or preempt of a queue or a "
            "partition; or remove it"
        )
    again = Resubmission() if resubmission is None else resubmission
    return {
        "processes": [
            _process(one, system, f"failures[{number}]") for number, one in enumerate(failures, 1)
        ],
        "trace": [] if trace is None else trace.on(system),
        "interval": again.interval,
        "cost": again.cost,
        "restart": again.restart,
        "limit": again.limit or 0,
        "by_scheduler": interrupts_jobs,
    }


def _process(given: Failures, system: System, path: str) -> dict[str, Any]:
    ranges = node_ranges(given.nodes, system, f"{path}.nodes")
    return {
        "between": law_of(given.between, "between").for_engine(),
        "repair": law_of(given.repair, "repair").for_engine(),
        "nodes": ranges if given.per == "node" else [],
        "units": _racks(ranges, system, path) if given.per == "rack" else [],
    }


def _racks(
    ranges: list[tuple[int, int]], system: System, path: str
) -> list[tuple[int, list[tuple[int, int]]]]:
    """Returns the first node of each rack, and those of the nodes that are in it."""
    found: dict[int, list[tuple[int, int]]] = {}
    group_first = 0
    for group in system.groups:
        rack = getattr(group, "rack", None)
        for first, count in ranges:
            node, end = max(first, group_first), min(first + count, group_first + group.nodes)
            if node >= end:
                continue
            if not rack:
                raise InputError(
                    f"{path}.per: group {group.name} has no racks; give it rack = ..., the nodes "
                    "in each, in the system file"
                )
            while node < end:
                start = node - (node - group_first) % rack
                behind = min(end, start + rack)
                found.setdefault(start, []).append((node, behind - node))
                node = behind
        group_first += group.nodes
    return sorted(found.items())
