"""Real traces through every format that can hold them: the same rows, fields and header."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from conftest import SHARED, examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab.testing import check_reader, check_writer
from schedlab.workload.formats import open_reader, open_writer, write_tables
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import complete, table_of

TRACES = sorted(path.name for path in (SHARED / "traces").glob("*.swf.gz")) or ["none.swf.gz"]
WORKFLOWS = ("wfformat", "manifest", "dax")
ROWS = 2_000
"""Of long traces, the first and the last ones go through slower formats."""


def read(path: Path) -> tuple[polars.DataFrame, dict[str, str]]:
    reader = open_reader(path)
    table = polars.concat(reader.tables())
    assert not reader.skipped
    return table, reader.header


def ends_of(table: polars.DataFrame, most: int) -> polars.DataFrame:
    """The first and the last rows of a long table."""
    return table if table.height <= most else polars.concat([table.head(ROWS), table.tail(ROWS)])


@pytest.mark.parametrize("name", TRACES)
def test_traces_come_back(trace, tmp_path: Path, name: str) -> None:
    table, header = read(trace(name))
    write_tables(tmp_path / "a.parquet", [table], header)
    again, kept = read(tmp_path / "a.parquet")
    assert again.equals(table)
    assert kept == header
    write_tables(tmp_path / "again.swf", [again], kept, "swf(exact=true)")
    last, kept = read(tmp_path / "again.swf")
    assert last.equals(table)
    assert kept == header
    table = ends_of(table, 110_000)
    write_tables(tmp_path / "a.csv", [table], header)
    again, kept = read(tmp_path / "a.csv")
    assert again.equals(table)
    assert kept == header


@pytest.mark.parametrize("name", TRACES)
@pytest.mark.parametrize("form", ["batsim", "irmasim"])
def test_traces_come_back_from_json(trace, tmp_path: Path, name: str, form: str) -> None:
    table, header = read(trace(name))
    table = ends_of(table, 12_000)
    write_tables(tmp_path / "a.json", [table], header, form)
    again, kept = read(tmp_path / "a.json")
    assert kept == header
    write_tables(tmp_path / "again.swf", [again.select(FIELDS)], kept, "swf(exact=true)")
    last, _ = read(tmp_path / "again.swf")
    assert last.equals(table)


ALL = (*FIELDS, "tasks", "task_core", "task_gpu", "phase", "predecessors", "name")


@pytest.mark.parametrize(
    ("form", "suffix", "same"),
    [
        ("parquet", ".parquet", ALL),
        ("parquet", ".parquet.gz", ALL),
        ("csv", ".csv", ALL),
        ("csv", ".csv.xz", ALL),
        ("batsim", ".json", ALL),
        ("batsim", ".json.gz", ALL),
        ("irmasim", ".json", FIELDS),
    ],
)
def test_writers_keep_the_rules(form: str, suffix: str, same: tuple[str, ...]) -> None:
    check_writer(
        lambda path, header: open_writer(path, form, header),
        suffix=suffix,
        reader=lambda path: open_reader(path, form),
        same=same,
    )


@pytest.mark.parametrize("form", ["parquet", "csv", "batsim", "irmasim", *WORKFLOWS])
def test_readers_keep_the_rules(tmp_path: Path, form: str) -> None:
    jobs = [
        schedlab.Job(1, 0, 60, 2, 100),
        schedlab.Job(2, 0, 30, 1, predecessors=[1]),
        schedlab.Job(3, 0, 0.5, 4, predecessors=[1, 2]),
    ]
    path = tmp_path / "good"
    write_tables(path, [table_of(jobs)], name=form)
    kind = type(open_reader(path, form))
    bad = [tmp_path / name for name in ("missing", "empty", "cut")]
    bad[1].write_bytes(b"")
    bad[2].write_bytes(path.read_bytes()[: 4 if form == "csv" else -20])
    bad.append(tmp_path)
    check_reader(lambda: kind(str(path)), bad=bad)


numbers = st.one_of(
    st.just(-1.0),
    st.integers(-(2**53), 2**53).map(float),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.floats(-1e12, 1e12),
)
jobs = st.integers(0, 2**53 - 1).map(float)


@examples(40)
@given(
    st.lists(
        st.tuples(jobs, *[numbers] * 18, st.lists(st.integers(0, 2**53 - 1), max_size=3)),
        max_size=5,
    ),
    st.sampled_from(["a.parquet", "a.csv", "a.json"]),
)
def test_any_numbers_come_back(tmp_path_factory, rows, name: str) -> None:
    schema = dict.fromkeys((*FIELDS, "phase"), polars.Float64)
    schema |= {"predecessors": polars.List(polars.Int64)}
    table = complete(polars.DataFrame(rows, schema, orient="row"))
    path = tmp_path_factory.mktemp("any") / name
    write_tables(path, [table])
    again, header = read(path)
    columns = [name for name in table.columns if name in again.columns]
    assert again.select(columns).equals(table.select(columns))
    for missing in set(table.columns) - set(columns):  # JSON says nothing of what is missing
        assert table[missing].to_list() in ([[]] * table.height, [-1] * table.height)
    assert header == {}
