"""Facts of a workload file."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import polars
import pytest
from typer.testing import CliRunner

from schedlab.cli import app
from schedlab.errors import InputError
from schedlab.likeness import compare_workloads
from schedlab.results.json_text import to_json
from schedlab.workload import SwfRow, read_swf, write_swf
from schedlab.workload.formats import write_tables
from schedlab.workload.header import leading_number, time_zone
from schedlab.workload.inspect import inspect_workload
from schedlab.workload.models.synthetic import header_lines, synthetic_rows
from schedlab.workload.table import BATCH, complete

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
    path, jobs = tmp_path / "some.swf", BATCH + 100
    write_swf(path, synthetic_rows(jobs), header_lines(jobs, 1))
    seen: list[tuple[int, float | None]] = []
    facts = inspect_workload(path, lambda rows, share: seen.append((rows, share)))
    rows = list(read_swf(path))
    assert [rows for rows, _ in seen] == [BATCH, jobs]
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


def test_weekdays_months_and_arrivals(tmp_path: Path) -> None:
    path = tmp_path / "dated.swf"
    # 2024-01-31 23:30 in UTC is a Wednesday, and in Stockholm a Thursday in February.
    moments = [1706743800, 1706743800, 1706750000, 1711933200]
    rows = [SwfRow(number, when - moments[0]) for number, when in enumerate(moments)]
    header = [f" UnixStartTime: {moments[0]}", " TimeZoneString: Europe/Stockholm"]
    write_swf(path, rows, header)
    facts = inspect_workload(path)
    assert facts["jobs_by_weekday"] == [1, 0, 0, 3, 0, 0, 0]
    assert facts["jobs_by_month"] == [0, 3, 0, 1] + [0] * 8
    assert facts["interarrival"]["median"] == 6200
    assert facts["interarrival"]["zero_share"] == pytest.approx(1 / 3)
    write_swf(path, rows)
    facts = inspect_workload(path)
    assert facts["jobs_by_weekday"] is facts["jobs_by_month"] is None


def test_hours_are_right_across_a_change_to_summer_time(tmp_path: Path) -> None:
    path = tmp_path / "spring.swf"
    start = 1_711_843_200  # 2024-03-31 00:00 UTC; an hour later clocks in Stockholm skip one
    rows = [SwfRow(hour, 3600 * hour) for hour in range(4)]
    write_swf(path, rows, [f" UnixStartTime: {start}", " TimeZoneString: Europe/Stockholm"])
    jobs = inspect_workload(path)["jobs_by_hour"]
    assert [hour for hour, count in enumerate(jobs) if count] == [1, 3, 4, 5]


def test_what_only_some_formats_have(tmp_path: Path) -> None:
    table = complete(
        polars.DataFrame(
            {
                "job": [1, 2, 3, 4],
                "submit": [0, 1, 2, 3],
                "run": [10, 10, 10, 10],
                "tasks": [2, 1, 1, 1],
                "task_core": [4, 1, 1, 1],
                "task_gpu": [1, 0, 0, -1],
                "phase": [1, 3, 3, 9],
                "workflow": [-1, 5, 5, 6],
                "predecessors": [[], [1], [1, 2], []],
            }
        )
    )
    path = tmp_path / "extra.swf"
    write_tables(path, [table], {"MaxProcs": "16"}, "swf(exact=true)")
    facts = inspect_workload(path)
    assert facts["resources"]["core"] == {"share_of_jobs": 1.0, "mean": 2.75, "max": 8}
    assert facts["resources"]["gpu"] == {"share_of_jobs": 0.25, "mean": 2, "max": 2}
    assert facts["dependencies"] == {"jobs": 2, "edges": 3}
    assert facts["workflows"] == {"number": 2, "jobs": 3}
    assert facts["phases"] == {"fill": 1, "experiment": 2, "9": 1}
    assert facts["offered_load"]["load"] == pytest.approx((80 + 30) / (16 * 3))
    shown = CliRunner().invoke(app, ["workload", "inspect", str(path)]).stdout
    for text in ("gpu of jobs", "3 on earlier jobs, of 2 jobs", "2 with 3 jobs", "experiment 2"):
        assert text in shown


def test_a_reader_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "line_reader.py").write_text(
        "import polars, schedlab\n"
        "class Lines(schedlab.Reader):\n"
        "    def tables(self):\n"
        "        found = []\n"
        "        for line in self.lines():\n"
        "            if line.strip().isdigit():\n"
        "                found.append(int(line))\n"
        "            else:\n"
        "                self.skip('no number')\n"
        "        from schedlab.workload.table import complete\n"
        "        yield complete(polars.DataFrame({'submit': found, 'run': found}))\n"
    )
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "any.txt"
    path.write_text("7\nx\n9\n")
    facts = inspect_workload(path, reader="line_reader:Lines")
    assert (facts["rows"], facts["run_time"]["max"]) == (2, 9)
    assert facts["reader"] == "line_reader:Lines"
    assert facts["skipped"] == {"no number": {"rows": 1, "first_line": 2}}
    assert facts["warnings"][0] == "1 line (no number): skipped, or refused by --strict"


def test_rows_that_simulations_sort_anyway_are_no_reason_to_warn(tmp_path):
    jobs = '{"id": "1", "subtime": 10.7, "res": 1, "profile": "p"}, ' * 2
    jobs += '{"id": "3", "subtime": 10.2, "res": 1, "profile": "p"}'
    text = f'{{"jobs": [{jobs}], "profiles": {{"p": {{"type": "delay", "delay": 9}}}}}}'
    (tmp_path / "b.json").write_text(text)
    facts = inspect_workload(tmp_path / "b.json", reader="batsim")
    assert facts["unsorted_rows"] == 1
    assert not any("--sort" in warning for warning in facts["warnings"])


def test_rows_out_of_order_say_by_how_much(tmp_path):
    row = "{} {} -1 5 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"
    (tmp_path / "t.swf").write_text(row.format(1, 10.7) + row.format(2, 10.2))
    facts = inspect_workload(tmp_path / "t.swf")
    warning = "1 row submitted before the row above: run with --sort (by up to 0.5 s)"
    assert facts["warnings"] == [warning]


def test_a_log_whose_time_0_is_that_of_unix(tmp_path):
    row = "1 1356996147 -1 5 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"
    (tmp_path / "t.swf").write_text("; UnixStartTime: 0\n" + row)
    facts = inspect_workload(tmp_path / "t.swf")
    assert facts["submit"]["first_date"] == "2012-12-31 23:22:27"
    assert facts["jobs_by_weekday"] == [1, 0, 0, 0, 0, 0, 0]
    likeness = compare_workloads(tmp_path / "t.swf", tmp_path / "t.swf", simulate=())
    notes = likeness.facts["notes"]
    assert not any("UnixStartTime" in note for note in notes)


def test_a_preceding_job_that_all_rows_have_is_a_filler(tmp_path):
    row = "{0} {0} -1 5 1 -1 -1 1 10 -1 1 1 1 1 1 1 {1} -1\n"
    path = tmp_path / "t.swf"
    path.write_text(row.format(1, 1) + row.format(2, 1) + row.format(3, 1))
    (warning,) = inspect_workload(path)["warnings"]
    assert warning.startswith(
        "3 rows after a preceding job, all after job 1, as a filler would have"
    )
    path.write_text(row.format(1, -1) + row.format(2, 1) + row.format(3, 2))
    assert inspect_workload(path)["warnings"] == [
        "2 rows after a preceding job: ignored, or see --dependencies"
    ]
