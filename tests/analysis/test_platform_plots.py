"""Plots of power, energy, speed, failures and heat: what they show, and what they ask for."""

from __future__ import annotations

import itertools

import numpy as np
import polars
import pytest
from analysis.platform_runs import (
    CONDITIONS,
    INTERRUPTIONS,
    STATES,
    platform,
    run_of,
    with_failures,
    with_heat,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import schedlab as sl
from schedlab.analysis.groups import groups_of
from schedlab.analysis.node_states import STATES as KNOWN
from schedlab.analysis.node_states import node_states, state_raster
from schedlab.analysis.plots import plot_named
from schedlab.analysis.plots.runs.failures import nodes_down
from schedlab.analysis.plots.runs.gaps import masked_curves
from schedlab.analysis.plots.runs.speed import speed_raster
from schedlab.analysis.plots.runs.state_bands import Bands, band_colours
from schedlab.analysis.plots.time_axis import TimeAxis
from schedlab.errors import InputError
from schedlab.testing.plots import drawn_labels, misplaced

PRICES = {"times": [0.0, 3000.0], "values": [0.1, 0.3], "every": 7200.0}


@pytest.fixture(scope="module")
def capped(tmp_path_factory):
    """A run with a cap, switching off, a price and carbon."""
    folder = tmp_path_factory.mktemp("capped")
    given = {**CONDITIONS, "price": PRICES, "carbon": {**PRICES, "values": [300.0, 150.0]}}
    return run_of(folder, conditions=given)


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """A run with made-up failures and temperatures."""
    folder = tmp_path_factory.mktemp("failing")
    run_of(folder, count=120)
    with_heat(folder)
    return with_failures(folder)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A run on a machine that is only groups of nodes."""
    system = {"groups": {"node": {"nodes": 4, "resources": {"core": 4}}}}
    jobs = [sl.Job(1, submit=0, run=100, processors=2)]
    return sl.simulate(jobs, system=system, timeline="csv", out=tmp_path_factory.mktemp("plain"))


@pytest.mark.parametrize("name", ["power", "energy", "clock", "speed", "speed-map"])
def test_no_text_covers_another(capped, name):
    for runs in (capped, {"one": capped, "another with a longer name": capped}):
        figure = sl.plot(name, runs)
        assert misplaced(drawn_labels(figure), figure) == []


@pytest.mark.parametrize("name", ["gantt", "failures", "node-hours", "temperature"])
def test_no_text_covers_another_with_failures(failing, name):
    for runs in (failing, {f"dispatcher {number}": failing for number in range(3)}):
        figure = sl.plot(name, runs)
        assert misplaced(drawn_labels(figure), figure) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("power", r"plot power: .*power = \{ core"),
        ("energy", r"plot energy: .*power = \{ core"),
        ("clock", "plot clock: .*no processor and node types"),
        ("speed", "plot speed: .*no processor and node types"),
        ("speed-map", "plot speed-map: .*no processor and node types"),
        ("failures", r"plot failures: .*\[\[failures\]\]"),
        ("node-hours", r"plot node-hours: .*--conditions FILE"),
        ("temperature", r"plot temperature: .*\[thermal\]"),
    ],
)
def test_a_run_that_lacks_something_is_refused_with_advice(plain, name, message):
    with pytest.raises(InputError, match=message):
        sl.plot(name, plain)


def test_without_a_timeline_power_says_how_to_get_one(tmp_path):
    result = run_of(tmp_path, count=3, timeline="none")
    with pytest.raises(InputError, match=r"plot power: needs .*timeline\.csv.*--timeline csv"):
        result.plot("power")
    assert result.plot("energy").axes[0].get_xlabel() == "energy (Wh)"


def test_a_platform_without_power_has_speeds_only(tmp_path):
    jobs = [sl.Job(1, submit=0, run=100, processors=2)]
    result = sl.simulate(jobs, system=platform(power=False), timeline="csv", out=tmp_path)
    assert result.plot("speed").axes[0].get_ylim()[1] == 101
    with pytest.raises(InputError, match="nothing is known of its power"):
        result.plot("power")


def test_the_area_under_the_curve_of_power_is_the_energy(capped):
    (group,) = sl.analysis.groups_of(capped)
    axis = TimeAxis([group])
    for bins in (1, 17, 400):
        power = masked_curves(group, axis, bins, ["time", "power"])["power"].mean
        area = float(np.nansum(power)) * (axis.last - axis.first) / bins
        assert area == pytest.approx(capped.metrics["energy"]["total"], rel=1e-9)


def test_the_cap_is_a_line_and_price_and_carbon_have_panels(capped):
    figure = capped.plot("power")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [title.split(" (")[0] for title in titles] == ["power", "price", "carbon"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["power cap"]
    assert capped.metrics["energy"]["caps"][0]["energy_above"] == 0  # so nothing is shaded


def test_an_excess_over_the_cap_is_shaded(tmp_path):
    result = run_of(tmp_path, count=60)
    table = polars.read_csv(tmp_path / "timeline.csv", infer_schema_length=None)
    table.with_columns(polars.lit(400.0).alias("cap")).write_csv(tmp_path / "timeline.csv")
    del result.run["tables"]  # the checksum of the table that it was
    (legend,) = result.plot("power").legends
    assert [text.get_text() for text in legend.get_texts()] == ["power cap", "above the cap"]


def test_a_run_that_is_over_is_a_gap_and_not_idle(tmp_path):
    short, long = run_of(tmp_path / "a", count=5), run_of(tmp_path / "b", count=60)
    groups = sl.analysis.groups_of({"short": short, "long": long})
    axis = TimeAxis(groups)
    power = [masked_curves(group, axis, 200, ["time", "power"])["power"].mean for group in groups]
    assert np.isnan(power[0]).any()
    assert not np.isnan(power[0][:3]).any()
    assert not np.isnan(power[1]).any()


def test_clock_and_speed_count_only_while_cores_are_active(tmp_path):
    jobs = [
        sl.Job(1, submit=0, run=100, processors=1),
        sl.Job(2, submit=900, run=100, processors=1),
    ]
    result = sl.simulate(jobs, system=platform(), timeline="csv", out=tmp_path)
    (group,) = sl.analysis.groups_of(result)
    found = masked_curves(group, TimeAxis([group]), 4, ["time", "clock"], ["clock"])["clock"]
    assert found.mean[0] == pytest.approx(3.4)  # and not the mean over idle times
    assert np.isnan(found.mean[1])
    assert found.least[0] == pytest.approx(3.4)


def test_speeds_of_pixels_are_means_weighted_by_cores_and_time(capped):
    nodes, width, height = 15, 37, 15
    first, last = 0.0, 6000.0
    fast = speed_raster(capped, first, last, width, height)
    jobs = capped.jobs.collect()
    work, busy = np.zeros((height, width)), np.zeros((height, width))
    edges = np.linspace(first, last, width + 1)
    for row in jobs.iter_rows(named=True):
        for item in row["nodes"].split():
            span, _, tasks = item.partition("*")
            begin, _, end = span.partition("-")
            for node in range(int(begin), int(end or begin) + 1):
                inside = np.minimum(edges[1:], row["end"]) - np.maximum(edges[:-1], row["start"])
                held = np.maximum(inside, 0.0) * int(tasks or 1)
                busy[node] += held
                work[node] += held * row["speed"]
    assert nodes == height
    seen = busy > 1e-3
    assert np.allclose(fast[seen], work[seen] / busy[seen], rtol=1e-5)
    assert np.isnan(fast[busy == 0]).all()


KINDS = (polars.Int64, polars.String, polars.Float64, polars.Float64)
outages = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.sampled_from(KNOWN),
        st.floats(-50, 150),
        st.one_of(st.none(), st.floats(0, 120)),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(outages, st.integers(1, 9), st.integers(1, 9))
def test_shares_of_states_equal_a_naive_count(rows, width, height):
    table = [(n, s, b, None if d is None else b + d) for n, s, b, d in rows]
    frame = polars.DataFrame(
        table,
        {
            "node": polars.Int64,
            "state": polars.String,
            "start": polars.Float64,
            "end": polars.Float64,
        },
        orient="row",
    )
    found = state_raster(frame, 7, 0.0, 100.0, width, height)
    for place, state in enumerate(KNOWN):
        for row in range(height):
            for column in range(width):
                share = 0.0
                for node, its, begin, end in table:
                    if its == state:
                        down = min((row + 1) * 7 / height, node + 1) - max(row * 7 / height, node)
                        right = min((column + 1) * 100 / width, 100 if end is None else end)
                        across = right - max(column * 100 / width, begin)
                        share += max(down, 0) * max(across, 0)
                whole = 7 / height * 100 / width
                assert found[place, row, column] == pytest.approx(min(share / whole, 1), abs=1e-6)


def test_nodes_down_are_counted_exactly(failing):
    axis = TimeAxis(sl.analysis.groups_of(failing), 0, 10_000)
    down = nodes_down(node_states(failing), axis, 10)
    assert down.tolist() == pytest.approx([0, 1, 1, 1, 0, 0, 0.5 / 1000, 0, 0, 0])


def test_bands_are_where_nodes_were_down_and_jobs_stay_where_they_ran(failing):
    axis = TimeAxis(sl.analysis.groups_of(failing), 0, 10_000)
    bands = Bands.of_run(failing, axis)
    assert bands.states.height == len(STATES)
    assert bands.interruptions["job_id"].to_list() == [row[0] for row in INTERRUPTIONS]
    picture = np.full((15, 100, 3), 7, np.uint8)
    busy = np.zeros((15, 100))
    busy[3, :] = 1.0
    painted = bands.painted(picture, busy, 15, axis)
    changed = (painted != 7).any(axis=2)
    assert np.flatnonzero(changed[0]).tolist() == list(range(10, 40))
    assert not changed[3].any()  # a job ran there
    assert np.flatnonzero(changed[5]).tolist() == list(range(5, 100))
    assert not changed[2].any()  # half a second is not seen at this scale; plot failures shows it


def test_bands_differ_without_colours():
    patterns = set()
    for place in range(len(KNOWN)):
        grey = band_colours(np.full((28, 28), place)).astype(int).sum(axis=2)
        patterns.add((grey < grey.max()).tobytes())
    assert len(patterns) == len(KNOWN)


def test_a_gantt_chart_marks_failures_and_names_the_states(failing, plain):
    figure = failing.plot("gantt")
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["off", "sleeping", "booting", "stopping", "down", "a failure ended a job"]
    marks = figure.axes[0].lines[-1]
    assert marks.get_ydata().tolist() == [0.5, 2.5]
    assert not plain.plot("gantt").legends


def test_interrupted_attempts_are_jobs_of_the_chart(failing):
    figure = failing.plot("gantt(first=5000, last=6000)")
    image = figure.axes[0].images[0].get_array()
    row = image[int(2.5 / 15 * image.shape[0])]
    assert len(np.unique(row.reshape(-1, 3), axis=0)) == 1  # job 9 alone, from 5000 to 6000


def test_bars_of_energy_and_node_hours_add_up(capped, failing):
    bars = capped.plot("energy").axes[0].patches
    total = capped.metrics["energy"]["total"] / 3.6e6
    assert sum(bar.get_width() for bar in bars) == pytest.approx(total)
    assert sum(bar.get_width() for bar in failing.plot("node-hours").axes[0].patches) == 100.0


def test_a_phase_says_that_energy_is_of_the_whole_run(capped):
    run = {**capped.run, "phase": "fill", "metrics": {"utilization": {}}}
    part = sl.Result(capped.path, run)
    with pytest.raises(InputError, match="a phase has none of its own; plot the whole run"):
        part.plot("energy")


def test_the_power_of_each_of_several_runs_has_a_panel(capped, tmp_path):
    runs = {"one": capped, "another with a rather long name": capped, "a third": capped}
    figure = sl.plot("power", runs)
    labels = [axes.get_ylabel().replace("\n", " ") for axes in figure.axes]
    assert labels[:3] == list(runs)
    assert len({axes.get_ylim() for axes in figure.axes[:3]}) == 1  # so that they can be compared
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["power cap"]
    heights = [plot_named("power").size_for(groups_of(some))[1] for some in (runs, capped)]
    assert heights[0] > heights[1]


@pytest.mark.parametrize("groups", [1, 2, 5])
def test_no_label_of_the_heat_map_covers_another(groups):
    jobs = [
        sl.Job(i, submit=i, run=10 + i, processors=4 ** (i % 10), requested_time=60 * i + 60)
        for i in range(200)
    ]
    system = {"groups": {"n": {"nodes": 4**9, "resources": {"core": 1}}}}
    result = sl.simulate(jobs, system=system)
    figure = sl.plot("wait-heatmap", {f"run {i}": result for i in range(groups)})
    figure.canvas.draw()
    for axes in figure.axes[:groups]:
        texts = [text for text in axes.get_xticklabels() if text.get_text() and text.get_visible()]
        boxes = [text.get_window_extent() for text in texts]
        for left, right in itertools.pairwise(boxes):
            assert left.x1 < right.x0
