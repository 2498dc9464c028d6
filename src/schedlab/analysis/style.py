"""How pictures look: colours, markers, line styles and fonts that all plots share."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours of Okabe and Ito, which are distinguished without colour vision; yellow is too pale."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "*", "h")
LINES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo", "---")

INK, FAINT, GRID = "#1A1A1A", "#6B6B6B", "#D9D9D9"
IDLE_COLOUR = (247, 247, 247)

JOB_COLOURS = (
    *((0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167), (86, 180, 233), (213, 94, 0)),
    *((195, 225, 150), (150, 0, 45), (135, 15, 105), (105, 225, 240), (60, 135, 240)),
    *((45, 240, 195), (165, 150, 75), (0, 105, 75), (15, 75, 165), (135, 45, 0), (255, 135, 150)),
    *((75, 120, 120), (150, 105, 60), (195, 225, 105)),
)
"""Six of Okabe and Ito, then each time the colour (chroma 15 to 62, lightness 30 to 86) that is
farthest from all before it in the Lab space, for normal eyes, protanopes and deuteranopes."""

NODE_STATES = {
    "off": ((120, 120, 128), "///"),
    "sleeping": (
        (86, 140, 190),
        "\\\\\\",
    ),
    "booting": ((214, 150, 0), "|||"),
    "stopping": ((140, 95, 60), "---"),
    "down": ((190, 30, 45), "xxx"),
}
"""States of nodes that are not simply on: the colour of the lines of their bands, and the hatch."""

MOST_GROUPS = 12
"""That one picture can distinguish."""

SETTINGS: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 10.0,
    "figure.titlesize": 12.0,
    "figure.titleweight": "bold",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.fontsize": 9.0,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "axes.linewidth": 0.8,
    "lines.linewidth": 1.5,
    "lines.markersize": 5.0,
    "hatch.linewidth": 0.5,
    "axes.unicode_minus": True,
    "axes.formatter.useoffset": False,
    "image.interpolation": "nearest",
    "svg.fonttype": "path",  # the same picture wherever it is opened
    "svg.hashsalt": "schedlab",  # the same bytes for the same picture
    "pdf.fonttype": 42,
}


class Look(NamedTuple):
    """What one group looks like; colour is never the only difference."""

    colour: str
    marker: str
    line: Any
    hatch: str


def look(index: int) -> Look:
    """Returns the look of the group at that place, the same in every plot."""
    return Look(
        PALETTE[index % len(PALETTE)],
        MARKERS[index % len(MARKERS)],
        LINES[index % len(LINES)],
        HATCHES[index % len(HATCHES)],
    )


def require_matplotlib() -> None:
    """Raises InputError where matplotlib is not installed."""
    try:
        with _without_settings():
            import matplotlib  # noqa: F401
    except ImportError:
        raise InputError("plots need matplotlib: pip install 'schedlab[plot]'") from None


def _without_settings() -> AbstractContextManager[None]:
    """Keeps matplotlib from reading a matplotlibrc of the current folder when it is imported.

    Pictures do not follow it anyway, and some versions evaluate expressions that are in it.
    """
    first = "matplotlib" not in sys.modules and os.path.lexists("matplotlibrc")
    return chdir(os.path.dirname(os.path.abspath(__file__))) if first else nullcontext()


@contextmanager
def styled(formulas: bool = True) -> Iterator[None]:
    """Gives matplotlib our settings for as long as the block runs, whatever the user's own are.

    Args:
        formulas: Whether texts between two dollar signs are formulas.
    """
    require_matplotlib()
    import matplotlib

    settings: Any = matplotlib.rcParams
    defaults: Any = matplotlib.rcParamsDefault  # a user's file of settings does not count
    windows = ("backend", "backend_fallback", "interactive", "toolbar", "timezone")
    with matplotlib.rc_context():
        settings.update({key: defaults[key] for key in defaults if key not in windows})
        settings.update(SETTINGS)
        settings["text.parse_math"] = formulas
        yield
