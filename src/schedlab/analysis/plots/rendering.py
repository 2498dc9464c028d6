"""How a plot and what it is drawn of become a figure, and a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

from schedlab.analysis.plots.picture_files import ending_of, new_figure, write_figure
from schedlab.analysis.style import require_matplotlib, styled
from schedlab.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from schedlab.analysis.plots.base import Picture

Shown = TypeVar("Shown")


def render(
    chosen: Picture[Shown],
    shown: Shown,
    file: str | os.PathLike[str] | None = None,
    *,
    size: tuple[float, float] | None = None,
    dpi: float | None = None,
    title: str | None = None,
) -> Figure:
    """Returns a figure, and writes it to a file if one is named.

    Args:
        chosen: The plot.
        shown: What it is drawn of.
        file: Ends in .png, .svg or .pdf. It appears when it is whole.
        size: Width and height in inches, instead of the plot's own.
        dpi: Pixels per inch; 150, in SVG files 76.
        title: Instead of the plot's own.

    Raises:
        InputError: It cannot be drawn of that, or the file cannot be of that kind.
    """
    require_matplotlib()
    ending = ending_of(file)
    problem = chosen.problem(shown)
    if problem is not None:
        raise InputError(f"plot {chosen}: {problem}")
    # Names of machines and dispatchers are texts, whatever signs are in them; plots of others may
    # write formulas.
    with styled(formulas=not type(chosen).__module__.startswith("schedlab.")):
        from schedlab.analysis.plots.drawing import heading

        figure = new_figure(chosen.size_for(shown) if size is None else size, ending, dpi)
        heading(figure, chosen.title_for(shown) if title is None else title, chosen.subtitle(shown))
        try:
            chosen.draw(figure, shown)
        except InputError:
            raise
        except Exception as error:
            error.add_note(f"plot {chosen}")  # so that the command line can say whose it was
            raise
        if file is not None:
            write_figure(figure, os.fsdecode(file), ending)
    return figure
