"""Figures as files: which formats there are, how large, and that they appear whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from schedlab.errors import InputError
from schedlab.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = {
    ".png": {"metadata": {"Software": None}},
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""What a file's ending stands for. Nothing of the moment is written, so bytes can be compared."""

PIXELS_PER_INCH = {".png": 150.0, ".svg": 76.0, ".pdf": 150.0}
"""In SVG and PDF only of the pictures inside, such as a Gantt chart."""

LIMITS = {"size": (1, 100), "dpi": (10, 2400)}
"""Inches, and pixels per inch: matplotlib cannot draw letters that are smaller than a pixel."""


def new_figure(size: tuple[float, float], ending: str = ".png", dpi: float | None = None) -> Figure:
    """Returns an empty figure; call it where our style holds.

    Args:
        size: Width and height in inches.
        ending: Of the file that it will be.
        dpi: Pixels per inch; None: what suits the ending.

    Raises:
        InputError: The size or the number of pixels is out of range.
    """
    from schedlab.analysis.plots.figure import ShownFigure

    return ShownFigure(
        figsize=_checked("size", size),
        dpi=_checked("dpi", (PIXELS_PER_INCH[ending] if dpi is None else dpi,))[0],
        layout="constrained",
    )


def ending_of(file: str | os.PathLike[str] | None) -> str:
    """Returns the end of a file's name, .png without a file.

    Raises:
        InputError: It is none that can be written, or the folder is not there.
    """
    if file is None:
        return ".png"
    name = os.fsdecode(file)
    ending = os.path.splitext(name)[1].lower()
    if ending not in FORMATS:
        raise InputError(f"{name}: must end in {', '.join(list(FORMATS)[:-1])} or .pdf")
    folder = os.path.dirname(name)
    if folder and not os.path.isdir(folder):
        raise InputError(f"{name}: there is no folder {folder}")
    return ending


def _checked(what: str, values: tuple[float, ...]) -> tuple[float, ...]:
    least, most = LIMITS[what]
    count = 2 if what == "size" else 1
    fits = all(isinstance(value, (int, float)) and least <= value <= most for value in values)
    if not fits or len(values) != count:
        numbers = "two numbers" if count == 2 else "a number"
        raise InputError(f"{what}: must be {numbers} from {least} to {most}, not {list(values)}")
    return values


def write_figure(figure: Figure, name: str, ending: str) -> None:
    """Writes the file, which is there when it is whole."""
    with whole_file(name) as partial:
        figure.savefig(partial, format=ending[1:], **FORMATS[ending])  # type: ignore[arg-type]
        if ending == ".svg":
            from schedlab.analysis.plots.svg import compact_svg

            with open(partial, "r+", encoding="utf-8") as file:
                text = compact_svg(file.read())
                file.seek(0)
                file.write(text)
                file.truncate()
