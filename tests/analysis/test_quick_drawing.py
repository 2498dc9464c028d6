"""What is drawn in less time than by matplotlib alone is the same picture."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib import dates
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from schedlab.analysis import plot
from schedlab.analysis.plots.date_ticks import DateFormatter, DateLocator
from schedlab.analysis.plots.drawing import draw_stairs
from schedlab.analysis.plots.figure import ShownFigure
from schedlab.analysis.plots.picture_files import FORMATS
from schedlab.analysis.style import styled
from schedlab.testing.plot_runs import case_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return case_runs("one-job", str(tmp_path_factory.mktemp("runs")), "platform")


def written(figure, save, **options):
    file = io.BytesIO()
    with styled(formulas=False):
        save(figure, file, **options)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "ending", "more"),
    [
        ("gantt", ".png", {}),
        ("gantt", ".svg", {}),
        ("gantt", ".pdf", {}),
        ("speed-map", ".svg", {}),
        ("gantt", ".png", {"bbox_inches": "tight"}),
    ],
)
def test_files_are_those_of_matplotlib(name, ending, more, runs):
    options = {"format": ending[1:], **FORMATS[ending], **more}
    ours = written(plot(name, runs), ShownFigure.savefig, **options)
    assert ours == written(plot(name, runs), Figure.savefig, **options)


def test_a_figure_is_drawn_again_after_it_was_written(runs):
    figure = plot("gantt", runs)
    once = written(figure, ShownFigure.savefig, format="png")
    assert written(figure, ShownFigure.savefig, format="png") == once
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    assert len(np.unique(np.asarray(canvas.buffer_rgba()))) > 10


@pytest.mark.parametrize(
    "options",
    [
        {"color": "red"},
        {"color": "red", "fill": True, "baseline": 0.0, "alpha": 0.3},
        {"color": "red", "fill": True, "baseline": np.array([-1.0, np.nan, 2.0, 0.5])},
        {"facecolor": "red", "edgecolor": "blue", "fill": True, "baseline": 1.0, "hatch": "//"},
    ],
)
@pytest.mark.parametrize("values", [[1.0, 5.0, 3.0, 3.0], [np.nan, 5.0, np.nan, 3.0], [np.nan] * 4])
def test_stairs_are_those_of_matplotlib(values, options):
    places = np.array([0.0, 1.0, 4.0, 5.0, 9.0])
    drawn = []
    for draw in (draw_stairs, lambda axes, *given, **more: axes.stairs(*given, **more)):
        axes = Figure().subplots()
        patch = draw(axes, np.array(values), places, **{"baseline": None, **options})
        axes.autoscale()
        axes.autoscale_view()
        looks = (patch.get_facecolor(), patch.get_edgecolor(), patch.get_linewidth())
        drawn.append((patch.get_path().vertices.tolist(), looks, axes.get_ylim()))
    assert str(drawn[0]) == str(drawn[1])


def test_ticks_follow_the_time_that_is_shown():
    axes = Figure().subplots()
    locator = DateLocator(minticks=2, maxticks=6)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(DateFormatter(locator))
    for first, last in ((19_000, 19_400), (19_000, 19_400), (19_100, 19_100.5), (19_000, 19_003)):
        axes.set_xlim(first, last)
        other = Figure().subplots()
        expected = dates.AutoDateLocator(minticks=2, maxticks=6)
        other.xaxis.set_major_locator(expected)
        other.xaxis.set_major_formatter(dates.ConciseDateFormatter(expected))
        other.set_xlim(first, last)
        for axis in (axes.xaxis, other.xaxis):
            axis.get_ticklabels()
        assert list(axes.get_xticks()) == list(other.get_xticks())
        labels = [[text.get_text() for text in one.get_xticklabels()] for one in (axes, other)]
        assert labels[0] == labels[1]
        offsets = [one.xaxis.get_major_formatter().get_offset() for one in (axes, other)]
        assert offsets[0] == offsets[1]
