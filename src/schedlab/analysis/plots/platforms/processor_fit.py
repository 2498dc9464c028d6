"""A picture of measurements and the curves that were fitted to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from schedlab.analysis.plots.base import Picture
from schedlab.analysis.style import FAINT, look
from schedlab.fitting.processor import ProcessorFit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.fitting.contention import ContentionFit

    Numbers = NDArray[numpy.float64]

WIDTH = 9.0
MOST_PANELS = 3
MOST_LEVELS, MOST_CLASSES = 12, 5
"""Own rates up to which each has its points and a curve, and how many of them, or of classes."""

POINTS = 400
MEGA = 1000.0
"""MB/s in one GB/s."""


class _Class(NamedTuple):
    """Rows of the same own rate, or of about the same, for which one curve stands."""

    rate: float
    rows: NDArray[numpy.bool_]


class FittedProcessor(Picture[ProcessorFit]):
    """Measured speeds and powers of a processor, and the curves that were fitted to them."""

    name = "processor-fit"
    shown_type = ProcessorFit

    def size_for(self, fit: ProcessorFit) -> tuple[float, float]:
        rows = len(_rows(fit))
        panels = _panels(fit.contention)
        wide = bool(panels) or len(_lower(fit)) > 1
        return WIDTH if wide else 6.0, 0.6 + 3.1 * rows + (0.5 if panels else 0)

    def title_for(self, fit: ProcessorFit) -> str:
        return f"Fitted constants of {fit.name}"

    def subtitle(self, fit: ProcessorFit) -> str:
        return _context(fit)

    def draw(self, figure: Figure, fit: ProcessorFit) -> None:
        contention = fit.contention
        panels = figure.subplot_mosaic(_rows(fit))
        if contention is not None:
            counts = _panels(contention)
            classes = _classes(contention.measured.own)
            _draw_speeds([panels[f"n{n}"] for n in counts], counts, contention, classes)
            _draw_errors(panels["errors"], contention)
            _legend(figure, classes, len(numpy.unique(contention.measured.own)))
        if fit.powers:
            _draw_power(panels["power"], fit)


def _lower(fit: ProcessorFit) -> list[str]:
    """Returns the panels of the lower row."""
    return [name for name, there in (("errors", fit.contention), ("power", fit.powers)) if there]


def _rows(fit: ProcessorFit) -> list[Any]:
    """Returns the rows of panels: the speeds among others, then errors and power."""
    counts, lower = _panels(fit.contention), _lower(fit)
    width = max(1, len(counts)) * max(1, len(lower))
    rows: list[Any] = []
    if counts:
        rows.append([f"n{n}" for n in counts for _ in range(width // len(counts))])
    rows.append([name for name in lower for _ in range(width // len(lower))])
    return rows


def _context(fit: ProcessorFit) -> str:
    parts = [f"{fit.cores} cores"]
    if fit.clock is not None:
        parts.append(f"{fit.clock:g} GHz")
    if fit.contention is not None:
        one = fit.contention
        parts.append(f"{len(one.fitted)} measured speeds, errors {one.rms:.2%} RMS")
    if fit.powers:
        parts.append(f"{sum(power.rows for power in fit.powers)} measured powers")
    return " · ".join(parts)


def _panels(fit: ContentionFit | None) -> list[int]:
    """Returns the numbers of others that have a panel: the lowest, the highest, and between."""
    if fit is None:
        return []
    among = sorted({int(n) for n in fit.measured.others if n > 0})
    if len(among) <= MOST_PANELS:
        return among
    places = numpy.linspace(0, len(among) - 1, MOST_PANELS).round().astype(int)
    return [among[place] for place in places]


def _classes(own: Numbers) -> list[_Class]:
    """Returns rows by own rate: of a few of the rates, or in parts where there are too many."""
    levels = numpy.unique(own)
    if len(levels) <= MOST_LEVELS:
        shown = numpy.linspace(0, len(levels) - 1, min(len(levels), MOST_CLASSES))
        return [_Class(float(level), own == level) for level in levels[shown.round().astype(int)]]
    edges = numpy.quantile(own, numpy.linspace(0, 1, MOST_CLASSES + 1)[1:-1])
    part = numpy.searchsorted(edges, own, side="left")
    found = [part == index for index in range(MOST_CLASSES) if (part == index).any()]
    return [_Class(float(numpy.median(own[rows])), rows) for rows in found]


def _draw_speeds(
    panels: list[Axes], counts: list[int], fit: ContentionFit, classes: list[_Class]
) -> None:
    measured = fit.measured
    highest = float(measured.total.max()) * 1.03
    for axes, n in zip(panels, counts, strict=True):
        for index, one in enumerate(classes):
            style = look(index)
            rows = one.rows & (measured.others == n)
            axes.plot(
                measured.total[rows] / MEGA,
                measured.speed[rows],
                linestyle="",
                marker=style.marker,
                color=style.colour,
                markersize=3.5,
                alpha=0.55,
                markeredgewidth=0,
            )
            total = numpy.linspace(min(one.rate, highest), highest, POINTS)
            speed = fit.speed(numpy.array(one.rate), total, n)
            axes.plot(total / MEGA, speed, color=style.colour, linestyle=style.line)
        axes.set_title(f"beside {n} other task{'s' if n > 1 else ''}", loc="left")
        axes.set_xlim(0, highest / MEGA)
        axes.set_ylim(0, max(1.08, float(measured.speed.max()) * 1.03))
        axes.set_xlabel("total rate of all tasks alone (GB/s)")
        if axes is panels[0]:
            axes.set_ylabel("speed (time alone / time together)")
        else:
            axes.tick_params(labelleft=False)


def _legend(figure: Figure, classes: list[_Class], levels: int) -> None:
    from matplotlib.lines import Line2D

    some = "own rate of the task"
    if levels > MOST_LEVELS:
        some += ", classes; lines are at their medians"
    elif levels > len(classes):
        some += f", {len(classes)} of the {levels} measured"
    handles: list[Any] = []
    for index, one in enumerate(classes):
        style = look(index)
        label = f"{one.rate / MEGA:.3g} GB/s"
        handles.append(
            Line2D(
                [], [], color=style.colour, linestyle=style.line, marker=style.marker, label=label
            )
        )
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=len(handles),
        handlelength=3.2,
        title=f"{some} (points: measured, lines: fitted)",
        title_fontsize=9,
        borderaxespad=0.2,
    )


def _draw_errors(axes: Axes, fit: ContentionFit) -> None:
    errors = (fit.fitted / fit.measured.speed - 1) * 100
    axes.plot(
        fit.fitted,
        errors,
        linestyle="",
        marker="o",
        markersize=3.5,
        color=FAINT,
        alpha=0.55,
        markeredgewidth=0,
    )
    axes.axhline(0, color=FAINT, linewidth=0.8)
    # Of a perfect fit only rounding is left: it must not fill the panel.
    most = max(1.15 * float(numpy.abs(errors).max()), 0.5)
    axes.set_ylim(-most, most)
    axes.set_title("errors of the speeds", loc="left")
    axes.set_xlabel("fitted speed")
    axes.set_ylabel("fitted / measured - 1 (%)")


def _draw_power(axes: Axes, fit: ProcessorFit) -> None:
    rows = fit.power_rows
    assert rows is not None
    active = numpy.arange(1, fit.cores + 1, dtype=float)
    highest = float(rows.power.max())
    for index, power in enumerate(fit.powers):
        style = look(index)
        here = numpy.ones(len(rows.power), bool)
        if power.clock is not None:
            here = rows.clock == power.clock
        axes.plot(
            rows.active[here],
            rows.power[here],
            linestyle="",
            marker=style.marker,
            color=style.colour,
            markersize=4,
            alpha=0.6,
            markeredgewidth=0,
        )
        label = f"{power.clock:g} GHz" if power.clock is not None else None
        fitted = power.power(active)
        highest = max(highest, float(fitted.max()))
        axes.plot(active, fitted, color=style.colour, linestyle=style.line, label=label)
        axes.plot([0], [power.idle], marker="_", markersize=12, color=style.colour, linestyle="")
    axes.set_title("power by active cores", loc="left")
    axes.set_xlabel("active cores")
    axes.set_ylabel("power (W)")
    axes.set_xlim(-0.3, fit.cores + 0.3)
    axes.set_ylim(0, highest * 1.08)
    if fit.cores <= 16:
        axes.set_xticks(range(fit.cores + 1))
    if fit.clock is not None:
        axes.legend(loc="upper left")
