"""Lines of the screen: nothing of a run's text ever steers the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.filter import LineFilter

from schedlab.printable import visible

if TYPE_CHECKING:
    from textual.color import Color


class PrintableLines(LineFilter):
    """Leaves out control characters; they have no width, so nothing moves."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Returns the pieces of a line."""
        return [
            piece if piece.control else Segment(visible(piece.text), piece.style)
            for piece in segments
        ]
