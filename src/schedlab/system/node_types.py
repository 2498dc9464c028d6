"""Node types: which processors, which further resources, which power states."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.frozen import Frozen
from schedlab.system.processors import MAX_WATTS, ProcessorType

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_SECONDS = 1e9
MAX_SOCKETS_PER_NODE = 1024
STATES = ("sleeping", "off")
"""What an idle node can be put into."""


class NodePower(Frozen):
    """Watts of a node beyond those of its sockets.

    Attributes:
        base: While it is on.
        sleeping: Of the whole node while it sleeps; None: nothing is said of that.
        off: Of the whole node while it is off; None: nothing is said of that.
    """

    __slots__ = _fields = ("base", "sleeping", "off")
    base: float
    sleeping: float | None
    off: float | None

    def __init__(
        self, base: float = 0.0, sleeping: float | None = None, off: float | None = None
    ) -> None:
        self._set(base=decode.number(base, "base", maximum=MAX_WATTS))
        for name, value in (("sleeping", sleeping), ("off", off)):
            if value is not None:
                value = decode.number(value, name, maximum=MAX_WATTS)
            self._set(**{name: value})


class Transition(Frozen):
    """How a node gets into a state and out of it.

    Attributes:
        down_seconds: From on into the state.
        down_power: Watts of the whole node meanwhile.
        up_seconds: From the state to on.
        up_power: Watts of the whole node meanwhile.
    """

    __slots__ = _fields = ("down_seconds", "down_power", "up_seconds", "up_power")
    down_seconds: float
    down_power: float
    up_seconds: float
    up_power: float

    def __init__(
        self, down_seconds: float, down_power: float, up_seconds: float, up_power: float
    ) -> None:
        for name, value, most in (
            ("down_seconds", down_seconds, MAX_SECONDS),
            ("down_power", down_power, MAX_WATTS),
            ("up_seconds", up_seconds, MAX_SECONDS),
            ("up_power", up_power, MAX_WATTS),
        ):
            self._set(**{name: decode.number(value, name, maximum=most)})


class NodeType(Frozen):
    """A kind of node.

    Attributes:
        name: Name of the type.
        processors: Processor types and how many sockets have one, in the order of the sockets.
        power: Watts beyond those of the sockets.
    """

    __slots__ = ("_resources", "_transitions", "name", "power", "processors")
    _fields = ("name", "processors", "resources", "power", "transitions")
    name: str
    processors: tuple[tuple[ProcessorType, int], ...]
    power: NodePower
    _resources: dict[str, int]
    _transitions: dict[str, Transition]

    def __init__(
        self,
        name: str,
        processors: Iterable[tuple[ProcessorType, int]],
        resources: Mapping[str, int] | None = None,
        power: NodePower | None = None,
        transitions: Mapping[str, Transition] | None = None,
    ) -> None:
        """Builds a node type; `resources` are those beyond cores; raises InputError."""
        path = decode.child("node_types", name)
        if power is not None and not isinstance(power, NodePower):
            raise InputError(f"{path}.power: must be a NodePower (is {decode.shown(power)})")
        self._set(
            name=decode.identifier(name, path),
            processors=_checked_processors(processors, f"{path}.processors"),
            power=NodePower() if power is None else power,
            _transitions=_checked_transitions(transitions, f"{path}.transitions"),
        )
        given = dict(resources or {})
        if "core" in given:
            raise InputError(
                f"{path}.resources.core: follows from the processors, which have {self.cores} "
                "cores; leave it out"
            )
        self._set(_resources=decode.amounts(given, f"{path}.resources") if given else {})

    @property
    def resources(self) -> dict[str, int]:
        """Amount of each resource beyond cores (a copy)."""
        return dict(self._resources)

    @property
    def transitions(self) -> dict[str, Transition]:
        """How a node gets into the states "sleeping" and "off" and out of them (a copy)."""
        return dict(self._transitions)

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
        transition = self._transitions.get(name)
        if watts is None and transition is None:
            return None
        return watts or 0.0, transition or Transition(0, 0, 0, 0)


def _checked_processors(
    given: Iterable[tuple[ProcessorType, int]], path: str
) -> tuple[tuple[ProcessorType, int], ...]:
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


def _checked_transitions(
    given: Mapping[str, Transition] | None, path: str
) -> dict[str, Transition]:
    transitions = dict(given or {})
    decode.refuse_unknown(transitions, STATES, path)
    for state, transition in transitions.items():
        if not isinstance(transition, Transition):
            raise InputError(
                f"{path}.{state}: must be a Transition (is {decode.shown(transition)})"
            )
    return transitions
