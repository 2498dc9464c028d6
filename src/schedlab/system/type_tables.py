"""The tables `processors` and `node_types` of a system file as definitions."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import keys
from schedlab.fields.reading import Tables, require
from schedlab.system.node_types import NodeType
from schedlab.system.processors import ProcessorType

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Kind = TypeVar("Kind", ProcessorType, NodeType)

LIKE = "like"

_TABLES = Tables(null="give it a value, or leave it out")


def read_types(processors: object, node_types: object) -> dict[str, NodeType]:
    """Returns the node types by name.

    Args:
        processors: The table of processor types.
        node_types: The table of node types, which name processor types.

    Raises:
        InputError: With the path of what is wrong.
    """
    kinds = _resolved(
        decode.table(processors, "processors", "processor types, such as [processors.i5-7500]"),
        "processors",
        "processor type",
        _processor,
    )
    return _resolved(
        decode.table(node_types, "node_types", "node types, such as [node_types.compute]"),
        "node_types",
        "node type",
        lambda name, given, parent: _node(name, given, parent, kinds),
    )


def _resolved(
    tables: dict[str, Any],
    path: str,
    what: str,
    build: Callable[[str, dict[str, Any], Kind | None], Kind],
) -> dict[str, Kind]:
    """Returns all types, each built after the one that it is like."""
    made: dict[str, Kind] = {}
    for name in tables:
        chain: dict[str, dict[str, Any]] = {}
        link: str | None = name
        while link is not None and link not in made:
            where = decode.child(path, link)
            if link in chain:
                circle = decode.listed([*chain, link])
                raise InputError(f"{where}.like: types are like each other in a circle: {circle}")
            table = chain[link] = decode.table(tables[link], where, f"what a {what} has")
            link = None
            if LIKE in table:
                link = decode.one_of(table[LIKE], tables, f"{where}.like", what)
        for key, table in reversed(chain.items()):
            made[key] = build(key, table, made[table[LIKE]] if LIKE in table else None)
    return {name: made[name] for name in tables}


def _processor(name: str, given: dict[str, Any], parent: ProcessorType | None) -> ProcessorType:
    own = _values(ProcessorType, given, decode.child("processors", name), parent is None)
    if parent is not None:
        own = {**_inherited(parent, own), **own}
    return ProcessorType(**{**own, "name": name})


def _values(
    kind: type[ProcessorType | NodeType], given: dict[str, Any], path: str, alone: bool
) -> dict[str, Any]:
    """Returns the arguments of a type that its table has; `alone`: it is like no other."""
    decode.refuse_unknown(given, keys(kind), path)
    if alone:
        require(kind._declared, given, path)
    own = _TABLES.values(kind, given, path)
    own.pop(LIKE, None)
    return own


def _inherited(parent: ProcessorType, own: dict[str, Any]) -> dict[str, Any]:
    """Returns what a type takes from the one it is like.

    Of a lower clock it takes the steps below that clock. If the clock is that of a step, its power
    is the step's: the same processor, held there.
    """
    fields = _fields_of(parent)
    clock = own.get("clock")
    if isinstance(clock, (int, float)):
        fields["steps"] = tuple(step for step in parent.steps if step.clock < clock)
        held = [step for step in parent.steps if step.clock == clock]
        if held:
            fields["power"] = held[0].power
    return fields


def _node(
    name: str,
    given: dict[str, Any],
    parent: NodeType | None,
    kinds: dict[str, ProcessorType],
) -> NodeType:
    path = decode.child("node_types", name)
    own = _values(NodeType, given, path, parent is None)
    if "processors" in own:
        where = f"{path}.processors"
        counts = decode.table(own["processors"], where, "sockets by processor type")
        own["processors"] = [
            (kinds[decode.one_of(kind, kinds, where, "processor type")], sockets)
            for kind, sockets in counts.items()
        ]
    fields = {} if parent is None else _fields_of(parent)
    return NodeType(**{**fields, **own, "name": name})


def _fields_of(parent: ProcessorType | NodeType) -> dict[str, Any]:
    return dict(zip(parent._fields, parent._values(), strict=True))
