"""What notebooks show of results, comparisons, systems and figures."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from textwrap import dedent

import matplotlib
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab import notebook_html
from schedlab.system import load_system

HOSTILE = "<script>alert('x')</script> & \"co\""
JOBS = [sl.Job(number, submit=number, run=50, processors=2) for number in range(1, 9)]


class Pieces(HTMLParser):
    """Collects the texts and tags of a piece of HTML, and checks that all tags are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert {name for name, _ in attrs} <= {"style"}
        self.tags.add(tag)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


TAGS = {"div", "b", "table", "thead", "tbody", "tr", "th", "td"}


def system(name: str = HOSTILE) -> sl.System:
    return sl.System(name, groups=[sl.Group("n", 2, {"core": 2})])


def pieces(shown: object) -> Pieces:
    text = shown._repr_html_()  # type: ignore[attr-defined]
    found = Pieces(text)
    assert found.tags <= TAGS  # nothing that runs, and nothing from elsewhere
    assert "http" not in text
    assert len(text) < 60_000
    return found


def test_a_result(tmp_path: Path) -> None:
    result = sl.simulate(JOBS, system=system(), out=tmp_path / HOSTILE.replace("/", "|"))
    found = pieces(result)
    assert f"fifo + first-fit on {HOSTILE}" in found.texts
    assert f"folder: {result.path}" in found.texts
    assert {"wait (s)", "mean", "jobs", "8 submitted, 8 completed"} <= set(found.texts)
    assert pieces(result.summary).texts == found.texts[:-1]
    temporary = sl.simulate(JOBS, system=system())
    assert not any("folder" in text for text in pieces(temporary).texts)


def test_a_comparison(tmp_path: Path) -> None:
    study = sl.Experiment(
        tmp_path / "study", workloads={"a<b": JOBS}, systems={"c&d": system()}, processes=1
    )
    study.add("fifo", name="plain <b>")
    study.add("easy")
    study.add("sjf")
    comparison = study.run()
    found = pieces(comparison)
    assert {"3 runs, complete", "dispatcher", "mean wait", "plain <b>"} <= set(found.texts)


@pytest.mark.parametrize("name", ["cielo", "edison", "fat-tree"])
def test_systems(name: str) -> None:
    known = load_system(name)
    texts = pieces(known).texts
    assert known.name in texts
    assert known.network is not None
    assert known.network.text in texts
    assert HOSTILE in pieces(system()).texts


@given(st.lists(st.lists(st.text(), min_size=2, max_size=4), min_size=1, max_size=60))
def test_any_text_stays_text(rows: list[list[str]]) -> None:
    heads = rows[0]
    shown = notebook_html.block(rows[0][0], notebook_html.table(heads, rows))
    found = Pieces(shown)
    assert found.tags <= TAGS
    written = "".join(text for row in rows[: notebook_html.MOST_ROWS] for text in row)
    plain = "".join(found.texts)
    # Carriage returns and null are what HTML has no way to write.
    for text in (*heads, written):
        for word in text.replace("\0", " ").replace("\r", " ").split():
            assert word in plain
    if len(rows) > notebook_html.MOST_ROWS:
        assert f"and {len(rows) - notebook_html.MOST_ROWS} more" in plain


def test_nothing_heavy_is_loaded() -> None:
    code = """
        import sys
        import schedlab as sl
        system = sl.System("m", groups=[sl.Group("n", 2, {"core": 2})])
        result = sl.simulate([sl.Job(1, submit=0, run=5)], system=system)
        assert "<table>" in result._repr_html_() and "<table>" in system._repr_html_()
        print({"numpy", "polars", "matplotlib", "IPython"} & set(sys.modules))
    """
    done = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr


def test_a_figure_is_shown_and_once() -> None:
    result = sl.simulate(JOBS, system=system("$plain$"), timeline="csv")
    figure = sl.plot("slowdown", result)
    shown = figure._repr_png_()  # type: ignore[attr-defined]
    assert shown.startswith(b"\x89PNG")
    # pyplot would show its figures at the end of a cell, a second time.
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black", "xtick.labelsize": 40}):
        assert figure._repr_png_() == shown  # type: ignore[attr-defined]
        assert result.plot("slowdown")._repr_png_() == shown  # type: ignore[attr-defined]


def test_a_figure_written_by_hand_looks_as_the_file(tmp_path: Path) -> None:
    result = sl.simulate(JOBS, system=system(), timeline="csv")
    figure = sl.plot("utilization", result, tmp_path / "ours.png")
    figure.savefig(tmp_path / "theirs.png", metadata={"Software": None})
    assert (tmp_path / "ours.png").read_bytes() == (tmp_path / "theirs.png").read_bytes()
