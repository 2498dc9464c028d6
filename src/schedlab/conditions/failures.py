"""Nodes that fail and are repaired, and what becomes of the jobs on them."""

from __future__ import annotations

from math import exp, gamma

from schedlab import decode
from schedlab.conditions.failure_trace import FailureTrace
from schedlab.errors import InputError
from schedlab.fields import Defined, other, seconds, text, whole, word
from schedlab.naming import parse_call, unknown
from schedlab.part_arguments import refuse_arguments
from schedlab.system.node_ranges import node_ranges

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system import System

    Law = tuple[str, float, float]

__all__ = ["FailureTrace", "Failures", "Resubmission", "for_engine"]

MAX_SECONDS = 4_000_000_000
"""126 years, as for windows: all times fit the engine's nanoseconds."""

MAX_ATTEMPTS = 10_000
"""After which a job that nothing else limits ends a simulation with an error."""

LEAST_BETWEEN = 1.0
"""Mean seconds between two failures of a node: with less, a simulation would get nowhere."""

KIND = "distribution of times"

PARAMETERS: dict[str, dict[str, tuple[float, float]]] = {
    "exponential": {"mean": (1e-9, MAX_SECONDS)},
    "weibull": {"scale": (1e-9, MAX_SECONDS), "shape": (0.1, 100.0)},
    "lognormal": {"median": (1e-9, MAX_SECONDS), "sigma": (0.0, 5.0)},
    "fixed": {"seconds": (1e-9, MAX_SECONDS)},
}
"""Of each distribution of lengths of time: its parameters, the seconds first, and their bounds."""

_LAW = {"type": "string", "pattern": rf"^\s*({'|'.join(PARAMETERS)})\s*\("}


def _time_up(value: object, path: str) -> str:
    mean = mean_of(_law(value, path))
    if mean < LEAST_BETWEEN:
        raise InputError(
            f"{path}: {value} is {mean:g} s in the mean; a node must be up for at least "
            f"{LEAST_BETWEEN:g} s between two failures"
        )
    return str(value)


def _time_down(value: object, path: str) -> str:
    _law(value, path)
    return str(value)


class Failures(Defined):
    """A process by which nodes, or whole racks, fail and are repaired.

    All nodes are up when the first job is submitted. Each node, or rack, then is up for a time
    drawn from `between`, down for one drawn from `repair`, and so on, with random numbers of its
    own: failures depend on the seed alone, not on jobs or dispatchers.
    """

    between: str = other(
        _time_up,
        "time from a repair to the next failure; in the mean at least 1 s",
        unit="s",
        values="distribution",
        example='"exponential(mean=2.6e6)"',
        written=_LAW,
    )
    repair: str = other(
        _time_down,
        "time that a repair takes",
        unit="s",
        values="distribution",
        example='"exponential(mean=14400)"',
        written=_LAW,
    )
    nodes: str = text(
        '`"all"`, the name of a group, a number, a range, or several of these: `"fat, 0-1, 3"`',
        default="all",
    )
    per: str = word(
        ("node", "rack"),
        "`node`: each fails by itself; `rack`: those of a rack fail together (groups need `rack`)",
        default="node",
    )


class Resubmission(Defined):
    """How a job resumes after a node of it failed: from its start, or from its last checkpoint."""

    from_: str = word(("start", "checkpoint"), "where a job resumes", default="start")
    interval: float | None = seconds(
        "work between two checkpoints",
        minimum=1,
        maximum=MAX_SECONDS,
        as_written=True,
        default=None,
        absent='required for `"checkpoint"`',
    )
    cost: float = seconds(
        "time that writing a checkpoint takes", maximum=MAX_SECONDS, as_written=True, default=0
    )
    restart: float = seconds(
        "time that resuming from a checkpoint takes",
        maximum=MAX_SECONDS,
        as_written=True,
        default=0,
    )
    limit: int | None = whole(
        "attempts after which a job is given up", minimum=1, maximum=MAX_ATTEMPTS, default=None
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
) -> dict[str, Any] | None:
    """Returns failures and resubmission as the engine takes them; None where nothing fails.

    The engine needs a `seed` beside them.

    Raises:
        InputError: They do not go with the machine; the message begins with the field's path.
    """
    if not failures and trace is None:
        return None
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
    }


def mean_of(law: Law) -> float:
    """Returns the mean of a distribution as the engine takes it: name, seconds, second number."""
    name, first, second = law
    if name == "weibull":
        return first * gamma(1 + 1 / second)
    return first * exp(second**2 / 2) if name == "lognormal" else first


def _process(given: Failures, system: System, path: str) -> dict[str, Any]:
    ranges = node_ranges(given.nodes, system, f"{path}.nodes")
    return {
        "between": _law(given.between, "between"),
        "repair": _law(given.repair, "repair"),
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


def _law(text: object, path: str) -> Law:
    """Returns the distribution that a text such as `exponential(mean=3600)` describes."""
    if not isinstance(text, str):
        raise InputError(
            f'{path}: must be a distribution, such as "exponential(mean=3600)" '
            f"(is {decode.shown(text)})"
        )
    try:
        name, given = parse_call(text, KIND)
        if name not in PARAMETERS:
            raise unknown(KIND, name, PARAMETERS, code=False)
        bounds = PARAMETERS[name]
        refuse_arguments(KIND, text, given, tuple(bounds), bounds)
        values = [_number(text, given[key], key, *limits) for key, limits in bounds.items()]
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return name, values[0], values[1] if len(values) > 1 else 0.0


def _number(text: str, given: str, key: str, low: float, high: float) -> float:
    try:
        value = float(given)
    except ValueError:
        raise InputError(
            f"{KIND} {text!r}: {key} must be a number (is {decode.shown(given)})"
        ) from None
    if not low <= value <= high:  # false for a NaN
        raise InputError(f"{KIND} {text!r}: {key} must be from {low:g} to {high:g} (is {given})")
    return value
