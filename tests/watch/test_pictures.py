"""The map of the nodes and the curves, as characters."""

from __future__ import annotations

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("textual")

from schedlab.watch import open_run
from schedlab.watch.terminal.frame import timeline_of_jobs
from schedlab.watch.terminal.map_picture import IDLE, geometry, paint
from schedlab.watch.terminal.panels import curve_rows, short


@given(nodes=st.integers(1, 10_000), width=st.integers(12, 200), height=st.integers(1, 60))
def test_every_node_has_its_place_in_the_map(nodes, width, height):
    layout = geometry(nodes, width, height)
    assert layout.rows <= height
    assert layout.label + layout.per_row * (layout.bar + layout.gap) - layout.gap <= width
    covered = [node for cell in range(layout.cells) for node in layout.nodes_of(cell)]
    assert covered == list(range(nodes))
    for cell in (0, layout.cells - 1):
        x = layout.label + cell % layout.per_row * (layout.bar + layout.gap)
        assert layout.cell_at(x, cell // layout.per_row) == cell


@given(
    held=st.lists(
        st.tuples(st.integers(0, 11), st.integers(-3, 5), st.integers(0, 4)),
        unique_by=lambda row: row[:2],
    ),
    width=st.integers(4, 60),
    height=st.integers(1, 12),
)
def test_the_map_shows_who_holds_what(held, width, height):
    layout = geometry(12, width, height)
    capacity = numpy.full(12, 16)
    frame = polars.DataFrame(
        sorted(held),
        schema=dict.fromkeys(("node", "job_id", "core"), polars.Int64),
        orient="row",
    )
    picture = paint(frame, capacity, "core", layout)
    for cell in range(layout.cells):
        nodes = layout.nodes_of(cell)
        there = {job for node, job, amount in held if node in nodes and amount}
        owners = picture.owners(cell)
        seen = {owner for owner in owners if owner != IDLE}
        assert seen <= there
        assert bool(seen) == bool(there)
        assert bool(picture.crowded[cell]) == (seen != there)
        total = sum(amount for node, _, amount in held if node in nodes)
        if total and len(seen) == len(there):
            taken = sum(owner != IDLE for owner in owners) / len(owners)
            assert abs(taken - total / (16 * len(nodes))) <= 1 / len(owners)


def test_curves_in_block_characters():
    assert curve_rows([0, 1, 4, 8], 8, 1) == [" ▁▄█"]
    assert curve_rows([0, 0.001, 8], 8, 2) == ["  █", " ▁█"]
    assert [short(n) for n in (0, 9999, 12_345, 123_456, 1.2e6 * 10, 36.4)] == [
        *("0", "9,999", "12.3k", "123k", "12.0M", "36.4")
    ]


def test_curves_of_a_run_without_a_timeline(finished):
    view = open_run(finished)
    made = timeline_of_jobs(view.jobs(), view.run)
    recorded = view.timeline().unique("time", keep="last", maintain_order=True)
    assert made.cast(polars.Float64).rows() == (
        recorded.select(made.columns).cast(polars.Float64).rows()
    )
