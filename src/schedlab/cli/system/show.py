"""`schedlab system show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import Force, print_warnings
from schedlab.cli.progress import busy
from schedlab.overwriting import refuse_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

    from schedlab.cli.terminal import Console
    from schedlab.system.network import Network

EXAMPLE = "Example: schedlab system show cielo --picture cielo.png"

Source = Annotated[
    str,
    Argument(
        metavar="FILE",
        help="System file of schedlab, AccaSim or IRMaSim: .toml, .json or .yaml; FILE#NAME "
        "chooses one of several platforms of IRMaSim's. Or a machine by name: cielo, hopper, "
        "titan, edison, intrepid, fat-tree.",
        show_default=False,
    ),
]


def show(
    file: Source,
    picture: Annotated[
        str | None,
        Option(
            "--picture",
            metavar="FILE.png",
            help="Draw the network into a file (.png, .svg, .pdf).",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    json: Annotated[bool, Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Show what machine a system file describes: nodes, sockets, peak speed, watts, network."""
    from schedlab.system import load_system
    from schedlab.system.system_facts import facts_of

    refuse_file(picture, force)
    system = load_system(file)
    if picture is not None:
        from schedlab.analysis.plots.networks.topology import draw_network

        with busy("drawing"):
            draw_network(system, picture)
    facts = facts_of(system)
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(facts))
        return
    from rich.text import Text

    from schedlab.cli.terminal import Console

    console = Console(highlight=False)
    console.print(Text(facts["name"], "bold"), soft_wrap=True)
    console.print()
    parts = [_groups(facts), _partitions(facts.get("partitions", ()))]
    parts.append(_licenses(facts.get("licenses", {})))
    if system.platform:
        parts += [_speeds(facts), _processors(facts["processors"]), _clocks(facts["processors"])]
        parts += [_states(facts["node_types"]), _contention(facts["processors"])]
    for place, part in enumerate(part for part in parts if part.row_count):
        if place:
            console.print()
        console.print(part)
    if system.platform:
        console.print()
        console.print(Text(_summary(facts)), soft_wrap=True)
    if system.network is not None:
        _show_network(console, system.network, facts["network"])
    if picture is not None:
        console.print()
        console.print(Text(f"{picture}: the network"), soft_wrap=True)
    print_warnings(system.warnings)


def _show_network(console: Console, network: Network, facts: dict[str, Any]) -> None:
    from rich.text import Text

    from schedlab.cli.system.network import drawing, link_table, message_table, network_summary

    console.print()
    console.print(Text(f"network: {facts['text']}", "bold"), soft_wrap=True)
    console.print()
    console.print(drawing(network), no_wrap=True, crop=False, overflow="ignore")
    for table in (link_table(facts, _table), message_table(facts, _table)):
        console.print()
        console.print(table)
    console.print()
    rows = network_summary(facts)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        console.print(Text(f"{name:{width}}  ", "dim").append(value, "not dim"), soft_wrap=True)


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title, "dim"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        header_style="bold",
    )
    for place, name in enumerate(columns):
        words = place == 0 or name in ("type", "each node", "state", "of")
        table.add_column(name, justify="left" if words else "right", overflow="fold")
    return table


def _groups(facts: dict[str, Any]) -> Table:
    kinds = list(facts["resources"])
    sockets = {
        kind["name"]: ", ".join(f"{number} x {name}" for name, number in kind["processors"].items())
        for kind in facts.get("node_types", ())
    }
    racks = any(group["racks"] is not None for group in facts["groups"])
    optional = [*(["type", "each node"] if sockets else []), *(["racks"] if racks else [])]
    table = _table("groups, each with all its nodes", "group", *optional, "nodes", *kinds)
    for row in _with_total(table, facts):
        cells = [row["name"]]
        cells += [row.get("type", ""), sockets.get(row.get("type", ""), "")] if sockets else []
        cells += [_number(row["racks"]) if "racks" in row else ""] if racks else []
        amounts = [_number(row["resources"].get(kind, 0)) for kind in kinds]
        table.add_row(*cells, _number(row["nodes"]), *amounts)
    return table


def _licenses(licenses: dict[str, int]) -> Table:
    table = _table("licenses, which belong to no node", "license", "amount")
    for name, amount in licenses.items():
        table.add_row(name, _number(amount))
    return table


def _partitions(partitions: Sequence[dict[str, Any]]) -> Table:
    limits = ("max_time", "max_nodes", "max_tasks")
    table = _table(
        "partitions, and the most that a job there may ask for",
        "partition",
        "nodes",
        *("seconds", "of its nodes", "tasks"),
    )
    preempts = any(one["preempt"] for one in partitions)
    if preempts:
        table.add_column("preempts by priority", justify="right")
    for one in partitions:
        cells = [_number(one[field]) for field in ("nodes", *limits)]
        if preempts:
            cells.append(_number(one["preempt"] and one["preempt"]["priority"]))
        table.add_row(one["name"], *cells)
    return table


def _speeds(facts: dict[str, Any]) -> Table:
    table = _table("peak speed and power", "group", "sockets", "GFLOPS", "idle W", "full W")
    for row in _with_total(table, facts):
        watts = [_rounded(row[field]) for field in ("idle_watts", "full_watts")]
        table.add_row(row["name"], _number(row["sockets"]), _rounded(row["peak_gflops"], 1), *watts)
    return table


def _with_total(table: Table, facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the groups, and after several of them, set off, what they are together."""
    yield from facts["groups"]
    if len(facts["groups"]) > 1:
        table.add_section()
        yield {**facts, "name": "together"}


def _processors(processors: list[dict[str, Any]]) -> Table:
    table = _table(
        "processors, each in a socket",
        *("processor", "cores", "GHz", "flops/cycle", "GFLOPS", "memory channels", "GB/s"),
    )
    for one in processors:
        bandwidth = one["memory_bandwidth"]
        table.add_row(
            one["name"],
            _number(one["cores"]),
            f"{one['clocks'][0]['clock']:g}",
            f"{one['flops_per_cycle']:g}",
            _rounded(one["peak_gflops"], 1),
            _number(one["memory_channels"]),
            "-" if bandwidth is None else f"{bandwidth / 1000:,.1f}",
        )
    return table


def _clocks(processors: list[dict[str, Any]]) -> Table:
    table = _table("watts of a socket", "processor", "GHz", "idle W", "full W")
    for one in processors:
        for place, step in enumerate(one["clocks"]):
            if step["full_watts"] is not None:
                name = "" if place else one["name"]
                watts = [_rounded(step[field]) for field in ("idle_watts", "full_watts")]
                table.add_row(name, f"{step['clock']:g}", *watts)
    return table


def _states(node_types: list[dict[str, Any]]) -> Table:
    table = _table(
        "states of a node, and the ways into them and back to on",
        *("node type", "state", "W", "down s", "down W", "up s", "up W"),
    )
    for kind in node_types:
        if not kind["states"] and not kind["base_watts"]:
            continue
        table.add_row(kind["name"], "on, beyond its sockets", _rounded(kind["base_watts"]))
        for name, state in kind["states"].items():
            ways = ("down_seconds", "down_power", "up_seconds", "up_power")
            table.add_row(
                "", name, _rounded(state["watts"]), *(f"{state[field]:,g}" for field in ways)
            )
    return table


def _contention(processors: list[dict[str, Any]]) -> Table:
    names = ("b", "c", "da", "db", "dc", "dd", "k")
    table = _table("memory contention on a socket (rates in MB/s)", "processor", *names)
    for one in processors:
        if one["contention"] is not None:
            table.add_row(one["name"], *(f"{one['contention'][name]:g}" for name in names))
    return table


def _summary(facts: dict[str, Any]) -> str:
    cores = facts["resources"]["core"]
    text = f"{facts['nodes']:,} nodes, {facts['sockets']:,} sockets, {cores:,} cores, "
    text += f"{facts['peak_gflops']:,.1f} GFLOPS at most"
    if facts["full_watts"] is None:
        return f"{text}; no power given"
    return f"{text}; {facts['idle_watts']:,.2f} W idle, {facts['full_watts']:,.2f} W at full load"


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _rounded(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
