"""`schedlab workload assign`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedlab.cli.declaring import Annotated, Option
from schedlab.cli.options import Force
from schedlab.cli.progress import ProgressLine
from schedlab.cli.workload import options
from schedlab.durations import seconds_of
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from schedlab.workload.assignment import Assigned, Foreground, Rule

EXAMPLE = (
    "Example: schedlab workload assign trace.swf.gz mix.csv --application 'allreduce(bytes=128)=2' "
    "--application 'stencil-3d(bytes=64k)=1'"
)
MIX, FOREGROUND = "Mix of applications", "Foreground application"


def assign(
    source: options.Source,
    target: options.Target,
    application: Annotated[
        list[str] | None,
        Option(
            "--application",
            metavar="NAME(...)=WEIGHT",
            help="An application for jobs of any size; weights count relative to each other. "
            "May be repeated.",
            panel=MIX,
            show_default=False,
        ),
    ] = None,
    size_class: Annotated[
        list[str] | None,
        Option(
            "--size-class",
            metavar="FROM-TO:NAME(...)=WEIGHT",
            help="An application for jobs of N processors, as 1-64:..., 65-:...; takes "
            "precedence over --application. May be repeated.",
            panel=MIX,
            show_default=False,
        ),
    ] = None,
    share: Annotated[
        float,
        Option(
            "--share",
            metavar="SHARE",
            help="Share of jobs that get one; the rest stays as it is.",
            panel=MIX,
        ),
    ] = 1.0,
    foreground: Annotated[
        str | None,
        Option(
            "--foreground",
            metavar="NAME(...)",
            help="Add jobs of this application at random moments of the trace.",
            panel=FOREGROUND,
            show_default=False,
        ),
    ] = None,
    foreground_jobs: Annotated[
        int,
        Option("--foreground-jobs", metavar="N", help="How many.", panel=FOREGROUND),
    ] = 10,
    foreground_size: Annotated[
        int,
        Option(
            "--foreground-size",
            metavar="N",
            help="Processors of each.",
            panel=FOREGROUND,
        ),
    ] = 1,
    foreground_time: Annotated[
        str,
        Option(
            "--foreground-time",
            metavar="TIME",
            help="Requested time of each, and its recorded run time.",
            panel=FOREGROUND,
        ),
    ] = "1h",
    seed: Annotated[
        str,
        Option("--seed", metavar="TEXT", help="Any text: the same seed gives the same file."),
    ] = "0",
    reader: options.Reader = None,
    writer: options.Writer = None,
    strict: options.Strict = False,
    trust_code: options.TrustCode = False,
    force: Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Give jobs of a trace applications to run on a network."""
    from schedlab.workload import assignment

    refuse_file(target, force)
    rules = _rules(size_class or (), application or ())
    added = None
    if foreground is not None:
        seconds = seconds_of(foreground_time, "--foreground-time")
        added = assignment.Foreground(foreground, foreground_jobs, foreground_size, seconds)
    named = _named(rules, added)
    check = _checker(source, named, trust_code)
    for text in named:
        check(text, None)
    made = assignment.Assignment(rules, share, added, seed, check)
    with ProgressLine(quiet=quiet) as line:

        def show(rows: int, part: float | None) -> None:
            if line.due():
                line.show(rows, "rows", part)

        done = assignment.assign(source, target, made, reader, writer, strict, show)
    if not quiet:
        print(f"{target}: {done.rows:,} jobs")
        _show(done)
        options.print_skipped(done.skipped)


def _checker(
    source: str, named: Sequence[str], trust_code: bool
) -> Callable[[str, int | None], None]:
    """Returns what raises InputError where an application is wrong, or not for N ranks.

    Args:
        source: The workload, whose jobs may name some already.
        named: Those of the command line.
        trust_code: Whether code runs that the workload names.
    """
    from schedlab.application.repository import application_named
    from schedlab.trust import PERSON, data

    known, of_jobs = {}, data(source, trust_code)

    def check(text: str, ranks: int | None) -> None:
        if text not in known:
            known[text] = application_named(text, PERSON if text in named else of_jobs)
        known[text].check(ranks)

    return check


def _rules(classes: Iterable[str], all_sizes: Iterable[str]) -> list[Rule]:
    from schedlab.workload.assignment import Rule

    mixes: dict[tuple[int, int | None], dict[str, float]] = {}
    for given in classes:
        sizes, colon, text = given.partition(":")
        found = re.fullmatch(r"\s*(\d+)\s*(-?)\s*(\d*)\s*", sizes)
        if not (colon and found) or (found[3] and not found[2]):
            raise InputError(
                f"--size-class {given!r}: must begin with sizes, as 1-64:allreduce=1, 65-:barrier=1"
            )
        least = int(found[1])
        most = int(found[3]) if found[3] else None if found[2] else least
        _add(mixes.setdefault((least, most), {}), "--size-class", text)
    _refuse_overlaps(list(mixes))
    rules = [Rule(mix, least, most) for (least, most), mix in sorted(mixes.items(), key=_least)]
    mix: dict[str, float] = {}
    for text in all_sizes:
        _add(mix, "--application", text)
    return [*rules, Rule(mix)] if mix else rules


def _least(item: tuple[tuple[int, int | None], object]) -> int:
    return item[0][0]


def _refuse_overlaps(classes: list[tuple[int, int | None]]) -> None:
    end: int | None = 0
    for least, most in sorted(classes, key=lambda sizes: sizes[0]):
        if end is None or least <= end:
            raise InputError(f"--size-class: {least} processors are in two classes")
        end = most


def _add(mix: dict[str, float], flag: str, given: str) -> None:
    """Takes an application and its weight, which is 1 where none is given."""
    text, equals, number = given.rpartition("=")
    if not equals or ")" in number:
        text, number = given, "1"
    text = text.strip()
    try:
        weight = float(number)
    except ValueError:
        raise InputError(
            f"{flag} {given!r}: {number!r} is not a weight; write NAME(...)=0.4"
        ) from None
    if not text or text in mix:
        why = "is given twice" if text else "names no application"
        raise InputError(f"{flag} {given!r}: {why}")
    mix[text] = weight


def _named(rules: Iterable[Rule], foreground: Foreground | None) -> list[str]:
    texts = [text for rule in rules for text in rule.mix]
    return texts if foreground is None else [*texts, foreground.application]


def _show(done: Assigned) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from schedlab.cli.terminal import Console

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("sizes", no_wrap=True)
    table.add_column("application")
    for name in ("jobs", "share of jobs", "processors"):
        table.add_column(name, justify="right", no_wrap=True)
    for count in done.counts:
        named = Text(count.application) if count.application else Text("time keeper", "dim")
        share = f"{count.jobs / done.rows:.1%}" if done.rows else "-"
        table.add_row(count.label, named, f"{count.jobs:,}", share, f"{count.processors:,}")
    console = Console(highlight=False)
    console.print()
    console.print(table)
