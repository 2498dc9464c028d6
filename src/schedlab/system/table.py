"""A machine as a plain table in schedlab's layout, from which `load_system` makes it again."""

from __future__ import annotations

from schedlab.toml_text import toml_key, toml_value

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system.definition import System


def as_table(system: System) -> dict[str, Any]:
    """Returns what a system file would say: `load_system` of it is equal to the system."""
    types: dict[str, Any] = {}
    if system.platform:
        from schedlab.system.platform import node_types, processor_types

        types = {
            "processors": {kind.name: kind.to_dict() for kind in processor_types(system)},
            "node_types": {kind.name: kind.to_dict() for kind in node_types(system)},
        }
    network: dict[str, Any] = {}
    if system.network is not None:
        network = {"network": system.network.to_dict()}
    return {
        "name": system.name,
        "start_time": system.start_time,
        "processor": system.processor,
        **types,
        "groups": {group.name: group.to_dict() for group in system.groups},
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
