"""The tables `processors` and `node_types` of a system file as definitions."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import by_name
from schedlab.fields.reading import Tables, check_keys, require
from schedlab.system.node_types import NodeType
from schedlab.system.processors import ProcessorType

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Kind = TypeVar("Kind", ProcessorType, NodeType)

LIKE = "like"
PROCESSOR_TYPE, NODE_TYPE = "processor type", "node type"


def read_processor_types(given: object, tables: Tables) -> None:
    """Makes the processor types of the table `processors` known to what is read next.

    Raises:
        InputError: With the path of what is wrong.
    """
    tables.known[PROCESSOR_TYPE] = _resolved(
        decode.table(given, "processors", "processor types, such as [processors.i5-7500]"),
        "processors",
        PROCESSOR_TYPE,
        lambda name, table, parent: _processor(name, table, parent, tables),
    )


def read_node_types(given: object, tables: Tables) -> None:
    """Makes the node types of the table `node_types`, which name processor types, known.

    Raises:
        InputError: With the path of what is wrong.
    """
    tables.known[NODE_TYPE] = _resolved(
        decode.table(given, "node_types", "node types, such as [node_types.compute]"),
        "node_types",
        NODE_TYPE,
        lambda name, table, parent: _node(name, table, parent, tables),
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


def _processor(
    name: str, given: dict[str, Any], parent: ProcessorType | None, tables: Tables
) -> ProcessorType:
    own = _values(ProcessorType, given, decode.child("processors", name), parent is None, tables)
    if parent is not None:
        own = {**_inherited(parent, own), **own}
    return ProcessorType(**{**own, "name": name})


def _values(
    kind: type[ProcessorType | NodeType],
    given: dict[str, Any],
    path: str,
    alone: bool,
    tables: Tables,
) -> dict[str, Any]:
    """Returns the arguments of a type that its table has; `alone`: it is like no other."""
    check_keys(kind, given, path)
    if alone:
        require(kind, given, path)
    return tables.values(kind, given, path)


def _inherited(parent: ProcessorType, own: dict[str, Any]) -> dict[str, Any]:
    """Returns what a type takes from the one it is like.

    Of a lower clock it takes the steps below that clock. If the clock is that of a step, its power
    is the step's: the same processor, held there.
    """
    fields = by_name(parent)
    clock = own.get("clock")
    if isinstance(clock, (int, float)):
        fields["steps"] = tuple(step for step in parent.steps if step.clock < clock)
        held = [step for step in parent.steps if step.clock == clock]
        if held:
            fields["power"] = held[0].power
    return fields


def _node(name: str, given: dict[str, Any], parent: NodeType | None, tables: Tables) -> NodeType:
    own = _values(NodeType, given, decode.child("node_types", name), parent is None, tables)
    fields = {} if parent is None else by_name(parent)
    return NodeType(**{**fields, **own, "name": name})
