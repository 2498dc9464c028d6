"""`schedlab run`: one workload, one system, one dispatcher."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schedlab.cli.progress import ProgressLine
from schedlab.dispatch.allocators import ALLOCATORS
from schedlab.dispatch.schedulers import SCHEDULERS
from schedlab.errors import InputError
from schedlab.options import CHOICES, DEFAULTS, RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.results import Result

EXAMPLE = (
    "Example: schedlab run trace.swf.gz --system machine.toml "
    "--scheduler 'easy(order=shortest, depth=100)' --out results/easy"
)

_DISPATCH = "Dispatching"
_READING = "Reading the workload (of the words, the first is the default)"
_SIMULATING = "Simulating"
_OUTPUT = "Output"


def _completion(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def _words(name: str, panel: str, text: str, words: tuple[str, ...] = ()) -> Any:
    """Returns an option that is one of a few words, which `schedlab.options` checks."""
    words = words or CHOICES[name]
    return typer.Option(
        f"--{name.replace('_', '-')}",
        metavar="WORD",
        help=f"{'|'.join(words)}: {text}",
        rich_help_panel=panel,
        autocompletion=_completion(words),
        show_default=False,
    )


def _option(flag: str, panel: str, text: str, metavar: str = " ") -> Any:
    return typer.Option(flag, metavar=metavar, help=text, rich_help_panel=panel, show_default=False)


def run(
    workload: Annotated[
        str | None,
        typer.Argument(
            metavar="WORKLOAD",
            help="SWF file: plain, .gz, .bz2 or .xz; or any file, with --reader.",
            show_default=False,
        ),
    ] = None,
    system: Annotated[
        str | None, _option("--system", _DISPATCH, "System file: .toml, .json or .yaml.", "FILE")
    ] = None,
    scheduler: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"One of {', '.join(SCHEDULERS)}; with arguments: 'easy(order=shortest)'; "
            "'score:EXPRESSION'; or package.module:Class.",
            rich_help_panel=_DISPATCH,
            autocompletion=_completion(SCHEDULERS),
        ),
    ] = "fifo",
    allocator: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"One of {', '.join(ALLOCATORS)}; or package.module:Class.",
            rich_help_panel=_DISPATCH,
            autocompletion=_completion(ALLOCATORS),
        ),
    ] = "first-fit",
    windows: Annotated[
        str | None,
        _option("--windows", _DISPATCH, "File of maintenance and advance reservations.", "FILE"),
    ] = None,
    queues: Annotated[
        str | None, _option("--queues", _DISPATCH, "File of queues with priorities.", "FILE")
    ] = None,
    data: Annotated[
        list[str] | None,
        _option("--data", _DISPATCH, "Additional data; may be repeated.", "package.module:Class"),
    ] = None,
    rules: Annotated[
        str | None,
        _words(
            "rules", _SIMULATING, "as that simulator does; other options go before.", tuple(RULES)
        ),
    ] = None,
    reader: Annotated[
        str | None,
        _option(
            "--reader",
            _READING,
            "Reader of your own format: package.module:Class, or an entry point's name.",
            "NAME",
        ),
    ] = None,
    job_factory: Annotated[
        str | None,
        _option(
            "--job-factory",
            _READING,
            "Sees, changes or leaves out each job: package.module:function.",
            "NAME",
        ),
    ] = None,
    processors: Annotated[
        str | None,
        _words("processors", _READING, "the field that counts; the other where it is missing."),
    ] = None,
    memory: Annotated[
        str | None, _words("memory", _READING, "the field that counts, in KB per processor.")
    ] = None,
    estimate: Annotated[
        str | None,
        _words(
            "estimate", _READING, "what the scheduler knows of run times; or package.module:Class."
        ),
    ] = None,
    missing_estimate: Annotated[
        str | None,
        _words(
            "missing_estimate",
            _READING,
            "what stands in for a missing requested time.",
            ("run", "skip", "SECONDS"),
        ),
    ] = None,
    estimate_covers_run: Annotated[
        bool | None,
        _option(
            "--estimate-covers-run/--no-estimate-covers-run",
            _READING,
            "Raise estimates that are below the run time to it.",
        ),
    ] = None,
    zero_run: Annotated[str | None, _words("zero_run", _READING, "jobs that ran for 0 s.")] = None,
    unusable: Annotated[
        str | None,
        _words("unusable", _READING, "rows that cannot run; or jobs of 1 s instead."),
    ] = None,
    tasks_per_node: Annotated[
        int | None, _option("--tasks-per-node", _READING, "Most tasks of a job on one node.", "N")
    ] = None,
    whole_nodes: Annotated[
        bool | None, _option("--whole-nodes", _READING, "Jobs take idle nodes, and all of them.")
    ] = None,
    dependencies: Annotated[
        str | None, _words("dependencies", _READING, "the preceding job that rows name.")
    ] = None,
    strict: Annotated[
        bool | None, _option("--strict", _READING, "Refuse the workload at the first bad row.")
    ] = None,
    sort: Annotated[
        bool | None, _option("--sort", _READING, "Sort rows by submit time (loads them all).")
    ] = None,
    enforce_limits: Annotated[
        bool | None,
        _option(
            "--enforce-limits/--no-enforce-limits",
            _SIMULATING,
            "Kill jobs at their requested time.",
        ),
    ] = None,
    dispatch_per: Annotated[
        str | None, _words("dispatch_per", _SIMULATING, "how often the scheduler is called.")
    ] = None,
    seed: Annotated[
        int | None, _option("--seed", _SIMULATING, "Of everything that is drawn at random.", "N")
    ] = None,
    out: Annotated[
        str | None,
        _option("--out", _OUTPUT, "Folder for the results; none are kept without.", "DIR"),
    ] = None,
    checkpoint_every: Annotated[
        str | None,
        _option(
            "--checkpoint-every", _OUTPUT, "Save the run so often (90s, 10m, 2h) in --out.", "TIME"
        ),
    ] = None,
    resume: Annotated[
        str | None,
        _option("--resume", _OUTPUT, "Go on with the run of a folder, and nothing else.", "DIR"),
    ] = None,
    jobs: Annotated[str | None, _words("jobs", _OUTPUT, "a row per job.")] = None,
    timeline: Annotated[str | None, _words("timeline", _OUTPUT, "a row per time point.")] = None,
    json: Annotated[
        bool, _option("--json", _OUTPUT, "Print what run.json holds, and nothing else.")
    ] = False,
    quiet: Annotated[bool, _option("--quiet", _OUTPUT, "Print nothing but errors.")] = False,
) -> None:
    """Simulate a workload on a system under a scheduler.

    Prints the metrics; with --out, also writes run.json, jobs.csv and timeline.csv.
    """
    arguments = dict(locals())
    given = {name: value for name, value in arguments.items() if name in DEFAULTS}
    given["missing_estimate"] = _seconds(missing_estimate)
    every = _duration(checkpoint_every)
    if resume is not None:
        _refuse_beside_resume(arguments)
        out = resume
    elif workload is None or system is None:
        missing = "WORKLOAD" if workload is None else "--system"
        raise InputError(f"{missing} is missing; see schedlab run --help")
    for name, kept in (("jobs", jobs), ("timeline", timeline)):
        if kept in ("csv", "parquet") and out is None:
            raise InputError(f"--{name} {kept}: needs --out DIR, the folder to write to")
    if every is not None and out is None:
        raise InputError("--checkpoint-every: needs --out DIR, the folder to write to")
    if out is not None:
        require_folder(out)
    files = "none" if out is None else "csv"
    marker = out and _identity(out)
    from schedlab.simulation import resume as resume_run
    from schedlab.simulation import simulate
    from schedlab.workload.reader import reader as reader_named

    try:
        with ProgressLine(quiet=quiet) as progress:
            if resume is not None:
                result = resume_run(resume, checkpoint_every=every, progress=progress)
            else:
                result = simulate(
                    reader_named(reader or "swf", workload),  # type: ignore[arg-type]
                    system=system,  # type: ignore[arg-type]
                    scheduler=scheduler,
                    allocator=allocator,
                    windows=windows or (),
                    queues=queues or (),
                    data=data or (),
                    job_factory=job_factory,
                    out=out,
                    jobs=jobs or files,
                    timeline=timeline or files,
                    checkpoint_every=every,
                    rules=rules,
                    progress=progress,
                    **given,
                )
    except KeyboardInterrupt:
        print(f"schedlab: interrupted; {_what_was_kept(out, marker)}", file=sys.stderr)
        raise typer.Exit(1) from None
    except InputError as error:
        raise InputError(_in_flags(str(error))) from None
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(result.run))
    elif not quiet:
        resumed = f"{result.run['scheduler']} + {result.run['allocator']}"
        show(result, resumed if resume else f"{scheduler} + {allocator}", out)


def show(result: Result, dispatcher: str, out: str | None) -> None:
    """Prints the summary of a run: facts, then the table of metrics, then where the folder is."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    summary = result.summary
    console.print(Text.assemble((dispatcher, "bold"), f" on {result.run['system']['name']}"))
    facts = Table.grid(padding=(0, 2))
    for line in summary.lines()[1:]:  # the first one is the title
        label, _, fact = line.partition(" ")
        facts.add_row(Text(label, "dim"), Text(fact.strip()))
    console.print(facts)
    console.print()
    heading, *rows = summary.rows()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column, name in enumerate(heading):
        table.add_column(name, justify="right" if column else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    if out is not None:
        console.print()
        files = ", ".join([*result.run["files"], "run.json"])
        console.print(Text(f"{files} in {out}"), soft_wrap=True)


def _what_was_kept(out: str | None, marker: tuple[int, int] | str | None) -> str:
    if out is not None and os.path.exists(os.path.join(out, "checkpoint.state")):
        return f"go on with: schedlab run --resume {out}"
    published = out is not None and _identity(out) != marker
    return f"what ended so far is in {out}" if published else "nothing was kept"


def _refuse_beside_resume(arguments: dict[str, Any]) -> None:
    """Raises InputError for arguments that a resumed run takes from its checkpoint."""
    allowed = ("resume", "checkpoint_every", "json", "quiet")
    defaults = {"scheduler": "fifo", "allocator": "first-fit"}
    for name, value in arguments.items():
        if name not in allowed and value not in (None, False, defaults.get(name)):
            flag = "WORKLOAD" if name == "workload" else f"--{name.replace('_', '-')}"
            raise InputError(f"{flag}: the resumed run has its own; give --resume DIR alone")


def _duration(text: str | None) -> float | None:
    """Returns the seconds of a text such as 90s, 10m or 2h."""
    if text is None:
        return None
    number, unit = (text[:-1], text[-1]) if text[-1:].isalpha() else (text, "s")
    try:
        seconds = float(number) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[unit]
    except (KeyError, ValueError):
        seconds = -1.0
    if not 0 < seconds < 1e9:
        raise InputError(f"--checkpoint-every: must be a time such as 90s, 10m or 2h, not {text!r}")
    return seconds


def require_folder(out: str) -> None:
    """Raises InputError if what is to become a folder is a file, or nothing."""
    if not out or (os.path.exists(out) and not os.path.isdir(out)):
        raise InputError(f"--out {out!r}: must be a folder; it is made if there is none")


def _seconds(text: str | None) -> str | float | None:
    """Returns a number where the text is one; `schedlab.options` checks the rest."""
    try:
        return int(text) if text else text
    except ValueError:
        try:
            return float(text)  # type: ignore[arg-type]
        except ValueError:
            return text


def _in_flags(message: str) -> str:
    """Returns the message with an option it begins with spelled as on the command line."""
    name, colon, rest = message.partition(":")
    known = name in DEFAULTS or name in CHOICES or name == "rules"
    return f"--{name.replace('_', '-')}{colon}{rest}" if known and colon else message


def _identity(folder: str) -> tuple[int, int] | None:
    """Returns what changes when a run.json is published in the folder."""
    try:
        status = os.stat(os.path.join(folder, "run.json"))
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
