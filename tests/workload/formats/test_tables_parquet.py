"""Parquet: native tables, typed columns, the column map, many rows, and files that are none."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars
import pytest

import schedlab
from schedlab.errors import InputError
from schedlab.workload.formats import format_to_read, open_reader, write_tables
from schedlab.workload.formats.tables import parquet
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import complete


def read(path: Path, reader: str | None = None) -> tuple[polars.DataFrame, dict, dict]:
    opened = open_reader(path, reader)
    table = polars.concat(opened.tables())
    return table, opened.skipped, opened.header


def rows(count: int, first: int = 1) -> polars.DataFrame:
    numbers = range(first, first + count)
    return complete(
        polars.DataFrame(
            {
                "job": numbers,
                "submit": [n / 3 for n in numbers],
                "run": [n % 97 for n in numbers],
                "phase": [n % 4 for n in numbers],
                "predecessors": [[n - 1] if n % 5 == 0 else [] for n in numbers],
                "name": [f"job {n}" for n in numbers],
            }
        )
    )


@pytest.mark.parametrize("name", ["a.parquet", "a.parquet.gz", "a.parquet.xz"])
def test_rows_and_header_come_back(tmp_path: Path, name: str) -> None:
    header = {"Computer": "Test", "Note": "two\nlines ü"}
    write_tables(tmp_path / name, [rows(10), rows(5, 11)], header)
    assert format_to_read(str(tmp_path / name)) == "parquet"
    table, skipped, kept = read(tmp_path / name)
    assert table.equals(rows(15))
    assert not skipped
    assert kept == header


def test_more_rows_than_are_held_in_memory(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(parquet, "HELD_ROWS", 1000)
    tables = [rows(700, 1 + 700 * n) for n in range(7)]
    write_tables(tmp_path / "a.parquet", tables, {"Note": "long"})
    table, _, header = read(tmp_path / "a.parquet")
    assert table.equals(polars.concat(tables))
    assert header == {"Note": "long"}
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


def test_a_writer_that_fails_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(parquet, "HELD_ROWS", 10)

    def tables():
        yield rows(50)
        raise InputError("no more")

    with pytest.raises(InputError, match="no more"):
        write_tables(tmp_path / "a.parquet", tables())
    assert not list(tmp_path.iterdir())


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet"):
        write_tables(tmp_path / name, [rows(100)], {"Note": "x"})
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_typed_columns(tmp_path: Path) -> None:
    start = datetime(2024, 1, 5, 9, tzinfo=UTC)
    polars.DataFrame(
        {
            "asked": [start, start + timedelta(seconds=90.5)],
            "naive": [datetime(2024, 1, 5, 10), datetime(2024, 1, 5, 11)],
            "day": [date(2024, 1, 5)] * 2,
            "took": [timedelta(minutes=5), None],
            "who": polars.Series(["eve", "bob"], dtype=polars.Categorical),
            "ok": [True, False],
            "cores": polars.Series([4, 2], dtype=polars.Int8),
            "before": [[], [1]],
            "nested": [{"a": 1}, {"a": 2}],
        }
    ).write_parquet(tmp_path / "a.parquet")
    table, skipped, header = read(
        tmp_path / "a.parquet",
        "parquet(submit=asked, run=took, user=who, status=ok, requested_processors=cores, "
        "predecessors=before, gap=asked - naive, since=asked - time(day), zone=Europe/Stockholm)",
    )
    assert not skipped
    assert table["submit"].to_list() == [0, 90.5]
    assert header["UnixStartTime"] == str(int(start.timestamp()))
    assert table["run"].to_list() == [300, -1]
    assert table["user"].to_list() == [1, 2]
    assert table["status"].to_list() == [1, 0]
    assert table["requested_processors"].to_list() == [4, 2]
    assert table["predecessors"].to_list() == [[], [1]]
    assert table["gap"].to_list() == [0, 90.5 - 3600]  # ten in Stockholm is nine in UTC
    assert table["since"].to_list() == [10 * 3600, 10 * 3600 + 90.5]


def test_without_a_map_columns_of_numbers_are_taken(tmp_path: Path) -> None:
    polars.DataFrame(
        {"submit": [1], "run": [2], "power": [3.5], "words": ["x"], "nested": [{"a": 1}]}
    ).write_parquet(tmp_path / "a.parquet")
    table, _, _ = read(tmp_path / "a.parquet")
    assert table.columns == [*FIELDS, "power"]


def test_values_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    frame = polars.DataFrame({"submit": ["1", "x", "3"], "run": [1.0, 2.0, float("inf")]})
    frame.write_parquet(tmp_path / "a.parquet")
    table, skipped, _ = read(tmp_path / "a.parquet")
    assert table["submit"].to_list() == [1]
    assert skipped == {
        "submit cannot be read": {"rows": 1, "first_line": 2},
        "run cannot be read": {"rows": 1, "first_line": 3},
    }


def test_a_column_that_holds_other_columns(tmp_path: Path) -> None:
    polars.DataFrame({"s": [1], "o": [{"a": 1}]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="column 'o': cannot be read: it is Struct"):
        read(tmp_path / "a.parquet", "parquet(submit=s, run=o)")


def test_a_table_without_rows(tmp_path: Path) -> None:
    write_tables(tmp_path / "a.parquet", [], {"Note": "nothing"})
    table, _, header = read(tmp_path / "a.parquet")
    assert table.height == 0
    assert header == {"Note": "nothing"}


def test_files_that_are_no_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write_tables(path, [rows(1000)])
    whole = path.read_bytes()
    damaged = whole[:100] + bytes(200) + whole[300:]
    for content in (b"", b"hello", b"PAR1" * 5, whole[:-1], whole[10:], whole[:500], damaged):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"a.parquet: is not a Parquet file, or damaged"):
            read(path)
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "b.parquet")


def test_header_that_somebody_else_left(tmp_path: Path) -> None:
    for text in ("no json", "[1]", '{"a": 3}'):
        rows(1).write_parquet(tmp_path / "a.parquet", metadata={"schedlab.header": text})
        assert read(tmp_path / "a.parquet")[2] == ({"a": "3"} if "3" in text else {})


def test_a_table_is_simulated(tmp_path: Path) -> None:
    jobs = [schedlab.Job(1, 0, 10), schedlab.Job(2, 0, 5, predecessors=[1])]
    from schedlab.workload.table import table_of

    write_tables(tmp_path / "a.parquet", [table_of(jobs)])
    machine = {"groups": {"node": {"nodes": 2, "resources": {"core": 1}}}}
    schedlab.simulate(str(tmp_path / "a.parquet"), system=machine, out=tmp_path / "out")
    assert polars.read_csv(tmp_path / "out" / "jobs.csv")["start"].to_list() == [0, 10]
