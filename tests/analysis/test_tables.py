"""Spans, curves and rasters equal their plain twins."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars
import pytest
from conftest import examples, expand_nodes
from hypothesis import given
from hypothesis import strategies as st

from schedlab.analysis import curves, gantt_raster, job_colours, node_spans
from schedlab.analysis import raster as raster_module
from schedlab.analysis.style import IDLE_COLOUR, JOB_COLOURS
from schedlab.errors import InputError


def nodes_text(spans):
    """Returns the text of (first, last, tasks) as jobs.csv has it."""
    items = []
    for first, last, tasks in spans:
        span = f"{first}" if first == last else f"{first}-{last}"
        items.append(span if tasks == 1 else f"{span}*{tasks}")
    return " ".join(items)


@st.composite
def placements(draw, nodes):
    """Spans that ascend and do not touch each other."""
    cuts = sorted(draw(st.sets(st.integers(0, nodes - 1), min_size=1, max_size=6)))
    if len(cuts) % 2:
        cuts.append(cuts[-1])
    pairs = list(zip(cuts[::2], cuts[1::2], strict=True))
    return [(first, last, draw(st.integers(1, 4))) for first, last in pairs]


@given(st.lists(placements(50) | st.none(), max_size=8))
def test_spans_are_what_the_text_says(jobs):
    texts = [None if spans is None else nodes_text(spans) for spans in jobs]
    frame = node_spans(polars.DataFrame({"nodes": texts}, schema={"nodes": polars.String}))
    expected = [(job, *span) for job, spans in enumerate(jobs) for span in spans or ()]
    assert frame.rows() == expected
    assert frame.columns == ["job", "first", "last", "tasks"]
    for job, text in enumerate(texts):
        expanded = [
            (node, tasks)
            for row, first, last, tasks in frame.rows()
            if row == job
            for node in range(first, last + 1)
        ]
        assert expanded == expand_nodes(text or "")


@pytest.mark.parametrize("text", ["x", "1-", "3-1", "4*", "1*x", "1  2", "-3", "1-2-3", "1*2*3"])
def test_spans_refuse_what_is_none(text):
    with pytest.raises(InputError, match=r"job in row 2"):
        node_spans(polars.DataFrame({"nodes": ["0", text]}))


def curves_twin(times, values, first, last, bins):
    """Returns mean, minimum and maximum of each bin, by walking over every change."""
    first, last = Fraction(first), Fraction(last)
    result = []
    for number in range(bins):
        left = first + (last - first) * number / bins
        right = first + (last - first) * (number + 1) / bins
        changes = [left, *(Fraction(t) for t in times if left < t < right), right]
        area, seen = Fraction(0), []
        for begin, end in pairwise(changes):
            value = 0
            for time, new in zip(times, values, strict=True):
                if time <= begin:
                    value = new
            if end > begin:
                area += value * (end - begin)
                seen.append(value)
        result.append((float(area / (right - left)), min(seen), max(seen)))
    return result


@given(
    st.lists(st.tuples(st.integers(-5, 40), st.integers(0, 9)), max_size=12),
    st.integers(-8, 20),
    st.integers(1, 32),
    st.sampled_from([1, 2, 4, 8]),
)
def test_curves_equal_their_twin(rows, first, length, bins):
    rows.sort(key=lambda row: row[0])
    times, values = [float(row[0]) for row in rows], [row[1] for row in rows]
    frame = polars.DataFrame(
        {"time": times, "queued": values, "core_used": [9 - v for v in values]},
        schema={"time": polars.Float64, "queued": polars.Int64, "core_used": polars.Int64},
    )
    found = curves(frame.lazy(), first, first + length, bins)
    assert found.columns == [
        *("time", "queued", "queued_min", "queued_max"),
        *("core_used", "core_used_min", "core_used_max"),
    ]
    expected = curves_twin(times, values, first, first + length, bins)
    means, lowest, highest = zip(*expected, strict=True)
    assert found["queued"].to_list() == pytest.approx(means, rel=1e-12, abs=1e-12)
    assert found["queued_min"].to_list() == list(lowest)
    assert found["queued_max"].to_list() == list(highest)
    assert found["time"].to_list() == [first + length * i / bins for i in range(bins)]


def test_curves_refuse_what_is_empty():
    frame = polars.DataFrame({"time": [0.0], "queued": [1]})
    with pytest.raises(InputError, match="nothing between"):
        curves(frame, 5, 5, 10)
    with pytest.raises(InputError, match="no column 'power'"):
        curves(frame, 0, 5, 10, ["power"])


def raster_twin(jobs, nodes, first, last, width, height):
    """Returns job and busy of every pixel, node by node and moment by moment."""
    first, last = Fraction(first), Fraction(last)
    on_node = [[] for _ in range(nodes)]
    for job_id, start, end, text in jobs:
        if start is None:
            continue
        end = last if end is None else Fraction(end)
        for node, tasks in expand_nodes(text):
            on_node[node].append((Fraction(start), end, tasks, job_id))
    job = np.full((height, width), -1)
    busy = np.zeros((height, width))
    for row in range(height):
        top, bottom = Fraction(row * nodes, height), Fraction((row + 1) * nodes, height)
        for column in range(width):
            left = first + (last - first) * column / width
            right = first + (last - first) * (column + 1) / width
            moment, middle = (left + right) / 2, int((top + bottom) / 2)
            there = [(-t, i) for s, e, t, i in on_node[middle] if s <= moment < e]
            job[row, column] = min(there)[1] if there else -1
            for node in range(nodes):
                share = max(Fraction(0), min(bottom, node + 1) - max(top, node))
                if share:
                    covered = union([(max(s, left), min(e, right)) for s, e, _, _ in on_node[node]])
                    busy[row, column] += share * covered / ((bottom - top) * (right - left))
    return job, busy


def union(intervals):
    """Returns the length that intervals cover together."""
    covered, reached = Fraction(0), None
    for start, end in sorted(i for i in intervals if i[1] > i[0]):
        start = start if reached is None else max(start, reached)
        covered += max(Fraction(0), end - start)
        reached = end if reached is None else max(reached, end)
    return covered


@st.composite
def charts(draw):
    nodes = draw(st.integers(1, 9))
    jobs = []
    for job_id in draw(st.lists(st.integers(1, 99), max_size=8, unique=True)):
        start = draw(st.none() | st.integers(-6, 20))
        end = None if start is None else draw(st.none() | st.integers(start, 30))
        jobs.append((job_id, start, end, nodes_text(draw(placements(nodes)))))
    width, height = draw(st.sampled_from([1, 2, 4, 8])), draw(st.integers(1, 14))
    return jobs, nodes, draw(st.integers(-4, 4)), draw(st.integers(5, 24)), width, height


def frame_of(jobs):
    schema = {"job_id": polars.Int64, "start": polars.Float64, "end": polars.Float64}
    return polars.DataFrame(jobs, schema={**schema, "nodes": polars.String}, orient="row")


@examples(200)
@given(charts(), st.sampled_from([1, 7, 10**6]))
def test_raster_equals_its_twin(chart, pieces_at_once):
    jobs, nodes, first, last, width, height = chart
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raster_module, "PIECES_AT_ONCE", pieces_at_once)
        found = gantt_raster(frame_of(jobs), nodes, first, last, width, height)
    job, busy = raster_twin(*chart)
    assert found.job.tolist() == job.tolist()
    assert found.busy == pytest.approx(busy, abs=1e-6)
    assert found.job.dtype == np.int64
    assert found.busy.dtype == np.float32


def test_raster_refuses_what_it_cannot_show():
    frame = frame_of([(7, 0.0, 5.0, "3-4")])
    with pytest.raises(InputError, match="job 7 ran on node 4, the machine has 4"):
        gantt_raster(frame, 4, 0, 10, 5, 4)
    with pytest.raises(InputError, match="nothing to show"):
        gantt_raster(frame, 5, 10, 10, 5, 4)


def test_colours_of_jobs_are_stable_and_neighbours_differ():
    ids = np.arange(1, 2001)
    colours = job_colours(ids)
    assert colours.shape == (2000, 3)
    assert (colours == job_colours(ids.reshape(50, 40)).reshape(-1, 3)).all()
    assert (colours[1:] != colours[:-1]).any(axis=1).all()
    counts = polars.DataFrame(colours).group_by(polars.all()).len()["len"]
    assert len(counts) == len(JOB_COLOURS)
    assert counts.min() > 90
    assert tuple(job_colours(np.array([-1]))[0]) == IDLE_COLOUR
    assert tuple(job_colours(np.array([1]))[0]) == JOB_COLOURS[12]
