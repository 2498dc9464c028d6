"""A sheet of characters with colours, on which later strokes cover earlier ones."""

from __future__ import annotations

from rich.text import Text


class Canvas:
    """Characters by row and column; it grows as it is drawn on."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], tuple[str, str]] = {}

    def put(self, x: int, y: int, text: str, style: str = "") -> None:
        """Writes a text from a place to the right."""
        for place, character in enumerate(text):
            self._cells[y, x + place] = (character, style)

    def across(self, x: int, end: int, y: int, character: str, style: str = "") -> None:
        """Draws from a column up to, but not including, another one."""
        self.put(x, y, character * (end - x), style)

    def down(self, x: int, y: int, end: int, character: str, style: str = "") -> None:
        """Draws from a row down to, but not including, another one."""
        for row in range(y, end):
            self.put(x, row, character, style)

    def frame(self, x: int, y: int, width: int, height: int, title: str, style: str = "") -> None:
        """Draws an empty frame with a title in its upper edge."""
        for row in range(y, y + height):
            self.put(x, row, " " * width)
            self.put(x, row, "│", style)
            self.put(x + width - 1, row, "│", style)
        for row, left, right in ((y, "┌", "┐"), (y + height - 1, "└", "┘")):
            self.put(x, row, left + "─" * (width - 2) + right, style)
        self.put(x + 1, y, title, style)

    def text(self) -> Text:
        """Returns the sheet."""
        height = max((row for row, _ in self._cells), default=-1) + 1
        lines = []
        for row in range(height):
            width = max((x for y, x in self._cells if y == row), default=-1) + 1
            line = Text()
            for x in range(width):
                line.append(*self._cells.get((row, x), (" ", "")))
            lines.append(line)
        return Text("\n").join(lines)


def shown_places(extent: int, most: int) -> list[int | None]:
    """Returns which of N things to draw, the first ones and the last; None: left out."""
    if extent <= most:
        return list(range(extent))
    return [*range(most - 2), None, extent - 1]
