"""`schedlab workload generate model`: a workload of a saved model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.progress import ProgressLine
from schedlab.cli.workload import generating
from schedlab.cli.workload.options import print_losses, writer_of
from schedlab.durations import duration_text, seconds_of
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

if TYPE_CHECKING:
    from schedlab.workload.models.scsf import GeneratedWorkload

EXAMPLE = (
    "Example: schedlab workload generate model trace.model.json --out new.swf --seed alpha "
    "--system machine.toml --pressure 1.0..1.1 --fill-wait 4h"
)
LOAD, WORKFLOWS = "Load and phases", "Workflows"

MODEL_FILE = "File that schedlab workload model wrote."


def option(flag: str, metavar: str, text: str, panel: str = "Options") -> Any:
    """Returns an option without a default to show."""
    return Option(flag, metavar=metavar, help=text, panel=panel, show_default=False)


System = Annotated[
    str | None, option("--system", "FILE", "System file, for pressure and fill.", LOAD)
]
Duration = Annotated[
    str | None, option("--duration", "TIME", "Length of the experiment phase; 72h.", LOAD)
]
Stabilization = Annotated[
    str | None,
    option("--stabilization", "TIME", "Length of the phase before; 24h with pressure.", LOAD),
]
Drain = Annotated[
    str | None, option("--drain", "TIME", "Keep submitting this long after it; 0.", LOAD)
]
FillInterval = Annotated[
    str | None, option("--fill-interval", "TIME", "Between fill jobs; 10s.", LOAD)
]
FillProcessors = Annotated[
    int | None, option("--fill-processors", "N", "Size of a fill job; else calculated.", LOAD)
]
MostWork = Annotated[
    str | None,
    option("--most-work", "TIME", "Leave out jobs that take the whole machine longer.", LOAD),
]
RunTimes = Annotated[
    str | None,
    option("--run-times", "WORD", "paired|distribution|accuracy: where run times come from."),
]


def generate_model(
    model: Annotated[str, Argument(metavar="MODEL", help=MODEL_FILE, show_default=False)],
    out: generating.Out,
    seed: generating.Seed = "1",
    jobs: Annotated[
        int | None, option("--jobs", "N", "End with N regular jobs.", generating.OUTPUT)
    ] = None,
    run_times: RunTimes = None,
    settings: Annotated[
        str | None, option("--settings", "FILE", "Settings of schedlab workload tune.", LOAD)
    ] = None,
    system: System = None,
    duration: Duration = None,
    stabilization: Stabilization = None,
    drain: Drain = None,
    pressure: Annotated[
        str | None, option("--pressure", "LOW..HIGH", "Keep job pressure there: 1.0..1.1.", LOAD)
    ] = None,
    fill_wait: Annotated[
        str | None, option("--fill-wait", "TIME", "Begin with this much work of fill jobs.", LOAD)
    ] = None,
    fill_interval: FillInterval = None,
    fill_processors: FillProcessors = None,
    fill_residual: Annotated[
        str | None,
        option("--fill-residual", "TIME", "Backlog for running work; else calculated.", LOAD),
    ] = None,
    most_work: MostWork = None,
    workflows: Annotated[
        str | None,
        option("--workflows", "POLICY", "none, period:TIME or share:SHARE.", WORKFLOWS),
    ] = None,
    manifest: Annotated[
        list[str] | None,
        option("--manifest", "[WEIGHT:]FILE", "A workflow; may be repeated.", WORKFLOWS),
    ] = None,
    handling: Annotated[
        str,
        Option(
            "--handling",
            metavar="WORD",
            help="chained|pilot: a job for each task, or one for all.",
            panel=WORKFLOWS,
        ),
    ] = "chained",
    writer: generating.Writer = None,
    exact: generating.Exact = False,
    force: generating.Force = False,
    quiet: generating.Quiet = False,
) -> None:
    """Generate a workload of a model: of some jobs, or in phases for a machine.

    Without --jobs and --duration, the experiment phase lasts 72 hours.
    """
    refuse_file(out, force)
    from schedlab.workload.models.scsf import GenerationSettings, WorkloadModel

    given = GenerationSettings() if settings is None else GenerationSettings.load(settings)
    options: dict[str, Any] = {
        **times(duration=duration, stabilization=stabilization, drain=drain),
        **times(fill_wait=fill_wait, fill_interval=fill_interval),
        **times(fill_residual=fill_residual, most_work=most_work),
        **_pressure(pressure),
        "fill_processors": fill_processors,
        "jobs": jobs,
        "run_times": run_times,
        "processors": processors_of(system),
    }
    if workflows is not None or manifest:
        from schedlab.workload.models.scsf import workflows as of_policy

        if workflows is None:
            raise InputError("--manifest: needs --workflows, which says how often")
        manifests = _manifests(manifest or [])
        options["insertions"] = of_policy(workflows, manifests, handling)
    given = given.replaced(**{name: value for name, value in options.items() if value is not None})
    workload = WorkloadModel.load(model).generate(seed, given)
    with ProgressLine(quiet=quiet) as progress:

        def show(rows: int) -> None:
            if progress.due():
                progress.show(rows, "jobs", None)

        written = workload.write(out, writer_of(out, writer, exact), show)
    if not quiet:
        print(f"{written.path}: {written.rows:,} jobs")
        _show_phases(workload)
        print_losses(written.losses, written.notes)


def times(**texts: str | None) -> dict[str, float | None]:
    """Returns durations that were typed, such as 4h, in seconds; None stays None."""
    found: dict[str, float | None] = {}
    for name, text in texts.items():
        flag = f"--{name.replace('_', '-')}"
        found[name] = None if text is None else seconds_of(text, flag)
    return found


def processors_of(system: str | None) -> int | None:
    """Returns the processors of the machine of a file."""
    if system is None:
        return None
    from schedlab.system import load_system
    from schedlab.workload.models.scsf import machine_processors

    return machine_processors(load_system(system))


def _pressure(text: str | None) -> dict[str, float]:
    if text is None:
        return {}
    low, dots, high = text.partition("..")
    try:
        found = {"pressure_low": float(low)}
        return {**found, "pressure_high": float(high)} if dots else found
    except ValueError:
        raise InputError(f"--pressure {text!r}: must be LOW..HIGH, such as 1.0..1.1") from None


def _manifests(texts: list[str]) -> list[tuple[float, str]]:
    """Returns weights and files; what is before a colon and is not a number belongs to the name."""
    found = []
    for text in texts:
        weight, _, path = text.partition(":")
        try:
            found.append((float(weight), path))
        except ValueError:
            found.append((1.0, text))
        if not found[-1][1]:
            raise InputError(f"--manifest {text!r}: must be FILE, or WEIGHT:FILE as in 0.4:a.json")
    return found


def _show_phases(workload: GeneratedWorkload) -> None:
    if len(workload.windows) < 2:
        return
    for name, (begin, end) in workload.windows.items():
        length = duration_text(end - begin) if end < float("inf") else "as long as the jobs last"
        print(f"{name:14} from {begin:>9,.0f} s, {length}")
