"""A machine, or lists of windows and queues, from files of any supported format or as they are."""

from __future__ import annotations

import os

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import keys
from schedlab.input_file import read_text
from schedlab.system.definition import Group, System, check_count
from schedlab.system.parse import parse

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeVar

    from schedlab.system.node_types import NodeType

    Made = TypeVar("Made")

MAX_FILE_BYTES = 16 * 2**20
_LONGEST_NAME = 40  # of a machine that has one

_ACCASIM = 'for AccaSim\'s format, add the "resources" table that counts the nodes of each group'
_HINTS = {
    "system_name": f"the name is name = ...; {_ACCASIM}",
    "equivalence": f"it is processor = {{ core = 2 }} here; {_ACCASIM}",
    "platform": 'for IRMaSim\'s format, add the tables "node" and "processor"',
    "resources": "put it inside a group: [groups.thin] resources = { core = 4 }",
    "nodes": "put it inside a group: [groups.thin] nodes = 120",
}


def load_system(source: str | os.PathLike[str] | dict[str, Any] | System) -> System:
    """Returns the machine that a file or a dict describes.

    Args:
        source: Path of a .json, .toml, .yaml or .yml file in schedlab's, AccaSim's or IRMaSim's
            layout, with #NAME after it to choose one of several platforms of IRMaSim's; or the
            name of a preset, such as cielo, where there is no such file; or the content of a file
            as a dict; or a System, which is returned as it is.

    Raises:
        InputError: With file, path of the field, what is wrong and what to do.
    """
    if isinstance(source, System):
        return source
    if isinstance(source, dict):
        return _from_table(source, "system", "system", None)
    try:
        path = os.fsdecode(source)
    except TypeError:
        kind = type(source).__name__
        raise InputError(f"a system is a file, a dict or a System, not of type {kind}") from None
    chosen = None
    if "#" in path and not os.path.lexists(path):
        path, _, chosen = path.rpartition("#")
    given, label = _preset(path) or _parse_file(path)
    stem = os.path.splitext(os.path.basename(path))[0]
    name = stem if stem.strip() and stem.isprintable() else "system"
    return _from_table(given, name, label, chosen)


def is_preset_name(path: str) -> bool:
    """Returns whether a path may be the name of a machine, where there is no such file."""
    return path.replace("-", "").isalnum() and len(path) < _LONGEST_NAME


def _preset(path: str) -> tuple[object, str] | None:
    """Returns the table of the machine of that name; None for what can only be a file."""
    if not is_preset_name(path) or os.path.lexists(path):
        return None
    from schedlab.system.network.presets import PRESETS  # only where it is needed

    if path in PRESETS:
        return PRESETS[path], path
    raise InputError(
        f"{path}: no such file, and no machine of that name; known machines: "
        f"{decode.listed(PRESETS)}"
    )


def is_description(given: Mapping[str, object]) -> bool:
    """Returns whether a table describes a machine, in any layout, and does not name several."""
    return "groups" in given or _is_irmasim(given)


def load_objects(
    source: str | os.PathLike[str] | Iterable[Made], key: str, kind: type[Made]
) -> tuple[Made, ...]:
    """Returns the objects of a file that holds a list of tables under one key, or those given.

    Args:
        source: Path of a .json, .toml, .yaml or .yml file; or objects, which are returned as they
            are.
        key: The key, the only one at the top level.
        kind: Their class; it is called with each table as keyword arguments.

    Raises:
        InputError: With file, path of the field, what is wrong and what to do.
    """
    if isinstance(source, (str, os.PathLike)):
        return tuple(_read_list(source, key, kind))
    name = kind.__name__
    if not hasattr(source, "__iter__"):
        raise InputError(f"{key}: must be a file or a list of {name} objects, not {source!r}")
    objects = tuple(source)
    for one in objects:
        if not isinstance(one, kind):
            raise InputError(f"{key}: must be {name} objects, not {one!r}")
    return objects


def _read_list(source: str | os.PathLike[str], key: str, kind: type[Made]) -> list[Made]:
    given, label = _parse_file(os.fsdecode(source))
    try:
        table = decode.table(given, "top level", key)
        decode.refuse_unknown(table, (key,), "")
        items = table.get(key)
        if not isinstance(items, list):
            raise InputError(f"{key}: must be a list of tables, such as [[{key}]]")
        return objects_of_tables(items, key, kind)
    except InputError as error:
        raise InputError(f"{label}: {error}") from None


def objects_of_tables(items: list[Any], key: str, kind: type[Made]) -> list[Made]:
    """Returns the objects that tables of a list describe.

    Args:
        items: The tables.
        key: What the list is called.
        kind: Their class; it is called with each table as keyword arguments.

    Raises:
        InputError: With path of the field, what is wrong and what to do.
    """
    made = []
    for number, item in enumerate(items, 1):
        path = f"{key}[{number}]"
        fields = decode.table(item, path, "fields")
        decode.refuse_unknown(fields, kind._fields, path)  # type: ignore[attr-defined]
        try:
            made.append(kind(**fields))
        except TypeError as error:  # an argument is missing
            raise InputError(f"{path}: {str(error).partition(') ')[2] or error}") from None
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    return made


def read_table(path: str) -> tuple[object, str]:
    """Returns the content of a file of any supported format, and what messages call the file.

    Raises:
        InputError: It cannot be read, or is not valid.
    """
    return _parse_file(path)


def _parse_file(path: str) -> tuple[object, str]:
    """Returns the content of a file, and what messages call it."""
    label = path if path.isprintable() and 0 < len(path) < 500 else decode.shown(path)
    extension = os.path.splitext(path)[1].lower()
    text = read_text(path, MAX_FILE_BYTES)
    if not text.strip():
        raise InputError(f"{label}: is empty")
    return parse(text, extension, label), label


def _from_table(given: object, default_name: str, label: str, chosen: str | None) -> System:
    try:
        table = decode.table(given, "top level", "name, start_time, processor and groups")
        if _is_irmasim(table):
            from schedlab.system.irmasim import from_irmasim  # only where it is needed

            return from_irmasim(table, default_name, chosen)
        if chosen is not None:
            raise InputError(f"holds one machine; leave out #{decode.listed([chosen])}")
        if _is_accasim(table):
            from schedlab.system.accasim import from_accasim  # only where it is needed

            return from_accasim(table, default_name)
        return _from_own(table, default_name)
    except InputError as error:
        raise InputError(f"{label}: {error}") from None


def _is_irmasim(given: Mapping[str, object]) -> bool:
    """Returns whether a table has IRMaSim's shape: platforms beside types of nodes."""
    types = "node" in given or "processor" in given
    return types and isinstance(given.get("platform"), dict) and "groups" not in given


def _is_accasim(given: dict[str, Any]) -> bool:
    """Returns whether a table has AccaSim's shape: groups of amounts, counted in "resources"."""
    if "groups" not in given or "resources" not in given:
        return False
    # A group with a "resources" table is ours; a stray "resources" above it is then a mistake.
    groups = given["groups"]
    return not isinstance(groups, dict) or not any(
        isinstance(group, dict) and isinstance(group.get("resources"), dict)
        for group in groups.values()
    )


def _from_own(given: dict[str, Any], default_name: str) -> System:
    """Returns the system that a table in schedlab's own layout describes."""
    decode.refuse_unknown(given, keys(System), "", _HINTS)
    if "groups" not in given:
        raise InputError("groups: is missing; add at least one, such as [groups.thin]")
    groups = decode.table(given["groups"], "groups", "groups, such as [groups.thin]")
    check_count(len(groups))
    if "processor" in given:  # an empty value in YAML, null, is not the default
        decode.table(given["processor"], "processor", "resource amounts, such as core = 2")
    types: dict[str, NodeType] = {}
    if "processors" in given or "node_types" in given:
        from schedlab.system.type_tables import read_types  # for machines that have them

        types = read_types(given.get("processors", {}), given.get("node_types", {}))
    network = None
    if "network" in given:
        from schedlab.system.network.network_table import read_network  # for machines that have one

        network = read_network(given["network"])
    return System(
        name=given.get("name", default_name),
        start_time=given.get("start_time", 0),
        processor=given.get("processor"),
        groups=[_group(name, group, types) for name, group in groups.items()],
        network=network,
    )


def _group(name: str, given: object, types: dict[str, NodeType]) -> Group:
    path = decode.child("groups", name)
    table = decode.table(given, path, "nodes and resources")
    # A number under another key is most likely an amount written as AccaSim does.
    hints = {
        key: f"amounts go into resources = {{ {decode.child('', key)} = {decode.shown(value)} }}"
        for key, value in table.items()
        if isinstance(value, (int, float))
    }
    decode.refuse_unknown(table, keys(Group), path, hints)
    described = ("type", 'type = "compute"') if types else ("resources", "resources = { core = 4 }")
    for key, example in (("nodes", "nodes = 120"), described):
        if key not in table and not (key == described[0] and {"type", "resources"} & table.keys()):
            raise InputError(f"{path}.{key}: is missing; add it, such as {example}")
    kind = None
    if "type" in table:
        kind = types[decode.one_of(table["type"], types, f"{path}.type", "node type")]
    elif table["resources"] is None:  # an empty value in YAML
        decode.amounts(None, f"{path}.resources")
    if "rack" in table:
        decode.whole_number(table["rack"], f"{path}.rack", minimum=1)
    return Group(name, table["nodes"], table.get("resources"), kind, table.get("rack"))
