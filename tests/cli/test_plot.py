"""`schedlab plot`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import schedlab as sl

SYSTEM = {"groups": {"node": {"nodes": 4, "resources": {"core": 4}}}}
JOBS = [sl.Job(i, submit=i * 7, run=5 + i * 3, processors=i % 9 + 1) for i in range(1, 30)]


def schedlab(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "schedlab", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
    )


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """A folder as an experiment leaves it."""
    path = tmp_path_factory.mktemp("experiment")
    sl.Experiment(
        path, workloads={"w": JOBS}, systems=SYSTEM, schedulers=["fifo", "easy"], timeline="none"
    ).run()
    return path


def test_plots_of_runs_and_of_experiments(experiment, tmp_path):
    for number, runs in enumerate(([experiment / "runs" / "fifo+first-fit" / "01"], [experiment])):
        file = tmp_path / f"{number}.png"
        done = schedlab("plot", "wait-cdf", *runs, "--out", file, "--size", "6x4", "--dpi", "50")
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{file}\n", "")
        assert file.read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "0.png").read_bytes() != (tmp_path / "1.png").read_bytes()


def test_list_has_a_line_for_each(experiment):
    from schedlab.analysis import PLOTS
    from schedlab.analysis.plots.registry import PLOTS_OF

    runs, *others = schedlab("plot", "--list").stdout.split("\n\n")
    lines = runs.splitlines()
    assert [line.split()[0] for line in lines] == list(PLOTS)
    assert all(len(line.rstrip()) > 25 for line in lines)
    listed = {"runs": list(PLOTS)}
    for part in others:
        heading, *lines = part.splitlines()
        names = [line.split()[0] for line in lines if line[0] != " "]  # others continue
        listed[heading.split()[2].rstrip(",")] = names
    assert listed == {kind: list(homes) for kind, homes in PLOTS_OF.items()}


def test_plots_of_something_else_name_the_command(experiment, tmp_path):
    done = schedlab("plot", "distributions", experiment, "--out", tmp_path / "a.png")
    assert done.returncode == 2
    assert "is drawn of workloads, by schedlab workload compare" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "NAME is missing"),
        (("gant",), 'did you mean "gantt"'),
        (("gantt",), "RUN is missing"),
        (("gantt", "RUN"), "--out FILE is missing"),
        (("gantt", "nowhere", "--out", "a.png"), "nowhere: is not a run folder"),
        (("gantt", "RUN", "--out", "a.bmp"), "a.bmp: must end in"),
        (("gantt", "RUN", "--out", "a.png", "--size", "8"), "--size 8: must be"),
        (("gantt", "RUN", "--out", "a.png", "--dpi", "0"), "dpi: must be a number from 10 to 2400"),
        (("memory", "RUN", "--out", "a.png"), "simulate with timeline"),
    ],
)
def test_wrong_use_is_explained(experiment, tmp_path, arguments, message):
    run = str(experiment / "runs" / "fifo+first-fit" / "01")
    done = schedlab("plot", *(run if word == "RUN" else word for word in arguments), cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_experiment_that_is_not_done_is_explained(experiment, tmp_path):
    described = json.loads((experiment / "experiment.json").read_text())
    (tmp_path / "experiment.json").write_text(json.dumps({**described, "tables": None}))
    done = schedlab("plot", "gantt", tmp_path, "--out", tmp_path / "a.png")
    assert done.returncode == 2
    assert "the experiment is running, or was killed" in done.stderr


def test_a_plot_of_ones_own_is_found_in_the_folder_and_named_when_it_fails(experiment, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import schedlab as sl\n"
        "class Mine(sl.Plot):\n"
        "    def __init__(self, bad=False):\n"
        "        self.bad = bad\n"
        "    def draw(self, figure, groups):\n"
        "        figure.subplots().bar([g.label for g in groups], [1 / (not self.bad)])\n"
    )
    run = experiment / "runs" / "fifo+first-fit" / "01"
    done = schedlab("plot", "mine:Mine", run, "--out", "a.svg", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    done = schedlab("plot", "mine:Mine(bad=True)", run, "--out", "b.svg", cwd=tmp_path)
    assert done.returncode == 1
    assert "plot mine:Mine: ZeroDivisionError" in done.stderr
    assert not (tmp_path / "b.svg").exists()
