"""What the commands that draw workloads from plain models share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.cli.declaring import Annotated, Option
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
    Option("--jobs", metavar="N", help="How many jobs.", panel=OUTPUT),
]
Out = Annotated[
    str,
    Option(
        "--out",
        metavar="FILE",
        help="File to write; the end of its name says the format.",
        panel=OUTPUT,
        show_default=False,
    ),
]
Seed = Annotated[
    str,
    Option(
        "--seed",
        metavar="TEXT",
        help="Any text: the same seed gives the same file.",
        panel=OUTPUT,
    ),
]
Writer = Annotated[
    str | None,
    Option(
        "--writer",
        metavar="NAME",
        help="Format to write; else by the file's name.",
        panel=OUTPUT,
        show_default=False,
    ),
]
Exact = Annotated[bool, Option("--exact", help=EXACT, panel=OUTPUT)]
TrustCode = Annotated[bool, Option("--trust-code", help=TRUST_CODE, panel=OUTPUT)]
Quiet = Annotated[bool, Option("--quiet", help="Print nothing but errors.", panel=OUTPUT)]
Force = Annotated[bool, Option("--force", help="Replace what is there already.", panel=OUTPUT)]
Load = Annotated[
    float | None,
    Option(
        "--load",
        metavar="SHARE",
        help="Stretch or shorten gaps between jobs to this offered load, 1 being all processors.",
        panel=MODEL,
        show_default=False,
    ),
]
Requested = Annotated[
    str | None,
    Option(
        "--requested",
        metavar="HOW",
        help="Requested times: none, run, 'run*uniform(1, 5)' or a distribution; "
        "none unless given.",
        panel=MODEL,
        show_default=False,
    ),
]
RequestedSteps = Annotated[
    str | None,
    Option(
        "--requested-steps",
        metavar="LIST",
        help="Raise requests to the next of these times, such as 5m,15m,1h; or common.",
        panel=MODEL,
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
