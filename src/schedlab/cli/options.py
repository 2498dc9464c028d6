"""Options that `schedlab run` and `schedlab compare` share: each is defined once, as a type."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schedlab.errors import InputError
from schedlab.options import CHOICES, DEFAULTS, RULES

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


def tell_warnings(warnings: Iterable[str]) -> None:
    """Prints what is doubtful in a description of a machine, on standard error."""
    for warning in warnings:
        print(f"schedlab: warning: {warning}", file=sys.stderr)


def tell_application_errors(errors: Sequence[str]) -> None:
    """Says on standard error that jobs failed because their applications went wrong."""
    if errors:
        jobs = "1 job" if len(errors) == 1 else f"{len(errors):,} jobs"
        more = "" if len(errors) == 1 else "; the others are in run.json; the first one is"
        whose = "its application" if len(errors) == 1 else "their applications"
        tell_warnings([f"{jobs} failed because {whose} went wrong{more}: {errors[0]}"])


Windows = Annotated[
    str | None,
    option("--windows", DISPATCHING, "File of maintenance and advance reservations.", "FILE"),
]
Queues = Annotated[
    str | None, option("--queues", DISPATCHING, "File of queues with priorities.", "FILE")
]
Conditions = Annotated[
    str | None,
    option(
        "--conditions",
        SIMULATING,
        "File of failures, power caps, switching off, prices, temperatures.",
        "FILE",
    ),
]
Data = Annotated[
    list[str] | None,
    option("--data", DISPATCHING, "Additional data; may be repeated.", "package.module:Class"),
]
Rules = Annotated[
    str | None,
    word_option(
        "rules", SIMULATING, "as that simulator does; other options go before.", tuple(RULES)
    ),
]
Reader = Annotated[
    str | None,
    option(
        "--reader",
        READING,
        "Format to read, perhaps with arguments, or package.module:Class; else what the file is.",
        "NAME",
    ),
]
JobFactory = Annotated[
    str | None,
    option(
        "--job-factory",
        READING,
        "Sees, changes or leaves out each job: package.module:function.",
        "NAME",
    ),
]
Processors = Annotated[
    str | None,
    word_option("processors", READING, "the field that counts; the other where it is missing."),
]
Memory = Annotated[
    str | None, word_option("memory", READING, "the field that counts, in KB per processor.")
]
Estimate = Annotated[
    str | None,
    word_option(
        "estimate", READING, "what the scheduler knows of run times; or package.module:Class."
    ),
]
MissingEstimate = Annotated[
    str | None,
    word_option(
        "missing_estimate",
        READING,
        "what stands in for a missing requested time.",
        ("run", "skip", "SECONDS"),
    ),
]
EstimateCoversRun = Annotated[
    bool | None,
    option(
        "--estimate-covers-run/--no-estimate-covers-run",
        READING,
        "Raise estimates that are below the run time to it.",
    ),
]
ZeroRun = Annotated[str | None, word_option("zero_run", READING, "jobs that ran for 0 s.")]
Unusable = Annotated[
    str | None,
    word_option("unusable", READING, "rows that cannot run; or jobs of 1 s instead."),
]
TasksPerNode = Annotated[
    int | None, option("--tasks-per-node", READING, "Most tasks of a job on one node.", "N")
]
WholeNodes = Annotated[
    bool | None, option("--whole-nodes", READING, "Jobs take idle nodes, and all of them.")
]
Dependencies = Annotated[
    str | None, word_option("dependencies", READING, "the preceding job that rows name.")
]
Strict = Annotated[
    bool | None, option("--strict", READING, "Refuse the workload at the first bad row.")
]
Sort = Annotated[
    bool | None, option("--sort", READING, "Sort rows by submit time (loads them all).")
]
EnforceLimits = Annotated[
    bool | None,
    option(
        "--enforce-limits/--no-enforce-limits",
        SIMULATING,
        "Kill jobs at their requested time.",
    ),
]
DispatchPer = Annotated[
    str | None, word_option("dispatch_per", SIMULATING, "how often the scheduler is called.")
]
Impossible = Annotated[
    str | None,
    word_option("impossible", SIMULATING, "jobs that can never start; or the run at the first."),
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
Alone = Annotated[
    bool | None,
    option(
        "--alone/--no-alone",
        APPLICATIONS,
        "Also work out how long each job takes alone, for its slowdown.",
    ),
]
ApplicationErrors = Annotated[
    str | None,
    word_option(
        "application_errors", APPLICATIONS, "the run where a program goes wrong; or that job alone."
    ),
]
Keep = Annotated[
    str | None,
    option("--keep", OUTPUT, "Attributes to write with each job, such as queue,phase.", "NAMES"),
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


def seconds_or_word(text: str | None) -> str | float | None:
    """Returns a number where the text is one; `schedlab.options` checks the rest."""
    try:
        return int(text) if text else text
    except ValueError:
        try:
            return float(text)  # type: ignore[arg-type]
        except ValueError:
            return text


def in_flags(message: str) -> str:
    """Returns the message with an option it begins with spelled as on the command line."""
    name, colon, rest = message.partition(":")
    known = name in DEFAULTS or name in CHOICES or name == "rules"
    return f"--{name.replace('_', '-')}{colon}{rest}" if known and colon else message
