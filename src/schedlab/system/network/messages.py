"""What messages, files and operation counts cost beside the links: frozen, valid once built."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.frozen import Frozen

COLLECTIVES = ("reference", "tuned")
"""Which algorithms of collectives are standard: the reference simulator's, or by size."""

_MAX_BYTES = 2**31 - 1
_MAX_SECONDS = 1000.0


class Messages(Frozen):
    """How a message becomes packets, and what goes over the wires beside its own bytes.

    Attributes:
        packet: Bytes of a message in one packet, at most.
        put_header: Bytes beside them in each packet.
        put_reply: Bytes that acknowledge a packet; 0: nothing does.
        get_header: The same for messages of `switch_over` bytes and more.
        get_reply: The same for messages of `switch_over` bytes and more.
        switch_over: Bytes from which a message is fetched (GET); None: none is.
        injection: Bytes per second that a node can hand over; None: its link is the only limit.
        send_overhead: Seconds of software before the first packet.
        receive_overhead: Seconds of software behind the last packet.
        memory_bandwidth: Bit/s from rank to rank inside a node.
        memory_delay: Seconds before the first byte of that.
        collectives: Which algorithms are standard: "reference" or "tuned".
    """

    __slots__ = _fields = (
        *("packet", "put_header", "put_reply", "get_header", "get_reply", "switch_over"),
        *("injection", "send_overhead", "receive_overhead", "memory_bandwidth", "memory_delay"),
        "collectives",
    )
    packet: int
    put_header: int
    put_reply: int
    get_header: int
    get_reply: int
    switch_over: int | None
    injection: float | None
    send_overhead: float
    receive_overhead: float
    memory_bandwidth: float
    memory_delay: float
    collectives: str

    def __init__(
        self,
        packet: int = 64,
        put_header: int = 32,
        put_reply: int = 9,
        get_header: int = 17,
        get_reply: int = 24,
        switch_over: int | None = None,
        injection: float | None = None,
        send_overhead: float = 0.0,
        receive_overhead: float = 0.0,
        memory_bandwidth: float = 5e11,
        memory_delay: float = 100e-9,
        collectives: str = "reference",
    ) -> None:
        """Builds the rules of messages; as they are, those of Cray's Gemini; raises InputError."""
        path = "network.messages"

        def count(value: object, name: str, least: int = 0) -> int:
            return decode.whole_number(value, f"{path}.{name}", minimum=least, maximum=_MAX_BYTES)

        self._set(
            packet=count(packet, "packet", 1),
            put_header=count(put_header, "put_header"),
            put_reply=count(put_reply, "put_reply"),
            get_header=count(get_header, "get_header"),
            get_reply=count(get_reply, "get_reply"),
            switch_over=None if switch_over is None else count(switch_over, "switch_over"),
            injection=None if injection is None else rate(injection, f"{path}.injection"),
            send_overhead=seconds(send_overhead, f"{path}.send_overhead"),
            receive_overhead=seconds(receive_overhead, f"{path}.receive_overhead"),
            memory_bandwidth=rate(memory_bandwidth, f"{path}.memory_bandwidth"),
            memory_delay=seconds(memory_delay, f"{path}.memory_delay"),
            collectives=decode.one_of(
                collectives, COLLECTIVES, f"{path}.collectives", "choice of collectives"
            ),
        )


class Files(Frozen):
    """A file system that all nodes share.

    Attributes:
        bandwidth: Bytes per second of all nodes together.
        node_bandwidth: Bytes per second of one node; None: no limit of its own.
    """

    __slots__ = _fields = ("bandwidth", "node_bandwidth")
    bandwidth: float
    node_bandwidth: float | None

    def __init__(self, bandwidth: float, node_bandwidth: float | None = None) -> None:
        """Builds a file system; raises InputError."""
        path = "network.files"
        self._set(bandwidth=rate(bandwidth, f"{path}.bandwidth"), node_bandwidth=None)
        if node_bandwidth is not None:
            self._set(node_bandwidth=rate(node_bandwidth, f"{path}.node_bandwidth"))


class ComputeRates(Frozen):
    """What a core does in a second, for applications that count operations.

    Attributes:
        integer: Integer operations.
        floating: Operations on floating-point numbers.
        memory: Bytes to and from memory.
    """

    __slots__ = _fields = ("integer", "floating", "memory")
    integer: float
    floating: float
    memory: float

    def __init__(self, integer: float, floating: float, memory: float) -> None:
        """Builds the rates of a core; raises InputError."""
        given = {"integer": integer, "floating": floating, "memory": memory}
        self._set(**{name: rate(value, f"network.compute.{name}") for name, value in given.items()})


def rate(value: object, path: str) -> float:
    """Returns the value if something can be done at this rate: a number above 0."""
    return decode.number(value, path, above=0.0, maximum=1e18)


def seconds(value: object, path: str) -> float:
    """Returns the value if it can be a delay on a network."""
    number = decode.number(value, path, maximum=_MAX_SECONDS)
    if 0.0 < number < 1e-12:
        raise InputError(f"{path}: is below a picosecond, the least time on a network; write 0")
    return number
