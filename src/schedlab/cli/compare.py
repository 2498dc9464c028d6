"""`schedlab compare`: every combination of schedulers and allocators, side by side."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

from schedlab.cli import options
from schedlab.cli.comparison_table import show_tables
from schedlab.cli.declaring import Annotated, Argument, Leave, Option
from schedlab.cli.experiment_progress import ExperimentDisplay
from schedlab.cli.report import write as write_report
from schedlab.cli.run_options import refuse_beside, refuse_spec, spec_arguments, with_shared
from schedlab.errors import InputError
from schedlab.simulation.spec.value import PARTS

if TYPE_CHECKING:
    from schedlab.experiment import Comparison, Experiment

EXAMPLE = (
    "Example: schedlab compare trace.swf.gz --system machine.toml "
    "--schedulers 'fifo,sjf,easy(order=shortest)' --allocators first-fit,best-fit "
    "--repeat 10 --out results"
)
SHOWN_FAILURES = 10


@with_shared(before="jobs")
def compare(
    workloads: Annotated[
        list[str],
        Argument(
            metavar="WORKLOAD...",
            help="Workload files of any format; .gz, .bz2 and .xz are unpacked. Or experiment.json "
            "of an experiment, which is made again.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        options.option(
            "--out", options.OUTPUT, "Folder for everything; what is done there stays.", "DIR"
        ),
    ],
    systems: Annotated[
        list[str] | None,
        options.option(
            "--system", options.DISPATCHING, "System file; may be repeated, to compare.", "FILE"
        ),
    ] = None,
    schedulers: Annotated[
        str | None,
        options.option(
            "--schedulers",
            options.DISPATCHING,
            "Names with commas between; each goes with each allocator.",
            "NAMES",
        ),
    ] = None,
    allocators: Annotated[
        str | None,
        Option(
            metavar="NAMES",
            help="Names with commas between.",
            panel=options.DISPATCHING,
            show_default=PARTS["allocator"],
        ),
    ] = None,
    dispatchers: Annotated[
        list[str] | None,
        options.option(
            "--dispatcher",
            options.DISPATCHING,
            "A single combination beside these; may be repeated.",
            "SCHEDULER+ALLOCATOR",
        ),
    ] = None,
    repeat: Annotated[
        int | None,
        Option(
            metavar="N",
            help="Runs of each combination.",
            panel=options.SIMULATING,
            show_default="1",
        ),
    ] = None,
    processes: Annotated[
        int | None,
        options.option(
            "--processes", options.SIMULATING, "Runs at a time; else as many as cores.", "N"
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        options.option(
            "--baseline", options.OUTPUT, "What others are compared with; else the first.", "NAME"
        ),
    ] = None,
    report: options.Report = None,
    force: Annotated[
        bool, options.option("--force", options.OUTPUT, "Repeat runs that are done.")
    ] = False,
    jobs: Annotated[
        str | None,
        options.word_option("jobs", options.OUTPUT, "a row per job of each run; else parquet."),
    ] = None,
    timeline: Annotated[
        str | None,
        options.word_option("timeline", options.OUTPUT, "a row per time point; else parquet."),
    ] = None,
    json: Annotated[
        bool, options.option("--json", options.OUTPUT, "Print the summary as JSON.")
    ] = False,
    quiet: options.Quiet = False,
    **shared: Any,
) -> None:
    """Simulate every combination of schedulers and allocators and compare them.

    Runs that are in the folder already, with the same inputs, are not repeated.
    """
    arguments = {**locals(), **shared}
    reader, trust_code = shared["reader"], shared["trust_code"]
    options.require_folder(out)
    from schedlab.experiment import Experiment
    from schedlab.experiment.names import split_dispatcher, split_names
    from schedlab.experiment.repeating import is_experiment

    try:
        if any(map(is_experiment, workloads)):
            _refuse_beside_file(arguments)
            experiment = Experiment.from_file(workloads[0], out, processes, trust_code)
        elif not systems:
            raise InputError("--system is missing; see schedlab compare --help")
        else:
            for path in workloads:
                refuse_spec(path)
            experiment = Experiment(
                out,
                workloads=workloads,
                systems=systems,
                schedulers=split_names(schedulers or ""),
                allocators=split_names(allocators or PARTS["allocator"]),
                repeat=1 if repeat is None else repeat,
                processes=processes,
                jobs=jobs or "parquet",
                timeline=timeline or "parquet",
                baseline=baseline,
                trust_code=trust_code,
                **spec_arguments(shared),
            )
            for text in dispatchers or ():
                experiment.add(*split_dispatcher(text))
        page = wants_page(report)
        comparison = run_experiment(experiment, force=force, quiet=quiet)
        if page:
            write_page(comparison, quiet, trust_code, reader)
    except InputError as error:
        raise type(error)(_in_flags(str(error))) from None
    if not quiet:
        _print_warnings(comparison)
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(summary(comparison)))
    elif not quiet:
        show(comparison, page)
    code = exit_code(comparison)
    if code:
        if json or quiet:
            _print_failures(comparison)
        raise Leave(code)


def _refuse_beside_file(arguments: dict[str, Any]) -> None:
    """Raises InputError for arguments that an experiment takes from its experiment.json."""
    from schedlab.experiment.repeating import is_experiment

    file = next(filter(is_experiment, arguments["workloads"]))
    if len(arguments["workloads"]) > 1:
        raise InputError(f"{file}: is an experiment; give it alone, without workloads beside it")
    allowed = ("workloads", "out", "processes", "report", "force", "json", "quiet", "trust_code")
    flags = {"systems": "--system", "dispatchers": "--dispatcher"}
    refuse_beside(arguments, (*allowed, "shared"), f"{file} has its own; leave it out", flags)


def _print_warnings(comparison: Comparison) -> None:
    """Says on standard error what looks unlike what was meant, once for all runs."""
    runs = (result.run for group in comparison.groups for result in group.results)
    options.print_warnings(dict.fromkeys(text for run in runs for text in run.get("warnings", ())))


def run_experiment(experiment: Experiment, force: bool = False, quiet: bool = False) -> Comparison:
    """Runs an experiment with a display of how far it is; Ctrl-C says how to continue."""
    try:
        with ExperimentDisplay(quiet) as display:
            return experiment.run(progress=display, force=force)
    except KeyboardInterrupt as error:
        for note in getattr(error, "__notes__", ()):
            print(f"schedlab: interrupted: {note}", file=sys.stderr)
        print(
            f"schedlab: interrupted; what ended so far is in {experiment.path}, and the same "
            "command resumes from there",
            file=sys.stderr,
        )
        raise Leave(1) from None


def wants_page(requested: bool | None) -> bool:
    """Returns whether to write report.html; if nobody asked, only where it can be drawn.

    Raises:
        InputError: It was asked for, and cannot be drawn.
    """
    from schedlab.analysis.style import require_matplotlib

    if requested is False:
        return False
    try:
        require_matplotlib()
    except InputError as error:
        if requested:
            raise
        print(f"schedlab: no report.html: {error}", file=sys.stderr)
        return False
    return True


def write_page(
    comparison: Comparison,
    quiet: bool = False,
    trust_code: bool = False,
    reader: str | None = None,
) -> None:
    """Writes report.html into the folder of an experiment, unless none of its runs came through.

    Args:
        comparison: Of the experiment.
        quiet: Show no progress.
        trust_code: Whether code runs that its folder names.
        reader: That the person gave, whatever it names.
    """
    from schedlab.experiment.experiment import REPORT

    if len(comparison.metrics):
        page = os.path.join(comparison.path, REPORT)
        write_report(comparison, page, quiet=quiet, trust_code=trust_code, reader=reader)


def exit_code(comparison: Comparison) -> int:
    """Returns 0, 1 if runs failed, 2 if all did for what they were given."""
    failures = comparison.description["failures"]
    if not failures:
        return 0
    all_wrong = len(failures) == len(comparison.description["runs"])
    return 2 if all_wrong and all(one["bad_input"] for one in failures) else 1


def show(comparison: Comparison, page: bool) -> None:
    """Prints the tables, the differences, what failed, and where the files are."""
    from rich.text import Text

    from schedlab.cli.terminal import Console

    console = Console(highlight=False)
    runs = comparison.description["done"]
    repeat = comparison.description["repeat"]
    each = f", {repeat} of each dispatcher" if repeat > 1 else ""
    console.print(f"{runs:,} run{'s' if runs != 1 else ''}{each}; * is the best of a column")
    if comparison.description.get("conditions"):
        console.print(Text(f"conditions  {comparison.description['conditions']}"), soft_wrap=True)
    console.print()
    show_tables(console, comparison, "dispatcher")
    for line in comparison.sentences() if comparison.description["jobs"] != "none" else ():
        console.print(Text(line), soft_wrap=True)
    for note in comparison.description["notes"]:
        console.print(Text(f"note: {note}", "dim"), soft_wrap=True)
    _print_failures(comparison)
    files = "metrics.csv, timing.csv, summary.csv, differences.csv, runs/"
    if page and os.path.exists(os.path.join(comparison.path, "report.html")):
        files = f"report.html, {files}"
    console.print(Text(f"Everything is in {shlex.quote(comparison.path)}: {files}"), soft_wrap=True)


def _print_failures(comparison: Comparison) -> None:
    """Says on standard error which runs failed, and why; the same reason once."""
    runs: dict[str, list[str]] = {}
    for name, reason in comparison.failures:
        runs.setdefault(reason, []).append(name)
    for reason, names in list(runs.items())[:SHOWN_FAILURES]:
        more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
        print(f"schedlab: failed: {names[0]}{more}: {reason}", file=sys.stderr)
    if len(runs) > SHOWN_FAILURES:
        print(
            f"schedlab: {len(runs) - SHOWN_FAILURES} more reasons are in "
            f"{comparison.path}/experiment.json",
            file=sys.stderr,
        )


def summary(comparison: Comparison) -> dict[str, Any]:
    """Returns what --json prints."""
    return {
        "path": comparison.path,
        "status": comparison.status,
        "runs": len(comparison.description["runs"]),
        "done": comparison.description["done"],
        "failures": comparison.description["failures"],
        "notes": comparison.description["notes"],
        "summary": comparison.summary.to_dicts(),
        "timing": comparison.timing_summary.to_dicts(),
        "differences": comparison.differences(column=None).to_dicts(),
    }


def _in_flags(message: str) -> str:
    """Returns the message with what it begins with spelled as on the command line."""
    flags = {"repeat": "--repeat", "processes": "--processes", "baseline": "--baseline"}
    flags |= {"schedulers": "--schedulers", "workloads": "WORKLOAD", "systems": "--system"}
    name, colon, rest = message.partition(":")
    return f"{flags[name]}{colon}{rest}" if name in flags and colon else options.in_flags(message)
