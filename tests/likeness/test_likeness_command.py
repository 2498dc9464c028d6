"""`schedlab workload compare`, and the pictures of `inspect`: what they print and write."""

from __future__ import annotations

import csv
import json
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from likeness.tables import jobs_table
from typer.testing import CliRunner

from schedlab.analysis.plots.workloads import PLOTS
from schedlab.cli import app
from schedlab.cli.workload.likeness_table import table_lines
from schedlab.likeness import compare_workloads
from schedlab.workload.formats import write_tables
from schedlab.workload.table import complete

HEADER = {"UnixStartTime": "1027839845", "MaxProcs": "32", "MaxNodes": "8"}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = []
    for name in ("real", "one", "two"):
        paths.append(str(tmp_path / f"{name}.swf"))
        write_tables(paths[-1], [complete(jobs_table(150, name))], HEADER)
    return paths


def compare(*arguments: str):
    return CliRunner().invoke(app, ["workload", "compare", *arguments])


def test_shows_a_table(files: list[str]) -> None:
    result = compare(*files)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    for text in ("simulated under fifo", "simulated under easy", "users", "rank correlation"):
        assert text in lines
    distance = next(line for line in lines if "KS distance" in line)
    assert distance.split()[2] == "-"
    assert float(distance.split()[3]) > 0


def test_writes_a_folder(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "likeness"
    result = compare(*files, "--out", str(out), "--plots", "png", "--bins", "run_time=60")
    assert result.exit_code == 0, result.stderr
    written = {"overview.html", "comparison.json", "table.csv", *(f"{name}.png" for name in PLOTS)}
    assert {path.name for path in out.iterdir()} == written
    facts = json.loads((out / "comparison.json").read_text())
    assert [workload["label"] for workload in facts["workloads"]] == ["real", "one", "two"]
    assert facts["bins"] == {"run_time": 60.0}
    with open(out / "table.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    mean = next(row for row in rows if (row["section"], row["quantity"]) == ("run time", "mean"))
    assert float(mean["one"]) == facts["workloads"][1]["characteristics"]["run_time"]["mean"]
    page = Page()
    page.feed((out / "overview.html").read_text())
    assert page.pictures == [f"{name}.png" for name in PLOTS]
    assert page.open == []


class Page(HTMLParser):
    """What is in a page, and whether each part of it ends."""

    def __init__(self) -> None:
        super().__init__()
        self.pictures: list[str | None] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.pictures.append(dict(attrs)["src"])
        elif tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_json_alone(files: list[str]) -> None:
    result = compare(*files[:2], "--json", "--no-simulation", "--performance", "core=3.3")
    facts = json.loads(result.stdout)
    assert facts["workloads"][1]["simulated"] == {}
    assert facts["workloads"][1]["characteristics"]["work"]["unit"] == "GFLOP"


def test_own_names_machines_and_schedulers(files: list[str], tmp_path: Path) -> None:
    for name, nodes in (("small", 4), ("large", 16)):
        text = f"[groups.node]\nnodes = {nodes}\nresources = {{ core = 4 }}\n"
        (tmp_path / f"{name}.toml").write_text(text)
    systems = [f"--system={tmp_path / name}.toml" for name in ("small", "large")]
    result = compare(
        *files[:2], *systems, "--scheduler", "easy(order=shortest)", "--names", "a b,[red]c"
    )
    assert result.exit_code == 0, result.stderr
    assert "simulated under easy(order=shortest)" in result.stdout
    assert "[red]c" in result.stdout
    cores = next(line for line in result.stdout.splitlines() if "cores of the machine" in line)
    assert cores.split()[-2:] == ["16", "64"]


@pytest.mark.parametrize("width", [20, 60, 80, 200])
def test_numbers_of_the_table_never_break(files: list[str], width: int) -> None:
    names = ["real", "a-name-of-a-workload-that-is-rather-long", "two"]
    likeness = compare_workloads(*files, names=names, simulate=())
    lines = [line.plain for line in table_lines(likeness, width)]
    tables = sum(line.strip().startswith("jobs  ") for line in lines)
    assert tables == (1 if width >= 80 else 2)
    for facts in likeness.workloads:
        load = f"{facts['offered_load']:.1%}"
        assert any(load in line.split() for line in lines if "offered load" in line)
    if width >= 80:
        assert max(map(len, lines)) <= width


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.swf"], "absent.swf"),
        ([], "nothing to compare"),
        (["--plots", "gif", "X"], "--plots: must be one of png, svg, pdf, none"),
        (["--performance", "3.3", "X"], "--performance '3.3': must be NAME=VALUE"),
        (["--bins", "cores=x", "X"], "--bins cores=x: must be a number"),
        (["--bins", "core=1", "X"], 'unknown characteristic "core"'),
        (["--no-simulation", "--scheduler", "easy", "X"], "give one of them"),
        (["--system", "absent.toml", "X"], "absent.toml"),
        (["--names", "a", "X"], "names: must be 2 different texts"),
        (["--reader", "nobody", "X"], 'unknown reader "nobody"'),
    ],
)
def test_wrong_use(files: list[str], arguments: list[str], message: str) -> None:
    result = compare(files[0], *(files[1] if part == "X" else part for part in arguments))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_without_a_machine(tmp_path: Path) -> None:
    path = str(tmp_path / "log.swf")
    write_tables(path, [complete(jobs_table(50))])
    result = compare(path, path)
    assert result.exit_code == 2
    assert "neither MaxProcs nor MaxNodes" in result.stderr
    assert "--no-simulation" in result.stderr
    assert compare(path, path, "--no-simulation").exit_code == 0


def test_without_matplotlib(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = str(tmp_path / "out")
    result = compare(*files[:2], "--no-simulation", "--out", out)
    assert result.exit_code == 2
    assert "pip install 'schedlab[plot]'" in result.stderr
    result = compare(*files[:2], "--no-simulation", "--out", out, "--plots", "none")
    assert result.exit_code == 0
    assert {path.name for path in Path(out).iterdir()} == {
        *("overview.html", "comparison.json", "table.csv")
    }


def test_pictures_of_inspect(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "pictures"
    arguments = ["workload", "inspect", files[0], "--out", str(out), "--plots", "png"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stderr
    alone = [name for name in PLOTS if name not in ("distances", "simulated")]
    assert {path.name for path in out.iterdir()} == {f"{name}.png" for name in alone}
    assert "distributions.png" in result.stdout
    result = CliRunner().invoke(app, [*arguments[:-1], "gif"])
    assert result.exit_code == 2
    assert "--plots: must be one of png, svg, pdf, not 'gif'" in result.stderr
    arguments[4] = files[0]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "must be a folder" in result.stderr
