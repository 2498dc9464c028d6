"""`schedlab demo`: a workload and a machine of our own, simulated under seven schedulers."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from schedlab.cli.compare import run_experiment, wants_page, write_page
from schedlab.cli.comparison_table import show_tables
from schedlab.cli.declaring import Annotated, Option
from schedlab.cli.options import Force, Report, require_folder
from schedlab.cli.progress import ProgressLine
from schedlab.errors import InputError, SimulationError
from schedlab.overwriting import refuse_file
from schedlab.whole_file import write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedlab.experiment import Comparison
    from schedlab.workload import SwfRow

EXAMPLE = "Example: schedlab demo --out demo-run --jobs 20000"

SCHEDULERS = (
    "fifo",
    "sjf",
    "ljf",
    "fcfs-bf",
    "easy",
    "easy(order=shortest)",
    "conservative",
)
"""What is compared."""

SYSTEM = """\
# The machine of `schedlab demo`.
name = "demo"
start_time = {start}  # Unix time of the workload's time 0

[groups.node]
nodes = {nodes}
resources = {{ core = {cores} }}
"""


def demo(
    out: Annotated[
        str, Option("--out", metavar="DIR", help="Folder that everything is written to.")
    ] = "demo-run",
    jobs: Annotated[
        int,
        Option("--jobs", metavar="N", least=1, largest=10_000_000, help="Jobs of the workload."),
    ] = 5000,
    seed: Annotated[
        int, Option("--seed", metavar="N", least=0, help="Another one makes another workload.")
    ] = 1,
    report: Report = None,
    force: Force = False,
) -> None:
    """Simulate a bundled example under seven schedulers and compare them.

    Makes a workload of some weeks on a machine of 64 nodes with 16 cores each.
    """
    from schedlab.experiment import Experiment

    workload, system = os.path.join(out, "workload.swf"), os.path.join(out, "system.toml")
    _prepare(out, workload, system, jobs, seed, force)
    experiment = Experiment(
        out, workloads=workload, systems=system, schedulers=SCHEDULERS, jobs="csv", timeline="csv"
    )
    page = wants_page(report)
    comparison = run_experiment(experiment, force=force)
    if page:
        write_page(comparison)
    _show(comparison, out, jobs, page)
    if comparison.failures:
        name, reason = comparison.failures[0]
        raise SimulationError(f"{name}: {reason}")


def _prepare(out: str, workload: str, system: str, jobs: int, seed: int, force: bool) -> None:
    """Writes the workload and the system, unless others are there."""
    from schedlab.workload import write_swf
    from schedlab.workload.models import synthetic

    require_folder(out)
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {out}: cannot be a folder: {error.strerror}") from None
    for path in (workload, system):
        if os.path.exists(path) and not _is_ours(workload):
            raise InputError(f"{path}: exists and is not of schedlab demo; choose another --out")
    header = synthetic.header_lines(jobs, seed)
    if not _begins_with(workload, header):
        refuse_file(workload, force)
    with ProgressLine("workload") as progress:

        def counted() -> Iterator[SwfRow]:
            for done, row in enumerate(synthetic.synthetic_rows(jobs, seed)):
                if progress.due():
                    progress.show(done, "jobs", done / jobs)
                yield row

        write_swf(workload, counted(), header)
    write_text(
        system,
        SYSTEM.format(start=synthetic.START, nodes=synthetic.NODES, cores=synthetic.CORES_PER_NODE),
    )


def _is_ours(workload: str) -> bool:
    try:
        with open(workload, "rb") as file:
            return b"; Computer: schedlab demo machine\n" in file.read(200)
    except OSError:
        return False


def _begins_with(workload: str, header: list[str]) -> bool:
    """Whether the file is there, with as many jobs and of the same seed."""
    begin = "".join(f";{line}\n" for line in header).encode()
    try:
        with open(workload, "rb") as file:
            return file.read(len(begin)) == begin
    except OSError:
        return False


def _show(comparison: Comparison, out: str, jobs: int, has_page: bool) -> None:
    from rich.text import Text

    from schedlab.cli.terminal import Console

    console = Console(highlight=False)
    many = f"{jobs:,} job{'s' if jobs > 1 else ''}"
    console.print(f"{many} on 64 nodes x 16 cores; * is the best of a column")
    console.print()
    show_tables(console, comparison, "scheduler")
    folder = shlex.quote(out)
    page = "report.html, " if has_page else ""
    for line in (
        f"Everything is in {folder}: {page}summary.csv, differences.csv, runs/. Try next:",
        f"  schedlab run {folder}/workload.swf --system {folder}/system.toml \\",
        "      --scheduler 'easy(order=smallest)'",
    ):
        console.print(Text(line), soft_wrap=True)
