"""The fields that all topologies have."""

from __future__ import annotations

from schedlab.fields import file_key, part, word
from schedlab.system.network.fields import delay_of, rate_of
from schedlab.system.network.messages import ComputeRates, Files, Messages

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def host_bandwidth_field() -> Any:
    """Returns the field of the bandwidth between a node and its router."""
    text = "of the link between a node and its router, one direction"
    return rate_of(text, "bit/s", example="1.6e11")


def host_delay_field() -> Any:
    """Returns the field of the delay between a node and its router."""
    return delay_of("of the link between a node and its router", example="6.35e-7")


def routing_field(topology: str, words: Sequence[str]) -> Any:
    """Returns the field of the routing on a topology; the first is the default."""
    return word(
        words,
        "how the way of a message is chosen",
        what=f"routing on a {topology}",
        default=None,
        made=lambda: words[0],
        absent=f'`"{words[0]}"`',
    )


def messages_field() -> Any:
    """Returns the field of the rules of messages."""
    return part(
        Messages,
        "what goes over the wires beside the bytes of a message",
        form="{}(...)",
        default=None,
        made=Messages,
        absent="those of Cray's Gemini",
    )


def files_field() -> Any:
    """Returns the field of the file system."""
    return part(Files, "the shared file system", form="{}(...)", default=None)


def compute_field() -> Any:
    """Returns the field of the rates of a core."""
    meaning, absent = "what a core does in a second", "as the processor types say, if there are any"
    return part(ComputeRates, meaning, form="{}(...)", default=None, absent=absent)


def topology_key(name: str) -> Any:
    """Returns the key of files that chooses the topology."""
    return file_key("what connects the routers", values=f'`"{name}"`', written={"const": name})


def preset_key() -> Any:
    """Returns the key of files that names a machine to take over everything else from."""
    return file_key(
        "a machine by name: everything is as there that is not said here, inside `messages`, "
        "`files` and `compute` too",
        values="text",
        default=None,
        written={"type": "string"},
        lends=True,
    )
