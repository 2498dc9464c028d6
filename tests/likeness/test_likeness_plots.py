"""Pictures of workloads: of one, two and many; nothing is cut, nothing stands on another."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest

pytest.importorskip("matplotlib")

from likeness.tables import MACHINE, jobs_table

import schedlab as sl
from schedlab.analysis.plots.workloads import PLOTS, drawable
from schedlab.errors import InputError
from schedlab.likeness import look_at
from schedlab.testing.plots import drawn_labels, misplaced
from schedlab.workload.formats import write_tables
from schedlab.workload.table import complete

LONG = "a workload with a name that is much longer than anyone should ever call one of them"


def several(count: int, folder: Path) -> sl.Likeness:
    """Returns N workloads compared, with odd names, and dates in every other."""
    paths = []
    for place in range(count):
        path = folder / f"{place}.swf"
        header = {"UnixStartTime": "1027839845"} if place % 2 == 0 else {}
        write_tables(path, [complete(jobs_table(200 + 50 * place, str(place)))], header)
        paths.append(path)
    names = ["real $x_1$", LONG, *(f"number {place} & co" for place in range(2, count))]
    return sl.compare_workloads(*paths, system=MACHINE, names=names)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> dict[int, sl.Likeness]:
    return {count: several(count, tmp_path_factory.mktemp("few")) for count in (2, 12)}


@pytest.mark.parametrize("count", [2, 12])
@pytest.mark.parametrize("name", PLOTS)
def test_texts_are_inside_apart_and_legible(
    compared: dict[int, sl.Likeness], name: str, count: int
) -> None:
    figure = compared[count].plot(name, dpi=100)
    labels = drawn_labels(figure)
    assert len(labels) > 5
    assert misplaced(labels, figure) == []


def test_a_plot_is_a_file_and_the_same_each_time(
    compared: dict[int, sl.Likeness], tmp_path: Path
) -> None:
    for name in ("distributions", "size-and-run-time", "simulated"):
        first, again = tmp_path / f"{name}.png", tmp_path / f"{name}-again.png"
        compared[2].plot(name, first, dpi=40)
        compared[2].plot(name, again, dpi=40)
        assert first.read_bytes() == again.read_bytes()
        assert first.read_bytes().startswith(b"\x89PNG")
    compared[2].plot("users", tmp_path / "users.svg", title="Who?", size=(5, 3))
    assert (tmp_path / "users.svg").read_text().startswith("<?xml")


def test_cdf_is_that_of_the_values(compared: dict[int, sl.Likeness]) -> None:
    figure = compared[2].plot("distributions")
    axes = next(axes for axes in figure.axes if axes.get_title(loc="left") == "cores")
    for profile, line in zip(compared[2].profiles, axes.get_lines(), strict=True):
        for size in (1, 2, 4, 8, 16):
            place = list(line.get_xdata()).index(size)
            share = (profile.columns.cores <= size).mean() * 100
            assert line.get_ydata()[place] == pytest.approx(share)


def test_one_workload_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    write_tables(path, [complete(jobs_table(50))], {"UnixStartTime": "1027839845"})
    alone = look_at(path)
    names = drawable(alone.profiles, alone.workloads)
    assert [name for name in PLOTS if name not in names] == ["distances", "simulated"]
    for name in names:
        assert alone.plot(name).axes
    with pytest.raises(InputError, match="nothing was simulated"):
        alone.plot("simulated")
    with pytest.raises(InputError, match="nothing to compare with"):
        alone.plot("distances")


ODD = {
    "empty": [],
    "one": [(5.0, 10.0, 2.0)],
    "at once": [(5.0, 10.0, 2.0)] * 3,
    "nothing ran": [(1.0, 0.0, 1.0), (2.0, 0.0, 1.0)],
    "nothing known": [(1.0, -1.0, -1.0), (2.0, -1.0, -1.0)],
    "absurd": [(0.0, 1e17, 1.0), (1e17, 3.0, 1e6), (1e17, 1e-3, 3.0)],
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_odd_workloads_are_drawn(name: str, real: polars.DataFrame) -> None:
    names = ("submit", "run", "requested_processors")
    odd = polars.DataFrame(ODD[name], dict.fromkeys(names, polars.Float64), orient="row")
    for workloads in ((real, odd), (odd, real), (odd, odd)):
        likeness = sl.compare_workloads(*workloads, simulate=())
        for plot in drawable(likeness.profiles, likeness.workloads):
            figure = likeness.plot(plot, dpi=30)
            figure.canvas.draw()
            assert figure.axes


def test_wrong_plots(compared: dict[int, sl.Likeness], real: polars.DataFrame) -> None:
    with pytest.raises(InputError, match='unknown plot of workloads "loads"; did you mean "load"'):
        compared[2].plot("loads")
    with pytest.raises(InputError, match=r"must end in \.png"):
        compared[2].plot("load", "load.gif")
    many = sl.compare_workloads(*[real] * 13, simulate=())
    with pytest.raises(InputError, match="more than one picture can distinguish"):
        many.plot("load")
