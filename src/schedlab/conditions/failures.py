"""Nodes that fail and are repaired, and what becomes of the jobs on them."""

from __future__ import annotations

from math import exp, gamma

from schedlab.conditions.failure_trace import FailureTrace
from schedlab.errors import InputError
from schedlab.finite import is_finite
from schedlab.frozen import Frozen
from schedlab.naming import parse_call
from schedlab.system import decode
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

PARAMETERS: dict[str, dict[str, tuple[float, float]]] = {
    "exponential": {"mean": (1e-9, MAX_SECONDS)},
    "weibull": {"scale": (1e-9, MAX_SECONDS), "shape": (0.1, 100.0)},
    "lognormal": {"median": (1e-9, MAX_SECONDS), "sigma": (0.0, 5.0)},
    "fixed": {"seconds": (1e-9, MAX_SECONDS)},
}
"""Of each distribution of lengths of time: its parameters, the seconds first, and their bounds."""


class Failures(Frozen):
    """A process by which nodes, or whole racks, fail and are repaired.

    All nodes are up when the first job is submitted. Each node, or rack, then is up for a time
    drawn from `between`, down for one drawn from `repair`, and so on, with random numbers of its
    own: failures depend on the seed alone, not on jobs or dispatchers.

    Args:
        between: Seconds from a repair to the next failure, such as "exponential(mean=2.6e6)" or
            "weibull(shape=0.7, scale=2.6e6)".
        repair: Seconds that a repair takes, such as "lognormal(median=7200, sigma=1)".
        nodes: "all", the name of a group, or numbers and ranges such as "0-15, 20".
        per: "node", or "rack": all these nodes of a rack fail together.

    Raises:
        InputError: Something given is wrong; the message begins with the name of the argument.
    """

    __slots__ = _fields = ("between", "repair", "nodes", "per")
    between: str
    repair: str
    nodes: str
    per: str

    def __init__(self, between: str, repair: str, nodes: str = "all", per: str = "node") -> None:
        mean = mean_of(_law(between, "between"))
        if mean < LEAST_BETWEEN:
            raise InputError(
                f"between: {between} is {mean:g} s in the mean; a node must be up for at least "
                f"{LEAST_BETWEEN:g} s between two failures"
            )
        _law(repair, "repair")
        if per not in ("node", "rack"):
            raise InputError(f'per: must be "node" or "rack" (is {decode.shown(per)})')
        self._set(between=between, repair=repair, nodes=decode.text(nodes, "nodes"), per=per)

    def to_dict(self) -> dict[str, Any]:
        """Returns the content as plain data."""
        return dict(zip(self._fields, self._values(), strict=True))

    described = to_dict


class Resubmission(Frozen):
    """How a job goes on after a node of it failed: from its start, or from its last checkpoint.

    Args:
        from_: "start", or "checkpoint" (in files: from).
        interval: Seconds of work between two checkpoints; needed for "checkpoint".
        cost: Seconds that writing one takes.
        restart: Seconds that going on from one takes.
        limit: Attempts after which a job is given up; None: it is tried again and again.

    Raises:
        InputError: Something given is wrong; the message begins with the name of the argument.
    """

    __slots__ = _fields = ("from_", "interval", "cost", "restart", "limit")
    from_: str
    interval: float | None
    cost: float
    restart: float
    limit: int | None

    def __init__(
        self,
        from_: str = "start",
        interval: float | None = None,
        cost: float = 0,
        restart: float = 0,
        limit: int | None = None,
    ) -> None:
        if from_ not in ("start", "checkpoint"):
            raise InputError(f'from: must be "start" or "checkpoint" (is {decode.shown(from_)})')
        if from_ == "checkpoint" and interval is None:
            raise InputError(
                "interval: is missing; say after how many seconds of work a checkpoint is written, "
                "such as interval = 3600"
            )
        if from_ == "start":
            for name, value in (("interval", interval), ("cost", cost), ("restart", restart)):
                if value:
                    raise InputError(f'{name}: has no effect without from = "checkpoint"')
        self._set(
            from_=from_,
            interval=None if interval is None else _seconds(interval, "interval", 1),
            cost=_seconds(cost, "cost", 0),
            restart=_seconds(restart, "restart", 0),
            limit=None
            if limit is None
            else decode.whole_number(limit, "limit", minimum=1, maximum=MAX_ATTEMPTS),
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the content as plain data, by the names that files have."""
        table = dict(zip(("from", *self._fields[1:]), self._values(), strict=True))
        return {name: value for name, value in table.items() if value is not None}

    described = to_dict


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
    name, arguments = parse_call(text, path)
    if name not in PARAMETERS:
        known = ", ".join(f"{one}({', '.join(PARAMETERS[one])})" for one in PARAMETERS)
        raise InputError(f"{path}: {decode.shown(name)} is no distribution here; known: {known}")
    bounds = PARAMETERS[name]
    for key in (*bounds, *arguments):
        if key not in arguments or key not in bounds:
            takes = " and ".join(bounds)
            raise InputError(f"{path}: {name} takes {takes} (is {decode.shown(text)})")
    values = [
        _number(arguments[key], f"{path}: {key}", low, high) for key, (low, high) in bounds.items()
    ]
    return name, values[0], values[1] if len(values) > 1 else 0.0


def _number(text: str, path: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{path} must be a number (is {decode.shown(text)})") from None
    if not low <= value <= high:  # false for a NaN
        raise InputError(f"{path} must be from {low:g} to {high:g} (is {text})")
    return value


def _seconds(value: object, path: str, least: float) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not is_finite(value):
        raise InputError(f"{path}: must be a number of seconds (is {decode.shown(value)})")
    if not least <= value <= MAX_SECONDS:  # type: ignore[operator]
        raise InputError(
            f"{path}: must be from {least:g} to {MAX_SECONDS:g} seconds (is {decode.shown(value)})"
        )
    return value  # type: ignore[return-value]
