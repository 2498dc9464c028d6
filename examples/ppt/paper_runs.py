"""What the scripts of this folder share: their arguments, progress, and how curves look."""

from __future__ import annotations

import argparse
import os
import sys
from statistics import mean, stdev
from time import perf_counter
from typing import TYPE_CHECKING, Any

import schedlab as sl
from schedlab.analysis.style import look

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CIELO_CORES = 16
"""Of a node."""

KILO = 1024


def parser(documentation: str | None) -> argparse.ArgumentParser:
    """Returns a parser with what all scripts take."""
    made = argparse.ArgumentParser(description=(documentation or "").partition("\n")[0])
    made.add_argument("--out", default="ppt", help="folder for the picture")
    made.add_argument("--quick", action="store_true", help="few and small cases, in seconds")
    return made


def run_script(main: Callable[[], object]) -> None:
    """Calls a script's main; what is wrong with the input ends it with one line."""
    try:
        main()
    except sl.SchedlabError as error:
        sys.exit(f"error: {error}")


class Progress:
    """Says on the terminal what is being done, on one line that changes."""

    def __init__(self, cases: int) -> None:
        self._cases, self._done = cases, 0
        self._began = perf_counter()
        self._shows = sys.stderr.isatty()

    def case(self, what: str) -> None:
        """Says which case begins."""
        self._done += 1
        seconds = perf_counter() - self._began
        if self._shows:
            text = f"{seconds:6.0f} s  {self._done} of {self._cases}: {what}"
            print(f"\r{text:<79}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leaves the line."""
        if self._shows:
            print(f"\r{'':79}\r", end="", file=sys.stderr, flush=True)


def spread(values: Sequence[float]) -> float:
    """Returns the standard deviation as a share of the mean."""
    return stdev(values) / mean(values) if len(values) > 1 else 0.0


def size_text(size: int) -> str:
    """Returns bytes as people write them: 128 B, 64 KB, 1 MB."""
    if size >= KILO * KILO and size % (KILO * KILO) == 0:
        return f"{size // (KILO * KILO)} MB"
    return f"{size // KILO} KB" if size >= KILO and size % KILO == 0 else f"{size} B"


def curve(
    axes: Axes,
    places: Sequence[float],
    values: Sequence[float],
    number: int,
    label: str,
    **more: Any,
) -> None:
    """Draws a line with markers, in the look of that number."""
    style = look(number)
    drawn = {"color": style.colour, "marker": style.marker, "linestyle": style.line, **more}
    axes.plot(places, values, label=label, **drawn)


def save(figure: Figure, out: str, name: str) -> str:
    """Writes a picture into the folder and returns its path."""
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, f"{name}.png")
    figure.savefig(path, dpi=120)
    return path
