"""The summary of a run as `schedlab run` prints it: facts, then the table of metrics.

Drawn without rich: importing it costs twice what a short run takes in all.
"""

from __future__ import annotations

import os
import sys

from schedlab.printable import printable

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedlab.results import Result

BOLD, DIM = 1, 2
GAP = 2
"""Columns between a label and its fact."""

WIDTH_OF_PIPES = 80


def show(result: Result, dispatcher: str, out: str | None) -> None:
    """Prints the summary of a run, and where its folder is."""
    lines = [f"{_styled(dispatcher, BOLD)} on {printable(result.run['system']['name'])}"]
    lines += _facts(result.summary.lines()[1:])  # the first one is the title
    lines += ["", *_table(result.summary.rows())]
    if out is not None:
        files = ", ".join([*result.run["files"], "run.json"])
        lines += ["", printable(f"{files} in {out}")]
    sys.stdout.flush()
    # What is printed holds escape sequences on purpose, all others are made printable above.
    stream = getattr(sys.stdout, "rich_proxied_file", sys.stdout)
    stream.write("\n".join(lines) + "\n")


def _facts(lines: list[str]) -> Iterator[str]:
    """Yields a label and a fact a line, broken at spaces where the terminal ends."""
    facts = [(label, fact.strip()) for label, _, fact in (line.partition(" ") for line in lines)]
    indent = max(len(label) for label, _ in facts) + GAP
    width = max(_width() - indent, 1)
    for label, fact in facts:
        shown = f"{_styled(label, DIM)}{' ' * (indent - len(label))}"
        for part in _broken(printable(fact), width):
            yield (shown + part).rstrip()
            shown = " " * indent


def _broken(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Yields the lines of a table, numbers to the right, under its heading."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, (name, *cells) in enumerate(rows):
        right = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        line = "   ".join([name.ljust(widths[0]), *right])
        yield line if number else _styled(line, BOLD)
        if not number:
            encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
            yield ("─" if encoding.startswith("utf") else "-") * len(line)


def _styled(text: str, style: int) -> str:
    text = printable(text)
    shown = bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()
    if shown and os.environ.get("TERM", "").lower() not in ("dumb", "unknown"):
        return f"\033[{style}m{text}\033[0m"
    return text


def _width() -> int:
    """Returns the columns of the terminal, or how many are used where there is none."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    for descriptor in (1, 2, 0):
        try:
            return os.get_terminal_size(descriptor).columns or WIDTH_OF_PIPES
        except OSError:
            continue
    return WIDTH_OF_PIPES
