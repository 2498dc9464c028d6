"""Networks as pictures: line widths by bandwidth, colours by kind of link."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from schedlab.analysis.plots.drawing import heading
from schedlab.analysis.plots.files import ending_of, new_figure, write_figure
from schedlab.analysis.plots.networks.dragonfly import draw_dragonfly
from schedlab.analysis.plots.networks.fat_tree import draw_fat_tree
from schedlab.analysis.plots.networks.torus import draw_torus
from schedlab.analysis.style import require_matplotlib, styled
from schedlab.errors import InputError
from schedlab.system.network import FatTree, Torus

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from schedlab.system import System
    from schedlab.system.network import Network

WIDTH = 9.0

__all__ = ["draw_network"]


def draw_network(system: System, file: str | os.PathLike[str] | None = None) -> Figure:
    """Returns a figure of a machine's network, and writes it to a file if one is named.

    Args:
        system: The machine.
        file: Ends in .png, .svg or .pdf.

    Raises:
        InputError: It has no network, the file cannot be of that kind, or matplotlib is missing.
    """
    network = system.network
    if network is None:
        raise InputError(f"{system.name}: has no network to draw; add [network] to its file")
    require_matplotlib()
    ending = ending_of(file)
    with styled(formulas=False):
        figure = new_figure((WIDTH, _height(network)), ending)
        heading(figure, f"Network of {system.name}: {network.text}", _context(network))
        if isinstance(network, Torus):
            draw_torus(figure, network)
        elif isinstance(network, FatTree):
            draw_fat_tree(figure, network)
        else:
            draw_dragonfly(figure, network)  # type: ignore[arg-type]
        if file is not None:
            write_figure(figure, os.fsdecode(file), ending)
    return figure


def _context(network: Network) -> str:
    routers = "switch" if isinstance(network, FatTree) else "router"
    ending = "" if network.routers == 1 else ("es" if isinstance(network, FatTree) else "s")
    nodes = f"{network.nodes:,} node{'s' if network.nodes > 1 else ''}"
    parts = [f"{nodes}, {network.routers:,} {routers}{ending}"]
    if network.routers > 1:
        width = network.bisection / 8
        unit, factor = ("TB/s", 1e12) if width >= 1e12 else ("GB/s", 1e9)
        parts.append(f"at most {network.diameter} hop{'s' if network.diameter > 1 else ''}")
        parts.append(f"bisection {width / factor:.3g} {unit} each way")
    return " · ".join(parts)


def _height(network: Network) -> float:
    """Returns the height in inches that suits a topology."""
    if isinstance(network, FatTree):
        return 2.2 + 1.3 * len(network.down)
    return 6.2 if isinstance(network, Torus) else 5.2
