"""What all topologies have: links to the nodes, routing, messages. Frozen, valid once built."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.frozen import Frozen
from schedlab.system.network.messages import ComputeRates, Files, Messages, rate, seconds

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from schedlab.system.network.links import Links

    Value = TypeVar("Value")

MAX_PORTS = 65_535
MAX_NODES = 10_000_000

HOST = ("host_bandwidth", "host_delay")
REST = ("routing", "messages", "files", "compute")


class LinkKind(Frozen):
    """Links of one kind, such as those in one dimension.

    Attributes:
        name: What the engine calls them.
        links: How many there are; each goes one way.
        ports: Equal links side by side that each of them stands for.
        bandwidth: Bit/s of one port.
        delay: Seconds behind the last byte.
    """

    __slots__ = _fields = ("name", "links", "ports", "bandwidth", "delay")
    name: str
    links: int
    ports: int
    bandwidth: float
    delay: float

    def __init__(self, name: str, links: int, ports: int, bandwidth: float, delay: float) -> None:
        self._set(name=name, links=links, ports=ports, bandwidth=bandwidth, delay=delay)


class Network(Frozen):
    """What topologies have in common; a machine has a `Torus`, a `FatTree` or a `Dragonfly`.

    Attributes:
        host_bandwidth: Bit/s of the link between a node and its router, one direction.
        host_delay: Seconds on that link.
        routing: How the way of a message is chosen.
        messages: What goes over the wires beside its bytes.
        files: The shared file system; None: there is none.
        compute: What a core does in a second; None: as the processor types say, if there are any.
    """

    __slots__ = (*HOST, *REST)
    topology = ""
    routings: tuple[str, ...] = ()
    """Known ways of routing, the default first."""
    host_bandwidth: float
    host_delay: float
    routing: str
    messages: Messages
    files: Files | None
    compute: ComputeRates | None

    def _set_common(
        self,
        host_bandwidth: float,
        host_delay: float,
        routing: str | None,
        messages: Messages | None,
        files: Files | None,
        compute: ComputeRates | None,
    ) -> None:
        self._set(
            host_bandwidth=rate(host_bandwidth, "network.host_bandwidth"),
            host_delay=seconds(host_delay, "network.host_delay"),
            routing=decode.one_of(
                self.routings[0] if routing is None else routing,
                self.routings,
                "network.routing",
                f"routing on a {self.topology}",
            ),
            messages=_instance(messages, Messages, "messages") or Messages(),
            files=_instance(files, Files, "files"),
            compute=_instance(compute, ComputeRates, "compute"),
        )
        if self.nodes > MAX_NODES:
            raise InputError(
                f"network: {self.text} has {decode.shown(self.nodes)} nodes; "
                f"at most {MAX_NODES} are supported"
            )

    @property
    def text(self) -> str:
        """What it is, in words that fit behind `network: `."""
        raise NotImplementedError

    @property
    def nodes(self) -> int:
        """How many nodes it connects."""
        raise NotImplementedError

    @property
    def routers(self) -> int:
        """How many routers or switches it has."""
        raise NotImplementedError

    @property
    def diameter(self) -> int:
        """Links between routers on the longest of the shortest ways, at most."""
        return len(self.farthest())

    @property
    def bisection(self) -> float:
        """Bit/s, one direction, between the halves of the routers that the least connects."""
        raise NotImplementedError

    def kinds_between_routers(self) -> tuple[LinkKind, ...]:
        """Returns the kinds of links between routers."""
        raise NotImplementedError

    def farthest(self) -> tuple[LinkKind, ...]:
        """Returns the links between routers, by kind, on the longest of the shortest ways.

        On a dragonfly this is a bound: with several links between two groups, ways without one of
        the hops may lead everywhere.
        """
        raise NotImplementedError

    def latency(self, size: int, way: Sequence[LinkKind]) -> float:
        """Returns the seconds until a message of one packet has arrived, alone on the wires.

        Args:
            size: Bytes of the message, no more than fit a packet.
            way: The links between routers; without any, to the next node of the same router.
        """
        rules = self.messages
        header = rules.put_header
        if rules.switch_over is not None and size >= rules.switch_over:
            header = rules.get_header
        host = self.link_kinds()[:2]
        wires = sum(8 * (size + header) / kind.bandwidth + kind.delay for kind in (*host, *way))
        return rules.send_overhead + wires + rules.receive_overhead

    def link_kinds(self) -> tuple[LinkKind, ...]:
        """Returns all kinds of links, those to and from nodes first."""
        host = (self.nodes, 1, self.host_bandwidth, self.host_delay)
        return (
            LinkKind("host out", *host),
            LinkKind("host in", *host),
            *self.kinds_between_routers(),
        )

    def links(self) -> Links:
        """Returns each single link, in the order in which bytes on them are counted."""
        from schedlab.system.network.links import Links  # which needs the engine

        return Links(self)

    def engine_fields(self) -> dict[str, Any]:
        """Returns what the engine is told of the topology alone, in bytes and seconds."""
        raise NotImplementedError


def check(network: object, nodes: int) -> None:
    """Raises InputError unless the value is a network of so many nodes."""
    if not isinstance(network, Network) or not network.topology:
        raise InputError(
            f"network: must be a Torus, a FatTree or a Dragonfly (is {decode.shown(network)})"
        )
    if network.nodes != nodes:
        raise InputError(
            f"network: {network.text} has {network.nodes:,} nodes, the groups have {nodes:,}; "
            "change one of them (nodes that take no jobs can be a group with core = 0)"
        )


def whole_numbers(value: object, path: str, *, most: int = MAX_NODES) -> tuple[int, ...]:
    """Returns the numbers of a list, each at least 1."""
    return tuple(
        decode.whole_number(one, f"{path}[{place}]", minimum=1, maximum=most)
        for place, one in enumerate(listed(value, path), 1)
    )


def listed(value: object, path: str) -> Sequence[object]:
    """Returns the value if it is a list."""
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{path}: must be a list of numbers (is {decode.shown(value)})")
    return value


def for_each(
    value: object, path: str, names: Sequence[str], one: Callable[[object, str], Value]
) -> tuple[Value, ...]:
    """Returns one value for each name: the same for all, or those of a list.

    Args:
        value: A value, or a list of as many as there are names.
        path: Where it is written.
        names: What the values are for, such as dimensions.
        one: Checks a single value.
    """
    if not isinstance(value, (list, tuple)):
        return (one(value, path),) * len(names)
    if len(value) != len(names):
        raise InputError(
            f"{path}: has {len(value)} values; give one number for all, or {len(names)} "
            f"({decode.listed(names)})"
        )
    return tuple(one(entry, f"{path}[{place}]") for place, entry in enumerate(value, 1))


def ports(value: object, path: str) -> int:
    """Returns the value if it can be a number of links side by side."""
    return decode.whole_number(value, path, minimum=1, maximum=MAX_PORTS)


def product(numbers: Sequence[int]) -> int:
    """Returns the product."""
    result = 1
    for number in numbers:
        result *= number
    return result


def _instance(value: Any, kind: type[Value], name: str) -> Value | None:
    if value is None or isinstance(value, kind):
        return value
    raise InputError(f"network.{name}: must be {kind.__name__}(...) (is {decode.shown(value)})")
