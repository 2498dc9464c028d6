"""The numbers that plots draw equal what a few lines of plain Python make of the files."""

from __future__ import annotations

import csv
import math
import statistics
from itertools import pairwise
from random import Random

import numpy as np
import polars
import pytest
from conftest import expand_nodes
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.analysis import groups_of
from schedlab.analysis.plots.drawing import axis_text, number_text
from schedlab.analysis.plots.runs.boxes import QUANTILES, box_of, weighted_box
from schedlab.analysis.plots.runs.cost import _by_queue_size, _waiting
from schedlab.analysis.plots.runs.day import LoadPerMinute, _waits
from schedlab.analysis.plots.runs.over_time import FreeNodes, Utilization
from schedlab.analysis.plots.runs.queue_size import QueueSize
from schedlab.analysis.plots.runs.slowdown import class_name, size_class
from schedlab.analysis.plots.time_axis import TimeAxis

SYSTEM = {
    "start_time": 1_704_067_200 + 3600,
    "groups": {"node": {"nodes": 5, "resources": {"core": 4, "mem": 7}}},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Folder and group of a run of some days."""
    random = Random(5)
    jobs = [
        sl.Job(i, submit=i * 900, run=random.randint(0, 9000), processors=random.randint(1, 20))
        for i in range(1, 300)
    ]
    path = tmp_path_factory.mktemp("statistics") / "run"
    sl.simulate(jobs, system=SYSTEM, scheduler="easy", timeline="csv", out=path)
    return path, groups_of(path)[0]


def rows(path, table):
    with open(path / f"{table}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_boxes_are_quantiles_and_the_mean():
    values = [1.0, 2.0, 4.0, 8.0, None, 16.0]
    box = box_of(polars.Series(values))
    assert box.median == 4.0
    assert (box.quarter, box.three_quarters) == (2.0, 8.0)
    assert (box.low, box.high) == pytest.approx((1.2, 14.4))
    assert box.mean == 31 / 5
    assert box_of(polars.Series([None], dtype=polars.Float64)) is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=12))
def test_weighted_boxes_equal_repeated_values(pairs):
    box = weighted_box(
        np.array([float(v) for v, _ in pairs]), np.array([float(w) for _, w in pairs])
    )
    repeated = sorted(value for value, weight in pairs for _ in range(weight))
    if not repeated:
        assert box is None
        return
    for share, found in zip(QUANTILES, box, strict=False):
        assert found == repeated[max(0, math.ceil(share * len(repeated) - 1e-9) - 1)]
    assert box.mean == pytest.approx(statistics.fmean(repeated))


def test_queue_sizes_weigh_by_time_or_by_point(run):
    path, group = run
    table = rows(path, "timeline")
    times, queued = [float(r["time"]) for r in table], [int(r["queued"]) for r in table]
    lasting = [b - a for a, b in pairwise(times)]
    mean = sum(q * t for q, t in zip(queued, lasting, strict=False)) / (times[-1] - times[0])
    assert QueueSize()._box(group).mean == pytest.approx(mean)
    assert QueueSize("points")._box(group).mean == pytest.approx(statistics.fmean(queued))


def test_size_classes_are_powers_of_four():
    tasks = [1, 2, 4, 5, 16, 17, 64, 65, 256, 257, 4**12, 4**12 + 1]
    frame = polars.DataFrame({"tasks": tasks}).select(size_class(polars.col("tasks")))
    assert frame.to_series().to_list() == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 12, 13]
    assert [class_name(n) for n in (0, 1, 2, 5)] == [
        *("1 task", "2 to 4 tasks", "5 to 16 tasks", "257 to 1,024 tasks"),
    ]


def test_waiting_jobs_are_those_before_the_decision(run):
    path, group = run
    jobs = rows(path, "jobs")
    waiting = _waiting(group).to_list()
    for number, row in enumerate(rows(path, "timeline")):
        now = float(row["time"])
        before = [j for j in jobs if float(j["submit"]) <= now and float(j["start"]) >= now]
        assert waiting[number] == len(before), now


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_dispatching_time_of_a_class_of_queue_sizes(run, statistic):
    path, group = run
    table = _by_queue_size(group, statistic)
    calls = [r for r in rows(path, "timeline") if int(r["dispatch_nanoseconds"]) > 0]
    waiting = dict(zip((r["time"] for r in rows(path, "timeline")), _waiting(group), strict=True))
    by_size = {}
    for row in calls:
        by_size.setdefault(waiting[row["time"]], []).append(int(row["dispatch_nanoseconds"]))
    classes = {}
    for size, times in by_size.items():  # each up to 10 alone, above 10 in a decade
        key = size if size <= 10 else 10 + math.floor(math.log10(size) * 10)
        classes.setdefault(key, []).append((size, times))
    expected = {
        sum(size * len(times) for size, times in parts) / sum(len(times) for _, times in parts): (
            getattr(statistics, statistic)([time for _, times in parts for time in times])
        )
        for parts in classes.values()
    }
    assert len(expected) < len(by_size)
    assert dict(zip(table["size"], table["time"], strict=True)) == pytest.approx(expected)
    assert table["deviation"].to_list() == [0.0] * table.height


def test_free_nodes_are_those_with_nothing_on_them(run):
    path, group = run
    axis = TimeAxis([group])
    (curve,) = FreeNodes().curves(group, axis, 7, ["nodes"]).values()
    busy = 0.0
    for node in range(5):
        intervals = sorted(
            (float(job["start"]), float(job["end"]))
            for job in rows(path, "jobs")
            if node in dict(expand_nodes(job["nodes"]))
        )
        reached = 0.0
        for start, end in intervals:
            busy += max(0.0, end - max(start, reached))
            reached = max(reached, end)
    expected = 5 - busy / (axis.last - axis.first)
    assert curve.mean.mean() == pytest.approx(expected, abs=1e-5)


def test_utilization_is_that_of_the_metrics(run):
    _, group = run
    kinds = list(Utilization().quantities([group]))
    assert kinds == ["core"], "memory was never used"
    curves = Utilization().curves(group, TimeAxis([group]), 50, [*kinds, "gpu"])
    assert list(curves) == ["core"], "the machine has no gpu"
    metric = group.results[0].metrics["utilization"]["core"] * 100
    assert curves["core"].mean.mean() == pytest.approx(metric)
    assert (curves["core"].least <= curves["core"].mean + 1e-9).all()
    assert (curves["core"].most <= 100).all()


def test_load_per_minute_is_by_the_clock(run):
    path, group = run
    plot = LoadPerMinute(window=1440)
    metric = group.results[0].metrics["utilization"]["core"] * 100
    assert plot._utilization(group, "core") == pytest.approx(np.full(1440, metric))
    waits = [float(job["wait"]) for job in rows(path, "jobs")]
    medians = plot._medians(_waits(group), np.array([0, 700]))
    assert medians == pytest.approx([statistics.median(waits)] * 2)
    narrow = LoadPerMinute(window=20)
    noon = [
        float(job["wait"])
        for job in rows(path, "jobs")
        if 710 <= (float(job["submit"]) + 3600) % 86_400 / 60 < 730
    ]
    assert narrow._medians(_waits(group), np.array([720])) == pytest.approx(statistics.median(noon))


def test_dates_need_a_start_that_all_agree_on(run, tmp_path):
    _, group = run
    dated = TimeAxis([group])
    assert dated.origin == SYSTEM["start_time"]
    assert dated.places([dated.first])[0] == (SYSTEM["start_time"] + 900) / 86_400
    other = sl.simulate([sl.Job(1, 0, 5)], system={**SYSTEM, "start_time": 7}, out=tmp_path)
    mixed = TimeAxis([group, *groups_of(other)])
    assert mixed.origin is None
    assert (mixed.first, mixed.last) == (0.0, dated.last)
    assert mixed.places([172_800.0])[0] == 2.0


def test_numbers_are_written_short():
    assert [number_text(v) for v in (0, 1, 1.5, 12.345, 166.62, 58_168.7, 2.5e8)] == [
        *("0", "1", "1.50", "12.3", "167", "58,169", "2.5e+08"),
    ]
    assert [axis_text(v) for v in (0, 0.5, 20, 5000, 1e6, 2e7, 1e-5)] == [
        *("0", "0.5", "20", "5,000", "10⁶", "2·10⁷", "10⁻⁵"),
    ]
