"""The table `network` of a system file as a definition, and back."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import by_name
from schedlab.fields.reading import Tables
from schedlab.system.network.dragonfly import Dragonfly
from schedlab.system.network.fat_tree import FatTree
from schedlab.system.network.torus import Torus

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system.network.definition import Network

TOPOLOGIES: dict[str, type[Torus] | type[FatTree] | type[Dragonfly]] = {
    kind.topology: kind for kind in (Torus, FatTree, Dragonfly)
}
PRESET = "preset"

_PARTS = ("messages", "files", "compute")
_TABLES = Tables(null="give a value, or leave the key out")


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
    return _TABLES.read(TOPOLOGIES[name], table, "network")


def network_table(network: Network) -> dict[str, Any]:
    """Returns what a system file would say: `read_network` of it is equal to the network."""
    table: dict[str, Any] = {"topology": network.topology}
    for key, value in sorted(by_name(network).items(), key=lambda entry: not _is_size(entry[1])):
        if key in _PARTS:
            if value is not None:
                table[key] = value.to_dict()
        elif isinstance(value, tuple):
            table[key] = list(value)
        else:
            table[key] = value
    return table


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
    for key in _PARTS:
        if isinstance(own.get(key), dict) and key in base:
            own[key] = {**base[key], **own[key]}
    return {**base, **own}
