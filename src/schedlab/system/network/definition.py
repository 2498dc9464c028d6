"""What all topologies have: links to the nodes, routing, messages. Frozen, valid once built."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import Frozen
from schedlab.system.network.fields import MAX_NODES

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from schedlab.system.network.links import Links
    from schedlab.system.network.messages import ComputeRates, Files, Messages


class LinkKind(Frozen):
    """Links of one kind, such as those in one dimension.

    Attributes:
        name: What the engine calls them.
        links: How many there are; each goes one way.
        ports: Equal links side by side that each of them stands for.
        bandwidth: Bit/s of one port.
        delay: Seconds after the last byte.
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

    __slots__ = ()
    topology = ""
    routings: tuple[str, ...] = ()
    """Known ways of routing, the default first."""
    host_bandwidth: float
    host_delay: float
    routing: str
    messages: Messages
    files: Files | None
    compute: ComputeRates | None

    @classmethod
    def _prefix(cls, named: Mapping[str, Any]) -> str:
        return "network."

    @classmethod
    def _hints(cls, table: Mapping[str, Any]) -> Mapping[str, str]:
        from schedlab.system.network.network_table import TOPOLOGIES  # which knows them all

        return {
            key: f"a {other.topology} has it, a {cls.topology} does not"
            for other in TOPOLOGIES.values()
            for key in other._fields
        }

    def to_dict(self) -> dict[str, Any]:
        """Returns what the table `network` of a system file would say."""
        from schedlab.system.network.network_table import network_table

        return network_table(self)

    described = to_dict

    def _check_nodes(self) -> None:
        if self.nodes > MAX_NODES:
            raise InputError(
                f"network: {self.text} has {decode.shown(self.nodes)} nodes; "
                f"at most {MAX_NODES} are supported"
            )

    @property
    def text(self) -> str:
        """What it is, in words that fit after `network: `."""
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
        """Returns what the engine gets of the topology alone, in bytes and seconds."""
        raise NotImplementedError


def check(network: object, nodes: int) -> None:
    """Raises InputError unless the value is a network of N nodes."""
    if not isinstance(network, Network) or not network.topology:
        raise InputError(
            f"network: must be a Torus, a FatTree or a Dragonfly (is {decode.shown(network)})"
        )
    if network.nodes != nodes:
        raise InputError(
            f"network: {network.text} has {network.nodes:,} nodes, the groups have {nodes:,}; "
            "change one of them (nodes that take no jobs can be a group with core = 0)"
        )


def product(numbers: Sequence[int]) -> int:
    """Returns the product."""
    result = 1
    for number in numbers:
        result *= number
    return result
