"""Pictures of one application alone on a machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from schedlab.analysis.groups import shortened
from schedlab.analysis.plots.base import Picture
from schedlab.analysis.plots.networks.link_map import (
    draw_use,
    inches_of,
    kind_lines,
    panels_of,
    scale_bar,
    use_scale,
)
from schedlab.analysis.plots.networks.network_map import NetworkMap
from schedlab.analysis.plots.rendering import render
from schedlab.analysis.plots.runs.placement import draw_nodes
from schedlab.analysis.plots.runs.traffic import draw_matrix
from schedlab.analysis.style import IDLE_COLOUR
from schedlab.analysis.traffic import traffic
from schedlab.simulation import ApplicationRun
from schedlab.units import time_text

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

    from schedlab.application import Application
    from schedlab.system.network import Network


class TrafficOf(NamedTuple):
    """What a traffic matrix is drawn of.

    Attributes:
        application: As for `schedlab.analysis.traffic.traffic`.
        ranks: How many.
        network: Whose standard algorithms collectives use; None: the reference's.
    """

    application: str | Application
    ranks: int
    network: Network | None


class _ApplicationPlot(Picture[ApplicationRun]):
    """Base of a plot of one application alone on a machine."""

    shown_type = ApplicationRun

    def title_for(self, run: ApplicationRun) -> str:
        return f"{self.title}: {shortened(run.application, 60)}"

    def subtitle(self, run: ApplicationRun) -> str:
        return (
            f"{run.ranks:,} ranks on {len(set(run.nodes)):,} nodes of {run.system.name} · "
            f"{run.allocator} · {run.options['mapping']} mapping · {run.options['fidelity']} · "
            f"{time_text(run.seconds)}"
        )


class ApplicationLinks(_ApplicationPlot):
    """How much each link was used by an application alone on a machine."""

    name = "application-links"
    title = "Use of links"

    def size_for(self, run: ApplicationRun) -> tuple[float, float]:
        return 9.5, 1.6 + inches_of(_network(run))

    def draw(self, figure: Figure, run: ApplicationRun) -> None:
        network = _network(run)
        links = network.links()
        use = np.array(links.use(run.link_bytes, run.seconds))
        panels = figure.subplots(1, panels_of(network, links), squeeze=False)[0]
        scale = use_scale([use])
        draw_use(panels, network, links, use, scale)
        scale_bar(figure, panels, scale)
        figure.supxlabel(kind_lines(run.link_use()), size=8.5)


class ApplicationPlacement(_ApplicationPlot):
    """Where the ranks of an application alone on a machine ran."""

    name = "application-placement"
    title = "Placement"

    def size_for(self, run: ApplicationRun) -> tuple[float, float]:
        return 9.5, 1.0 + NetworkMap(_network(run)).inches()

    def draw(self, figure: Figure, run: ApplicationRun) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        network = _network(run)
        axes = figure.subplots()
        scale = Normalize(0, max(run.ranks - 1, 1))
        first = np.full(network.nodes, -1)
        for rank in range(run.ranks - 1, -1, -1):
            first[run.nodes[rank]] = rank
        colours = np.full((network.nodes, 3), IDLE_COLOUR, np.uint8)
        palette = _rank_colours()
        used = first >= 0
        colours[used] = np.round(palette(scale(first[used]))[:, :3] * 255)
        draw_nodes(axes, network, colours)
        bar = figure.colorbar(
            ScalarMappable(scale, palette), ax=axes, shrink=0.7, aspect=30, pad=0.015
        )
        bar.set_label("first rank of a node; grey: none", size=9)
        bar.outline.set_visible(False)


class ApplicationTraffic(Picture[TrafficOf]):
    """Bytes between the ranks of an application."""

    name = "application-traffic"
    title = "Traffic between ranks"
    size = (7.2, 6.4)
    shown_type = TrafficOf

    def subtitle(self, shown: TrafficOf) -> str:
        return f"{shortened(str(shown.application), 80)} · {shown.ranks:,} ranks"

    def draw(self, figure: Figure, shown: TrafficOf) -> None:
        algorithms = shown.network.messages.collectives if shown.network else "reference"
        flows = traffic(shown.application, shown.ranks, algorithms)
        draw_matrix(figure, figure.subplots(), flows, shown.ranks)


def draw_links(run: ApplicationRun, file: str | os.PathLike[str] | None = None) -> Figure:
    """Returns a figure of how much each link was used, and writes it to a file if one is named.

    Args:
        run: What came of the application.
        file: Ends in .png, .svg or .pdf.

    Raises:
        InputError: The file cannot be of that kind, or matplotlib is missing.
    """
    return render(ApplicationLinks(), run, file)


def draw_placement(run: ApplicationRun, file: str | os.PathLike[str] | None = None) -> Figure:
    """Returns a figure of where ranks ran; arguments as of `draw_links`."""
    return render(ApplicationPlacement(), run, file)


def draw_traffic(
    application: str | Application,
    ranks: int,
    file: str | os.PathLike[str] | None = None,
    *,
    network: Network | None = None,
) -> Figure:
    """Returns a figure of the bytes between ranks.

    Args:
        application: As for `schedlab.analysis.traffic.traffic`.
        ranks: How many.
        file: As of `draw_links`.
        network: Whose standard algorithms collectives use; None: the reference's.
    """
    return render(ApplicationTraffic(), TrafficOf(application, ranks, network), file)


def _network(run: ApplicationRun) -> Network:
    assert run.system.network is not None
    return run.system.network


def _rank_colours() -> Colormap:
    import matplotlib

    return matplotlib.colormaps["viridis"]
