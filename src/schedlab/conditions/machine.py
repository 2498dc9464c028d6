"""Conditions on a machine: whether the two fit together, and what the engine gets of them."""

from __future__ import annotations

from schedlab import decode
from schedlab.conditions import failures
from schedlab.errors import InputError
from schedlab.fields import by_name

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.conditions.definition import Conditions
    from schedlab.conditions.power import PowerCap, SwitchOff
    from schedlab.conditions.series import Series
    from schedlab.conditions.thermal import Thermal
    from schedlab.system import System
    from schedlab.system.definition import Group
    from schedlab.system.node_types import NodeType

_POWER = (
    "needs a machine whose power is known: give the groups a type, and the processors of these "
    "types power = { core = ..., shared = ..., idle = ... }"
)


def check(conditions: Conditions, system: System) -> None:
    """Raises InputError unless the machine is one to which the conditions can happen.

    The message begins with the file of the conditions, where they come from one, and the path of
    the field.
    """
    for_engine(conditions, system, seed=0)


def for_engine(
    conditions: Conditions, system: System, seed: int, *, interrupts_jobs: bool = False
) -> dict[str, Any]:
    """Returns the conditions as the engine takes them.

    Args:
        conditions: What happens.
        system: The machine that it happens to.
        seed: Of the run; it is that of the failures, too, unless they have their own.
        interrupts_jobs: Whether the scheduler, or preemption, may end running jobs.

    Returns:
        `seed`; `failures` (of `failures.for_engine`); `switch_off` (seconds, state, nodes kept);
        `caps`, each (times, watts, period, number of the group or -1, whether to lower frequencies
        first); `price` and `carbon` (times, values, period); `thermal`, by name. None for what is
        not given. Times are seconds of the workload's clock; see `Series.for_engine`.

    Raises:
        InputError: As for `check`.
    """
    try:
        engine_conditions: dict[str, Any] = {
            "seed": seed if conditions.seed is None else conditions.seed,
            "failures": failures.for_engine(
                conditions.failures,
                conditions.failure_trace,
                conditions.resubmission,
                system,
                interrupts_jobs=interrupts_jobs,
            ),
            "switch_off": _switch_off(conditions.switch_off, system),
            "caps": [
                _cap(cap, f"caps[{number}]", conditions, system)
                for number, cap in enumerate(conditions.caps, 1)
            ],
            "thermal": _thermal(conditions.thermal, system),
        }
        for name in ("price", "carbon"):
            series = getattr(conditions, name)
            if series is not None:
                _require_power(system, name)
            engine_conditions[name] = (
                None if series is None else _clocked(series, name, system).for_engine()
            )
    except InputError as error:
        raise InputError(f"{conditions.source or 'conditions'}: {error}") from None
    return engine_conditions


def idle_watts(group: Group) -> float:
    """Returns the power of a node of a group that is on and has nothing to do."""
    kind = _type(group)
    return kind.power.base + sum(one.power.idle for one in kind.sockets if one.power is not None)


def _type(group: Group) -> NodeType:
    assert group.type is not None, "_require_power comes before"
    return group.type


def _require_power(system: System, path: str) -> None:
    if not system.platform or any(
        one.power is None for group in system.groups for one in _type(group).sockets
    ):
        raise InputError(f"{path}: {_POWER}")


def _clocked(series: Series, path: str, system: System) -> Series:
    try:
        return series.on_clock(system.start_time)
    except InputError as error:
        raise InputError(f"{path}: {series.source or 'the series'} {error}") from None


def _switch_off(given: SwitchOff | None, system: System) -> tuple[float, str, int] | None:
    if given is None:
        return None
    _require_power(system, "switch_off")
    for group in system.groups:
        kind = _type(group)
        if kind.state(given.to) is None:
            raise InputError(
                f'switch_off.to: nodes of group {group.name} cannot be "{given.to}"; give '
                f"{decode.child('node_types', kind.name)} power = {{ {given.to} = ... }} and "
                f"transitions = {{ {given.to} = {{ down_seconds = ..., down_power = ..., "
                "up_seconds = ..., up_power = ... } }"
            )
    if given.keep > system.nodes:
        raise InputError(
            f"switch_off.keep: is {given.keep}, and the machine has {system.nodes} nodes"
        )
    return given.after, given.to, given.keep


def _cap(
    cap: PowerCap, path: str, conditions: Conditions, system: System
) -> tuple[list[float], list[float], float, int, bool]:
    _require_power(system, path)
    place = -1
    if cap.group is not None:
        names = [group.name for group in system.groups]
        place = names.index(decode.one_of(cap.group, names, f"{path}.group", "group"))
    covered = system.groups if place < 0 else system.groups[place : place + 1]
    if cap.action == "slow":
        for group in covered:
            for one in _type(group).sockets:
                if not one.steps:
                    raise InputError(
                        f'{path}.action: "slow" lowers frequencies, and '
                        f"{decode.child('processors', one.name)} of group {group.name} has no "
                        'steps; give it steps = [...], or write action = "refuse"'
                    )
    series = _clocked(cap.watts, f"{path}.watts", system)
    floor, state = _least_watts(covered, conditions.switch_off)
    watts, since = series.lowest()
    if watts < floor:
        when = "" if len(series) == 1 else f" from {since:.12g} s on"
        whose = "the machine" if cap.group is None else f"group {cap.group}"
        raise InputError(
            f"{path}.watts: {watts:.10g} W{when} are below the {floor:.10g} W that {whose} draws "
            f"when all its nodes are {state}; no scheduler can keep that"
        )
    return *series.for_engine(), place, cap.action == "slow"


def _least_watts(covered: tuple[Group, ...], switch_off: SwitchOff | None) -> tuple[float, str]:
    """Returns what groups draw when no job runs, and what their nodes are then."""
    if switch_off is None:
        return sum(group.nodes * idle_watts(group) for group in covered), "idle"
    watts = 0.0  # of idle nodes, sooner or later
    for group in covered:
        state = _type(group).state(switch_off.to)
        watts += group.nodes * (state[0] if state else idle_watts(group))
    return watts, "off" if switch_off.to == "off" else "asleep"


def _thermal(given: Thermal | None, system: System) -> dict[str, Any] | None:
    if given is None:
        return None
    _require_power(system, "thermal")
    without = [group.name for group in system.groups if group.rack is None]
    if given.recirculation and without:
        raise InputError(
            f"thermal.recirculation: is between the nodes of a rack, and group {without[0]} has no "
            "racks; give it rack = ..., the nodes in each"
        )
    if given.limit is not None:
        _check_limit(given, system)
    return {
        **by_name(given),
        "throttle_step": -1 if given.throttle_step is None else given.throttle_step,
    }


def _check_limit(thermal: Thermal, system: System) -> None:
    """Raises InputError for a limit that idle nodes exceed, or that nothing can be done about."""
    for group in system.groups:
        for one in _type(group).sockets:
            steps = len(one.steps)
            if steps == 0:
                raise InputError(
                    f"thermal.limit: nodes are throttled by their frequency, and "
                    f"{decode.child('processors', one.name)} of group {group.name} has no steps"
                )
            if (thermal.throttle_step or 0) > steps:
                raise InputError(
                    f"thermal.throttle_step: is {thermal.throttle_step}, and the last step of "
                    f"{decode.child('processors', one.name)} is {steps}"
                )
    idle, node = hottest_idle(thermal, system)
    for field in ("limit", "release"):
        value = getattr(thermal, field)
        if value <= idle:
            raise InputError(
                f"thermal.{field}: {value:.10g} degC are not above the {idle:.10g} degC that node "
                f"{node} has when the machine is idle"
            )


def hottest_idle(thermal: Thermal, system: System) -> tuple[float, int]:
    """Returns the highest temperature of a machine that is on and idle, and the node that has it.

    Nodes of a group differ by their place in the rack only, and the first rack is a full one. The
    hottest there is the second node, which has two neighbours, or the first where there are no
    three. A group without racks is one.
    """
    hottest, where, first = float("-inf"), -1, 0
    for group in system.groups:
        own = idle_watts(group)
        size = min(group.rack or group.nodes, group.nodes)
        degrees = thermal.steady(own, (size - 1) * own, min(size - 1, 2) * own)
        if degrees > hottest:
            hottest, where = degrees, first + int(size > 2)
        first += group.nodes
    return hottest, where
