"""`schedlab plot`: pictures of runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import Force
from schedlab.cli.progress import busy
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLE = "Example: schedlab plot slowdown results/fifo results/easy --out slowdown.png"


def plot(
    name: Annotated[
        str | None,
        Argument(
            metavar="NAME",
            help="What to draw, see --list; with options: 'gantt(last=86400)'; or "
            "package.module:Class.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        list[str] | None,
        Argument(
            metavar="RUN...",
            help="Run folders, or the folder of an experiment. Runs of the same inputs are taken "
            "together.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None,
        Option("--out", metavar="FILE", help="Picture to write: .png, .svg or .pdf."),
    ] = None,
    title: Annotated[
        str | None, Option("--title", metavar="TEXT", help="Instead of the plot's own.")
    ] = None,
    size: Annotated[
        str | None,
        Option("--size", metavar="WxH", help="Width and height in inches, such as 8x5."),
    ] = None,
    dpi: Annotated[
        float | None,
        Option("--dpi", metavar="N", help="Pixels per inch: 150, in SVG files 76."),
    ] = None,
    phase: Annotated[
        str | None,
        Option(
            "--phase",
            metavar="NAME",
            help="Only of this phase of a generated workload, such as experiment.",
        ),
    ] = None,
    force: Force = False,
    list_all: Annotated[
        bool, Option("--list", help="Show the names of all plots and exit.")
    ] = False,
) -> None:
    """Draw a picture of runs: distributions, curves over time, a Gantt chart."""
    from schedlab.analysis import plot as draw
    from schedlab.analysis.groups import groups_of
    from schedlab.analysis.plots import plot_named

    if list_all:
        _show_list()
        return
    if name is None:
        raise InputError("NAME is missing; see schedlab plot --list")
    plot_named(name)  # a wrong name is said before a missing run
    if not runs:
        raise InputError("RUN is missing: give one or several run folders")
    if out is None:
        raise InputError("--out FILE is missing: a .png, .svg or .pdf to write")
    refuse_file(out, force)
    with busy(f"drawing {name}"):
        shown = runs_in(runs)
        if phase is not None:
            shown = [
                group._replace(results=tuple(result.phase(phase) for result in group.results))
                for group in groups_of(shown)
            ]
        draw(name, shown, out, size=_size(size), dpi=dpi, title=title)
    print(out)


def runs_in(paths: Sequence[str]) -> object:
    """Returns what the folders hold: runs, and of an experiment all that came of it."""
    from schedlab.experiment import Comparison

    found = [
        Comparison.load(path) if os.path.exists(os.path.join(path, "experiment.json")) else path
        for path in paths
    ]
    return found[0] if len(found) == 1 else found


def _size(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        raise InputError(f"--size {text}: must be width and height, such as 8x5") from None
    return width, height


def _show_list() -> None:
    from importlib.metadata import entry_points

    from rich.table import Table
    from rich.text import Text

    from schedlab.analysis.plots.registry import DRAWN_BY, PLOTS_OF
    from schedlab.cli.terminal import Console
    from schedlab.naming import load_own

    console = Console(highlight=False)
    for kind, homes in PLOTS_OF.items():
        table = Table.grid(padding=(0, 2))
        for name, home in homes.items():
            table.add_row(Text(name, "bold"), Text(_first_line(load_own(home))))
        if kind == "runs":
            for point in entry_points(group="schedlab.plots"):
                package = f"of an installed package ({point.value})"
                table.add_row(Text(point.name, "bold"), Text(package))
        else:
            console.print(f"\nPlots of {kind}, drawn by {DRAWN_BY[kind]}:", soft_wrap=True)
        console.print(table)


def _first_line(kind: object) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0]
