"""How options of commands are made, and those that several commands have."""

from __future__ import annotations

import os
import sys

from schedlab.cli.declaring import Annotated, Option
from schedlab.errors import InputError
from schedlab.options import CHOICES, DEFAULTS, Options
from schedlab.simulation.spec.value import RunSpec

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from schedlab.fields import Declaration

DISPATCHING = "Dispatching"
READING = "Reading the workload (of the words, the first is the default)"
SIMULATING = "Simulating"
APPLICATIONS = "Applications on a network (of the words, the first is the default)"
OUTPUT = "Output"
PANELS = {
    "reading": READING,
    "dispatching": DISPATCHING,
    "simulating": SIMULATING,
    "applications": APPLICATIONS,
    "output": OUTPUT,
}
"""Headings of --help, by the groups of the declarations."""

_KINDS: dict[str, Any] = {"boolean": bool, "integer": int, "number": float, "array": list[str]}
"""What a command line makes of words, by what files hold."""


def word_option(name: str, panel: str, text: str, words: tuple[str, ...] = ()) -> Any:
    """Returns an option that is one of a few words, which `schedlab.options` checks."""
    words = words or CHOICES[name]
    return Option(
        f"--{name.replace('_', '-')}",
        metavar="WORD",
        help=f"{'|'.join(words)}: {text[0].lower()}{text[1:]}",
        panel=panel,
        words=words,
        show_default=False,
    )


def option(flag: str, panel: str, text: str, metavar: str = " ") -> Any:
    return Option(flag, metavar=metavar, help=text, panel=panel, show_default=False)


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


def declared(field: Declaration) -> Any:
    """Returns the type of an option, and what --help says of it, by its declaration."""
    flag = f"--{field.name.replace('_', '-')}"
    meaning = field.meaning.replace("`", "").rstrip(".")
    if field.sort == "flag":
        flag = f"{flag}/--no-{flag[2:]}"
    if field.absent:
        meaning = f"{meaning}; else {field.absent}"
    kind = _KINDS.get("boolean" if field.sort == "flag" else _written_as(field), str)
    if kind == list[str]:
        meaning = f"{meaning}; may be repeated"
    panel = PANELS[field.group]
    if field.forms:
        return Annotated[kind | None, word_option(field.name, panel, f"{meaning}.", field.forms)]
    text = f"{meaning[0].upper()}{meaning[1:]}."
    return Annotated[kind | None, option(flag, panel, text, field.metavar or " ")]


def _written_as(field: Declaration) -> str:
    return str((field.written or {}).get("type", ""))


DECLARED: dict[str, Any] = {
    one.name: declared(one)
    for group in PANELS
    for one in (*RunSpec._declared, *Options._declared)
    if one.group == group
}
"""Parts and options of a run as commands take them, in the order of --help."""

Reader = DECLARED["reader"]
Seed = DECLARED["seed"]
Fidelity = DECLARED["fidelity"]
Accuracy = DECLARED["accuracy"]
Mapping = DECLARED["mapping"]
Jobs = Annotated[str | None, word_option("jobs", OUTPUT, "a row per job.")]
Timeline = Annotated[str | None, word_option("timeline", OUTPUT, "a row per time point.")]
Report = Annotated[
    bool | None,
    option(
        "--report/--no-report", OUTPUT, "Write report.html, a page with all figures; on by default."
    ),
]
Force = Annotated[bool, Option("--force", help="Replace what is there already.")]
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
