"""Conformance of plots."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from schedlab.analysis import PLOTS, Plot, plot
from schedlab.analysis.plots import plot_named
from schedlab.analysis.plots.runs.needs import KINDS, NETWORK
from schedlab.analysis.style import require_matplotlib, styled
from schedlab.errors import InputError
from schedlab.results.temporary import TemporaryFolder
from schedlab.testing.plot_runs import CASES, case_runs
from schedlab.testing.report import (
    MADE,
    NO_ERROR,
    REPEATS,
    ConformanceError,
    Report,
    limited,
    name_of,
)
from schedlab.testing.time_limit import LIMIT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from matplotlib.figure import Figure
    from matplotlib.text import Text

INSIDE = "no text reaches out of the figure"
APART = "no text covers another"
LEGIBLE = "no text is smaller than 7 points"
SETTINGS = "the settings of matplotlib stay as they were"
WINDOWS = "no figure is left with pyplot"
UNTOUCHED = "run folders stay as they were"
FORMATS = "is written as PNG, SVG and PDF"

SMALLEST_POINTS = 7.0
TOLERANCE = 1.0
"""Pixels by which boxes of text may touch: they include the room below the line."""

LARGE_SVG = 300_000

WRITTEN = {"one-group": ("1.svg", "2.svg", "1.pdf", "1.png"), "many": ("1.svg",)}
"""Files that are written of a case; others are drawn in memory, which is quicker. Texts are looked
at as they are in the PNG file."""


class _Label(NamedTuple):
    """A text as it is drawn, and where: left, bottom, right, top in pixels."""

    text: str
    points: float
    box: tuple[float, float, float, float]


def check_plot(
    plot: str | Plot | Callable[[], Plot],
    *,
    skip: Iterable[str] = (),
    limit_seconds: float = LIMIT_SECONDS,
) -> Report:
    """Returns a report if a plot does what every plot must.

    It is drawn of no job, one job, rejected jobs, several resources, repetitions, and up to
    12 dispatchers with long names. Plots that need a platform, power, failures or temperatures are
    drawn of machines that have all of them; those about a network, of jobs with applications.

    Args:
        plot: A name, a class, a function that makes one, or a Plot.
        skip: Names of cases that it is not made for; the report says so.
        limit_seconds: Longest time between two findings; code that takes longer never returns.

    Raises:
        ConformanceError: A rule is broken.
        InputError: There is no such plot, or no such case.
    """
    require_matplotlib()
    label = f"check_plot({_name(plot)})"
    report = Report(label)
    skipped = set(skip)
    for unknown in sorted(skipped - set(CASES)):
        raise InputError(f"skip: there is no case {unknown!r}; known: {', '.join(CASES)}")
    for name in sorted(skipped):
        report.note(f"{name} was skipped")
    with limited(label, limit_seconds), TemporaryFolder() as folder:
        made = _make(plot, label)
        for case in CASES:
            if case not in skipped:
                _check_case(made, case, folder, label, report)
    return report


def _name(given: object) -> str:
    if isinstance(given, (str, Plot)):
        return str(given)
    return name_of(given)


def _machine(chosen: Plot) -> str:
    """Returns on which machines a plot is checked: plain ones, or those that have what it shows."""
    if any(need in NETWORK for need in chosen.needs):
        return "network"
    return "platform" if any(need in KINDS for need in chosen.needs) else "plain"


def _code(chosen: Plot) -> str:
    """Returns an expression for the plot, for messages."""
    name = str(chosen)
    return repr(name) if name in PLOTS else f"{type(chosen).__qualname__}()"


def _make(given: str | Plot | Callable[[], Plot], label: str) -> Plot:
    if isinstance(given, (str, Plot)):
        return plot_named(given)
    try:
        made = given()
    except Exception as error:
        raise ConformanceError(label, MADE, f"{type(error).__name__}: {error}") from error
    if not isinstance(made, Plot):
        raise ConformanceError(label, MADE, f"{made!r} is not a schedlab.Plot")
    return made


def _check_case(chosen: Plot, case: str, folder: str, label: str, report: Report) -> None:
    import matplotlib

    def broken(rule: str, found: str) -> ConformanceError:
        code = "from schedlab.testing import plot_case\n"
        code += f'plot_case({_code(chosen)}, "{case}", "look.png")'
        return ConformanceError(label, rule, f"on case {case}: {found}", code=code)

    runs = case_runs(case, os.path.join(folder, case), _machine(chosen))
    before, settings, windows = _files(folder), dict.copy(matplotlib.rcParams), _windows()
    pictures: dict[str, bytes] = {}
    try:
        for name in WRITTEN.get(case, ("",)):
            file = os.path.join(folder, name) if name else None
            with drawn_texts() as texts:
                figure = plot(chosen, runs, file)
            if file is not None:
                with open(file, "rb") as stream:
                    pictures[name] = stream.read()
                os.remove(file)
        labels = labels_of(figure, texts) if "1.png" in pictures else drawn_labels(figure)
    except Exception as error:
        raise broken(NO_ERROR, f"{type(error).__name__}: {error}") from error
    report.add(NO_ERROR)
    if dict.copy(matplotlib.rcParams) != settings:
        changed = [key for key in settings if matplotlib.rcParams[key] != settings[key]]
        dict.update(matplotlib.rcParams, settings)  # for what is drawn next in this process
        raise broken(SETTINGS, f"changed: {', '.join(changed)}")
    if _windows() != windows:
        _close_windows(windows)
        raise broken(WINDOWS, "pyplot has a new figure; draw into the one that is given")
    if _files(folder) != before:
        raise broken(UNTOUCHED, "a file was added, removed or written")
    report.add(SETTINGS, WINDOWS, UNTOUCHED)
    if "2.svg" in pictures:
        if pictures["1.svg"] != pictures["2.svg"]:
            raise broken(REPEATS, "two SVG files of the same runs differ")
        report.add(FORMATS, REPEATS)
    if len(pictures.get("1.svg", b"")) > LARGE_SVG:
        report.note(f"{case}: the SVG file has {len(pictures['1.svg']) / 1e3:,.0f} KB")
    for rule, found in misplaced(labels, figure):
        raise broken(rule, found)
    report.add(INSIDE, APART, LEGIBLE)


@contextmanager
def drawn_texts() -> Iterator[list[Text]]:
    """Gives a list that gets every text that is drawn while the block runs, once each."""
    from matplotlib.text import Text

    seen: list[Text] = []
    draw: Any = Text.draw

    def recorded(text: Text, *arguments: Any, **options: Any) -> None:
        if text.get_visible() and text.get_text().strip() and text not in seen:
            seen.append(text)
        draw(text, *arguments, **options)

    Text.draw = recorded  # type: ignore[method-assign, assignment]
    try:
        yield seen
    finally:
        Text.draw = draw  # type: ignore[method-assign]


def drawn_labels(figure: Figure) -> list[_Label]:
    """Draws a figure, and returns every text in it as the renderer sees it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    with styled(), drawn_texts() as texts:
        canvas.draw()
    return labels_of(figure, texts)


def labels_of(figure: Figure, texts: Iterable[Text]) -> list[_Label]:
    """Returns the texts of a figure that was drawn, with their places in its picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()
    labels = []
    with styled():
        for text in texts:
            left, bottom, right, top = text.get_window_extent(renderer).extents
            words = " ".join(text.get_text().split())
            labels.append(_Label(words, float(text.get_fontsize()), (left, bottom, right, top)))
    return labels


def misplaced(labels: list[_Label], figure: Figure) -> list[tuple[str, str]]:
    """Returns rules that texts break, with what was found."""
    width, height = figure.get_size_inches() * figure.dpi
    found = []
    for text, points, (left, bottom, right, top) in labels:
        if min(left, bottom) < -TOLERANCE or right > width + TOLERANCE or top > height + TOLERANCE:
            found.append((INSIDE, f"{text!r} is cut"))
        if points < SMALLEST_POINTS:
            found.append((LEGIBLE, f"{text!r} has {points:g} points"))
    for place, one in enumerate(labels):
        for other in labels[place + 1 :]:
            across = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
            along = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
            if across > TOLERANCE and along > 2 * TOLERANCE:
                found.append((APART, f"{one.text!r} and {other.text!r} overlap"))
    return found


def _files(folder: str) -> dict[str, tuple[int, int]]:
    """Returns size and time of every file below the folder."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            status = os.stat(path)
            found[path] = (status.st_size, status.st_mtime_ns)
    return found


def _windows() -> set[int]:
    """Returns the numbers of the figures that pyplot keeps."""
    from matplotlib import _pylab_helpers

    return set(_pylab_helpers.Gcf.figs)


def _close_windows(kept: set[int]) -> None:
    """Closes the figures of pyplot, except those that were there before."""
    from matplotlib import _pylab_helpers

    for number in _windows() - kept:
        _pylab_helpers.Gcf.destroy(number)


def plot_case(chosen: str | Plot, case: str, file: str | os.PathLike[str] | None = None) -> Figure:
    """Returns a figure of one of the cases on which plots are checked, to look at."""
    if case not in CASES:
        raise InputError(f"there is no case {case!r}; known: {', '.join(CASES)}")
    with TemporaryFolder() as folder:
        made = plot_named(chosen)
        return plot(made, case_runs(case, folder, _machine(made)), file)
