"""Tables of a network: its links, its messages, and what it amounts to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedlab.cli.system.network.amounts import bit_rate, byte_rate, delay

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table


def link_table(facts: dict[str, Any], table: Callable[..., Table]) -> Table:
    """Returns the links by kind; `table` makes an empty table of a title and columns."""
    made = table(
        "links, each one way",
        *("link", "number", "side by side", "bandwidth of one", "all together", "delay"),
    )
    for kind in facts["links"]:
        if kind["links"]:
            made.add_row(
                kind["name"],
                f"{kind['links']:,}",
                f"{kind['ports']:,}",
                bit_rate(kind["bandwidth"]),
                bit_rate(kind["total_bandwidth"]),
                delay(kind["delay"]),
            )
    return made


def message_table(facts: dict[str, Any], table: Callable[..., Table]) -> Table:
    """Returns how messages become packets, PUT and GET."""
    rules = facts["messages"]
    switch = rules.get("switch_over")
    made = table("messages", "kind", "of", "packet", "header", "reply")
    limit = "any size" if switch is None else f"below {switch:,} bytes"
    rows = [("PUT", limit, "put")] if switch != 0 else []
    if switch is not None:
        rows.append(("GET", f"{switch:,} bytes and more", "get"))
    for name, of, key in rows:
        sizes = (rules["packet"], rules[f"{key}_header"], rules[f"{key}_reply"])
        made.add_row(name, of, *(f"{size:,} B" if size else "none" for size in sizes))
    return made


def network_summary(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns further facts, each with its name."""
    rules, latency = facts["messages"], facts["latency"]
    lines = [
        ("routers", f"{facts['routers']:,}, at most {facts['diameter']:,} hops apart"),
        ("bisection", f"{bit_rate(facts['bisection_bandwidth'])} each way"),
        ("routing", facts["routing"]),
        (
            f"{latency['bytes']} bytes take",
            f"{delay(latency['nearest_seconds'])} to the nearest node, "
            f"at most {delay(latency['farthest_seconds'])} to any",
        ),
        ("injection", byte_rate(rules["injection"]) if "injection" in rules else "no limit"),
    ]
    overheads = (rules["send_overhead"], rules["receive_overhead"])
    if any(overheads):
        send, receive = map(delay, overheads)
        lines.append(("software", f"{send} to send, {receive} to receive"))
    memory = f"{bit_rate(rules['memory_bandwidth'])} after {delay(rules['memory_delay'])}"
    lines += [("inside a node", memory), ("collectives", rules["collectives"])]
    if facts["files"] is not None:
        text = f"{byte_rate(facts['files']['bandwidth'])} shared"
        if "node_bandwidth" in facts["files"]:
            text += f", {byte_rate(facts['files']['node_bandwidth'])} a node"
        lines.append(("files", text))
    if facts["compute"] is not None:
        rates = facts["compute"]
        lines.append(
            (
                "a core does",
                f"integer {_plain(rates['integer'])}/s, floating point "
                f"{_plain(rates['floating'])}/s, memory {byte_rate(rates['memory'])}",
            )
        )
    return lines


def _plain(number: float) -> str:
    return f"{number:.3g}".replace("e+0", "e").replace("e+", "e")
