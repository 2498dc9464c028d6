"""AccaSim's system files (figure 7 of its paper), read unchanged.

There a group is the amounts of one node, and a second table, "resources", counts the nodes.
"""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.system.definition import MAX_NODES, Group, System, processor_request

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

_KEYS = ("system_name", "start_time", "equivalence", "groups", "resources", "node_prefix")
_HINTS = {"name": 'write "system_name"', "processor": 'write "equivalence": {"processor": {...}}'}


def from_accasim(given: dict[str, Any], default_name: str) -> System:
    """Returns the system that a table of AccaSim's shape describes.

    Nodes are numbered as AccaSim does, in the order of "resources", not of "groups".

    Raises:
        InputError: With the path of what is wrong, in AccaSim's terms.
    """
    decode.refuse_unknown(given, _KEYS, "", _HINTS)
    name = decode.text(given.get("system_name", default_name), "system_name")
    if "node_prefix" in given:  # nodes have numbers here, so that the prefix has no effect
        decode.text(given["node_prefix"], "node_prefix")

    defined = decode.table(given["groups"], "groups", "groups")
    amounts = {}
    for key, group in defined.items():
        path = decode.child("groups", key)
        amounts[decode.identifier(key, path)] = decode.amounts(group, path)

    counts = decode.table(given["resources"], "resources", "node counts by group name")
    groups = []
    for key, value in counts.items():
        path = decode.child("resources", key)
        if key not in amounts:
            raise InputError(
                f'{path}: counts a group that is not defined in "groups"; '
                f"defined: {decode.listed(amounts) or 'none'}"
            )
        nodes = decode.whole_number(value, path, minimum=0, maximum=MAX_NODES)
        if nodes > 0:  # AccaSim, too, passes over a group of no nodes
            groups.append(Group(key, nodes, amounts[key]))
    if amounts and not groups:
        raise InputError("resources: counts no nodes; give a number for at least one group")
    known = tuple(dict.fromkeys(kind for group in amounts.values() for kind in group))
    processor = _equivalence(given.get("equivalence", {}), known) if known else None
    return System(name, given.get("start_time", 0), processor, groups)


def _equivalence(given: object, known: tuple[str, ...]) -> dict[str, int]:
    """Returns the amounts of one processor; like AccaSim, one core where nothing is said."""
    table = decode.table(given, "equivalence", 'one entry, such as "processor": {"core": 2}')
    decode.refuse_unknown(table, ("processor",), "equivalence")
    path = "equivalence.processor"
    if not table:
        return processor_request(None, known, path)
    return processor_request(decode.amounts(table["processor"], path), known, path)
