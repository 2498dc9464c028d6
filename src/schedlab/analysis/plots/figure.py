"""A figure that looks the same wherever it is drawn, and that notebooks show by themselves."""

from __future__ import annotations

import inspect
from io import BytesIO
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from schedlab.analysis.plots.drawing import lay_out
from schedlab.analysis.style import styled

NOTEBOOK_PIXELS_PER_INCH = 110.0
"""At most: a plot of 8 inches then fills the width of a notebook's page."""


class ShownFigure(Figure):
    """A figure of matplotlib, not of pyplot: a notebook shows it where it is a cell's result.

    Letters and ticks are made when a figure is drawn. So it is drawn in the style in which it was
    made, even where a notebook or a script writes it itself.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._formulas = bool(matplotlib.rcParams["text.parse_math"])
        self._whole_page = False

    def draw(self, renderer: Any) -> None:
        """Draws in the style of all plots, whatever the user's own is."""
        with styled(self._formulas):
            if self._whole_page and self._is_rehearsal(renderer):
                lay_out(self)
            else:
                super().draw(renderer)

    def savefig(self, *arguments: Any, **options: Any) -> None:
        """Writes the figure; its options are those of matplotlib.

        Matplotlib draws it twice, first on nothing: for the layout, and to find what of the page
        is drawn on. For the whole page the layout is enough, in three quarters of the time.
        """
        cut = options.get("bbox_inches") or matplotlib.rcParams["savefig.bbox"]
        self._whole_page = cut is None
        try:
            super().savefig(*arguments, **options)
        finally:
            self._whole_page = False

    def _is_rehearsal(self, renderer: Any) -> bool:
        """Returns whether nothing would be drawn: methods of the renderer have been replaced."""
        constrained = isinstance(self.get_layout_engine(), ConstrainedLayoutEngine)
        return constrained and not inspect.ismethod(renderer.draw_path)

    def _repr_png_(self) -> bytes:
        """Returns the picture, for notebooks."""
        content = BytesIO()
        self.savefig(content, format="png", dpi=min(self.dpi, NOTEBOOK_PIXELS_PER_INCH))
        return content.getvalue()
