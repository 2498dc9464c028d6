"""The table `network` of a system file as a definition, and back."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.system.network.dragonfly import Dragonfly
from schedlab.system.network.fat_tree import FatTree
from schedlab.system.network.messages import ComputeRates, Files, Messages
from schedlab.system.network.torus import Torus

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.frozen import Frozen
    from schedlab.system.network.definition import Network

TOPOLOGIES: dict[str, type[Network]] = {kind.topology: kind for kind in (Torus, FatTree, Dragonfly)}
PRESET = "preset"

_TABLES: dict[str, type[Frozen]] = {"messages": Messages, "files": Files, "compute": ComputeRates}
_HOST = {"host_bandwidth": "host_bandwidth = 1.6e11", "host_delay": "host_delay = 6.35e-7"}
_LINKS = {"bandwidth": "bandwidth = 3.744e10", "delay": "delay = 1e-7"}
_NEEDS: dict[type[Frozen], dict[str, str]] = {
    Torus: {"dimensions": "dimensions = [16, 12, 24]", **_LINKS, **_HOST},
    FatTree: {"down": "down = [20, 320]", "up": "up = [8]", **_LINKS, **_HOST},
    Dragonfly: {
        "groups": "groups = 15",
        "columns": "columns = 16",
        "local_bandwidth": "local_bandwidth = 4.2e10",
        "local_delay": "local_delay = 1e-7",
        "global_bandwidth": "global_bandwidth = 3.8e10",
        "global_delay": "global_delay = 1e-7",
        **_HOST,
    },
    Messages: {},
    Files: {"bandwidth": "bandwidth = 1e11"},
    ComputeRates: {
        "integer": "integer = 4e9",
        "floating": "floating = 8e9",
        "memory": "memory = 5e9",
    },
}
"""Keys without a default, each with an example."""


def read_network(given: object) -> Network:
    """Returns the network that a table describes.

    Args:
        given: The value of `network` in a system file.

    Raises:
        InputError: With the path of what is wrong.
    """
    what = "topology, links and delays, or a preset"
    table = _with_preset(decode.table(given, "network", what))
    if "topology" not in table:
        known = decode.listed(TOPOLOGIES)
        raise InputError(
            f"network.topology: is missing; give one of {known}, or preset with the name of a "
            "machine"
        )
    name = decode.one_of(table["topology"], TOPOLOGIES, "network.topology", "topology")
    kind = TOPOLOGIES[name]
    others = {
        key: f"a {other.topology} has it, a {name} does not"
        for other in TOPOLOGIES.values()
        for key in other._fields
    }
    decode.refuse_unknown(table, ("topology", *kind._fields, PRESET), "network", others)
    fields = {key: value for key, value in table.items() if key != "topology"}
    for key, part in _TABLES.items():
        if key in fields:
            path = f"network.{key}"
            entries = decode.table(fields[key], path, decode.listed(part._fields))
            decode.refuse_unknown(entries, part._fields, path)
            fields[key] = _made(part, entries, path)
    made: Network = _made(kind, fields, "network")
    return made


def network_table(network: Network) -> dict[str, Any]:
    """Returns what a system file would say: `read_network` of it is equal to the network."""
    told: dict[str, Any] = {"topology": network.topology}
    entries = zip(network._fields, network._values(), strict=True)
    for key, value in sorted(entries, key=lambda entry: not _is_size(entry[1])):
        if key in _TABLES:
            if value is not None:
                told[key] = {
                    field: entry
                    for field, entry in zip(value._fields, value._values(), strict=True)
                    if entry is not None
                }
        elif isinstance(value, tuple):
            told[key] = list(value)
        else:
            told[key] = value
    return told


def _is_size(value: object) -> bool:
    """Returns whether a field says how large something is, which files say first."""
    return isinstance(value[0] if isinstance(value, tuple) and value else value, int)


def _with_preset(given: dict[str, Any]) -> dict[str, Any]:
    """Returns the table with what its preset says beside its own keys."""
    if PRESET not in given:
        return given
    from schedlab.system.network.presets import PRESETS  # only where one is named

    name = decode.one_of(given[PRESET], PRESETS, f"network.{PRESET}", "preset")
    base: dict[str, Any] = PRESETS[name]["network"]
    if given.get("topology", base["topology"]) != base["topology"]:
        raise InputError(
            f"network.topology: the preset {name} is a {base['topology']}; leave out topology, or "
            "leave out preset and write all keys"
        )
    own = {key: value for key, value in given.items() if key != PRESET}
    for key in _TABLES:
        if isinstance(own.get(key), dict) and key in base:
            own[key] = {**base[key], **own[key]}
    return {**base, **own}


def _made(kind: type[Any], given: dict[str, Any], path: str) -> Any:
    for key, value in given.items():
        if value is None:  # an empty value in YAML
            raise InputError(f"{path}.{key}: is empty; give a value, or leave the key out")
    for key, example in _NEEDS[kind].items():
        if key not in given:
            raise InputError(f"{path}.{key}: is missing; add it, such as {example}")
    return kind(**given)
