"""Lists of nodes: what is written is read back, and columns are read as single texts are."""

from __future__ import annotations

import re

import polars
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.node_lists import BEYOND, parse_placement, placement_text, range_of
from schedlab.results.placements import is_placement, split_placements
from schedlab.system.node_ranges import node_ranges
from schedlab.workload.formats.pbs.resources import hosts
from schedlab.workload.formats.sacct.columns import nodes_in

PLACED = st.dictionaries(st.integers(0, 60), st.integers(1, 4), max_size=30)
RANGES = st.tuples(st.integers(0, 99), st.integers(0, 99)).map(sorted)


def written(placed: dict[int, int]) -> str:
    return placement_text(sorted(placed.items()))


def span_text(first: int, last: int, width: int = 1) -> str:
    return f"{first:0{width}}" if first == last else f"{first:0{width}}-{last:0{width}}"


@given(PLACED)
def test_what_is_written_is_read_back(placed: dict[int, int]) -> None:
    text = written(placed)
    found = {
        node: tasks
        for first, last, tasks in parse_placement(text)
        for node in range(first, last + 1)
    }
    assert found == placed
    again = placement_text(
        (node, tasks)
        for first, last, tasks in parse_placement(text)
        for node in range(first, last + 1)
    )
    assert again == text


@given(st.text("0123456789-* +x", max_size=9) | PLACED.map(written))
@example("+3")
@example("1*-3")
@example("3-1")
@example("1  2")
@example("1_0")
@example("٣")
def test_columns_are_read_as_texts(text: str) -> None:
    frame = polars.LazyFrame({"nodes": [text]}, schema={"nodes": polars.String})
    rows = split_placements(frame, "nodes").with_columns(is_placement().alias("right")).collect()
    if wrong := rows.filter(~polars.col("right"))["item"].to_list():
        with pytest.raises(sl.InputError, match=re.escape(repr(wrong[0]))):
            parse_placement(text)
    else:
        assert rows.select("first", "last", "tasks").rows() == parse_placement(text)


@given(st.lists(RANGES, min_size=1, max_size=6))
def test_users_and_logs_write_ranges_alike(ranges: list[list[int]]) -> None:
    system = sl.load_system({"groups": {"node": {"nodes": 100, "resources": {"core": 1}}}})
    named = {node for first, last in ranges for node in range(first, last + 1)}
    written = ", ".join(span_text(*one) for one in ranges)
    found = node_ranges(written, system, "nodes")
    assert [node for first, count in found for node in range(first, first + count)] == sorted(named)
    inside = ",".join(span_text(*one, width=3) for one in ranges)
    count = sum(last - first + 1 for first, last in ranges)
    assert nodes_in(f"rack[{inside}],login") == count + 1
    assert hosts(f"n1/{inside}") == (count, 1)


@pytest.mark.parametrize("text", ["", "-", "1-", "-1", "1-2-3", "a", "1.5", "+1", " 1", "٣"])
def test_what_is_not_a_range(text: str) -> None:
    assert range_of(text) is None


def test_numbers_of_any_length() -> None:
    assert range_of("9" * 5000) == range(BEYOND, BEYOND + 1)
    assert range_of("0" * 5000 + "7") == range(7, 8)
    assert range_of("35-16") == range(35, 17)
    assert not range_of("35-16")
