"""The examples that repeat the PPT paper run, and find what the page about them says."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import shared_file
from PIL import Image

FOLDER = Path(__file__).parents[2] / "examples" / "ppt"


@pytest.fixture
def script(monkeypatch):
    """Returns a function that runs a script of the folder, quick, and returns what it found."""
    monkeypatch.syspath_prepend(FOLDER)

    def run(name, *arguments):
        return importlib.import_module(name).main(["--quick", *map(str, arguments)])

    return run


def is_picture(path):
    with Image.open(path) as picture:
        return picture.width >= 900 and len(picture.convert("RGB").getcolors(1 << 24)) > 50


def test_validation(script, tmp_path):
    trace = shared_file("traces", "SDSC-SP2-1998-5Ksample.swf.gz")
    schedule = shared_file("golden", "pyss", "sdsc-sp2-5k_FCFS.csv.gz")
    found = script("validation", trace, schedule, "--out", tmp_path)
    assert found["same start and end"] == found["jobs"] == 4961
    assert found["times"] > 6000
    assert found["free differs"] == found["running differs"] == 0
    assert is_picture(tmp_path / "validation.png")


def test_waits(script, tmp_path):
    trace = shared_file("traces", "LLNL-Atlas-2006-2.1-cln.swf.gz")
    found = script("waits", trace, "--out", tmp_path)[str(trace)]
    small, large = found["small"], found["large"]
    assert small["FCFS/BF"].discarded > large["FCFS/BF"].discarded > 0
    for name in small:
        assert small[name].waits.mean() > large[name].waits.mean()
    assert small["SJF"].waits.mean() < small["FCFS/BF"].waits.mean() < small["LJF"].waits.mean()
    assert [path.name for path in tmp_path.iterdir()] == ["waits-llnl-atlas.png"]
    assert is_picture(tmp_path / "waits-llnl-atlas.png")


def test_task_mapping(script, tmp_path):
    found = script("task_mapping", "--out", tmp_path)
    for by_ranks in found[4].values():
        hops = [run.hops for run in by_ranks[1024].values()]
        times = [run.microseconds for run in by_ranks[1024].values()]
        assert max(hops) / min(hops) > 2
        assert 1 < max(times) / min(times) < 1.2
    one, eight = (found[5]["one rank per node, z fastest"][1024][p] for p in ("1", "8"))
    assert eight.hops < one.hops
    assert eight.microseconds < one.microseconds
    one, eight = (found[5]["one rank per node, x fastest"][1024][p] for p in ("1", "8"))
    assert one.microseconds == pytest.approx(50.198, abs=0.001)  # as the reference simulator's
    assert one.microseconds < eight.microseconds < 1.06 * one.microseconds
    assert is_picture(tmp_path / "figure-4.png")
    assert is_picture(tmp_path / "figure-5.png")


def test_interference(script, tmp_path):
    found = script("interference", "--out", tmp_path)
    assert all(row[1] == 1 for row in found.values())
    assert 1 < found["packet", 256][9] < 1.5
    assert 2 < found["fluid", 65536][9] < 3.5
    assert is_picture(tmp_path / "figure-6.png")


def test_hop_bytes(script, tmp_path, capsys, monkeypatch):
    titles = []
    monkeypatch.setattr("matplotlib.figure.Figure.suptitle", lambda _, text: titles.append(text))
    found = script("hop_bytes", "--out", tmp_path)
    title = "10 stencil-3d jobs of 2,048 ranks among 30 others on Cielo"  # as many as are simulated
    assert title in capsys.readouterr().out
    assert titles == [title]
    assert {len(values) for values in found.values()} == {10}
    assert sum(found["2x2x2"]) < 0.75 * sum(found["1x1x1"])
    assert max(found["2x2x2"]) > 1.2 * min(found["2x2x2"])
    assert is_picture(tmp_path / "figure-7.png")


def test_latencies(script, capsys):
    references, errors = script("latencies")
    assert [events for events, _, _ in references] == [2940, 23072, 58940]
    assert [round(last, 3) for _, last, _ in references] == [19.627, 23.223, 34.192]
    assert round(references[-1][2], 3) == 50.198
    assert max(map(abs, errors)) < 0.07
    assert "edison" in capsys.readouterr().out


def test_fidelity(script):
    fluid, analytic = script("fidelity")
    assert all(apart.mean < 0.2 for apart in fluid)
    assert max(map(abs, analytic["cielo"])) < 0.001


def test_without_the_trace(tmp_path):
    done = subprocess.run(
        [sys.executable, FOLDER / "waits.py", tmp_path / "none.swf", "--out", tmp_path / "out"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_accuracy(script):
    found = script("accuracy")
    assert found["even-odd", 0.02][1] < found["even-odd", 0.1][1] < 0.03
