"""`schedlab system fit`: constants of a processor from measured speeds and power."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import Force
from schedlab.cli.progress import busy
from schedlab.cli.workload.options import numbers, pairs
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.fitting import ContentionFit, Estimate, PowerFit, ProcessorFit

EXAMPLE = "Example: schedlab system fit speeds.csv power.csv --cores 4 --out processor.toml"

MEANING = {
    "b": "slope of the speed, per MB/s",
    "c": "MB/s at which contention begins",
    "da": "others at which the floor begins at 0",
    "db": "MB/s by which each other moves the floor",
    "dc": "MB/s over which the floor falls",
    "dd": "MB/s by which each other narrows it",
    "k": "how much each other weighs at the floor",
}


def fit(
    measured: Annotated[
        list[str],
        Argument(
            metavar="MEASURED.csv...",
            help="Rows of speeds (rate, others, n, speed or time_alone and time) or of power "
            "(active, power, clock), or of names of Likwid's files.",
            show_default=False,
        ),
    ],
    cores: Annotated[int, Option("--cores", metavar="N", help="Of the processor.")],
    k: Annotated[
        str,
        Option("--k", metavar="NUMBER|fit", help="Constant k of the floor: fixed, or fitted."),
    ] = "fit",
    fix: Annotated[
        str | None,
        Option(
            "--fix",
            metavar="NAME=VALUE,...",
            help="Other constants that are known, as db=3500,dd=3000.",
            show_default=False,
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        Option(
            "--column",
            metavar="NAME=TITLE",
            help="Title of a column that has another name; may be repeated.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str, Option("--name", metavar="NAME", help="Of the processor type.")
    ] = "measured",
    clock: Annotated[
        float | None,
        Option(
            "--clock",
            metavar="GHZ",
            help="Nominal clock; else the highest of the rows of power.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None,
        Option(
            "--out",
            metavar="FILE.toml",
            help="Write the processor type as it stands in a system file.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        str | None,
        Option(
            "--plot",
            metavar="FILE.png",
            help="Draw the fit (.png, .svg, .pdf).",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, Option("--json", help="Print everything as JSON.")] = False,
    force: Force = False,
    quiet: Annotated[bool, Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Fit contention and power of a processor to measurements, as IRMaSim's paper does."""
    refuse_file(out, force)
    refuse_file(plot, force)
    if plot is not None:
        from schedlab.analysis.plots.picture_files import ending_of
        from schedlab.analysis.style import require_matplotlib

        require_matplotlib()
        ending_of(plot)
    fixed = numbers("--fix", fix) if fix else {}
    if k != "fit":
        if "k" in fixed:
            raise InputError("--k and --fix: both give k")
        fixed |= {"k": _number("--k", k)}
    from schedlab.fitting import fit_processor

    with busy("fitting"):
        found = fit_processor(
            measured,
            cores,
            name=name,
            clock=clock,
            fixed=fixed,
            columns=pairs("--column", column or ()),
        )
    if plot is not None:
        with busy("drawing"):
            found.plot(plot)
    if out is not None:
        from schedlab.whole_file import write_text

        write_text(out, found.toml())
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(found.facts()))
    if json or quiet:
        return
    _show(found)
    if out is None:
        print()
        print(found.toml(), end="")
    for written, what in ((out, "for a system file"), (plot, "the plot")):
        if written is not None:
            print(f"{written}: {what}")


def _number(flag: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{flag} {text!r}: must be a number, or fit") from None


def _show(found: ProcessorFit) -> None:
    from rich.text import Text

    from schedlab.cli.terminal import Console

    console = Console(highlight=False)
    if found.contention is not None:
        console.print(_contention_table(found.contention))
        _show_quality(found.contention)
    if found.powers:
        if found.contention is not None:
            print()
        console.print(_power_table(found.powers))
    for note in found.notes:
        console.print(Text(f"! {note}", "yellow"))
    for reason in found.refused:
        # Also where the table goes elsewhere: a system file with these constants is an error.
        print(f"not for a system file: {reason}", file=sys.stderr)


def _table(*titles: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, justify="left" if title in ("", "contention") else "right")
    return table


def _contention_table(fit: ContentionFit) -> Table:
    table = _table("contention", "value", "95 %", "")
    for name, one in fit.constants.items():
        table.add_row(name, *_cells(one), MEANING[name])
    return table


def _cells(one: Estimate) -> tuple[str, str]:
    if one.fixed:
        return f"{one.value:g}", "fixed"
    if one.half_width is None:
        return "-", "not determined"
    from schedlab.fitting.system_text import number_text, plain_text

    return number_text(one), f"± {plain_text(one.half_width, 2)}"


def _show_quality(fit: ContentionFit) -> None:
    worst = fit.measured.places[fit.worst_row]
    counts = ", ".join(f"{count:,} on the {place}" for place, count in fit.places.items())
    print(f"{len(fit.fitted):,} rows: {counts}")
    print(f"errors: {fit.rms:.2%} RMS, {fit.worst:.2%} at most ({worst})")


def _power_table(powers: list[PowerFit]) -> Table:
    table = _table("clock", "core", "shared", "idle", "rows", "RMS", "R²")
    for power in powers:
        table.add_row(
            f"{power.clock:g} GHz" if power.clock is not None else "-",
            _watts(power.core, power.core_half_width),
            _watts(power.shared, power.shared_half_width),
            f"{power.idle:.3g} W" if power.idle_measured else f"{power.idle:.3g} W assumed",
            f"{power.rows:,}",
            f"{power.rms:.2g} W",
            f"{power.r_squared:.4f}" if power.r_squared is not None else "-",
        )
    return table


def _watts(value: float, half: float | None) -> str:
    if half is None:
        return f"{value:.4g} W"
    digits = 4 if half < 1e-4 else max(0, 1 - math.floor(math.log10(half)))
    return f"{value:.{digits}f} ± {half:.{digits}f} W"
