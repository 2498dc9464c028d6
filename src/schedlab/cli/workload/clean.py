"""`schedlab workload clean`."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

from schedlab.cli.declaring import Annotated, Option
from schedlab.cli.options import Force
from schedlab.cli.progress import ProgressLine
from schedlab.cli.workload import options
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

if TYPE_CHECKING:
    from schedlab.workload.cleaning import Cleaning
    from schedlab.workload.writer import Writer

EXAMPLE = "Example: schedlab workload clean log.swf.gz clean.swf.gz --removed removed.csv"


def clean(
    source: options.Source,
    target: options.Target,
    impossible: Annotated[
        bool,
        Option(
            "--impossible/--no-impossible", help="Negative times, more than the machine has, ..."
        ),
    ] = True,
    missing: Annotated[
        bool,
        Option("--missing/--no-missing", help="Jobs without start, run time or processors."),
    ] = True,
    duplicates: Annotated[
        bool, Option("--duplicates/--no-duplicates", help="Job numbers that came before.")
    ] = True,
    order: Annotated[
        bool, Option("--order/--no-order", help="Submit times far from the rows around.")
    ] = True,
    large: Annotated[
        bool, Option("--large/--no-large", help="Rare jobs of nearly the whole machine.")
    ] = True,
    flurries: Annotated[
        bool, Option("--flurries/--no-flurries", help="Bursts of one user.")
    ] = True,
    zero: Annotated[bool, Option("--zero/--no-zero", help="Jobs with a run time of 0.")] = (False),
    rule: Annotated[
        list[str] | None,
        Option(
            "--rule",
            metavar="NAME",
            help="A rule with arguments, flurries(factor=3), or of your own, "
            "package.module:Class; may be repeated.",
            show_default=False,
        ),
    ] = None,
    processors: Annotated[
        int | None,
        Option(
            metavar="N", help="Processors of the machine; else MaxProcs of the header.", least=1
        ),
    ] = None,
    removed: Annotated[
        str | None,
        Option(metavar="FILE.csv", help="Write the jobs that went, and why, to this file."),
    ] = None,
    reader: options.Reader = None,
    writer: options.Writer = None,
    exact: options.Exact = False,
    strict: options.Strict = False,
    json: Annotated[bool, Option("--json", help="Print what was done as JSON.")] = False,
    force: Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a workload without the jobs that do not belong in it, and say why each went."""
    from schedlab.workload import cleaning

    _refuse_to_overwrite(removed, source, target)
    cleaning.refuse_log(source, target)
    refuse_file(target, force)
    refuse_file(removed, force)
    wanted = {
        "impossible": impossible,
        "missing": missing,
        "duplicates": duplicates,
        "order": order,
        "large": large,
        "flurries": flurries,
        "zero": zero,
    }
    with ProgressLine(quiet=quiet) as progress:

        def show(what: str, rows: int, of: int | None) -> None:
            if progress.due():
                progress.show(rows, "rows", rows / of if of else None, what)

        done = cleaning.clean(
            source,
            _rules([name for name, on in wanted.items() if on], rule or []),
            processors=processors,
            reader=reader,
            strict=strict,
            progress=show,
        )
        command = shlex.join(["schedlab", *sys.argv[1:]])
        written = done.write(target, options.writer_of(target, writer, exact), command)
    if removed is not None:
        done.write_removed(removed)
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(_facts(done, written, source)))
    elif not quiet:
        _show(done, written)


def _refuse_to_overwrite(removed: str | None, source: str, target: str) -> None:
    """Raises InputError if the list of jobs that went would take the place of another file."""
    if removed is not None and os.path.realpath(removed) in map(os.path.realpath, (source, target)):
        raise InputError(f"--removed {removed}: is the workload; give another name for the list")
    if removed is not None and not os.path.isdir(os.path.dirname(os.path.abspath(removed))):
        raise InputError(f"--removed {removed}: there is no such folder")  # before TO is written


def _rules(names: list[str], given: list[str]) -> list[str]:
    """Returns the names of all rules: those that were given take the place of their namesakes."""
    from schedlab.naming import parse_call

    rules = {name: name for name in names}
    own = []
    for text in given:
        name = parse_call(text, "rule")[0]
        if name in rules and rules[name] == name:
            rules[name] = text
        else:
            own.append(text)
    return [*rules.values(), *own]


def _show(done: Cleaning, written: Writer) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from schedlab.cli.terminal import Console

    console = Console(highlight=False)
    rows = done.log.rows
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("rule", no_wrap=True)
    table.add_column("reason")
    table.add_column("jobs", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    for rule, reason, jobs in done.counts.iter_rows():
        table.add_row(rule, Text(reason), f"{jobs:,}", _percent(jobs, rows))
    if done.removed.height:
        console.print(table)
        console.print()
    gone = done.removed.height
    text = f"{written.path}: {done.kept:,} jobs; {gone:,} of {rows:,} went ({_percent(gone, rows)})"
    console.print(Text(text), soft_wrap=True)
    _warn(done, written)


def _warn(done: Cleaning, written: Writer) -> None:
    """Says what was not done, on standard error."""
    for rule in done.rules:
        for note in rule.notes:
            print(f"{rule.title}: {note}", file=sys.stderr)
    options.print_skipped(done.skipped)
    options.print_notices(done.notices)
    options.print_losses(written.losses, written.notes)


def _facts(done: Cleaning, written: Writer, source: str) -> dict[str, Any]:
    return {
        "from": source,
        "to": written.path,
        "rows": done.log.rows,
        "kept": done.kept,
        "removed": done.removed.height,
        "rules": [
            {"rule": rule.title, "call": str(rule), "notes": list(rule.notes)}
            for rule in done.rules
        ],
        "reasons": [
            {"rule": rule, "reason": reason, "jobs": jobs}
            for rule, reason, jobs in done.counts.iter_rows()
        ],
        "skipped": done.skipped,
        "notices": done.notices,
        "losses": dict(written.losses),
    }


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if whole else "-"
