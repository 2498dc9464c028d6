"""The registry of plots: each name once, each class in the room of what it is drawn of."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

import schedlab as sl
from schedlab.analysis.plots.base import Picture, Plot
from schedlab.analysis.plots.networks.topology import draw_network
from schedlab.analysis.plots.registry import DRAWN_BY, PLOTS_OF, drawn_of, picture_named
from schedlab.naming import load_own

ALL = [(kind, name) for kind, homes in PLOTS_OF.items() for name in homes]


def test_no_name_is_there_twice() -> None:
    names = [name for _, name in ALL]
    assert len(names) == len(set(names))
    assert list(DRAWN_BY) == list(PLOTS_OF)


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_each_is_a_picture_under_its_name(kind: str, name: str) -> None:
    found = load_own(PLOTS_OF[kind][name])
    assert isinstance(found, type)
    assert issubclass(found, Picture)
    assert found.__module__.startswith(f"schedlab.analysis.plots.{kind}.")
    assert (found.__doc__ or "").strip()
    assert found.name == name
    assert drawn_of(name) == kind
    assert issubclass(found, Plot) == (kind == "runs")


def test_one_function_draws_what_is_no_run(tmp_path: Path) -> None:
    cielo = sl.load_system("cielo")
    sl.plot("network", cielo, tmp_path / "by name.png")
    sl.plot(picture_named("networks", "network"), cielo, tmp_path / "as it is.png")
    draw_network(cielo, tmp_path / "directly.png")
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1
    with pytest.raises(sl.InputError, match="plot network: is drawn of a System, not of 3"):
        sl.plot("network", 3)
    plain = sl.load_system({"groups": {"a": {"nodes": 2, "resources": {"core": 2}}}})
    with pytest.raises(sl.InputError, match=r"plot network: .* has no network"):
        sl.plot("network", plain)
    with pytest.raises(sl.InputError, match='unknown plot of networks "netwrk"'):
        picture_named("networks", "netwrk")
