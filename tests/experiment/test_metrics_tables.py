"""The tables: what is in them, that they agree with the runs, and how many files they need."""

from __future__ import annotations

import builtins
import itertools
import json
import os
import shutil
import statistics
from operator import attrgetter
from pathlib import Path

import polars
import pytest
from polars.testing import assert_frame_equal

import schedlab as sl
from schedlab.errors import InputError
from schedlab.experiment.folder import MARKER


def test_metrics_are_those_of_the_runs(finished):
    for row in finished.comparison.metrics.iter_rows(named=True):
        run = finished.comparison.result(row["run"]).run
        for name in ("wait", "slowdown", "bounded_slowdown", "turnaround"):
            for one in ("mean", "median", "p95", "max"):
                assert row[f"{name}_{one}"] == run["metrics"][name][one]
        assert row["jobs_completed"] == run["counts"]["completed"] == 400
        assert row["utilization_core"] == run["metrics"]["utilization"]["core"]
        assert row["makespan"] == run["metrics"]["makespan"]
        assert row["throughput_per_hour"] == run["metrics"]["throughput_per_hour"]


def test_queue_and_timing_are_those_of_the_timeline(finished):
    comparison = finished.comparison
    rows = zip(
        comparison.metrics.iter_rows(named=True),
        comparison.timing.iter_rows(named=True),
        strict=True,
    )
    for metrics, timing in rows:
        result = comparison.result(metrics["run"])
        points = result.timeline.collect().rows(named=True)
        area = sum(
            one["queued"] * (two["time"] - one["time"]) for one, two in itertools.pairwise(points)
        )
        assert metrics["queue_mean"] == pytest.approx(
            area / (points[-1]["time"] - points[0]["time"])
        )
        assert metrics["queue_max"] == max(one["queued"] for one in points)
        memory = statistics.fmean(one["memory_bytes"] for one in points)
        assert timing["mean_memory_bytes"] == pytest.approx(memory)
        other = statistics.fmean(one["other_nanoseconds"] for one in points)
        assert timing["other_microseconds"] == pytest.approx(other / 1000)
        dispatch = statistics.fmean(one["dispatch_nanoseconds"] for one in points)
        assert timing["dispatch_microseconds"] == pytest.approx(dispatch / 1000)
        assert timing["time_points"] == len(points)
        assert timing["cpu_seconds"] == result.run["simulator"]["cpu_seconds"]


def test_summary_is_mean_and_deviation_of_the_repetitions(finished):
    comparison = finished.comparison
    assert comparison.summary["dispatcher"].to_list() == comparison.dispatchers
    assert comparison.summary["runs"].to_list() == [2] * 4
    for frame, summary in (
        (comparison.metrics, comparison.summary),
        (comparison.timing, comparison.timing_summary),
    ):
        numbers = [name for name in frame.columns if name not in frame.columns[:8]]
        assert len(numbers) >= 8
        for row in summary.iter_rows(named=True):
            runs = frame.filter(polars.col("dispatcher") == row["dispatcher"])
            for name in numbers:
                values = runs[name].to_list()
                assert row[name] == pytest.approx(statistics.fmean(values), rel=1e-12)
                deviation = statistics.stdev(values)
                assert row[f"{name}_deviation"] == pytest.approx(deviation, rel=1e-9, abs=1e-12)
    easy = comparison.summary.filter(polars.col("dispatcher") == "easy+first-fit")
    assert easy["wait_mean_deviation"].item() == 0  # exactly: nothing is drawn at random


def test_jobs_side_by_side_are_means_over_repetitions(finished):
    comparison = finished.comparison
    for column in ("wait", "slowdown", "bounded_slowdown", "turnaround"):
        jobs = comparison.jobs(column)
        labels = [group.label for group in comparison.groups]
        assert labels[:2] == ["fifo + first-fit", "fifo + random"]
        assert jobs.columns == ["job_id", "user", "submit", "tasks", *labels]
        assert jobs["submit"].is_sorted()
        for group in comparison.groups:
            values: dict[int, list[float]] = {}
            for result in group.results:
                frame = result.jobs.with_columns(
                    turnaround=polars.col("end") - polars.col("submit")
                )
                for job, value in frame.select("job_id", column).collect().iter_rows():
                    values.setdefault(job, []).append(value)
            for job, value in jobs.select("job_id", group.label).iter_rows():
                assert value == pytest.approx(statistics.fmean(values[job]))


def test_differences_are_of_these_jobs(finished):
    comparison = finished.comparison
    jobs = comparison.jobs("wait")
    row = (
        comparison.differences()
        .filter(polars.col("dispatcher") == "easy+first-fit")
        .row(0, named=True)
    )
    assert row["baseline"] == "fifo+first-fit"
    assert row["baseline_mean"] == pytest.approx(jobs["fifo + first-fit"].mean())
    assert row["mean"] == pytest.approx(jobs["easy + first-fit"].mean())
    assert row["change_low"] <= row["change"] <= row["change_high"]
    assert row["blocks"] >= 20
    assert row["draws"] == 10_000
    other = comparison.differences("easy + first-fit", "turnaround")
    assert set(other["baseline"]) == {"easy+first-fit"}
    assert set(other["column"]) == {"turnaround"}
    turned = other.filter(polars.col("dispatcher") == "fifo+first-fit").row(0, named=True)
    assert turned["difference"] == pytest.approx(-row["difference"])
    # What was written is what is worked out anew.
    anew = sl.Comparison(comparison.path, {**comparison.description, "baseline": "another"})
    assert_frame_equal(anew.differences("fifo+first-fit", "wait"), comparison.differences())


@pytest.mark.parametrize("wrong", ["fifo", "nobody"])
def test_a_baseline_that_is_no_dispatcher(finished, wrong):
    with pytest.raises(InputError, match=r"is not one of the dispatchers: fifo\+first-fit"):
        finished.comparison.differences(wrong)


def test_columns_that_are_none(finished):
    for call in (
        finished.comparison.jobs,
        lambda name: finished.comparison.differences(None, name),
    ):
        with pytest.raises(InputError, match='unknown "size"; known: wait'):
            call("size")


def test_what_is_no_experiment(tmp_path, finished):
    with pytest.raises(InputError, match=r"it has no experiment.json"):
        sl.Comparison.load(tmp_path)
    (tmp_path / "experiment.json").write_text('{"format": 99}')
    with pytest.raises(InputError, match="is of format 99"):
        sl.Comparison.load(tmp_path)
    (tmp_path / "experiment.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        sl.Comparison.load(tmp_path)
    shutil.copytree(finished.path / "out", tmp_path / "copy")
    (tmp_path / "copy" / "metrics.csv").unlink()
    with pytest.raises(InputError, match=r"metrics.csv: cannot be read"):
        _ = sl.Comparison.load(tmp_path / "copy").metrics


def test_rows_that_were_skipped_are_reported(folder):
    with open(folder / "a.swf", "a") as file:
        file.write("9001 999999 -1 -1 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n" * 2)
    for _ in range(2):  # made, and taken from what is there
        made = sl.Experiment(
            "out", workloads="a.swf", systems="m.toml", schedulers=["fifo", "easy"]
        )
        notes = made.run().description["notes"]
        assert notes == ["a: 2 of 402 rows skipped: no run time"]


def test_dispatchers_whose_jobs_differ_meet_in_the_union(folder):
    (folder / "their_policies.py").write_text(
        "calls = 0\ndef some(job):\n    return job if job.id > 100 else None\n"
    )
    one = sl.simulate("a.swf", system="m.toml", job_factory="their_policies:some")
    two = sl.simulate("a.swf", system="m.toml", scheduler="easy")
    from schedlab.experiment.side_by_side import side_by_side

    frame = side_by_side([("w", "s", "one", [one]), ("w", "s", "two", [two, one])])
    assert frame.height == 400
    assert frame["wait:one"].null_count() == 100
    assert frame["wait:two"].null_count() == 0
    first = frame.filter(polars.col("job_id") == 101)
    waits = [
        r.jobs.filter(polars.col("job_id") == 101).collect()["wait"].item() for r in (two, one)
    ]
    assert first["wait:two"].item() == pytest.approx(statistics.fmean(waits))


def test_a_thousand_runs_are_listed_from_a_few_files(folder, monkeypatch):
    """Counts files, not seconds: each run may cost a fixed number of looks, never all others."""
    given = {"workloads": "a.swf", "systems": "m.toml", "jobs": "none", "timeline": "none"}
    one = sl.Experiment("one", schedulers="fifo", **given)
    one.run()
    many = sl.Experiment("many", schedulers="fifo", repeat=1000, **given)
    source = folder / "one" / "runs" / "fifo+first-fit" / "01"
    run, marker = (source / "run.json").read_text(), json.loads((source / MARKER).read_text())
    for planned in many.runs():
        path = Path("many", "runs", planned.name)
        path.mkdir(parents=True)
        (path / "run.json").write_text(run)
        (path / MARKER).write_text(json.dumps({**marker, "key": planned.key}))
    Path("many/experiment.json").write_text('{"format": 1}')

    opened: list[str] = []
    real = builtins.open

    def counted(file, *arguments, **options):
        if "many" in str(file):
            opened.append(os.path.basename(str(file)))
        return real(file, *arguments, **options)

    monkeypatch.setattr(builtins, "open", counted)
    comparison = many.run()
    assert len(comparison.metrics) == 1000
    assert len(opened) <= 6 * 1000 + 20  # once, to make the tables
    opened.clear()
    assert many.run().metrics.equals(comparison.metrics)
    assert opened.count("run.json") == 0
    assert len(opened) <= 2 * 1000 + 20
    opened.clear()
    assert len(sl.Comparison.load("many").metrics) == 1000
    assert len(opened) <= 3


@pytest.mark.parametrize(
    ("name", "read"),
    [
        *((name, attrgetter(name)) for name in ("metrics", "timing", "summary")),
        ("differences", lambda comparison: comparison.differences()),
    ],
)
def test_tables_that_were_changed_are_refused(finished, tmp_path, name, read):
    """Rows that are whole but not all of them, and numbers of a user else's."""
    shutil.copytree(finished.path / "out", tmp_path / "copy")
    table = tmp_path / "copy" / f"{name}.csv"
    content = table.read_bytes()
    cut = content[: content[:-1].rindex(b"\n") + 1]
    last = content.rindex(b"1")
    for other in (cut, content[:last] + b"2" + content[last + 1 :]):
        table.write_bytes(other)
        with pytest.raises(InputError, match=rf"{name}\.csv: was .* after the run"):
            read(sl.Comparison.load(tmp_path / "copy"))
