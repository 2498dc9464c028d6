"""Where the time of an application went, as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.units import byte_text, time_text

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.cli.terminal import Console
    from schedlab.simulation import ApplicationRun


def show(run: ApplicationRun, uncontended: float | None, pictures: dict[str, str]) -> None:
    """Prints the breakdown of a run.

    Args:
        run: What came of the application.
        uncontended: Seconds if messages never waited for each other; None: not known.
        pictures: Files that were drawn, by what they show.
    """
    from rich.text import Text

    from schedlab.cli.terminal import Console

    console = Console(highlight=False)
    nodes = len(set(run.nodes))
    console.print(
        Text.assemble(
            (run.application, "bold"),
            f"  {run.ranks:,} rank{_s(run.ranks)} on {nodes:,} node{_s(nodes)} of "
            f"{run.system.name}",
        ),
        soft_wrap=True,
    )
    console.print(Text(_how(run), "dim"), soft_wrap=True)
    if run.state != "completed":
        console.print(Text("killed at its limit; what follows is of the time until then", "bold"))
    console.print()
    _pairs(console, _times(run, uncontended))
    console.print()
    console.print(_parts(run))
    console.print()
    _pairs(console, _traffic(run))
    if run.messages:
        console.print()
        console.print(_links(run))
    console.print()
    rate = f", {run.events / run.cpu_seconds:,.0f} a second" if run.cpu_seconds > 0 else ""
    _pairs(
        console,
        [("simulator", f"{run.cpu_seconds:.3f} s CPU, {run.events:,} event{_s(run.events)}{rate}")],
    )
    for what, file in pictures.items():
        console.print(Text(f"{file}: {what}"), soft_wrap=True)


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _how(run: ApplicationRun) -> str:
    fidelity = run.options["fidelity"]
    if fidelity == "fluid":
        fidelity += f" to {run.options['accuracy']:g}"
    return f"{run.allocator}, {run.options['mapping']} mapping, {fidelity}"


def _times(run: ApplicationRun, uncontended: float | None) -> list[tuple[str, str]]:
    rows = [("time", f"{time_text(run.seconds)} to the end of the last rank")]
    ends = run.rank_seconds
    if len(ends) > 1:
        mean = sum(ends) / len(ends)
        rows.append(
            (
                "ranks end",
                f"after {time_text(min(ends))} at first, {time_text(mean)} on average; "
                f"rank {len(ends) - 1:,} after {time_text(ends[-1])}",
            )
        )
    if uncontended is not None:
        more = f": {run.seconds / uncontended:.3f} times that" if uncontended > 0 else ""
        rows.append(("no contention", f"{time_text(uncontended)} (analytic){more}"))
    return rows


def _parts(run: ApplicationRun) -> Table:
    table = _table("of a rank, on average", "time", "share")
    parts = (
        ("compute", run.compute),
        ("communication", run.communication),
        ("files", run.file_access),
    )
    whole = sum(seconds for _, seconds in parts)
    for name, seconds in parts:
        table.add_row(name, time_text(seconds), f"{seconds / whole:.1%}" if whole else "-")
    return table


def _traffic(run: ApplicationRun) -> list[tuple[str, str]]:
    hops = "-" if run.mean_hops is None else f"{run.mean_hops:.2f} between routers on average"
    return [
        ("messages", f"{run.messages:,}"),
        ("bytes", f"{byte_text(run.bytes)} without headers"),
        ("hops", hops),
        ("hop-bytes", byte_text(run.hop_bytes)),
    ]


def _links(run: ApplicationRun) -> Table:
    assert run.system.network is not None
    links = run.system.network.links()
    table = _table("links", "number", "used", "carried", "mean use", "most", "most used one")
    for kind in run.link_use():
        busiest = links.text(kind.busiest) if kind.used else "-"
        table.add_row(
            kind.kind,
            f"{kind.links:,}",
            f"{kind.used:,}",
            byte_text(kind.bytes),
            f"{kind.mean:.1%}" if kind.used else "-",
            f"{kind.highest:.1%}" if kind.used else "-",
            busiest,
        )
    return table


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for place, name in enumerate(columns):
        words = place == 0 or name == "most used one"
        table.add_column(name, justify="left" if words else "right", overflow="fold")
    return table


def _pairs(console: Console, rows: list[tuple[str, str]]) -> None:
    from rich.text import Text

    width = max(13, *(len(name) for name, _ in rows))
    for name, value in rows:
        console.print(Text(f"{name:{width}}  ", "dim").append(value, "not dim"), soft_wrap=True)
