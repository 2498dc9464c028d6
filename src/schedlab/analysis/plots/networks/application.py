"""Pictures of one application alone on a machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from schedlab.analysis.groups import shortened
from schedlab.analysis.plots.drawing import heading
from schedlab.analysis.plots.files import ending_of, new_figure, write_figure
from schedlab.analysis.plots.networks.link_map import (
    draw_use,
    inches_of,
    kind_lines,
    panels_of,
    scale_bar,
    use_scale,
)
from schedlab.analysis.plots.networks.network_map import NetworkMap
from schedlab.analysis.plots.runs.placement import draw_nodes
from schedlab.analysis.plots.runs.traffic import draw_matrix
from schedlab.analysis.style import IDLE_COLOUR, require_matplotlib, styled
from schedlab.analysis.traffic import traffic
from schedlab.units import time_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

    from schedlab.application import Application
    from schedlab.simulation import ApplicationRun
    from schedlab.system.network import Network


def draw_links(run: ApplicationRun, file: str | os.PathLike[str] | None = None) -> Figure:
    """Returns a figure of how much each link was used, and writes it to a file if one is named.

    Args:
        run: What came of the application.
        file: Ends in .png, .svg or .pdf.

    Raises:
        InputError: The file cannot be of that kind, or matplotlib is missing.
    """
    network = run.system.network
    assert network is not None
    links = network.links()
    use = np.array(links.use(run.link_bytes, run.seconds))

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, panels_of(network, links), squeeze=False)[0]
        scale = use_scale([use])
        draw_use(panels, network, links, use, scale)
        scale_bar(figure, panels, scale)
        figure.supxlabel(kind_lines(run.link_use()), size=8.5)

    size = 9.5, 1.6 + inches_of(network)
    return _figure(size, f"Use of links: {_short(run)}", _facts(run), draw, file)


def draw_placement(run: ApplicationRun, file: str | os.PathLike[str] | None = None) -> Figure:
    """Returns a figure of where ranks ran; arguments as of `draw_links`."""
    network = run.system.network
    assert network is not None

    def draw(figure: Figure) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

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

    size = 9.5, 1.0 + NetworkMap(network).inches()
    return _figure(size, f"Placement: {_short(run)}", _facts(run), draw, file)


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
        ranks: See there.
        file: As of `draw_links`.
        network: Whose standard algorithms collectives use; None: the reference's.
    """
    flows = traffic(application, ranks, network.messages.collectives if network else "reference")
    return _figure(
        (7.2, 6.4),
        "Traffic between ranks",
        f"{shortened(str(application), 80)} · {ranks:,} ranks",
        lambda figure: draw_matrix(figure, figure.subplots(), flows, ranks),
        file,
    )


def _figure(
    size: tuple[float, float],
    title: str,
    facts: str,
    draw: Callable[[Figure], None],
    file: str | os.PathLike[str] | None,
) -> Figure:
    require_matplotlib()
    ending = ending_of(file)
    with styled(formulas=False):
        figure = new_figure(size, ending)
        heading(figure, title, facts)
        draw(figure)
        if file is not None:
            write_figure(figure, os.fsdecode(file), ending)
    return figure


def _short(run: ApplicationRun) -> str:
    return shortened(run.application, 60)


def _facts(run: ApplicationRun) -> str:
    return (
        f"{run.ranks:,} ranks on {len(set(run.nodes)):,} nodes of {run.system.name} · "
        f"{run.allocator} · {run.options['mapping']} mapping · {run.options['fidelity']} · "
        f"{time_text(run.seconds)}"
    )


def _rank_colours() -> Colormap:
    import matplotlib

    return matplotlib.colormaps["viridis"]
