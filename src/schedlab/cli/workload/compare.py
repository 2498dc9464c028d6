"""`schedlab workload compare`: is it like the original?"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import Force, require_folder
from schedlab.cli.progress import ProgressLine, busy
from schedlab.cli.workload import options
from schedlab.errors import InputError
from schedlab.overwriting import refuse_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.likeness import Likeness
    from schedlab.simulation import Simulation

EXAMPLE = (
    "Example: schedlab workload compare trace.swf.gz generated.swf "
    "--system machine.toml --out likeness"
)

FORMATS = ("png", "svg", "pdf", "none")


def compare(
    workloads: Annotated[
        list[str],
        Argument(
            metavar="REAL GENERATED...",
            help="The real workload, then what is compared with it: files of any format.",
            show_default=False,
        ),
    ],
    system: Annotated[
        list[str] | None,
        Option(
            "--system",
            metavar="FILE",
            help="System file to simulate on: once for all; twice, for REAL and the others; or "
            "once for each. Without: MaxProcs and MaxNodes of the headers.",
            show_default=False,
        ),
    ] = None,
    scheduler: Annotated[
        list[str] | None,
        Option(
            "--scheduler",
            metavar="NAME",
            help="To simulate under; may be repeated. Without: fifo and easy.",
            show_default=False,
        ),
    ] = None,
    no_simulation: Annotated[
        bool, Option("--no-simulation", help="Compare the workloads alone.")
    ] = False,
    performance: Annotated[
        list[str] | None,
        Option(
            "--performance",
            metavar="TYPE=GFLOPS,...",
            help="Of one unit of each resource, such as core=3.3,gpu=933: work is then in GFLOP. "
            "As --system, once or once for each.",
            show_default=False,
        ),
    ] = None,
    bins: Annotated[
        str | None,
        Option(
            "--bins",
            metavar="NAME=WIDTH,...",
            help="Put both sides into bins before KS distances, such as requested_time=15m.",
            show_default=False,
        ),
    ] = None,
    names: Annotated[
        str | None,
        Option(
            "--names", metavar="A,B,...", help="What to call the workloads.", show_default=False
        ),
    ] = None,
    reader: options.Reader = None,
    out: Annotated[
        str | None,
        Option(
            "--out",
            metavar="DIR",
            help="Folder for overview.html, comparison.json, table.csv and the plots.",
            show_default=False,
        ),
    ] = None,
    plots: Annotated[
        str, Option("--plots", metavar="WORD", help=f"{'|'.join(FORMATS)}: plots in --out.")
    ] = "png",
    trust_code: options.TrustCode = False,
    json: Annotated[bool, Option("--json", help="Print everything as JSON.")] = False,
    force: Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Say how similar workloads are to a real one: jobs, rhythm, users, how they are scheduled."""
    if plots not in FORMATS:
        raise InputError(f"--plots: must be one of {', '.join(FORMATS)}, not {plots!r}")
    if out is not None:
        require_folder(out)
        refuse_files(out, ("overview.html", "comparison.json", "table.csv"), force)
        if plots != "none":
            from schedlab.analysis.style import require_matplotlib

            require_matplotlib()
    if no_simulation and scheduler:
        raise InputError("--no-simulation and --scheduler: give one of them")
    from schedlab.likeness import compare_workloads

    with _Lines(quiet) as lines:
        likeness = compare_workloads(
            *workloads,
            system=system or None,
            simulate=() if no_simulation else scheduler or ("fifo", "easy"),
            performance=[options.numbers("--performance", text) for text in performance or ()]
            or None,
            bins=options.widths("--bins", bins) if bins else None,
            names=[name.strip() for name in names.split(",")] if names else None,
            reader=reader,
            progress=lines.read,
            watch=lines.simulated,
            trust_code=trust_code,
        )
    files: list[str] = []
    if out is not None:
        with busy("drawing"):
            files = likeness.write(out, () if plots == "none" else (plots,))
    if json:
        print(likeness.json())
    if json or quiet:
        return
    _show(likeness)
    if out is not None:
        print(f"{', '.join(files)} in {out}")


class _Lines:
    """A line of progress for each part of the work, one after the other."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._stack = ExitStack()
        self._label: str | None = None
        self._line: ProgressLine | None = None

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _next(self, label: str) -> ProgressLine:
        if self._line is None or label != self._label:
            self._stack.close()
            self._label = label
            self._line = self._stack.enter_context(ProgressLine(label, self._quiet))
        return self._line

    def read(self, label: str, rows: int, share: float | None) -> None:
        """Shows how much of a workload is read."""
        line = self._next(f"reading {label}")
        if line.due():
            line.show(rows, "rows", share)

    def simulated(self, what: str) -> Callable[[Simulation], None]:
        """Returns what shows how far a simulation is."""
        return self._next(what)


def _show(likeness: Likeness) -> None:
    from rich.text import Text

    from schedlab.cli.terminal import Console
    from schedlab.cli.workload.likeness_table import table_lines

    console = Console(highlight=False)
    for line in table_lines(likeness, console.width):
        console.print(line, no_wrap=True, crop=False, overflow="ignore")
    for note in likeness.facts["notes"]:
        console.print(Text(f"! {note}", "yellow"))
