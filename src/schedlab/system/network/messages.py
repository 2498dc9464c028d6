"""What messages, files and operation counts cost besides the links: frozen, valid once built."""

from __future__ import annotations

from schedlab.fields import Defined, word
from schedlab.system.network.network_fields import byte_count, delay_of, rate_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

COLLECTIVES = ("reference", "tuned")
"""Which algorithms of collectives are standard: the reference simulator's, or by size."""


class Messages(Defined):
    """How a message becomes packets, and what goes over the wires besides its own bytes.

    As they are, those of Cray's Gemini.
    """

    packet: int = byte_count("largest part of a message in one packet", 1, default=64)
    put_header: int = byte_count("what stands beside it in each packet", default=32)
    put_reply: int = byte_count("what acknowledges a packet; 0: nothing does", default=9)
    get_header: int = byte_count("`put_header` of messages that are fetched", default=17)
    get_reply: int = byte_count("`put_reply` of messages that are fetched", default=24)
    switch_over: int | None = byte_count(
        "size from which a message is fetched (GET)", default=None, absent="none is"
    )
    injection: float | None = rate_of(
        "what a node can hand over, headers included", "byte/s", default=None, absent="as its link"
    )
    send_overhead: float = delay_of("time of software before the first packet", default=0.0)
    receive_overhead: float = delay_of("time of software after the last packet", default=0.0)
    memory_bandwidth: float = rate_of("from rank to rank inside a node", "bit/s", default=5e11)
    memory_delay: float = delay_of("before the first byte of that", default=100e-9)
    collectives: str = word(
        COLLECTIVES,
        "which algorithms are standard: `reference` (binomial trees) or `tuned`",
        what="choice of collectives",
        default="reference",
    )

    @classmethod
    def _prefix(cls, named: Mapping[str, Any]) -> str:
        return "network.messages."


class Files(Defined):
    """A file system that all nodes share."""

    bandwidth: float = rate_of("of all nodes together", "byte/s", example="1e11")
    node_bandwidth: float | None = rate_of(
        "of one node", "byte/s", default=None, absent="no limit of its own"
    )

    @classmethod
    def _prefix(cls, named: Mapping[str, Any]) -> str:
        return "network.files."


class ComputeRates(Defined):
    """What a core does in a second, for applications that count operations."""

    integer: float = rate_of("integer operations of a core", "1/s", example="4e9")
    floating: float = rate_of("floating-point operations of a core", "1/s", example="8e9")
    memory: float = rate_of("memory traffic of a core", "byte/s", example="5e9")

    @classmethod
    def _prefix(cls, named: Mapping[str, Any]) -> str:
        return "network.compute."
