"""A phase of a run as a result of its own."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import schedlab
from schedlab.analysis.groups import groups_of
from schedlab.analysis.plots.drawing import context
from schedlab.cli import app
from schedlab.errors import InputError

MACHINE = {"groups": {"node": {"nodes": 1, "resources": {"core": 4}}}}
ROW = "-1 {run} 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1 {phase}"


@pytest.fixture
def result(tmp_path):
    """Two jobs of 100 s in the fill phase, two of 50 s in the experiment, from 150 s to 350 s."""
    rows = [
        f"1 0 {ROW.format(run=100, phase=1)}",
        f"2 0 {ROW.format(run=100, phase=1)}",
        f"3 160 {ROW.format(run=50, phase=3)}",
        f"4 340 {ROW.format(run=50, phase=3)}",
        f"5 350 {ROW.format(run=50, phase=4)}",
    ]
    header = "; Phases: fill 0 150, experiment 150 350, drain 350 400\n; ExtraFields: phase\n"
    (tmp_path / "a.swf").write_text(header + "\n".join(rows) + "\n")
    return schedlab.simulate(
        tmp_path / "a.swf", system=MACHINE, out=tmp_path / "run", timeline="csv"
    )


def test_jobs_and_metrics_are_those_of_the_phase(result) -> None:
    part = result.phase("experiment")
    assert part.jobs.collect()["job_id"].to_list() == [3, 4]
    assert part.counts["submitted"] == part.counts["completed"] == 2
    assert part.metrics["wait"]["mean"] == (200 - 160 + 0) / 2  # job 2 runs until 200
    assert part.metrics["makespan"] == 200
    # Job 2 from 150 to 200, job 3 to 250, job 4 from 340 to 350.
    assert part.metrics["utilization"] == {"core": (50 + 50 + 10) / 200}
    assert result.metrics["wait"]["mean"] != part.metrics["wait"]["mean"]


def test_the_timeline_begins_and_ends_with_the_phase(result) -> None:
    timeline = result.phase("experiment").timeline.collect()
    assert timeline.select("time", "core_used").rows() == [
        (150, 4),
        (160, 4),
        (200, 4),
        (250, 0),
        (340, 4),
    ]


def test_phases_that_are_not_there(result, tmp_path) -> None:
    with pytest.raises(InputError, match='no phase "stabilization", but fill, experiment, drain'):
        result.phase("stabilization")
    other = schedlab.simulate([schedlab.Job(1, 0, 5)], system=MACHINE, out=tmp_path / "other")
    with pytest.raises(InputError, match="has no phases"):
        other.phase("experiment")


def test_plots_of_a_phase(result, tmp_path) -> None:
    target = tmp_path / "wait.png"
    arguments = ["plot", "wait-cdf", result.path, "--phase", "experiment", "--out", str(target)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert target.stat().st_size > 1000


def test_plots_name_the_phase(result) -> None:
    part = result.phase("experiment")
    assert "experiment phase" in context(groups_of(part))
    assert "phase" not in context(groups_of(result))
