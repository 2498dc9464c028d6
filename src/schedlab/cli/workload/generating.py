"""What the commands that draw workloads from plain models share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from schedlab.cli.options import TRUST_CODE
from schedlab.cli.progress import ProgressLine
from schedlab.cli.workload.options import EXACT, print_losses, writer_of
from schedlab.durations import duration_of, duration_text
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedlab.workload.models.stream_model import StreamModel

MODEL, OUTPUT = "Model", "Output"

Jobs = Annotated[
    int,
    typer.Option("--jobs", metavar="N", help="How many jobs.", rich_help_panel=OUTPUT),
]
Out = Annotated[
    str,
    typer.Option(
        "--out",
        metavar="FILE",
        help="File to write; the end of its name says the format.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Seed = Annotated[
    str,
    typer.Option(
        "--seed",
        metavar="TEXT",
        help="Any text: the same seed gives the same file.",
        rich_help_panel=OUTPUT,
    ),
]
Writer = Annotated[
    str | None,
    typer.Option(
        "--writer",
        metavar="NAME",
        help="Format to write; else by the file's name.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Exact = Annotated[bool, typer.Option("--exact", help=EXACT, rich_help_panel=OUTPUT)]
TrustCode = Annotated[bool, typer.Option("--trust-code", help=TRUST_CODE, rich_help_panel=OUTPUT)]
Quiet = Annotated[
    bool, typer.Option("--quiet", help="Print nothing but errors.", rich_help_panel=OUTPUT)
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace what is there already.", rich_help_panel=OUTPUT)
]
Load = Annotated[
    float | None,
    typer.Option(
        "--load",
        metavar="SHARE",
        help="Stretch or shorten gaps between jobs to this offered load, 1 being all processors.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Requested = Annotated[
    str | None,
    typer.Option(
        "--requested",
        metavar="HOW",
        help="Requested times: none, run, 'run*uniform(1, 5)' or a distribution; "
        "none unless given.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
RequestedSteps = Annotated[
    str | None,
    typer.Option(
        "--requested-steps",
        metavar="LIST",
        help="Raise requests to the next of these times, such as 5m,15m,1h; or common.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]


def numbers(option: str, text: str | None) -> list[float] | None:
    """Returns the numbers of a list between commas, or None where none is given.

    Raises:
        InputError: One of them is not a number.
    """
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{option}: must be numbers between commas, not {text!r}") from None


def steps(text: str | None) -> str | Sequence[float] | None:
    """Returns what --requested-steps asks for."""
    if text is None or text == "common":
        return text
    seconds = [duration_of(part) for part in text.split(",")]
    if None in seconds:
        raise InputError(
            f"--requested-steps {text!r}: must be common, or times with commas between: 5m,15m,1h"
        )
    return [one for one in seconds if one is not None]


def write(
    workload: StreamModel,
    out: str,
    jobs: int,
    seed: str,
    writer: str | None,
    exact: bool,
    quiet: bool,
) -> None:
    """Writes a workload, shows how far it is, and says what was written."""
    with ProgressLine(quiet=quiet) as progress:

        def show(written: int) -> None:
            if progress.due():
                progress.show(written, "jobs", written / jobs)

        facts = workload.write(out, jobs, seed, writer_of(out, writer, exact), show)
    if not quiet:
        load = f", offered load {facts.load:.3f}" if facts.load is not None else ""
        print(f"{out}: {facts.jobs:,} jobs in {duration_text(facts.span_seconds)}{load}")
        print_losses(facts.losses, facts.notes)
