"""`schedlab workload`: what to do with workload files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schedlab.cli.progress import ProgressLine
from schedlab.clock import duration_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

EXAMPLE = "Example: schedlab workload inspect trace.swf.gz"

app = typer.Typer(invoke_without_command=True, epilog=EXAMPLE)


@app.callback()
def workload(context: typer.Context) -> None:
    """Look at workload files."""
    require_command(context)


def require_command(context: typer.Context) -> None:
    """Shows the help of a group that was called without one of its commands."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(2)


@app.command("inspect", epilog=EXAMPLE)
def inspect(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="SWF file: plain, .gz, .bz2 or .xz.", show_default=False
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Show what a workload file holds, and what of it would matter in a simulation."""
    from schedlab.workload.inspect import inspect_workload

    with ProgressLine() as progress:

        def show_rows(rows: int, share: float | None) -> None:
            if progress.due():
                progress.show(rows, "rows", share)

        facts = inspect_workload(file, show_rows)
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(facts))
    else:
        _show(facts)


HEADER_FIELDS = ("Computer", "Installation", "MaxNodes", "MaxProcs", "UnixStartTime", "Note")
"""What is shown of a header; JSON has it whole."""


def _show(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(facts["path"], "bold"), soft_wrap=True)
    console.print(_general(facts))
    if facts["rows"]:
        for part in (_spreads(facts), _shares(facts)):
            console.print()
            console.print(part)
        console.print()
        _show_hours(console, facts)
        console.print()
    notes = _grid()
    for warning in facts["warnings"]:
        notes.add_row(Text("!", "yellow"), Text(warning, "yellow"))
    console.print(notes)


def _grid() -> Table:
    from rich.table import Table

    grid = Table.grid(padding=(0, 1))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    return grid


def _add(grid: Table, label: str, text: str) -> None:
    from rich.text import Text

    grid.add_row(f"{label} ", Text(text))


def _general(facts: dict[str, Any]) -> Table:
    grid, header, submit = _grid(), facts["header"], facts["submit"]
    shown = [field for field in HEADER_FIELDS if field in header]
    for field in shown:
        first, *more = header[field].split("\n")
        _add(grid, field, first + (f" (and {len(more)} more)" if more else ""))
    if len(header) > len(shown):
        _add(grid, "header", f"{len(header) - len(shown)} more fields (--json shows them)")
    _add(grid, "rows", f"{facts['rows']:,}")
    if not facts["rows"]:
        return grid
    first, last = submit["first_date"], submit["last_date"]
    if first and last:
        _add(grid, "submitted", f"{first} to {last} ({submit['time_zone']})")
    else:
        _add(grid, "submitted", f"from {submit['first']:,} s to {submit['last']:,} s")
    rate = facts["jobs_per_day"]
    per_day = f", {rate:,.1f} jobs a day" if rate is not None else ""
    _add(grid, "span", f"{duration_text(submit['span_seconds'])}{per_day}")
    kinds = ("users", "groups", "queues", "partitions")
    _add(grid, "named", ", ".join(f"{facts[kind]:,} {kind}" for kind in kinds))
    load = facts["offered_load"]
    if load is not None:
        _add(grid, "offered load", f"{load['load']:.1%} of {load['field']} {load['processors']:,}")
    return grid


def _spreads(facts: dict[str, Any]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    for name in ("given", "min", "median", "mean", "max"):
        table.add_column(name, justify="right", no_wrap=True)
    processors = facts["processors"]
    for label, values, text in (
        ("processors requested", processors["requested"], _number),
        ("processors allocated", processors["allocated"], _number),
        ("run time", facts["run_time"], duration_text),
        ("requested time", facts["requested_time"], duration_text),
    ):
        cells = [text(values[key]) for key in ("min", "median", "mean", "max")]
        table.add_row(label, _percent(values["given_share"]), *cells)
    return table


def _shares(facts: dict[str, Any]) -> Table:
    grid, requested = _grid(), facts["requested_time"]
    for name in ("requested", "allocated"):
        sizes = facts["processors"][name]
        if sizes["given_share"]:
            serial, power = _percent(sizes["serial_share"]), _percent(sizes["power_of_two_share"])
            _add(grid, f"{name} sizes", f"{serial} serial, {power} a power of two")
    if requested["given_share"]:
        accuracy = _percent(requested["run_over_requested_median"])
        exceeded = _percent(requested["exceeded_share"])
        _add(
            grid, "run / requested", f"{accuracy} in the median; above 100% for {exceeded} of jobs"
        )
    memory = facts["memory"]
    asked, used = _percent(memory["requested_share"]), _percent(memory["used_share"])
    _add(grid, "memory given", f"requested for {asked} of jobs, used for {used}")
    return grid


def _show_hours(console: Console, facts: dict[str, Any]) -> None:
    """Draws the jobs by hour of the day, two characters an hour."""
    from rich.text import Text

    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    levels = "▁▂▃▄▅▆▇█" if encoding == "utf8" else ".:-=+*#%"
    jobs = facts["jobs_by_hour"]
    top = len(levels) - 1
    bars = [levels[round(top * count / max(jobs))] * 2 for count in jobs]
    hour_of = facts["submit"]["time_zone"] or "counted from time 0"
    console.print(Text(f"jobs by hour of the day ({hour_of})", "dim"))
    console.print(Text("".join(bars), "cyan"))
    console.print(Text("".join(f"{hour:<6}" for hour in range(0, 24, 3)), "dim"))


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
