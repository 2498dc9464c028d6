"""The console that commands print tables and coloured text on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console as RichConsole
from rich.segment import Segment

from schedlab.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import ConsoleOptions, RenderableType


class Console(RichConsole):
    """A console of rich's whose texts are printable; colours and the like are rich's own."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yields what is printed, piece by piece."""
        for piece in super().render(renderable, options):
            if piece.control:
                yield piece
            else:
                yield Segment(printable(piece.text), piece.style)
