"""How much links of a network were used, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.analysis.plots.networks.network_map import HEIGHT, WIDTH, NetworkMap
from schedlab.analysis.style import FAINT, GRID
from schedlab.system.network import Dragonfly, Torus
from schedlab.system.network.torus import AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.system.network import Network
    from schedlab.system.network.links import KindUse, Links

    Use = NDArray[np.float64]

MOST_ROWS = 240
"""Of a matrix of routers and their links; of more, several are one row, which has their highest."""


def use_colours() -> Colormap:
    """Returns the colours of shares: pale for little, dark for much."""
    import matplotlib
    from matplotlib.colors import LinearSegmentedColormap

    shades = matplotlib.colormaps["inferno_r"](np.linspace(0.06, 0.95, 64))
    return LinearSegmentedColormap.from_list("use", shades)


def use_scale(uses: Sequence[Use]) -> Normalize:
    """Returns the scale of shares, in percent, that goes up to the highest."""
    from matplotlib.colors import Normalize

    highest = max((float(use.max(initial=0.0)) for use in uses), default=0.0)
    return Normalize(0.0, 100 * highest or 1.0)


def inches_of(network: Network, rows: int = 1) -> float:
    """Returns how high the picture of a network is, where N are below each other."""
    if isinstance(network, Torus):
        return NetworkMap(network, height=HEIGHT / rows).inches()
    return max(2.2, 4.4 / rows)


def panels_of(network: Network, links: Links) -> int:
    """Returns how many panels side by side show a network: one, or one for each kind of links."""
    return 1 if isinstance(network, Torus) else len(_kinds(links))


def draw_use(
    panels: Sequence[Axes], network: Network, links: Links, use: Use, scale: Any, rows: int = 1
) -> None:
    """Draws the links between routers, coloured by how much they were used.

    Args:
        panels: Where to, as many axes as `panels_of` says.
        network: The topology.
        links: Its links.
        use: For each, the share of what it could have carried.
        scale: Of colours, which several pictures may share.
        rows: Networks below each other in the figure.
    """
    if isinstance(network, Torus):
        _draw_torus(panels[0], network, links, use, scale, rows)
        return
    for axes, kind in zip(panels, _kinds(links), strict=True):
        if isinstance(network, Dragonfly) and links.kinds[kind] == "global":
            _draw_groups(axes, network, links, use, scale)
        else:
            _draw_matrix(axes, links, kind, use, scale)


def scale_bar(figure: Figure, panels: Any, scale: Any) -> None:
    """Draws what the colours mean."""
    from matplotlib.cm import ScalarMappable

    bar: Any = figure.colorbar(
        ScalarMappable(scale, use_colours()), ax=panels, shrink=0.7, aspect=30, pad=0.015
    )
    bar.set_label("use: bytes carried / could have been carried (%); grey: none", size=9)
    bar.outline.set_visible(False)


def kind_lines(uses: Sequence[KindUse], most: int = 108) -> str:
    """Returns mean and highest use of each kind of links, in lines of N characters."""
    lines = [""]
    for use in uses:
        text = f"{use.kind} {_percent(use.mean)} mean, {_percent(use.highest)} most"
        text = text if use.used else f"{use.kind} unused"
        if lines[-1] and len(lines[-1]) + len(text) > most:
            lines.append("")
        lines[-1] += f" · {text}" if lines[-1] else text
    return "\n".join(lines)


def _percent(share: float) -> str:
    digits = 0 if share >= 0.0995 else 1 if share >= 0.00995 else 2
    return f"{100 * share:,.{digits}f} %"


def _kinds(links: Links) -> list[int]:
    """Returns the kinds of links between routers of which there are some."""
    return [kind for kind in range(2, len(links.kinds)) if kind in links.kind]


def _draw_torus(axes: Axes, network: Torus, links: Links, use: Use, scale: Any, rows: int) -> None:
    from matplotlib.collections import LineCollection

    layout = NetworkMap(network, height=HEIGHT / rows)
    places = layout.router_places()
    segments: list[Any] = []
    values: list[float] = []
    through = np.zeros(network.routers)
    highest = _by_pairs(links, use)
    across, down = layout.plane_dimensions
    for (first, last, dimension), share in highest.items():
        if dimension not in (across, down):
            through[first] = max(through[first], share)
            through[last] = max(through[last], share)
            continue
        start, end = places[first], places[last]
        if np.isnan(start[0]):
            continue
        if np.abs(end - start).sum() < 1.5:
            segments.append([start, end])
            values.append(share)
        else:  # round the ends: half a link at both
            step = np.sign(start - end) * 0.5
            segments += [[start, start + step], [end, end - step]]
            values += [share, share]
    thick = _line_width(layout)
    order = np.argsort(values)  # what is used most lies on top
    axes.add_collection(
        LineCollection(
            [segments[place] for place in order],
            colors=_shades(np.array(values)[order], scale),
            linewidths=thick,
            capstyle="butt",
            rasterized=len(segments) > 2000,
        )
    )
    beyond = len(network.dimensions) > 2
    axes.scatter(
        places[:, 0],
        places[:, 1],
        (2.3 * thick) ** 2 if beyond else (1.2 * thick) ** 2,
        c=_shades(through, scale) if beyond else FAINT,
        linewidths=0,
        zorder=3,
        rasterized=network.routers > 1000,
    )
    layout.frame(axes)
    names = [AXES[place] for place in range(len(network.dimensions))]
    others = [name for place, name in enumerate(names) if place not in (across, down)]
    note = f"{layout.directions()}; lines: the busier direction of a link"
    if others:
        note += f"; dots: links in {', '.join(others)}"
    axes.text(
        0.5, -0.01, note, transform=axes.transAxes, ha="center", va="top", size=8.5, color=FAINT
    )


def _shades(use: Use, scale: Any) -> Any:
    """Returns the colours of shares; grey for what carried nothing."""
    from matplotlib.colors import to_rgba

    shades = use_colours()(scale(100 * use))
    shades[use <= 0] = to_rgba(GRID)
    return shades


def _line_width(layout: NetworkMap) -> float:
    """Returns the width of lines in points that leaves room between routers."""
    return max(0.5, min(5.0, 72 * WIDTH / max(layout.width, 1.0) * 0.2))


def _by_pairs(links: Links, use: Use) -> dict[tuple[int, int, int], float]:
    """Returns the use of the busier direction, by both routers and the dimension."""
    found: dict[tuple[int, int, int], float] = {}
    for link, (start, end) in enumerate(links.ends):
        kind = links.kind[link]
        if kind < 2:
            continue
        key = (min(start, end), max(start, end), AXES.index(links.kinds[kind]))
        found[key] = max(found.get(key, 0.0), float(use[link]))
    return found


def _draw_matrix(axes: Axes, links: Links, kind: int, use: Use, scale: Any) -> None:
    """Draws a row for each router that has links of the kind, and a column for each of these."""
    rows: dict[int, list[float]] = {}
    for link, (start, _) in enumerate(links.ends):
        if links.kind[link] == kind:
            rows.setdefault(start, []).append(float(use[link]))
    widest = max(map(len, rows.values()))
    matrix = np.array([row + [0.0] * (widest - len(row)) for _, row in sorted(rows.items())])
    count = len(matrix)
    step = -(-count // MOST_ROWS)
    padded = np.pad(matrix, ((0, -count % step), (0, 0)))
    shown = padded.reshape(-1, step, widest).max(axis=1)
    axes.imshow(
        np.ma.masked_equal(100 * shown, 0.0),
        norm=scale,
        cmap=use_colours().with_extremes(bad=GRID),
        aspect="auto",
        extent=(0, widest, count, 0),
        interpolation="nearest",
    )
    routers = "router" if count == 1 else f"{count:,} routers"
    axes.set_title(f"{links.kinds[kind]}: {widest:,} links from {routers}", size=9)
    axes.set_xlabel("link of a router", size=9)
    axes.set_ylabel("router", size=9)
    _whole_ticks(axes)


def _draw_groups(axes: Axes, network: Dragonfly, links: Links, use: Use, scale: Any) -> None:
    """Draws a cell for each pair of groups, with the busiest of the links between them."""
    size = network.rows * network.columns
    matrix = np.zeros((network.groups, network.groups))
    kind = links.kinds.index("global")
    count = 0
    for link, (start, end) in enumerate(links.ends):
        if links.kind[link] == kind:
            pair = start // size, end // size
            matrix[pair] = max(matrix[pair], float(use[link]))
            count += 1
    axes.imshow(
        np.ma.masked_equal(100 * matrix, 0.0),
        norm=scale,
        cmap=use_colours().with_extremes(bad=GRID),
        aspect="auto",
        extent=(0, network.groups, network.groups, 0),
        interpolation="nearest",
    )
    axes.set_title(f"global, {count:,} links", size=9)
    axes.set_xlabel("to group", size=9)
    axes.set_ylabel("from group", size=9)
    _whole_ticks(axes)


def _whole_ticks(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10], integer=True))
        axis.set_major_formatter("{x:,.0f}")
    axes.grid(visible=False)
