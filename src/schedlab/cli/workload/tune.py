"""`schedlab workload tune`: pressure and fill for a desired wait and utilization."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import Force
from schedlab.cli.progress import ProgressLine
from schedlab.cli.workload import generate_model, options
from schedlab.cli.workload.generate_model import times
from schedlab.durations import duration_text
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

if TYPE_CHECKING:
    from schedlab.tuning import Trial, Tuned

EXAMPLE = (
    "Example: schedlab workload tune trace.model.json --system machine.toml --wait 4h "
    "--out tuned.json"
)


def tune(
    model: Annotated[
        str, Argument(metavar="MODEL", help=generate_model.MODEL_FILE, show_default=False)
    ],
    system: Annotated[str, Option("--system", metavar="FILE", help="System file.")],
    wait: Annotated[
        str | None,
        Option(
            "--wait",
            metavar="TIME",
            help="Mean wait in the experiment phase; else that of the log.",
            show_default=False,
        ),
    ] = None,
    utilization: Annotated[
        float | None,
        Option(
            "--utilization", metavar="SHARE", help="Of the experiment phase.", show_default=False
        ),
    ] = None,
    scheduler: Annotated[
        str, Option("--scheduler", metavar="NAME", help="As of schedlab run.")
    ] = "easy",
    allocator: Annotated[
        str, Option("--allocator", metavar="NAME", help="As of schedlab run.")
    ] = "first-fit",
    seeds: Annotated[int, Option("--seeds", metavar="N", help="Workloads of each trial.")] = 40,
    tolerance: Annotated[
        float, Option("--tolerance", metavar="SHARE", help="How near the wait must be.")
    ] = 0.05,
    pressure: Annotated[
        float, Option("--pressure", metavar="LOW", help="Where the search begins.")
    ] = 1.0,
    duration: generate_model.Duration = None,
    stabilization: generate_model.Stabilization = None,
    drain: generate_model.Drain = None,
    fill_interval: generate_model.FillInterval = None,
    fill_processors: generate_model.FillProcessors = None,
    most_work: generate_model.MostWork = None,
    run_times: generate_model.RunTimes = None,
    out: Annotated[
        str | None,
        Option(
            "--out",
            metavar="FILE",
            help="Write the settings for generate --settings.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the pressure and the fill that give a wait and a utilization, by simulation."""
    from schedlab import tuning
    from schedlab.workload.models.scsf import GenerationSettings, WorkloadModel

    refuse_file(out, force)
    loaded = WorkloadModel.load(model)
    seconds = times(wait=wait)["wait"]
    if seconds is None:
        if "wait" not in loaded.variables:
            raise InputError("--wait: is missing, and the log of the model has no waits")
        seconds = loaded.variables["wait"].mean
    chosen = {
        **times(duration=duration, stabilization=stabilization, drain=drain),
        **times(fill_interval=fill_interval, most_work=most_work),
        "fill_processors": fill_processors,
        "run_times": run_times,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    # The machine's processors follow from the system; pressure needs some to be checked here.
    processors = generate_model.processors_of(system)
    settings = GenerationSettings().replaced(processors=processors, pressure_low=pressure, **given)
    if not quiet:
        filled = f", utilization {utilization:.0%}" if utilization is not None else ""
        print(f"wanted: a mean wait of {duration_text(seconds)}{filled}")
    with ProgressLine(quiet=quiet) as progress:

        def show(done: int, trial: Trial | None) -> None:
            if progress.due():
                progress.show(done, "simulations", None)

        found = tuning.tune(
            loaded,
            system,
            wait=seconds,
            utilization=utilization,
            scheduler=scheduler,
            allocator=allocator,
            seeds=seeds,
            tolerance=tolerance,
            settings=settings,
            progress=show,
        )
    if not quiet:
        _show(found)
    if out is not None:
        found.settings.save(out)
    if out is not None and not quiet:
        print(f"{out}: the settings, for schedlab workload generate model --settings")


def _show(found: Tuned) -> None:
    """Prints what was tried, and what it came to."""
    from rich import box
    from rich.table import Table

    from schedlab.cli.terminal import Console

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for name in ("pressure", "fill", "mean wait", "least", "most", "utilization"):
        table.add_column(name, justify="right", no_wrap=True)
    for trial in found.trials:
        table.add_row(*_cells(trial), style="bold" if trial is found.best else "")
    table.add_section()
    table.add_row(*_cells(found.checked))
    console = Console(highlight=False)
    console.print(table)
    seeds = len(found.best.mean_waits)
    print(f"medians over {seeds} seeds; the last row is the best one with {seeds} others")
    if not found.wait_met:
        print("the wait was not met; it lies between two pressures, or needs more --seeds")
    if not found.utilization_met:
        print("the utilization was not met: with this wait, the scheduler reaches no other")


def _cells(trial: Trial) -> tuple[str, ...]:
    waits = (trial.fill_wait, trial.wait, min(trial.mean_waits), max(trial.mean_waits))
    return (f"{trial.pressure:.2f}", *map(duration_text, waits), f"{trial.utilization:.1%}")
