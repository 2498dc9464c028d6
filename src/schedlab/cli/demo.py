"""`schedlab demo`: a workload and a machine of our own, simulated under seven schedulers."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from schedlab.cli.progress import ProgressLine, duration_text
from schedlab.cli.run import require_folder
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schedlab.results import Result
    from schedlab.workload import SwfRow

EXAMPLE = "Example: schedlab demo --out demo-run --jobs 20000"

SCHEDULERS = {
    "fifo": "fifo",
    "sjf": "sjf",
    "ljf": "ljf",
    "fcfs-bf": "fcfs-bf",
    "easy": "easy",
    "easy(order=shortest)": "easy-shortest",
    "conservative": "conservative",
}
"""What is compared, and the name of its run folder, which no shell needs quotes for."""

SYSTEM = """\
# The machine of `schedlab demo`.
name = "demo"
start_time = {start}  # Unix time of the workload's time 0

[groups.node]
nodes = {nodes}
resources = {{ core = {cores} }}
"""


class Column(NamedTuple):
    """A column of the comparison: where its value is, how people read it, and which is best."""

    title: str
    key: str
    value: Callable[[Result], float]
    text: Callable[[float], str]
    best: Callable[[list[float]], float]


COLUMNS = (
    Column(
        "mean wait",
        "mean_wait_seconds",
        lambda run: run.metrics["wait"]["mean"],
        duration_text,
        min,
    ),
    Column(
        "median wait",
        "median_wait_seconds",
        lambda run: run.metrics["wait"]["median"],
        duration_text,
        min,
    ),
    Column(
        "mean bounded slowdown",
        "mean_bounded_slowdown",
        lambda run: run.metrics["bounded_slowdown"]["mean"],
        "{:,.1f}".format,
        min,
    ),
    Column(
        "utilization",
        "utilization",
        lambda run: run.metrics["utilization"]["core"],
        "{:.1%}".format,
        max,
    ),
    Column(
        "CPU seconds",
        "cpu_seconds",
        lambda run: run.run["simulator"]["cpu_seconds"],
        "{:.4f}".format,
        min,
    ),
)


def demo(
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Folder that everything is written to.")
    ] = "demo-run",
    jobs: Annotated[
        int,
        typer.Option("--jobs", metavar="N", min=1, max=10_000_000, help="Jobs of the workload."),
    ] = 5000,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Another one makes another workload.")
    ] = 1,
) -> None:
    """Simulate a bundled example under seven schedulers and compare them.

    Makes a workload of some weeks on a machine of 64 nodes with 16 cores each.
    """
    from schedlab.simulation import simulate

    workload, system = os.path.join(out, "workload.swf"), os.path.join(out, "system.toml")
    _prepare(out, workload, system, jobs, seed)
    results: dict[str, Result] = {}
    for name, folder in SCHEDULERS.items():
        with ProgressLine(name) as progress:
            results[name] = simulate(
                workload,
                system=system,
                scheduler=name,
                out=os.path.join(out, "runs", folder),
                timeline="csv",
                progress=progress,
            )
    table = {name: [column.value(result) for column in COLUMNS] for name, result in results.items()}
    _write(os.path.join(out, "comparison.csv"), csv_text(table))
    _write(os.path.join(out, "comparison.md"), markdown_text(table))
    _show(table, out, jobs)


def _prepare(out: str, workload: str, system: str, jobs: int, seed: int) -> None:
    """Writes the workload and the system, unless that would replace files of somebody else."""
    from schedlab.workload import synthetic, write_swf

    require_folder(out)
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {out}: cannot be a folder: {error.strerror}") from None
    for path in (workload, system):
        if os.path.exists(path) and not _is_ours(workload):
            raise InputError(f"{path}: exists and is not of schedlab demo; choose another --out")
    with ProgressLine("workload") as progress:

        def counted() -> Iterator[SwfRow]:
            for done, row in enumerate(synthetic.synthetic_rows(jobs, seed)):
                if progress.due():
                    progress.show(done, "jobs", done / jobs)
                yield row

        write_swf(workload, counted(), synthetic.header_lines(jobs, seed))
    _write(
        system,
        SYSTEM.format(start=synthetic.START, nodes=synthetic.NODES, cores=synthetic.CORES_PER_NODE),
    )


def _is_ours(workload: str) -> bool:
    try:
        with open(workload, "rb") as file:
            return b"; Computer: schedlab demo machine\n" in file.read(200)
    except OSError:
        return False


def _write(path: str, text: str) -> None:
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)


def best_rows(table: dict[str, list[float]]) -> list[set[str]]:
    """Returns for each column the schedulers that are best in it, ties included."""
    best = [column.best([row[i] for row in table.values()]) for i, column in enumerate(COLUMNS)]
    return [
        {name for name, row in table.items() if row[i] == value} for i, value in enumerate(best)
    ]


def csv_text(table: dict[str, list[float]]) -> str:
    """Returns the comparison as CSV, in seconds and shares."""
    lines = [",".join(["scheduler", *(column.key for column in COLUMNS)])]
    lines += [",".join([name, *map(repr, row)]) for name, row in table.items()]
    return "\n".join(lines) + "\n"


def markdown_text(table: dict[str, list[float]]) -> str:
    """Returns the comparison as a Markdown table; the best of each column is bold."""
    lines = [
        "| " + " | ".join(["scheduler", *(column.title for column in COLUMNS)]) + " |",
        "| --- |" + " ---: |" * len(COLUMNS),
    ]
    best = best_rows(table)
    for name, row in table.items():
        texts = [column.text(value) for column, value in zip(COLUMNS, row, strict=True)]
        cells = [f"**{text}**" if name in best[i] else text for i, text in enumerate(texts)]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(lines) + "\n"


def _show(table: dict[str, list[float]], out: str, jobs: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    many = f"{jobs:,} job{'s' if jobs > 1 else ''}"
    console.print(f"{many} on 64 nodes x 16 cores; * is the best of a column")
    console.print()
    # Cells end in a star or a blank, so that on a narrow terminal no other gap is needed.
    gap = 1 if console.width >= 90 else 0
    grid = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap), header_style="bold"
    )
    grid.add_column("scheduler", no_wrap=True, vertical="bottom")
    for column in COLUMNS:
        title = column.title.replace(" ", " \n")
        grid.add_column(f"{title} ", justify="right", no_wrap=True, vertical="bottom")
    best = best_rows(table)
    for name, row in table.items():
        cells = [Text(name)]
        for i, (column, value) in enumerate(zip(COLUMNS, row, strict=True)):
            won = name in best[i]
            cells.append(Text(column.text(value) + " *"[won], "bold green" if won else ""))
        grid.add_row(*cells)
    console.print(grid)
    console.print()
    folder = shlex.quote(out)
    for line in (
        f"Everything is in {folder}: comparison.md, comparison.csv, runs/. Try next:",
        f"  schedlab run {folder}/workload.swf --system {folder}/system.toml \\",
        "      --scheduler 'easy(order=smallest)'",
    ):
        console.print(Text(line), soft_wrap=True)
