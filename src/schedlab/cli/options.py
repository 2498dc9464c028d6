"""How options of commands are made, and those that several commands have."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schedlab.errors import InputError
from schedlab.options import CHOICES, DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

DISPATCHING = "Dispatching"
READING = "Reading the workload (of the words, the first is the default)"
SIMULATING = "Simulating"
APPLICATIONS = "Applications on a network (of the words, the first is the default)"
OUTPUT = "Output"


def completion(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def word_option(name: str, panel: str, text: str, words: tuple[str, ...] = ()) -> Any:
    """Returns an option that is one of a few words, which `schedlab.options` checks."""
    words = words or CHOICES[name]
    return typer.Option(
        f"--{name.replace('_', '-')}",
        metavar="WORD",
        help=f"{'|'.join(words)}: {text}",
        rich_help_panel=panel,
        autocompletion=completion(words),
        show_default=False,
    )


def option(flag: str, panel: str, text: str, metavar: str = " ") -> Any:
    return typer.Option(flag, metavar=metavar, help=text, rich_help_panel=panel, show_default=False)


def print_warnings(warnings: Iterable[str]) -> None:
    """Prints what is doubtful in a description of a machine, on standard error."""
    for warning in warnings:
        print(f"schedlab: warning: {warning}", file=sys.stderr)


def print_application_errors(errors: Sequence[str]) -> None:
    """Says on standard error that jobs failed because their applications went wrong."""
    if errors:
        jobs = "1 job" if len(errors) == 1 else f"{len(errors):,} jobs"
        more = "" if len(errors) == 1 else "; the others are in run.json; the first one is"
        whose = "its application" if len(errors) == 1 else "their applications"
        print_warnings([f"{jobs} failed because {whose} went wrong{more}: {errors[0]}"])


Reader = Annotated[
    str | None,
    option(
        "--reader",
        READING,
        "Format to read, perhaps with arguments, or package.module:Class; else what the file is.",
        "NAME",
    ),
]
Seed = Annotated[
    int | None, option("--seed", SIMULATING, "Of everything that is drawn at random.", "N")
]
Fidelity = Annotated[
    str | None,
    word_option(
        "fidelity", APPLICATIONS, "how messages travel; none: jobs take their recorded times."
    ),
]
Accuracy = Annotated[
    float | None,
    option("--accuracy", APPLICATIONS, "Error of times that fluid may make; 0: exact.", "SHARE"),
]
Mapping = Annotated[
    str | None,
    word_option(
        "mapping",
        APPLICATIONS,
        "which rank runs on which of a job's nodes.",
        ("block", "cyclic", "package.module:function"),
    ),
]
Jobs = Annotated[str | None, word_option("jobs", OUTPUT, "a row per job.")]
Timeline = Annotated[str | None, word_option("timeline", OUTPUT, "a row per time point.")]
Report = Annotated[
    bool | None,
    option(
        "--report/--no-report", OUTPUT, "Write report.html, a page with all figures; on by default."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there already.")]
TRUST_CODE = "Run code that files name; without it they are refused. See docs/reference/trust.md."
TrustCode = Annotated[bool, option("--trust-code", SIMULATING, TRUST_CODE)]
Quiet = Annotated[bool, option("--quiet", OUTPUT, "Print nothing but errors.")]


def require_folder(out: str, flag: str = "--out") -> None:
    """Raises InputError if what is to become a folder is a file, or nothing."""
    if not out or (os.path.exists(out) and not os.path.isdir(out)):
        raise InputError(f"{flag} {out!r}: must be a folder; it is made if there is none")


def in_flags(message: str) -> str:
    """Returns the message with an option it begins with spelled as on the command line."""
    name, colon, rest = message.partition(":")
    known = name in DEFAULTS or name in CHOICES or name == "rules"
    return f"--{name.replace('_', '-')}{colon}{rest}" if known and colon else message
