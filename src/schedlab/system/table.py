"""A machine as a plain table in schedlab's layout, from which `load_system` makes it again."""

from __future__ import annotations

from schedlab.toml_text import toml_key, toml_value

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system.definition import Group, System
    from schedlab.system.node_types import NodeType
    from schedlab.system.processors import ProcessorType


def as_table(system: System) -> dict[str, Any]:
    """Returns what a system file would say: `load_system` of it is equal to the system."""
    types: dict[str, Any] = {}
    if system.platform:
        from schedlab.system.platform import node_types, processor_types

        types = {
            "processors": {kind.name: _processor(kind) for kind in processor_types(system)},
            "node_types": {kind.name: _node_type(kind) for kind in node_types(system)},
        }
    network: dict[str, Any] = {}
    if system.network is not None:
        from schedlab.system.network.network_table import network_table

        network = {"network": network_table(system.network)}
    return {
        "name": system.name,
        "start_time": system.start_time,
        "processor": system.processor,
        **types,
        "groups": {group.name: _group(group) for group in system.groups},
        **network,
    }


def as_toml(system: System) -> str:
    """Returns the text of a system file."""
    table = as_table(system)
    lines = [f"{key} = {toml_value(table[key])}" for key in ("name", "start_time", "processor")]
    sections = {
        f"{section}.{toml_key(name)}": entries
        for section in ("processors", "node_types", "groups")
        for name, entries in table.get(section, {}).items()
    }
    network = table.get("network", {})
    if network:
        inner = {key: value for key, value in network.items() if isinstance(value, dict)}
        sections["network"] = {key: network[key] for key in network if key not in inner}
        sections |= {f"network.{key}": value for key, value in inner.items()}
    for section, entries in sections.items():
        lines += ["", f"[{section}]"]
        lines += [f"{toml_key(key)} = {toml_value(value)}" for key, value in entries.items()]
    return "\n".join(lines) + "\n"


def _group(group: Group) -> dict[str, Any]:
    what = {"resources": group.resources} if group.type is None else {"type": group.type.name}
    rack = {} if group.rack is None else {"rack": group.rack}
    return {"nodes": group.nodes, **what, **rack}


def _processor(kind: ProcessorType) -> dict[str, Any]:
    table: dict[str, Any] = {"cores": kind.cores, "clock": kind.clock}
    table["flops_per_cycle"] = kind.flops_per_cycle
    if kind.memory_channels is not None:
        table["memory_channels"] = kind.memory_channels
    if kind.memory_bandwidth is not None:
        table["memory_bandwidth"] = kind.memory_bandwidth
    if kind.power is not None:
        table["power"] = _fields(kind.power)
    if kind.contention is not None:
        table["contention"] = _fields(kind.contention)
    if kind.steps:
        table["steps"] = [{"clock": step.clock, **_fields(step.power)} for step in kind.steps]
    return table


def _node_type(kind: NodeType) -> dict[str, Any]:
    table: dict[str, Any] = {"processors": {p.name: sockets for p, sockets in kind.processors}}
    if kind.resources:
        table["resources"] = kind.resources
    power = {key: watts for key, watts in _fields(kind.power).items() if watts is not None}
    if power != {"base": 0.0}:
        table["power"] = power
    if kind.transitions:
        table["transitions"] = {
            state: _fields(transition) for state, transition in kind.transitions.items()
        }
    return table


def _fields(definition: Any) -> dict[str, Any]:
    return dict(zip(definition._fields, definition._values(), strict=True))
