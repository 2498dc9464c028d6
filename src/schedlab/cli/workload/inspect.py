"""`schedlab workload inspect`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import Force, require_folder
from schedlab.cli.progress import ProgressLine, busy
from schedlab.cli.workload import options
from schedlab.durations import duration_text
from schedlab.errors import InputError
from schedlab.overwriting import refuse_files
from schedlab.workload.predecessor_warnings import UNHEEDED

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.cli.terminal import Console

EXAMPLE = "Example: schedlab workload inspect trace.swf.gz"

FORMATS = ("png", "svg", "pdf")


def inspect(
    file: Annotated[
        str,
        Argument(metavar="FILE", help=options.ANY_FORMAT, show_default=False),
    ],
    reader: options.Reader = None,
    out: Annotated[
        str | None,
        Option("--out", metavar="DIR", help="Folder for plots of it.", show_default=False),
    ] = None,
    plots: Annotated[
        str, Option("--plots", metavar="WORD", help=f"{'|'.join(FORMATS)}: plots in --out.")
    ] = "png",
    force: Force = False,
    json: Annotated[bool, Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Show what a workload file holds, and what in it would matter in a simulation."""
    from schedlab.workload.inspect import inspect_workload

    if plots not in FORMATS:
        raise InputError(f"--plots: must be one of {', '.join(FORMATS)}, not {plots!r}")
    if out is not None:
        from schedlab.analysis.style import require_matplotlib

        require_matplotlib()
        require_folder(out)
        from schedlab.analysis.plots.workloads import PLOTS

        refuse_files(out, (f"{name}.{plots}" for name in PLOTS), force)

    with ProgressLine() as progress:

        def show_rows(rows: int, share: float | None) -> None:
            if progress.due():
                progress.show(rows, "rows", share)

        facts = inspect_workload(file, show_rows, reader)
    written = _draw(file, reader, out, plots) if out is not None else []
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(facts))
    else:
        _show(facts)
        if out is not None:
            print(f"\n{', '.join(written) or 'no plots: there are no jobs'} in {out}")


def _draw(file: str, reader: str | None, folder: str, ending: str) -> list[str]:
    """Writes the pictures and returns their names."""
    from schedlab.likeness import look_at
    from schedlab.likeness.comparison_folder import write_plots

    with busy("drawing"):
        return write_plots(look_at(file, reader), folder, (ending,))


APPLICATIONS_SHOWN = 8
HEADER_FIELDS = ("Computer", "Installation", "MaxNodes", "MaxProcs", "UnixStartTime", "Note")
"""What is shown of a header; JSON has it whole."""


def _show(facts: dict[str, Any]) -> None:
    from rich.text import Text

    from schedlab.cli.terminal import Console

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
        ("inter-arrival time", facts["interarrival"], duration_text),
    ):
        cells = [text(values[key]) for key in ("min", "median", "mean", "max")]
        table.add_row(label, _percent(values.get("given_share")), *cells)
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
        _add(grid, "run / requested", f"median {accuracy}; above 100% for {exceeded} of jobs")
    memory = facts["memory"]
    requested_memory, used = _percent(memory["requested_share"]), _percent(memory["used_share"])
    _add(grid, "memory given", f"requested for {requested_memory} of jobs, used for {used}")
    _add_shapes(grid, facts)
    return grid


def _add_shapes(grid: Table, facts: dict[str, Any]) -> None:
    """Adds what only some formats have: resources of tasks, dependencies, workflows, phases."""
    for kind, taken in (facts["resources"] or {}).items():
        share = _percent(taken["share_of_jobs"])
        mean, most = _number(taken["mean"]), _number(taken["max"])
        _add(grid, f"{kind} of jobs", f"taken by {share}; {mean} on average, {most} at most")
    edges, workflows = facts["dependencies"], facts["workflows"]
    if edges is not None:
        found = facts["unheeded_predecessors"]
        unheeded = sum(of["number"] for why in UNHEEDED if (of := found[why]))
        text = f"{edges['edges'] - unheeded:,} on earlier jobs, of {edges['jobs']:,} jobs"
        _add(grid, "dependencies", f"{text}; {unheeded:,} that hold no job" if unheeded else text)
    if workflows is not None:
        _add(grid, "workflows", f"{workflows['number']:,} with {workflows['jobs']:,} jobs")
    if facts["phases"] is not None:
        counts = (f"{name} {jobs:,}" for name, jobs in facts["phases"].items())
        _add(grid, "jobs by phase", ", ".join(counts))
    applications = facts["applications"]
    if applications is not None:
        shown = [*applications.items()][:APPLICATIONS_SHOWN]
        shares = [f"{name} {jobs / facts['rows']:.1%}" for name, jobs in shown]
        more = len(applications) - len(shown)
        _add(grid, "applications", ", ".join(shares) + (f" (and {more} more)" if more else ""))


def _show_hours(console: Console, facts: dict[str, Any]) -> None:
    """Draws the jobs by hour of the day, and by weekday and month where dates are known."""
    from rich.text import Text

    from schedlab.workload.local_time import MONTHS, WEEKDAYS

    hour_of = facts["submit"]["time_zone"] or "counted from time 0"
    console.print(Text(f"jobs by hour of the day ({hour_of})", "dim"))
    console.print(Text(_bars(facts["jobs_by_hour"], 2), "cyan"))
    console.print(Text("".join(f"{hour:<6}" for hour in range(0, 24, 3)), "dim"))
    weekdays, months = facts["jobs_by_weekday"], facts["jobs_by_month"]
    if weekdays and months and any(months):
        console.print()
        console.print(Text(f"{'by weekday':<32}by month", "dim"))
        console.print(Text(f"{_bars(weekdays, 4):<32}{_bars(months, 4)}", "cyan"))
        names = ("".join(f"{name:<4}" for name in part) for part in (WEEKDAYS, MONTHS))
        console.print(Text("{:<32}{}".format(*names), "dim"))


def _bars(jobs: list[int], width: int) -> str:
    """Returns a bar of N characters for each count; a blank between broad ones."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    levels = "▁▂▃▄▅▆▇█" if encoding == "utf8" else ".:-=+*#%"
    top = len(levels) - 1
    filled = width if width < 3 else width - 1
    bars = (levels[round(top * count / max(jobs))] * filled for count in jobs)
    return "".join(bar.ljust(width) for bar in bars)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
