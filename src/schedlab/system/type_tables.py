"""The tables `processors` and `node_types` of a system file as definitions."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.system.node_types import STATES, NodePower, NodeType, Transition
from schedlab.system.processors import Contention, FrequencyStep, Power, ProcessorType

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Kind = TypeVar("Kind", ProcessorType, NodeType)
    Made = TypeVar("Made", Power, Contention, NodePower, Transition)

LIKE = "like"

_PROCESSOR_KEYS = (*ProcessorType._fields[1:], LIKE)
_PROCESSOR_NEEDS = {"cores": "cores = 4", "clock": "clock = 3.4"}
_NODE_KEYS = (*NodeType._fields[1:], LIKE)
_NODE_NEEDS = {"processors": "processors = { i5-7500 = 2 }"}
_POWER_NEEDS = {"core": "core = 6.14", "shared": "shared = 5.59", "idle": "idle = 0.28"}
_STEP_NEEDS = {"clock": "clock = 2.5", **_POWER_NEEDS}
_CONTENTION_NEEDS = {
    "b": "b = -1.85e-5",
    "c": "c = 32000",
    "da": "da = 1.75",
    "db": "db = 3500",
    "dc": "dc = 45000",
    "dd": "dd = 3000",
}
_TRANSITION_NEEDS = {
    "down_seconds": "down_seconds = 30",
    "down_power": "down_power = 60",
    "up_seconds": "up_seconds = 120",
    "up_power": "up_power = 90",
}


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
    path = decode.child("processors", name)
    decode.refuse_unknown(given, _PROCESSOR_KEYS, path)
    if parent is None:
        _require(given, _PROCESSOR_NEEDS, path)
    own = {key: _present(value, decode.child(path, key)) for key, value in given.items()}
    own.pop(LIKE, None)
    if "power" in own:
        own["power"] = _made(Power, own["power"], f"{path}.power", _POWER_NEEDS)
    if "contention" in own:
        where = f"{path}.contention"
        own["contention"] = _made(Contention, own["contention"], where, _CONTENTION_NEEDS, "k")
    if "steps" in own:
        own["steps"] = _steps(own["steps"], f"{path}.steps")
    if parent is not None:
        own = {**_inherited(parent, own), **own}
    return ProcessorType(**{**own, "name": name})


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


def _steps(given: object, path: str) -> list[FrequencyStep]:
    if not isinstance(given, list):
        raise InputError(
            f"{path}: must be a list of tables, such as "
            f"[{{ {', '.join(_STEP_NEEDS.values())} }}] (is {decode.shown(given)})"
        )
    steps = []
    for number, entry in enumerate(given, 1):
        where = f"{path}[{number}]"
        table = decode.table(entry, where, "clock, core, shared and idle")
        decode.refuse_unknown(table, tuple(_STEP_NEEDS), where)
        _require(table, _STEP_NEEDS, where)
        try:
            power = Power(table["core"], table["shared"], table["idle"])
            steps.append(FrequencyStep(table["clock"], power))
        except InputError as error:
            raise InputError(f"{where}.{error}") from None
    return steps


def _node(
    name: str,
    given: dict[str, Any],
    parent: NodeType | None,
    kinds: dict[str, ProcessorType],
) -> NodeType:
    path = decode.child("node_types", name)
    decode.refuse_unknown(given, _NODE_KEYS, path)
    if parent is None:
        _require(given, _NODE_NEEDS, path)
    own = {key: _present(value, decode.child(path, key)) for key, value in given.items()}
    own.pop(LIKE, None)
    if "processors" in own:
        where = f"{path}.processors"
        counts = decode.table(own["processors"], where, "sockets by processor type")
        own["processors"] = [
            (kinds[decode.one_of(kind, kinds, where, "processor type")], sockets)
            for kind, sockets in counts.items()
        ]
    if "resources" in own:
        decode.table(own["resources"], f"{path}.resources", "resource amounts, such as mem = 4")
    if "power" in own:
        own["power"] = _made(NodePower, own["power"], f"{path}.power", {}, *NodePower._fields)
    if "transitions" in own:
        own["transitions"] = _transitions(own["transitions"], f"{path}.transitions")
    fields = {} if parent is None else _fields_of(parent)
    return NodeType(**{**fields, **own, "name": name})


def _transitions(given: object, path: str) -> dict[str, Transition]:
    tables = decode.table(given, path, f"states, which are {' and '.join(STATES)}")
    decode.refuse_unknown(tables, STATES, path)
    return {
        state: _made(Transition, table, f"{path}.{state}", _TRANSITION_NEEDS)
        for state, table in tables.items()
    }


def _made(
    kind: type[Made], given: object, path: str, needs: dict[str, str], *optional: str
) -> Made:
    """Returns a definition whose arguments are the entries of a table."""
    table = decode.table(given, path, f"{', '.join([*needs, *optional])}")
    decode.refuse_unknown(table, (*needs, *optional), path)
    _require(table, needs, path)
    for key, value in table.items():
        _present(value, f"{path}.{key}")
    try:
        return kind(**table)
    except InputError as error:
        raise InputError(f"{path}.{error}") from None


def _require(table: dict[str, Any], needs: dict[str, str], path: str) -> None:
    for key, example in needs.items():
        if key not in table:
            raise InputError(f"{path}.{key}: is missing; add it, such as {example}")


def _present(value: object, path: str) -> Any:
    """Returns a value that is there: null, an empty value in YAML, is not the default."""
    if value is None:
        raise InputError(f"{path}: is empty; give it a value, or leave it out")
    return value


def _fields_of(parent: ProcessorType | NodeType) -> dict[str, Any]:
    return dict(zip(parent._fields, parent._values(), strict=True))
