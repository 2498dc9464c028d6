"""Networks as pictures: line widths by bandwidth, colours by kind of link."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from schedlab.analysis.plots.base import Picture
from schedlab.analysis.plots.networks.dragonfly import draw_dragonfly
from schedlab.analysis.plots.networks.fat_tree import draw_fat_tree
from schedlab.analysis.plots.networks.torus import draw_torus
from schedlab.analysis.plots.rendering import render
from schedlab.errors import InputError
from schedlab.system import System
from schedlab.system.network import FatTree, Torus

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from schedlab.system.network import Network

WIDTH = 9.0

__all__ = ["NetworkPicture", "draw_network"]


class NetworkPicture(Picture[System]):
    """The network of a machine: line widths by bandwidth, colours by kind of link."""

    name = "network"
    shown_type = System

    def problem(self, system: System) -> str | None:
        return None if system.network else f"{system.name} has no network"

    def size_for(self, system: System) -> tuple[float, float]:
        return WIDTH, _height(_network(system))

    def title_for(self, system: System) -> str:
        return f"Network of {system.name}: {_network(system).text}"

    def subtitle(self, system: System) -> str:
        return _context(_network(system))

    def draw(self, figure: Figure, system: System) -> None:
        network = _network(system)
        if isinstance(network, Torus):
            draw_torus(figure, network)
        elif isinstance(network, FatTree):
            draw_fat_tree(figure, network)
        else:
            draw_dragonfly(figure, network)  # type: ignore[arg-type]


def draw_network(system: System, file: str | os.PathLike[str] | None = None) -> Figure:
    """Returns a figure of a machine's network, and writes it to a file if one is named.

    Args:
        system: The machine.
        file: Ends in .png, .svg or .pdf.

    Raises:
        InputError: It has no network, the file cannot be of that kind, or matplotlib is missing.
    """
    if system.network is None:
        raise InputError(f"{system.name}: has no network to draw; add [network] to its file")
    return render(NetworkPicture(), system, file)


def _network(system: System) -> Network:
    assert system.network is not None
    return system.network


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
