"""Power over time, and how fast cores ran: clock and speed factor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars

from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import draw_stairs, legend, legend_inches, say, wrapped
from schedlab.analysis.plots.runs.gaps import masked_curves
from schedlab.analysis.plots.runs.over_time import BINS_PER_INCH, BINS_WITH_MANY, Curve, Strips
from schedlab.analysis.plots.time_axis import TimeAxis
from schedlab.analysis.style import INK, look
from schedlab.units import power_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup

SERIES = {"price": "price (money/kWh)", "carbon": "carbon (g CO₂/kWh)"}
"""Numbers that conditions publish, each in a panel of its own."""

PANEL_INCHES = 1.35
"""Height of the panel of a group where there are several; that of one alone is POWER_INCHES."""

POWER_INCHES, SERIES_INCHES = 3.4, 1.1

CAP, ABOVE = "power cap", "above the cap"


class _Drawn(NamedTuple):
    """What is drawn of a group: curves by the name of the number."""

    group: RunGroup
    curves: dict[str, Curve]


class PowerPlot(Plot):
    """Power over time, with its cap, price and carbon intensity."""

    name = "power"
    title = "Power over time"
    needs = ("timeline", "power")

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height with room for price, carbon and the legend."""
        more = sum(any(_published(group, name) for group in groups) for name in SERIES)
        power = _panel_inches(groups) * len(groups)
        return 9.0, 1.0 + power + SERIES_INCHES * more + legend_inches((), 9.0, [CAP, ABOVE])

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws the power of each group in a panel of its own, and below what conditions say."""
        axis = TimeAxis(groups)
        if axis.empty:
            say(figure.subplots(), "no job was submitted")
            return
        inches = float(figure.get_size_inches()[0]) * 0.85
        bins = int(inches * (BINS_PER_INCH if len(groups) <= 8 else BINS_WITH_MANY))
        drawn = [_Drawn(group, _power_curves(group, axis, bins)) for group in groups]
        below = [name for name in SERIES if any(name in one.curves for one in drawn)]
        heights = [_panel_inches(groups)] * len(groups) + [SERIES_INCHES] * len(below)
        panels = figure.subplots(
            len(heights), 1, sharex=True, squeeze=False, height_ratios=heights
        )[:, 0]
        places = axis.places(np.linspace(axis.first, axis.last, bins + 1))
        more = _draw_power(list(panels[: len(groups)]), drawn, places)
        for axes, name in zip(panels[len(groups) :], below, strict=True):
            _draw_series(axes, name, drawn, places)
        axis.show(panels[-1], inches=7.5)
        # Panels have the names of groups; lines of price and carbon differ only in their colours.
        several_lines = any(len(_known_lines(drawn, name, name)) > 1 for name in below)
        legend(figure, groups if several_lines else (), more=more)


def _panel_inches(groups: Sequence[RunGroup]) -> float:
    return POWER_INCHES if len(groups) == 1 else PANEL_INCHES


def _draw_power(panels: list[Axes], drawn: list[_Drawn], places: NDArray[np.float64]) -> list[Any]:
    """Draws power and caps, a panel for each group; returns handles of what is not power."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    highest = max(_highest(one.curves[name]) for one in drawn for name in ("power", "cap_drawn"))
    unit, factor = power_unit(highest or 1.0)
    more: list[Any] = []
    exceeded = False
    caps = _known_lines(drawn, "cap_drawn", "caps")
    for index, (axes, (group, found)) in enumerate(zip(panels, drawn, strict=True)):
        style, power = look(index), found["power"]
        assert power.least is not None
        assert power.most is not None
        draw_stairs(
            axes,
            power.most / factor,
            places,
            baseline=power.least / factor,
            fill=True,
            color=style.colour,
            alpha=0.2,
            rasterized=True,
        )
        draw_stairs(axes, power.mean / factor, places, color=style.colour, linewidth=1.2)
        cap, above = found["cap_drawn"].mean, found["above"].most
        assert above is not None
        over = np.where(above > 1e-6 * np.nan_to_num(cap), above, np.nan)
        if np.isfinite(over).any():
            exceeded = True
            draw_stairs(
                axes,
                (cap + over) / factor,
                places,
                baseline=cap / factor,
                fill=True,
                facecolor=style.colour,
                edgecolor=style.colour,
                alpha=0.55,
                hatch="////",
                rasterized=True,
            )
        for whose, line in caps:
            if whose in (None, index) and np.isfinite(line).any():
                draw_stairs(
                    axes,
                    line / factor,
                    places,
                    color=INK,
                    linestyle=(0, (4, 2)),
                    lw=1.3,
                )
                more = [Line2D([], [], color=INK, linestyle=(0, (4, 2)), linewidth=1.3, label=CAP)]
        axes.set_ylim(0, highest / factor * 1.06 or 1.0)
        ticks = 6 if len(drawn) == 1 else 3
        axes.yaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        if len(drawn) > 1:
            axes.set_ylabel(wrapped(group.label), rotation=0, ha="right", va="center", size=9)
    if exceeded:
        more.append(Patch(facecolor="#BBBBBB", edgecolor=INK, hatch="////", label=ABOVE))
    title = f"power ({unit}), mean; the band is from the least to the most"
    panels[0].set_title(title, loc="left")
    return more


def _draw_series(axes: Axes, name: str, drawn: list[_Drawn], places: NDArray[np.float64]) -> None:
    """Draws what conditions say, once where it is the same for all groups."""
    from matplotlib.ticker import MaxNLocator

    lines = _known_lines(drawn, name, name)
    for index, values in lines:
        draw_stairs(
            axes,
            values,
            places,
            color=INK if index is None else look(index).colour,
            linestyle="-" if index is None else look(index).line,
            linewidth=1.2,
        )
    joined = np.concatenate([values for _, values in lines])
    lowest, highest = float(np.nanmin(joined)), float(np.nanmax(joined))
    room = 0.08 * (highest - min(lowest, 0.0)) or 1.0
    axes.set_ylim(lowest - room if lowest < 0 else 0.0, highest + room)
    axes.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    axes.set_title(f"{SERIES[name]}, as reported at time points", loc="left")


def _known_lines(
    drawn: list[_Drawn], name: str, condition: str
) -> list[tuple[int | None, NDArray[np.float64]]]:
    """Returns what conditions say: a curve for all groups if it is the same, else one of each."""
    means = [(i, one.curves[name].mean) for i, one in enumerate(drawn) if name in one.curves]
    given = [
        (run.run.get("conditions") or {}).get(condition)
        for one in drawn
        for run in one.group.results
    ]
    if any(one != given[0] for one in given):
        return list(means)
    joined = means[0][1]
    for _, values in means[1:]:  # which may continue for longer
        joined = np.where(np.isnan(joined), values, joined)
    return [(None, joined)]


def _highest(curve: Curve) -> float:
    return float(np.nan_to_num(curve.mean if curve.most is None else curve.most).max())


def _published(group: RunGroup, name: str) -> bool:
    return all(name in run.timeline.collect_schema() for run in group.results)


def _power_curves(group: RunGroup, axis: TimeAxis, bins: int) -> dict[str, Curve]:
    """Returns power, `cap_drawn` (NaN: none), `above` it, and the series that are published."""
    names = ["power", *(name for name in ("cap", *SERIES) if _published(group, name))]
    # A cap of a group of nodes alone is not a line for the machine's power, and given as 0.
    cap = polars.col("cap").cast(polars.Float64) if "cap" in names else polars.lit(0.0)
    excess = polars.col("power").cast(polars.Float64) - cap
    above = polars.when(cap > 0).then(excess.clip(0.0)).otherwise(0.0).alias("above")
    found = masked_curves(
        group, axis, bins, ["time", *names, cap.alias("cap_drawn"), above], ["power"]
    )
    cap_drawn = np.where(found["cap_drawn"].mean > 0, found["cap_drawn"].mean, np.nan)
    return {**found, "cap_drawn": Curve(cap_drawn)}


class ClockPlot(Strips):
    """Mean clock and speed factor of active cores, over time."""

    name = "clock"
    title = "Clock and speed of active cores over time"
    needs = ("timeline", "platform")

    def quantities(self, groups: Sequence[RunGroup]) -> dict[str, str]:
        """Returns both."""
        return {"clock": "mean clock (GHz)", "speed": "mean speed factor"}

    def curves(
        self, group: RunGroup, axis: TimeAxis, bins: int, keys: Sequence[str]
    ) -> dict[str, Curve]:
        """Returns both curves, with gaps where no core is active."""
        return masked_curves(group, axis, bins, ["time", *keys], keys)

    def limit(self, axes: Any, key: str, highest: float) -> None:
        """Sets an axis from 0 up to what a core can do."""
        from matplotlib.ticker import MaxNLocator

        top = 1.0 if key == "speed" else highest or 1.0
        axes.set_ylim(0, max(top, highest) * 1.06)
        axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
