"""`schedlab demo`: the table, the files, and what it refuses."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import schedlab
from schedlab.cli import app, demo
from schedlab.durations import duration_text


def test_compares_and_keeps_everything(tmp_path: Path) -> None:
    out = tmp_path / "here"
    result = CliRunner().invoke(app, ["demo", "--out", str(out), "--jobs", "800"])
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    for name in demo.SCHEDULERS:
        assert name in result.stdout
    assert f"schedlab run {out}/workload.swf --system {out}/system.toml" in result.stdout
    assert tomllib.loads((out / "system.toml").read_text())["groups"]["node"]["nodes"] == 64
    with open(out / "summary.csv") as file:
        rows = {row["scheduler"]: row for row in csv.DictReader(file)}
    assert list(rows) == list(demo.SCHEDULERS)
    comparison = schedlab.Comparison.load(out)
    assert len(comparison.groups) == len(demo.SCHEDULERS)
    for group in comparison.groups:
        (kept,) = group.results
        assert float(rows[group.label]["wait_mean"]) == kept.metrics["wait"]["mean"]
        assert kept.counts["completed"] == 800
        assert kept.run["files"] == ["jobs.csv", "timeline.csv"]
    assert len(comparison.differences(column=None)) == 4 * 6


def test_same_seed_same_schedules(tmp_path: Path) -> None:
    for name in ("a", "b"):
        CliRunner().invoke(
            app,
            ["demo", "--out", str(tmp_path / name), "--jobs", "200", "--seed", "3", "--no-report"],
        )
    for file in ("workload.swf", "runs/easy+first-fit/01/jobs.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_runs_again_in_its_own_folder_and_in_no_other(tmp_path: Path) -> None:
    arguments = ["demo", "--out", str(tmp_path), "--jobs", "10", "--no-report"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert CliRunner().invoke(app, arguments).exit_code == 0
    (tmp_path / "workload.swf").write_text("mine")
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "choose another --out" in result.stderr
    assert (tmp_path / "workload.swf").read_text() == "mine"


@pytest.mark.parametrize(
    "arguments", [["--jobs", "0"], ["--jobs", "x"], ["--seed", "-1"], ["--out", ""]]
)
def test_wrong_use(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["demo", *arguments])
    assert result.exit_code == 2
    assert result.stderr.startswith("schedlab: error: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0, "0 s"),
        (0.25, "0.2 s"),
        (9.96, "10 s"),
        (59.6, "1 min"),
        (3582, "59 min 42 s"),
        (3599.7, "1 h"),
        (11_520, "3 h 12 min"),
        (86_399, "1 d"),
        (90_000, "1 d 1 h"),
        (1e9, "11,574 d 2 h"),
    ],
)
def test_durations_as_people_read_them(seconds: float | None, text: str) -> None:
    assert duration_text(seconds) == text
