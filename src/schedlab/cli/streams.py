"""Standard output and error of the command line: no text of a file ever steers the terminal."""

from __future__ import annotations

import sys

from schedlab.printable import printable

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any, TextIO


class PrintableStream:
    """Standard output or error, on which `print` prints what is printable.

    Attributes:
        rich_proxied_file: Where rich's consoles write, by their own rule: what they print holds
            escape sequences on purpose.
    """

    def __init__(self, stream: TextIO) -> None:
        """Takes the stream that it stands for."""
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Writes text."""
        return self.rich_proxied_file.write(printable(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def make_streams_printable() -> None:
    """Puts PrintableStream in the place of standard output and error."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, PrintableStream):
            setattr(sys, name, PrintableStream(stream))
