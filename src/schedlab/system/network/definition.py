"""What all topologies have: links to the nodes, routing, messages. Frozen, valid once built."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import Defined, Frozen, file_key, part, unchecked, word
from schedlab.system.network.messages import ComputeRates, Files, Messages
from schedlab.system.network.network_fields import MAX_NODES, delay_of, rate_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from schedlab.system.network.links import Links


class LinkKind(Defined):
    """Links of one kind, such as those in one dimension."""

    name: str = unchecked("what the engine calls them")
    links: int = unchecked("how many there are; each goes one way")
    ports: int = unchecked("equal links side by side that each of them stands for")
    bandwidth: float = unchecked("bit/s of one port")
    delay: float = unchecked("seconds after the last byte")


class Network(Frozen):
    """What topologies have in common; a machine has a `Torus`, a `FatTree` or a `Dragonfly`.

    Fields that all of them have are declared here, and taken over where a topology lists its own.
    It is not a `Defined` itself: to type checkers, its fields would come before those of the
    topology.
    """

    topology = ""
    routings: tuple[str, ...] = ()
    """Known ways of routing, the default first."""
    host_bandwidth: float = rate_of(
        "of the link between a node and its router, one direction", "bit/s", example="1.6e11"
    )
    host_delay: float = delay_of("of the link between a node and its router", example="6.35e-7")
    routing: str
    messages: Messages = part(
        Messages,
        "what goes over the wires besides the bytes of a message",
        form="{}(...)",
        default=None,
        made=Messages,
        absent="those of Cray's Gemini",
    )
    files: Files | None = part(Files, "the shared file system", form="{}(...)", default=None)
    compute: ComputeRates | None = part(
        ComputeRates,
        "what a core does in a second",
        form="{}(...)",
        default=None,
        absent="as the processor types say, if there are any",
    )
    preset: Any = file_key(
        "a machine by name: whatever is not given here is as there, inside `messages`, "
        "`files` and `compute` too",
        values="text",
        default=None,
        written={"type": "string"},
        lends=True,
    )

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
        """Links between routers on the longest of the shortest paths, at most."""
        return len(self.farthest())

    @property
    def bisection(self) -> float:
        """Bit/s, one direction, between the halves of the routers that the least connects."""
        raise NotImplementedError

    def kinds_between_routers(self) -> tuple[LinkKind, ...]:
        """Returns the kinds of links between routers."""
        raise NotImplementedError

    def farthest(self) -> tuple[LinkKind, ...]:
        """Returns the links between routers, by kind, on the longest of the shortest paths.

        On a dragonfly this is a bound: with several links between two groups, paths without one of
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


def routing_field(topology: str, words: Sequence[str]) -> Any:
    """Returns the field of the routing on a topology; the first is the default."""
    return word(
        words,
        "how the path of a message is chosen",
        what=f"routing on a {topology}",
        default=None,
        made=lambda: words[0],
        absent=f'`"{words[0]}"`',
    )


def topology_key(name: str) -> Any:
    """Returns the key of files that chooses the topology."""
    return file_key("what connects the routers", values=f'`"{name}"`', written={"const": name})


def product(numbers: Sequence[int]) -> int:
    """Returns the product."""
    result = 1
    for number in numbers:
        result *= number
    return result
