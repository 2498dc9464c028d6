"""A figure that looks the same wherever it is drawn, and that notebooks show by themselves."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from schedlab.analysis.style import styled

NOTEBOOK_PIXELS_PER_INCH = 110.0
"""At most: a plot of 8 inches then fills the width of a notebook's page."""


class ShownFigure(Figure):
    """A figure of matplotlib, not of pyplot: a notebook shows it where it is a cell's result.

    Letters and ticks are made when a figure is drawn. So it is drawn in the style in which it was
    made, also where a notebook or a script writes it itself.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._formulas = bool(matplotlib.rcParams["text.parse_math"])

    def draw(self, renderer: Any) -> None:
        """Draws in the style of all plots, whatever the user's own is."""
        with styled(self._formulas):
            super().draw(renderer)

    def _repr_png_(self) -> bytes:
        """Returns the picture, for notebooks."""
        content = BytesIO()
        self.savefig(content, format="png", dpi=min(self.dpi, NOTEBOOK_PIXELS_PER_INCH))
        return content.getvalue()
