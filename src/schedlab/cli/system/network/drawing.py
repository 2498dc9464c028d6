"""A network drawn with characters, for a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.cli.system.network.draw_dragonfly import draw_dragonfly
from schedlab.cli.system.network.draw_fat_tree import draw_fat_tree
from schedlab.cli.system.network.draw_torus import draw_torus
from schedlab.system.network import Dragonfly, FatTree, Network, Torus

if TYPE_CHECKING:
    from rich.text import Text


def drawing(network: Network) -> Text:
    """Returns the drawing, with what its lines stand for below."""
    if isinstance(network, Torus):
        return draw_torus(network)
    if isinstance(network, FatTree):
        return draw_fat_tree(network)
    assert isinstance(network, Dragonfly)
    return draw_dragonfly(network)
