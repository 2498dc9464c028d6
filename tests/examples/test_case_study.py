"""The scripts in examples run and leave what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from re import findall
from time import sleep

import schedlab as sl
from schedlab.workload import write_swf
from schedlab.workload.models import synthetic

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_accasim_case_study(tmp_path):
    trace = tmp_path / "trace.swf"
    write_swf(trace, synthetic.synthetic_rows(300, 1), synthetic.header_lines(300, 1))
    script = EXAMPLES / "accasim_case_study.py"
    done = subprocess.run(
        [sys.executable, script, trace, "--out", tmp_path / "study", "--repeat", "2"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    comparison = sl.Comparison.load(tmp_path / "study")
    assert len(comparison.metrics) == 16
    for label in comparison.labels.values():
        assert f"\n{label:18}" in done.stdout  # a row of table 2
    for number in ("10-slowdown", "11-queue-size", "12-cpu-time", "13-scalability"):
        assert (tmp_path / "study" / f"figure-{number}.svg").stat().st_size > 5_000
    page = (tmp_path / "study" / "report.html").read_text(encoding="utf-8")
    assert page.count("<figure>") == 15


class Sleepy(sl.Scheduler):
    """FIFO that takes much wall time and hardly any CPU time for its decisions."""

    def schedule(self, state):
        sleep(0.01)
        yield from state.queue.fitting()


def test_dispatching_is_a_part_of_the_total_in_table_2(tmp_path, monkeypatch):
    """Both are of the wall clock, even where a simulation waits rather than works."""
    monkeypatch.syspath_prepend(EXAMPLES)
    from accasim_case_study import table_2

    trace = tmp_path / "trace.swf"
    write_swf(trace, synthetic.synthetic_rows(40, 1), synthetic.header_lines(40, 1))
    comparison = sl.Experiment(
        tmp_path / "study",
        workloads=[trace],
        systems=[{"groups": {"n": {"nodes": 64, "resources": {"core": 8}}}}],
        schedulers=["fifo", Sleepy()],
    ).run()
    head, *rows = table_2(comparison).strip("\n").splitlines()
    assert "total (wall s)" in head
    assert "CPU" not in head
    assert len(rows) == 2
    for row in rows:
        total, dispatching = (float(number) for number in findall(r"([\d.]+) ±", row)[:2])
        assert dispatching < total
        assert float(row.split()[-1]) < float(row.split()[-2])  # of the fastest repetition
    assert dispatching >= 0.1  # of the second
    timing = comparison.timing.row(1, named=True)
    assert timing["dispatch_seconds"] > timing["cpu_seconds"]


def test_accasim_case_study_without_the_trace(tmp_path):
    script = EXAMPLES / "accasim_case_study.py"
    done = subprocess.run(
        [sys.executable, script, tmp_path / "none.swf"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "none.swf" in done.stderr
    assert "Traceback" not in done.stderr
