"""Colours and widths of links, and the legend that gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.analysis.style import PALETTE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from schedlab.system.network import LinkKind, Network

WIDEST, THINNEST = 3.2, 0.5
"""Points of the lines of the kind with the most bandwidth between two routers, and of any."""

HOST_COLOUR = PALETTE[6]


def widths(kinds: Sequence[LinkKind]) -> list[float]:
    """Returns line widths in proportion to the bandwidth between two routers."""
    capacity = [kind.ports * kind.bandwidth for kind in kinds]
    most = max(capacity, default=1.0)
    return [max(THINNEST, WIDEST * one / most) for one in capacity]


def wire_text(kind: LinkKind, links: int = 1) -> str:
    """Returns bandwidth and delay of the links between two routers."""
    number = kind.ports * links
    some = f"{number} x " if number > 1 else ""
    delay = f"{kind.delay * 1e6:.3g} µs" if kind.delay >= 1e-6 else f"{kind.delay * 1e9:.3g} ns"
    return f"{some}{kind.bandwidth / 1e9:.4g} Gbit/s, {delay}"


def host_text(network: Network) -> str:
    """Returns what the links between nodes and routers are."""
    return f"node to router: {wire_text(network.link_kinds()[0])}"


def wire_legend(axes: Axes, rows: Sequence[tuple[str, float, str]], columns: int = 2) -> None:
    """Draws the legend below a picture: a colour, a width and a text each."""
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=colour, linewidth=width, label=label) for colour, width, label in rows
    ]
    axes.legend(
        handles=lines,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=columns,
        handlelength=3,
        borderaxespad=0.4,
    )


def bare(axes: Axes) -> None:
    """Takes away the frame, the grid and the ticks of axes whose units mean nothing."""
    axes.axis("off")
