"""Node types: which processors, which further resources, which power states."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import Defined, file_key, identifier, number, other, part, seconds, table
from schedlab.system.definition import AMOUNTS
from schedlab.system.features import FEATURES_SCHEMA, checked_features
from schedlab.system.processors import MAX_WATTS, ProcessorType

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from schedlab.fields import Taking
    from schedlab.fields.reading import Tables

MAX_SECONDS = 1e9
MAX_SOCKETS_PER_NODE = 1024
STATES = ("sleeping", "off")
"""What an idle node can be put into."""


class NodePower(Defined):
    """Watts of a node beyond those of its sockets."""

    base: float = number(
        "power beyond the sockets while the node is on", unit="W", maximum=MAX_WATTS, default=0.0
    )
    sleeping: float | None = number(
        "power of the whole node while it sleeps", unit="W", maximum=MAX_WATTS, default=None
    )
    off: float | None = number(
        "power of the whole node while it is off", unit="W", maximum=MAX_WATTS, default=None
    )


class Transition(Defined):
    """How a node gets into a state and out of it."""

    down_seconds: Taking[float, float | str] = seconds(
        "time from on into the state", maximum=MAX_SECONDS, example="30"
    )
    down_power: float = number(
        "power of the whole node meanwhile", unit="W", maximum=MAX_WATTS, example="60"
    )
    up_seconds: Taking[float, float | str] = seconds(
        "time from the state to on", maximum=MAX_SECONDS, example="120"
    )
    up_power: float = number(
        "power of the whole node meanwhile", unit="W", maximum=MAX_WATTS, example="90"
    )


def _checked_processors(given: Any, path: str) -> tuple[tuple[ProcessorType, int], ...]:
    checked: list[tuple[ProcessorType, int]] = []
    for entry in given:
        if not (isinstance(entry, (tuple, list)) and len(entry) == 2):
            raise InputError(f"{path}: must be pairs of a ProcessorType and a number of sockets")
        kind, sockets = entry
        if not isinstance(kind, ProcessorType):
            raise InputError(f"{path}: must name a ProcessorType (is {decode.shown(kind)})")
        where = decode.child(path, kind.name)
        if any(kind.name == other.name for other, _ in checked):
            raise InputError(f"{where}: is there twice; add the sockets up")
        count = decode.whole_number(sockets, where, minimum=1, maximum=MAX_SOCKETS_PER_NODE)
        checked.append((kind, count))
    if not checked:
        raise InputError(f"{path}: names none; add at least one, such as {{ i5-7500 = 2 }}")
    total = sum(sockets for _, sockets in checked)
    if total > MAX_SOCKETS_PER_NODE:
        raise InputError(
            f"{path}: {total} sockets in all; at most {MAX_SOCKETS_PER_NODE} are supported"
        )
    return tuple(checked)


def _read_processors(given: object, path: str, tables: Tables) -> list[tuple[ProcessorType, Any]]:
    counts = decode.table(given, path, "sockets by processor type")
    return [(tables.named("processor type", name, path), count) for name, count in counts.items()]


def _checked_transitions(given: Any, path: str) -> dict[str, Transition]:
    if not hasattr(given, "keys"):
        raise InputError(f"{path}: must be a table of Transition (is {decode.shown(given)})")
    transitions = dict(given)
    decode.refuse_unknown(transitions, STATES, path)
    for state, transition in transitions.items():
        if not isinstance(transition, Transition):
            raise InputError(
                f"{path}.{state}: must be a Transition (is {decode.shown(transition)})"
            )
    return transitions


def _read_transitions(given: object, path: str, tables: Tables) -> dict[str, Transition]:
    states = decode.table(given, path, f"states, which are {' and '.join(STATES)}")
    decode.refuse_unknown(states, STATES, path)
    return {
        state: tables.read(Transition, table, f"{path}.{state}") for state, table in states.items()
    }


def _checked_resources(given: Any, path: str) -> dict[str, int]:
    amounts = dict(given) if hasattr(given, "keys") else given
    return decode.amounts(amounts, path) if amounts != {} else {}


def _read_resources(given: object, path: str, _: Tables) -> dict[str, Any]:
    return decode.table(given, path, "resource amounts, such as mem = 4")


class NodeType(Defined):
    """A kind of node; `resources` are those beyond cores."""

    name: str = identifier("name of the type", is_key=True)
    processors: Taking[
        tuple[tuple[ProcessorType, int], ...], Iterable[tuple[ProcessorType, int]]
    ] = other(
        _checked_processors,
        "sockets by processor type, 1 to 1,024 in all; they are numbered in this order",
        values="table of numbers",
        example="{ i5-7500 = 2 }",
        written={
            "type": "object",
            "additionalProperties": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_SOCKETS_PER_NODE,
            },
            "minProperties": 1,
        },
        read=_read_processors,
        write=lambda node: {kind.name: sockets for kind, sockets in node.processors},
    )
    resources: Taking[dict[str, int], Mapping[str, int] | None] = table(
        _checked_resources,
        "amounts beyond `core`, which follows from the processors",
        values="table of numbers",
        default=None,
        read=_read_resources,
        written=AMOUNTS,
    )
    power: Taking[NodePower, NodePower | None] = part(
        NodePower,
        "watts of the node beyond its sockets, and in the states `sleeping` and `off`",
        made=NodePower,
        default=None,
        absent="0",
        write=lambda node: None if node.power == NodePower() else node.power,
    )
    transitions: Taking[dict[str, Transition], Mapping[str, Transition] | None] = table(
        _checked_transitions,
        "the ways into the states `off` and `sleeping`, and back",
        values="table of tables",
        default=None,
        absent="at once, for a state that `power` names",
        read=_read_transitions,
        written={
            "type": "object",
            "properties": {state: {"$ref": "#/$defs/Transition"} for state in STATES},
            "additionalProperties": False,
        },
    )
    features: Taking[tuple[str, ...], Iterable[str]] = other(
        checked_features,
        "names of what its nodes have, which jobs may need",
        values="list of texts",
        default=(),
        absent="none",
        written=FEATURES_SCHEMA,
    )
    like = file_key(
        "another node type, as for processors",
        values="text",
        default=None,
        written={"type": "string"},
        lends=True,
    )

    @classmethod
    def _prefix(cls, named: Mapping[str, Any]) -> str:
        return f"{decode.child('node_types', named['name'])}."

    def _complete(self) -> None:
        if "core" in vars(self)["resources"]:
            raise InputError(
                f"{self._prefix(vars(self))}resources.core: follows from the processors, which "
                f"have {self.cores} cores; leave it out"
            )

    @property
    def cores(self) -> int:
        """Number of cores of all sockets."""
        return sum(kind.cores * sockets for kind, sockets in self.processors)

    @property
    def sockets(self) -> tuple[ProcessorType, ...]:
        """The processor type of each socket."""
        return tuple(kind for kind, sockets in self.processors for _ in range(sockets))

    def state(self, name: str) -> tuple[float, Transition] | None:
        """Returns the watts in a state and the way into it; None where nothing is said of it.

        Where only one of the two is given, the other one is nothing: 0 W, or at once.
        """
        watts: float | None = getattr(self.power, name)
        transition: Transition | None = vars(self)["transitions"].get(name)
        if watts is None and transition is None:
            return None
        return watts or 0.0, transition or Transition(0, 0, 0, 0)
