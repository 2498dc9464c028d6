"""Facts of a workload file."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest

from schedlab.errors import InputError
from schedlab.results.json_text import to_json
from schedlab.workload import SwfRow, read_swf, write_swf
from schedlab.workload.inspect import BLOCK, inspect_workload, leading_number, time_zone
from schedlab.workload.synthetic import header_lines, synthetic_rows

HEADER = [" UnixStartTime: 1704067200", " MaxProcs: 4 (all)", " Note: one", " Note: two"]
ROWS = [
    SwfRow(
        1, 0, run=100, allocated_processors=1, requested_processors=1, requested_time=50, user=1
    ),
    SwfRow(
        2, 7200, run=50, allocated_processors=4, requested_processors=4, requested_time=100, user=2
    ),
    SwfRow(2, 3600, run=0, allocated_processors=3, requested_processors=3, user=1, queue=1),
    SwfRow(
        4, 86_400, run=-1, requested_processors=8, requested_time=10, requested_memory=9, user=1
    ),
    SwfRow(5, 86_400, run=30, used_memory=1, preceding_job=1),
]


@pytest.fixture
def facts(tmp_path: Path) -> dict[str, object]:
    path = tmp_path / "few.swf"
    write_swf(path, ROWS, HEADER)
    with open(path, "a") as file:
        file.write("1 2 3\n")
    return inspect_workload(path)


def test_every_fact_of_a_few_rows(facts: dict[str, object]) -> None:
    assert facts["rows"] == 5
    assert facts["malformed"] == {"lines": 1, "first_line": 10}
    assert facts["header"]["Note"] == "one\ntwo"  # type: ignore[index]
    assert facts["unsorted_rows"] == 1
    assert facts["duplicate_job_numbers"] == 1
    assert facts["submit"] == {
        "first": 0,
        "last": 86_400,
        "span_seconds": 86_400,
        "first_date": "2024-01-01 00:00:00",
        "last_date": "2024-01-02 00:00:00",
        "time_zone": "UTC",
    }
    assert facts["jobs_per_day"] == 5
    assert facts["jobs_by_hour"] == [3, 1, 1] + [0] * 21
    assert (facts["users"], facts["queues"], facts["partitions"]) == (2, 1, 0)
    assert facts["processors"] == {
        "requested": {
            "given_share": 0.8,
            "min": 1,
            "median": 3,
            "mean": 4.0,
            "max": 8,
            "serial_share": 0.25,
            "power_of_two_share": 0.75,
        },
        "allocated": {
            "given_share": 0.6,
            "min": 1,
            "median": 3,
            "mean": 8 / 3,
            "max": 4,
            "serial_share": 1 / 3,
            "power_of_two_share": 2 / 3,
        },
    }
    assert facts["run_time"] == {
        "given_share": 0.8,
        "min": 0,
        "median": 40,
        "mean": 45.0,
        "max": 100,
        "zero_rows": 1,
    }
    assert facts["requested_time"] == {
        "given_share": 0.6,
        "min": 10,
        "median": 50,
        "mean": 160 / 3,
        "max": 100,
        "exceeded_rows": 1,
        "exceeded_share": 0.5,
        "run_over_requested_median": 1.25,
    }
    assert facts["memory"] == {"requested_share": 0.2, "used_share": 0.2}
    assert facts["rows_with_preceding_job"] == 1
    assert facts["offered_load"] == {
        "load": (100 + 200) / (4 * 86_400),
        "processors": 4,
        "field": "MaxProcs",
    }
    without = {"submit_time": 0, "processors": 1, "run_time": 1, "requested_time": 2}
    assert facts["rows_without"] == without
    assert facts["rows_larger_than_machine"] == 1
    assert len(facts["warnings"]) == 10  # type: ignore[arg-type]


def test_facts_are_json(facts: dict[str, object]) -> None:
    assert json.loads(to_json(facts)) == facts


def test_blocks_add_up(tmp_path: Path) -> None:
    path, jobs = tmp_path / "some.swf", BLOCK + 100
    write_swf(path, synthetic_rows(jobs), header_lines(jobs, 1))
    seen: list[tuple[int, float | None]] = []
    facts = inspect_workload(path, lambda rows, share: seen.append((rows, share)))
    rows = list(read_swf(path))
    assert [rows for rows, _ in seen] == [BLOCK, jobs]
    assert seen[-1][1] == 1.0
    assert sum(facts["jobs_by_hour"]) == facts["rows"] == jobs
    assert facts["unsorted_rows"] == facts["duplicate_job_numbers"] == 0
    assert facts["users"] == len({row.user for row in rows})
    assert facts["run_time"]["mean"] == pytest.approx(sum(row.run for row in rows) / jobs)
    assert facts["run_time"]["median"] == median(row.run for row in rows)
    assert facts["warnings"] == []


def test_hours_are_those_of_the_time_zone(tmp_path: Path) -> None:
    path = tmp_path / "zone.swf"
    write_swf(path, ROWS[:1], [*HEADER, " TimeZone: 7200"])
    facts = inspect_workload(path)
    assert facts["jobs_by_hour"].index(1) == 2
    assert facts["submit"]["first_date"] == "2024-01-01 02:00:00"


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ({}, "UTC"),
        ({"TimeZoneString": "No/Where"}, "UTC"),
        ({"TimeZoneString": "../etc/passwd", "TimeZone": "3600"}, "UTC+01:00"),
        ({"TimeZone": "99999"}, "UTC"),
        ({"TimeZone": "soon"}, "UTC"),
    ],
)
def test_time_zone_of_odd_headers(header: dict[str, str], name: str) -> None:
    assert time_zone(header)[1] == name


@pytest.mark.parametrize(
    ("text", "number"), [("338 (batch)", 338), ("0", None), ("x", None), ("", None), (None, None)]
)
def test_leading_number(text: str | None, number: int | None) -> None:
    assert leading_number(text) == number


def test_absurd_times_are_no_error(tmp_path: Path) -> None:
    path = tmp_path / "far.swf"
    write_swf(path, [SwfRow(1, 1e17, run=1e17)], HEADER)
    facts = inspect_workload(path)
    assert facts["submit"]["first_date"] is None
    assert facts["submit"]["first"] == 10**17


def test_file_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "odd.swf"
    path.write_text("; Version: 2\n")
    assert inspect_workload(path)["warnings"] == ["no rows"]
    path.write_bytes(b"\x00\x01\n\xff\n")
    with pytest.raises(InputError, match="none of its 2 lines"):
        inspect_workload(path)
