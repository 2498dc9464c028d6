"""`schedlab workload generate accasim`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.progress import ProgressLine
from schedlab.cli.workload import generating
from schedlab.cli.workload.options import numbers, pairs, print_losses, writer_of
from schedlab.durations import HOUR, duration_text
from schedlab.errors import InputError, SchedlabError
from schedlab.overwriting import refuse_file, refuse_inputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.generation import WorkloadGenerator
    from schedlab.workload.models.accasim.generated_facts import Generated

EXAMPLE = (
    "Example: schedlab workload generate accasim trace.swf.gz --system machine.toml "
    "--performance core=3.3,gpu=933 --limits core=1..4,gpu=0..2 --jobs 500000 --out new.swf"
)

DATA, MACHINE = "The workload to imitate", "The machine to generate for"


def generate_accasim(
    trace: Annotated[
        str,
        Argument(metavar="TRACE", help="Workload file to imitate.", show_default=False),
    ],
    out: generating.Out,
    system: Annotated[
        str,
        Option(
            "--system",
            metavar="FILE",
            help="System file: .toml, .json or .yaml.",
            panel=MACHINE,
            show_default=False,
        ),
    ],
    performance: Annotated[
        str,
        Option(
            "--performance",
            metavar="LIST",
            help="GFLOPS of one unit of what computes: core=3.3,gpu=933.",
            panel=MACHINE,
            show_default=False,
        ),
    ],
    limits: Annotated[
        str,
        Option(
            "--limits",
            metavar="LIST",
            help="What a job may ask for on a node: core=1..4,mem=256..1024,gpu=0..2.",
            panel=MACHINE,
            show_default=False,
        ),
    ],
    jobs: generating.Jobs = 10_000,
    seed: generating.Seed = "1",
    original_system: Annotated[
        str | None,
        Option(
            "--original-system",
            metavar="FILE",
            help="Machine of the trace; else that of --system.",
            panel=DATA,
        ),
    ] = None,
    original_performance: Annotated[
        str | None,
        Option(
            "--original-performance",
            metavar="LIST",
            help="GFLOPS of the machine of the trace; else --performance.",
            panel=DATA,
        ),
    ] = None,
    reader: Annotated[
        str | None,
        Option(
            "--reader",
            metavar="NAME",
            help="Format of TRACE, perhaps with arguments; else what the file is.",
            panel=DATA,
        ),
    ] = None,
    keep_rate: Annotated[
        bool,
        Option(
            "--keep-rate",
            help="As many jobs a day as in the trace, even where the last year (week, day) is cut.",
            panel=DATA,
        ),
    ] = False,
    whole_seconds: Annotated[
        bool,
        Option(
            "--whole-seconds",
            help="Round all run times to seconds, even those below 100 s.",
            panel=generating.OUTPUT,
        ),
    ] = False,
    paper_sizes: Annotated[
        bool,
        Option(
            "--paper-sizes",
            help="Sizes by Lublin and Feitelson's model, as in AccaSim's paper; else the trace's.",
            panel=DATA,
        ),
    ] = False,
    waits: Annotated[
        bool,
        Option(
            "--waits/--no-waits",
            help="Simulate trace and generated jobs with FIFO, and print mean waits.",
            panel=generating.OUTPUT,
        ),
    ] = True,
    trust_code: generating.TrustCode = False,
    writer: generating.Writer = None,
    exact: generating.Exact = False,
    force: generating.Force = False,
    quiet: generating.Quiet = False,
) -> None:
    """Generate a workload like a trace, for any machine, by AccaSim's method.

    Hours, weekdays and months of submission, FLOPs and sizes of jobs are those of the trace.
    """
    refuse_inputs([out], [trace])
    refuse_file(out, force)
    from schedlab.generation import WorkloadGenerator
    from schedlab.workload.formats import open_reader
    from schedlab.workload.models.accasim import FlopsDuration, LublinSize, SlotWeights

    least, most = _limits(limits)
    with ProgressLine(quiet=quiet) as progress:
        made = WorkloadGenerator(
            open_reader(trace, reader),
            system,
            numbers("--performance", performance),
            {"min": least, "max": most},
            seed=seed,
            original_system=original_system,
            original_performance=(
                None
                if original_performance is None
                else numbers("--original-performance", original_performance)
            ),
            submission=SlotWeights(keep_rate),
            size=LublinSize() if paper_sizes else None,
            duration=FlopsDuration(whole_seconds),
            progress=_shown(progress, "rows read", None),
        )
        facts = made.generate(
            jobs,
            out,
            writer=writer_of(out, writer, exact),
            progress=_shown(progress, "jobs", jobs),
        )
    if not quiet:
        for warning in made.warnings:
            print(f"! {warning}", file=sys.stderr)
        _print_facts(facts)
        if waits:
            _print_waits(made, jobs, trust_code)
        print_losses(facts.losses, facts.notes)


def _shown(progress: ProgressLine, what: str, total: int | None) -> Callable[[int], None]:
    def show(done: int) -> None:
        if progress.due():
            progress.show(done, what, None if total is None else done / total)

    return show


def _print_facts(facts: Generated) -> None:
    print(f"{facts.path}: {facts.jobs:,} jobs in {duration_text(facts.span_seconds)}")
    rate = "" if facts.rate == float("inf") else f"{facts.rate:.2f} times the trace's jobs a day, "
    print(f"{rate}{facts.serial_share:.1%} serial")
    deviations = {
        "hour": facts.hour_deviation,
        "weekday": facts.weekday_deviation,
        "month": facts.month_deviation,
    }
    texts = [f"{name} {value:.2f}" for name, value in deviations.items() if value is not None]
    print(f"largest difference to the trace's shares: {', '.join(texts)} percentage points")
    print(f"GFLOP of jobs: Kolmogorov-Smirnov distance {facts.work_distance:.4f}")
    pairs_ = zip(
        ("median", "90 %", "99 %", "largest"), facts.nodes, facts.original_nodes, strict=True
    )
    sizes = ", ".join(f"{label} {ours:,.0f} ({theirs:,.0f})" for label, ours, theirs in pairs_)
    print(f"nodes of jobs (trace): {sizes}")
    print(f"cores of jobs: Kolmogorov-Smirnov distance {facts.size_distance:.4f}")


def _print_waits(made: WorkloadGenerator, jobs: int, trust_code: bool) -> None:
    try:
        found = made.waits(jobs, trust_code=trust_code)
    except SchedlabError as error:
        print(f"! waits are not compared: {error}", file=sys.stderr)
        return
    ours, theirs = (
        duration_text(hours * HOUR) for hours in (found.generated_hours, found.original_hours)
    )
    print(f"mean wait with FIFO: {ours}; of the trace on its machine {theirs}")


def _limits(text: str) -> tuple[dict[str, int], dict[str, int]]:
    least, most = {}, {}
    for name, value in pairs("--limits", text.split(",")).items():
        low, dots, high = value.partition("..")
        try:
            least[name] = int(low)
            most[name] = int(high) if dots else int(low)
        except ValueError:
            raise InputError(
                f"--limits: {name}={value}: must be a range of whole numbers, such as 1..4"
            ) from None
    return least, most
