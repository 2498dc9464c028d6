"""`schedlab run`: one workload, one system, one dispatcher."""

from __future__ import annotations

import os
import sys

from schedlab.cli import options
from schedlab.cli.declaring import Annotated, Argument, Leave, Option
from schedlab.cli.progress import ProgressLine
from schedlab.cli.run_options import (
    refuse_beside,
    refuse_spec,
    spec_arguments,
    spec_of,
    with_shared,
)
from schedlab.dispatch.allocators import ALLOCATORS
from schedlab.dispatch.schedulers import SCHEDULERS
from schedlab.errors import InputError
from schedlab.overwriting import refuse_run, resuming
from schedlab.simulation.interrupting import Terminated
from schedlab.simulation.runs import seconds_between_checkpoints
from schedlab.simulation.spec.data import names_code
from schedlab.simulation.spec.files import changed_inputs, is_spec, read_recorded, refuse_absent
from schedlab.simulation.spec.value import PARTS
from schedlab.simulation.user_code_position import of_error

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.simulation import RunSpec

EXAMPLE = (
    "Example: schedlab run trace.swf.gz --system machine.toml "
    "--scheduler 'easy(order=shortest, depth=100)' --out results/easy"
)

_BESIDE_RESUME = ("resume", "checkpoint_every", "trust_code", "json", "quiet", "shared")
_FLAGS = {"workload": "WORKLOAD", "other_workload": "--workload"}


@with_shared(before="out")
def run(
    workload: Annotated[
        str | None,
        Argument(
            metavar="WORKLOAD",
            help="Workload file of any format; .gz, .bz2 and .xz are unpacked. Or a file that says "
            "what to run: .toml, or run.json of a run.",
            show_default=False,
        ),
    ] = None,
    other_workload: Annotated[
        str | None,
        options.option(
            "--workload",
            options.READING,
            "Workload in place of the one that a file of a run names.",
            "FILE",
        ),
    ] = None,
    system: Annotated[
        str | None,
        options.option(
            "--system", options.DISPATCHING, "System file: .toml, .json or .yaml.", "FILE"
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help=f"One of {', '.join(SCHEDULERS)}; with arguments: 'easy(order=shortest)'; "
            "'score:EXPRESSION'; or package.module:Class.",
            panel=options.DISPATCHING,
            words=SCHEDULERS,
            show_default=PARTS["scheduler"],
        ),
    ] = None,
    allocator: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help=f"One of {', '.join(ALLOCATORS)}; or package.module:Class.",
            panel=options.DISPATCHING,
            words=ALLOCATORS,
            show_default=PARTS["allocator"],
        ),
    ] = None,
    out: Annotated[
        str | None,
        options.option(
            "--out", options.OUTPUT, "Folder for the results; none are kept without.", "DIR"
        ),
    ] = None,
    checkpoint_every: Annotated[
        str | None,
        options.option(
            "--checkpoint-every",
            options.OUTPUT,
            "Save the run in --out this often: 90s, 10m, 1h30m.",
            "TIME",
        ),
    ] = None,
    pause: Annotated[
        bool,
        options.option(
            "--pause", options.OUTPUT, "Begin paused; schedlab watch or the dashboard resumes it."
        ),
    ] = False,
    resume: Annotated[
        str | None,
        options.option(
            "--resume",
            options.OUTPUT,
            "Continue with the run of a folder, and nothing else; with --trust-code where it has "
            "your own code.",
            "DIR",
        ),
    ] = None,
    jobs: options.Jobs = None,
    timeline: options.Timeline = None,
    json: Annotated[
        bool,
        options.option("--json", options.OUTPUT, "Print what run.json holds, and nothing else."),
    ] = False,
    force: Annotated[
        bool, options.option("--force", options.OUTPUT, "Replace a run that is in --out already.")
    ] = False,
    quiet: options.Quiet = False,
    **shared: Any,
) -> None:
    """Simulate a workload on a system under a scheduler.

    Prints the metrics; with --out, also writes run.json, jobs.csv and timeline.csv.
    """
    arguments = {**locals(), **shared}
    trust_code = shared["trust_code"]
    every = seconds_between_checkpoints(checkpoint_every, "--checkpoint-every")
    if resume is not None:
        refuse_beside(
            arguments,
            _BESIDE_RESUME,
            "the resumed run has its own; give --resume DIR alone",
            _FLAGS,
        )
        out = resume
    else:
        given = spec_arguments(shared, system=system, scheduler=scheduler, allocator=allocator)
        given |= _other(workload, other_workload, given)
        spec, parts, recorded = _whole(workload, given, trust_code)
    for name, kept in (("jobs", jobs), ("timeline", timeline)):
        if kept in ("csv", "parquet") and out is None:
            raise InputError(f"--{name} {kept}: needs --out DIR, the folder to write to")
    if every is not None and out is None:
        raise InputError("--checkpoint-every: needs --out DIR, the folder to write to")
    if pause and out is None:
        raise InputError("--pause: needs --out DIR, the folder through which the run is watched")
    if out is not None:
        options.require_folder(out)
    if resume is None:
        refuse_run(out, force)
    files = "none" if out is None else "csv"
    marker = out and _identity(out)
    code = trust_code if resume is not None else names_code(spec)
    from schedlab.simulation import resume as resume_run
    from schedlab.simulation import simulate

    try:
        with ProgressLine(quiet=quiet, folder=out) as progress:
            if resume is not None:
                result = resume_run(
                    resume, checkpoint_every=every, progress=progress, trust_code=trust_code
                )
            else:
                result = simulate(
                    **parts,
                    out=out,
                    jobs=jobs or files,
                    timeline=timeline or files,
                    checkpoint_every=every,
                    progress=progress,
                    pause=pause,
                    force=force,
                    trust_code=trust_code,
                )
    except KeyboardInterrupt as error:
        where = of_error(error)
        stopped = "ended by a signal" if isinstance(error, Terminated) else "interrupted"
        stopped = f"{stopped} in {where}" if where else stopped
        print(f"schedlab: {stopped}; {_what_was_kept(out, marker, code)}", file=sys.stderr)
        raise Leave(1) from None
    except InputError as error:
        raise type(error)(options.in_flags(str(error))) from None
    except Exception:
        if out is not None and _identity(out) != marker:
            print(f"schedlab: {_what_was_kept(out, marker, code)}", file=sys.stderr)
        raise
    if not quiet:
        options.print_warnings(result.run.get("warnings", ()))
        if resume is None and recorded is not None:
            options.print_warnings(changed_inputs(recorded, result.run))
        options.print_application_errors(result.run.get("application_errors", ()))
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(result.run))
    elif not quiet:
        from schedlab.cli.summary_table import show

        resumed = f"{result.run['scheduler']} + {result.run['allocator']}"
        show(result, resumed if resume else f"{spec.scheduler} + {spec.allocator}", out)


def _whole(
    workload: str | None, given: dict[str, Any], trust_code: bool
) -> tuple[RunSpec, dict[str, Any], dict[str, Any] | None]:
    """Returns the run that is asked for, its arguments, and the run.json that it repeats, if any.

    Raises:
        InputError: Something given is wrong, or missing.
    """
    repeats = workload is not None and is_spec(workload)
    try:
        spec = spec_of(workload, given, trust_code)
        for name, flag in (("workload", "WORKLOAD"), ("system", "--system")):
            if getattr(spec, name) is None:
                raise InputError(f"{flag} is missing; see schedlab run --help")
    except InputError as error:
        raise type(error)(options.in_flags(str(error))) from None
    if workload is None or not repeats:
        return spec, spec.arguments(), None
    try:
        parts = spec.arguments()
    except InputError as error:
        raise InputError(f"{workload}: {error}") from None
    refuse_absent(spec, workload)
    return spec, parts, None if workload.lower().endswith(".toml") else read_recorded(workload)


def _other(run: str | None, workload: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """Returns what --workload changes in the run of a file: its workload, and how that is read.

    The reader of the file is for the workload of the file. Another one is read as what it is,
    unless --reader says how.

    Raises:
        InputError: There is no such file of a run.
    """
    if workload is None:
        return {}
    if run is None or not is_spec(run):
        raise InputError(
            "--workload: is for a file of a run, as in schedlab run spec.toml --workload FILE; "
            "else give the workload alone: schedlab run FILE"
        )
    refuse_spec(workload)
    return {"workload": workload, "reader": given.get("reader")}


def _what_was_kept(out: str | None, marker: tuple[int, int] | str | None, code: bool) -> str:
    """Returns what is left of a run; `code`: whether it names code of a user's."""
    if out is not None and os.path.exists(os.path.join(out, "checkpoint.state")):
        return f"continue with: {resuming(out, code)}"
    published = out is not None and _identity(out) != marker
    return f"what ended so far is in {out}" if published else "nothing was kept"


def _identity(folder: str) -> tuple[int, int] | None:
    """Returns what changes when a run.json is published in the folder."""
    try:
        status = os.stat(os.path.join(folder, "run.json"))
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
