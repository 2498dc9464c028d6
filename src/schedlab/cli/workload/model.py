"""`schedlab workload model`: the model of a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import Force
from schedlab.cli.progress import ProgressLine
from schedlab.cli.workload import options
from schedlab.overwriting import refuse_file, refuse_inputs

if TYPE_CHECKING:
    from schedlab.workload.models.scsf import WorkloadModel

EXAMPLE = "Example: schedlab workload model trace.swf.gz --out trace.model.json"

PLAIN = ("cores", "accuracy")

DRAWN = {"independent": "independent draws", "size": "times by size", "jobs": "whole jobs"}
"""What a model draws together, as its tables are called in the documentation."""


def model(
    file: Annotated[str, Argument(metavar="TRACE", help=options.ANY_FORMAT, show_default=False)],
    out: Annotated[str, Option("--out", metavar="FILE", help="Where to write the model (JSON).")],
    cores_per_node: Annotated[
        int | None,
        Option(
            "--cores-per-node",
            metavar="N",
            help="Size of the bins of cores; else MaxProcs / MaxNodes of the header, else 1.",
            show_default=False,
        ),
    ] = None,
    bins: Annotated[
        str | None,
        Option(
            "--bins",
            metavar="NAME=SIZE,...",
            help="Other sizes of bins, as requested=15m,run=60.",
        ),
    ] = None,
    values: Annotated[
        str | None,
        Option("--values", metavar="NAME=WORD,...", help="What a bin stands for: upper or middle."),
    ] = None,
    joint: Annotated[
        str,
        Option(
            "--joint",
            metavar="WORD",
            help="independent|size|jobs: what is drawn together: nothing, times by size, all.",
        ),
    ] = "independent",
    arrivals: Annotated[
        str,
        Option(
            "--arrivals",
            metavar="WORD",
            help="independent|weekly: gaps by the hour of the week.",
        ),
    ] = "independent",
    missing_requested: Annotated[
        str,
        Option(
            "--missing-requested",
            metavar="WORD",
            help="drop|run: rows without a requested time, or the run time in its place.",
        ),
    ] = "drop",
    reader: options.Reader = None,
    force: Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a model of a log: distributions from which similar workloads are generated."""
    from schedlab.workload.formats import open_reader
    from schedlab.workload.models.scsf import WorkloadModel

    refuse_inputs([out], [file])
    refuse_file(out, force)
    opened = open_reader(file, reader)
    with ProgressLine(quiet=quiet) as progress:

        def show(rows: int) -> None:
            if progress.due():
                progress.show(rows, "rows", opened.share_read)

        made = WorkloadModel.fit(
            opened,
            cores_per_node=cores_per_node,
            bins=options.widths("--bins", bins) if bins else {},
            values=options.pairs("--values", values.split(",")) if values else {},
            joint=joint,
            arrivals=arrivals,
            missing_requested=missing_requested,
            progress=show,
        )
    made.save(out)
    if not quiet:
        _show(made, out)


def _show(model: WorkloadModel, out: str) -> None:
    """Prints what the model holds."""
    from rich import box
    from rich.table import Table

    from schedlab.cli.terminal import Console
    from schedlab.durations import duration_text

    console, source = Console(highlight=False), model.source
    used = model.variables["cores"].total
    arrivals = f", {model.arrivals} arrivals" if model.week is not None else ""
    print(f"{out}: model of {used:,} of {source['rows']:,} jobs, {DRAWN[model.joint]}{arrivals}")
    for reason, rows in source["dropped"].items():
        print(f"left out {rows:,} rows: {reason}")
    if rounded_up := source.get("rounded_up"):
        print(
            f"rounded {rounded_up:,} jobs ({rounded_up / used:.0%}) up to whole nodes of "
            f"{model.node_cores:g} cores; --cores-per-node 1 keeps their sizes"
        )
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("variable", no_wrap=True)
    for name in ("bin", "bins", "median", "mean", "largest"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in model.variables.items():
        text = duration_text if name not in PLAIN else lambda value: f"{value:,.4g}"
        largest = float(one.values[-1])
        cells = (one.bin_size, one.quantile(0.5), one.mean, largest)
        size, *rest = (text(value) for value in cells)
        table.add_row(name, size, f"{len(one.bins):,}", *rest)
    console.print(table)
