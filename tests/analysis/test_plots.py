"""Plots by name: files, messages, and the rules that every plot keeps."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest
from PIL import Image

import schedlab as sl
from schedlab.analysis import PLOTS, groups_of
from schedlab.analysis.plots import plot_named
from schedlab.analysis.plots.runs.needs import KINDS, NETWORK, lacking
from schedlab.analysis.style import LINES, PALETTE, look
from schedlab.errors import InputError
from schedlab.testing import ConformanceError, check_plot, plot_case
from schedlab.testing.plot_machines import (
    conditions,
    connected,
    equipped,
    with_applications,
)
from schedlab.testing.plot_runs import case_runs

SYSTEM = {"groups": {"node": {"nodes": 4, "resources": {"core": 4}}}}
JOBS = [sl.Job(i, submit=i * 7, run=5 + i * 3, processors=i % 9 + 1) for i in range(1, 60)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Run folders of two schedulers."""
    path = tmp_path_factory.mktemp("plots")
    for scheduler in ("fifo", "easy"):
        sl.simulate(JOBS, system=SYSTEM, scheduler=scheduler, timeline="csv", out=path / scheduler)
    return path


@pytest.fixture(scope="module")
def on_a_platform(tmp_path_factory):
    """A run on a machine of processors with everything that can happen to it."""
    ((run,),) = case_runs("one-job", str(tmp_path_factory.mktemp("case")), "platform").values()
    return run


def skip_unless_simulated(name, run):
    for need in plot_named(name).needs:
        if need not in NETWORK and lacking(need, run):
            pytest.skip(f"runs have no {need} in this version of the engine")


@pytest.mark.parametrize("name", PLOTS)
def test_built_in_plots_keep_the_rules(name, on_a_platform):
    skip_unless_simulated(name, on_a_platform)
    report = check_plot(name)
    assert len(report.passed) == 9
    assert not report.notes, "an SVG file is large"


def test_files_appear_whole_and_in_every_format(runs, tmp_path):
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        file = tmp_path / f"a{ending}"
        sl.plot("slowdown", [runs / "fifo", runs / "easy"], file)
        assert file.read_bytes().startswith(start)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.pdf", "a.png", "a.svg"]
    xml.etree.ElementTree.parse(tmp_path / "a.svg")


def test_size_dpi_and_title_are_ours_to_choose(runs, tmp_path):
    result = sl.Result.load(runs / "easy")
    figure = result.plot("utilization", tmp_path / "a.png", size=(6, 3), dpi=50, title="Mine")
    assert Image.open(tmp_path / "a.png").size == (300, 150)
    assert figure.texts[0].get_text() == "Mine"
    for wrong in ({"size": (0.1, 0.1)}, {"size": (5,)}, {"size": (5, 500)}, {"dpi": 1}):
        with pytest.raises(InputError, match=r"must be (a number|two numbers) from"):
            result.plot("utilization", **wrong)
    assert figure.texts[1].get_text() == "easy · jobs from Python on system · 59 jobs"


@pytest.mark.parametrize("name", PLOTS)
def test_names_are_no_formulas(name, tmp_path, on_a_platform):
    skip_unless_simulated(name, on_a_platform)
    system = {"name": "$x_{$", "groups": {"node": {"nodes": 4, "resources": {"core": 4, "$m$": 2}}}}
    jobs, more = JOBS, {}
    if any(need in NETWORK for need in plot_named(name).needs):
        system, jobs = connected(system), with_applications(JOBS)
        more = {"fidelity": "phase", "data": ["link-use"]}
    elif any(need in KINDS for need in plot_named(name).needs):
        system = equipped(system)
        more = {"conditions": conditions(system)}
    run = sl.simulate(jobs, system=system, timeline="csv", out=tmp_path / "$run$", **more)
    sl.plot(name, {"$\\frac{$": run, "$$": run}, tmp_path / "a.png", title="$\\nothing$")


def test_no_file_is_left_when_drawing_fails(runs, tmp_path):
    class Broken(sl.Plot):
        def draw(self, figure, groups):
            figure.subplots().set_title("$\\notatall$")  # which fails when it is written

    with pytest.raises(ValueError, match="notatall"):
        sl.plot(Broken(), runs / "easy", tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("slowdwn", 'did you mean "slowdown"'),
        ("gantt(from=1)", "gantt takes first and last, not from"),
        ("memory(x=1)", "memory takes no arguments, not x"),
        ("queue-size(weight=jobs)", "weight must be time or points"),
        ("slowdown-by-size(metric=wait)", "metric must be slowdown or bounded-slowdown"),
        ("load-per-minute(window=0)", "window must be from 1 to 1440 minutes"),
        ("wait-heatmap(quantile=2)", "quantile must be from 0 to 1"),
        ("utilization(resource=gpu)", "there is no resource 'gpu'; known: core"),
        ("gantt(first=30, last=20)", "there is no time from 30 s to 20 s; the simulation"),
        ("gantt(first=2024-01-01)", "dates need a start time, start_time of the system"),
        ("os:getcwd", "does not say that it returns a schedlab.Plot"),
    ],
)
def test_wrong_names_and_options_are_explained(runs, name, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        sl.plot(name, runs / "easy")


def test_a_gantt_chart_of_other_times_names_those_of_the_run(tmp_path):
    system = {**SYSTEM, "start_time": 835_466_400}
    result = sl.simulate(JOBS[:1], system=system, out=tmp_path)
    with pytest.raises(InputError) as caught:
        result.plot("gantt(first=2024-01-05)")
    assert str(caught.value).endswith(
        "there is no time from 2024-01-05T00:00:00 to 1996-06-22T18:00:15; "
        "the simulation goes from 1996-06-22T18:00:07 to 1996-06-22T18:00:15"
    )


def test_wrong_files_are_explained(runs, tmp_path):
    with pytest.raises(InputError, match=r"must end in \.png, \.svg or \.pdf"):
        sl.plot("gantt", runs / "easy", tmp_path / "a.gif")
    with pytest.raises(InputError, match="there is no folder"):
        sl.plot("gantt", runs / "easy", tmp_path / "no" / "a.png")
    for option in ({"dpi": 0}, {"size": (0, 5)}):
        with pytest.raises(InputError, match=r"must be (a number|two numbers) from"):
            sl.plot("gantt", runs / "easy", **option)
    with pytest.raises(InputError, match=r"did you mean Plot\(\)\?"):
        sl.plot(sl.Plot, runs / "easy")


def test_a_missing_table_says_how_to_get_it(tmp_path):
    sl.simulate(JOBS, system=SYSTEM, out=tmp_path / "run")
    with pytest.raises(InputError, match=r"needs .*timeline\.csv.*--timeline csv"):
        sl.plot("utilization", tmp_path / "run")


def test_more_than_twelve_groups_are_refused(runs):
    many = {f"run {number}": runs / "easy" for number in range(13)}
    with pytest.raises(InputError, match="13 dispatchers are more than one picture"):
        sl.plot("slowdown", many)


def test_groups_look_different_without_colours():
    looks = [look(index) for index in range(12)]
    assert len({(one.colour, str(one.line)) for one in looks}) == 12
    assert len({one.marker for one in looks}) == 12
    assert len({str(one.line) for one in looks[: len(LINES)]}) == len(LINES)
    assert len(PALETTE) == 7


def test_svg_keeps_the_colours_of_pictures(runs, tmp_path):
    import base64
    import io
    import re

    sl.plot("gantt", runs / "easy", tmp_path / "a.svg")
    (data,) = re.findall(r"data:image/png;base64,([^\"]+)", (tmp_path / "a.svg").read_text())
    picture = Image.open(io.BytesIO(base64.b64decode(data)))
    assert picture.mode == "P"
    from schedlab.analysis.style import IDLE_COLOUR, JOB_COLOURS

    colours = {colour for _, colour in picture.convert("RGB").getcolors(256)}
    assert len(colours & {*JOB_COLOURS, IDLE_COLOUR}) > 10


class CutOff(sl.Plot):
    """Writes beyond the figure."""

    def draw(self, figure, groups):
        figure.text(0.98, 0.5, "this is too long")


class Overlapping(sl.Plot):
    """Writes two texts at one place."""

    def draw(self, figure, groups):
        figure.text(0.4, 0.5, "one\ntwo")
        figure.text(0.41, 0.5, "two")


class Tiny(sl.Plot):
    """Writes too small."""

    def draw(self, figure, groups):
        figure.text(0.4, 0.5, "small", size=4)


class Global(sl.Plot):
    """Changes settings."""

    def draw(self, figure, groups):
        from matplotlib import pyplot

        pyplot.figure()


class Restless(sl.Plot):
    """Draws something else each time."""

    calls = 0

    def draw(self, figure, groups):
        type(self).calls += 1
        figure.text(0.1, 0.5, str(self.calls))


class NeedsJobs(sl.Plot):
    """Divides by the number of jobs."""

    def draw(self, figure, groups):
        figure.text(0.1, 0.5, str(1 / groups[0].jobs("wait").height))


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (CutOff, "no text reaches out of the figure"),
        (Overlapping, "no text covers another"),
        (Tiny, "no text is smaller than 7 points"),
        (Global, "no figure is left with pyplot"),
        (Restless, "the same inputs give the same bytes"),
        (NeedsJobs, "raises no error"),
        (lambda: 7, "can be made and copied"),
    ],
)
def test_the_suite_finds_what_is_wrong(kind, rule):
    with pytest.raises(ConformanceError) as caught:
        check_plot(kind)
    assert caught.value.rule == rule


def test_cases_can_be_skipped_and_looked_at(tmp_path):
    report = check_plot(NeedsJobs, skip=["no-job", "rejected", "with-and-without"])
    assert report.notes == [
        f"{case} was skipped" for case in ("no-job", "rejected", "with-and-without")
    ]
    plot_case("memory", "many", tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 1000
    for call in (lambda: check_plot("memory", skip=["x"]), lambda: plot_case("memory", "x")):
        with pytest.raises(InputError, match="there is no case 'x'"):
            call()


def test_drawing_needs_neither_pyplot_nor_a_display(runs, tmp_path):
    code = """
import sys, schedlab
schedlab.Result.load(sys.argv[1]).plot("gantt", sys.argv[2])
print("matplotlib.pyplot" in sys.modules, "tkinter" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(runs / "easy"), str(tmp_path / "a.png")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "False"]


def test_without_matplotlib_the_extra_is_named(runs, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install 'schedlab\[plot\]'"):
        sl.plot("gantt", runs / "easy")
    assert plot_named("gantt").title == "Jobs on nodes"  # lists need no matplotlib


def test_an_interrupted_run_is_drawn_and_said(runs, tmp_path):
    run = json.loads((runs / "easy" / "run.json").read_text())
    run["status"] = "interrupted"
    result = sl.Result(str(runs / "easy"), run)
    figure = result.plot("jobs-over-time")
    assert figure.texts[1].get_text().endswith("interrupted")


def test_repetitions_that_differ_all_count(runs):
    other = sl.simulate(JOBS[:30], system=SYSTEM, scheduler="easy")
    both = [sl.Result.load(runs / "easy"), other]
    (group,) = groups_of({"easy": both})
    assert group.schedules is group
    assert group.schedules.jobs("wait").height == 59 + 30
    (same,) = groups_of({"easy": both[:1] * 2})
    assert len(same.schedules.results) == 1
    assert np.isfinite(group.jobs("wait")["wait"].to_numpy()).all()
