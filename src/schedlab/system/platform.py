"""Machines whose groups have node types: what must hold between them, what the engine gets."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system.definition import System
    from schedlab.system.node_types import NodeType
    from schedlab.system.processors import ProcessorType

MAX_SOCKETS = 40_000_000


def node_types(system: System) -> tuple[NodeType, ...]:
    """Returns the node types in use, in order of first appearance."""
    return tuple({group.type.name: group.type for group in system.groups if group.type}.values())


def processor_types(system: System) -> tuple[ProcessorType, ...]:
    """Returns the processor types in use, in order of first appearance."""
    return tuple(
        {kind.name: kind for node in node_types(system) for kind, _ in node.processors}.values()
    )


def for_engine(system: System) -> dict[str, Any] | None:
    """Returns sockets, clocks, contention and watts as the engine takes them.

    None for a machine without node types.
    """
    if not system.platform:
        return None
    kinds = processor_types(system)
    return {
        "processors": [_processor(kind) for kind in kinds],
        "groups": [
            {
                "sockets": [kinds.index(kind) for kind in group.type.sockets],
                "base": group.type.power.base,
                "rack": group.rack or 0,
                "sleeping": _state(group.type, "sleeping"),
                "off": _state(group.type, "off"),
            }
            for group in system.groups
            if group.type is not None
        ],
        "power": kinds[0].power is not None,
    }


def warnings_of(system: System) -> tuple[str, ...]:
    """Returns what is possible but most likely meant otherwise, a text each."""
    return tuple(text for kind in processor_types(system) for text in kind.warnings)


def check(system: System) -> None:
    """Raises InputError unless the types of a system's groups fit together."""
    for group in system.groups:
        if group.type is None:
            typed = next(other.name for other in system.groups if other.type is not None)
            raise InputError(
                f"{decode.child('groups', group.name)}.type: is missing, while "
                f"{decode.child('groups', typed)} has one; give all groups a type, or none"
            )
    _check_names("node_types", [group.type for group in system.groups])
    nodes = node_types(system)
    _check_names("processors", [kind for node in nodes for kind, _ in node.processors])
    _check_power(system)
    sockets = sum(group.nodes * len(group.type.sockets) for group in system.groups if group.type)
    if sockets > MAX_SOCKETS:
        raise InputError(f"groups: {sockets} sockets in all; at most {MAX_SOCKETS} are supported")


def _check_names(table: str, kinds: list[Any]) -> None:
    """Raises if two different types have one name, which Python code alone can do."""
    known: dict[str, Any] = {}
    for kind in kinds:
        if known.setdefault(kind.name, kind) != kind:
            raise InputError(
                f"{decode.child(table, kind.name)}: two different types have this name"
            )


def _check_power(system: System) -> None:
    kinds = processor_types(system)
    with_power = [kind for kind in kinds if kind.power is not None]
    without = [kind for kind in kinds if kind.power is None]
    if with_power and without:
        raise InputError(
            f"{decode.child('processors', without[0].name)}.power: is missing, while "
            f"{decode.child('processors', with_power[0].name)} has one; give it for all processor "
            "types in use, or for none"
        )
    if with_power:
        return
    for node in node_types(system):
        watts = [*node.power._values()]
        for transition in node.transitions.values():
            watts += [transition.down_power, transition.up_power]
        if any(watts):
            raise InputError(
                f"{decode.child('node_types', node.name)}.power: counts only with the power of the "
                f"processors; add {decode.child('processors', kinds[0].name)}.power, or leave "
                "out the watts of nodes and transitions"
            )


def _processor(kind: ProcessorType) -> dict[str, Any]:
    power = (0.0, 0.0, 0.0) if kind.power is None else kind.power._values()
    return {
        "cores": kind.cores,
        "clock": kind.clock,
        "operations_per_second": kind.operations_per_second,
        "bandwidth": kind.memory_bandwidth or 0.0,
        "contention": None if kind.contention is None else kind.contention._values(),
        "steps": [(kind.clock, *power), *((s.clock, *s.power._values()) for s in kind.steps)],
    }


def _state(node: NodeType, name: str) -> tuple[float, ...] | None:
    state = node.state(name)
    return None if state is None else (state[0], *state[1]._values())
