"""Runs that fail, crash or are interrupted, and experiments that continue afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars
import pytest
from experiment.inputs import fill

import schedlab as sl

REPAIRED = """
class Wrong(Fifo): pass
class Crashing(Fifo): pass
class Leaving(Fifo): pass
"""
TABLES = ("metrics.csv", "summary.csv", "differences.csv", "jobs.parquet")


def test_a_failing_run_does_not_stop_the_others(folder):
    comparison = sl.Experiment(
        "out",
        workloads="a.swf",
        systems="m.toml",
        schedulers=[
            "fifo",
            "their_policies:Wrong",
            "their_policies:Crashing",
            "their_policies:Leaving",
        ],
        repeat=2,
    ).run()
    assert comparison.status == "partial"
    assert comparison.metrics["run"].to_list() == ["fifo+first-fit/01", "fifo+first-fit/02"]
    reasons = {name.partition("+")[0]: reason for name, reason in comparison.failures}
    assert len(comparison.failures) == 6
    assert "KeyError: 'no such user' (their_policies.py:23)" in reasons["Wrong"]
    assert reasons["Crashing"] == "killed by signal 9 (SIGKILL); it last printed: last words"
    assert reasons["Leaving"] == "ended with exit code 7"
    printed = folder / "out" / "runs" / "Wrong+first-fit" / "01" / "output.txt"
    assert printed.read_text().startswith("about to fail\n")
    assert not (folder / "out" / "runs" / "fifo+first-fit" / "01" / "output.txt").exists()
    assert [group.label for group in comparison.groups] == ["fifo"]
    assert comparison.sentences() == []
    assert "wait:Wrong+first-fit" not in polars.read_parquet("out/jobs.parquet").columns
    # Once it is repaired, only what failed is run.
    kept = sl.Result.load("out/runs/fifo+first-fit/01").run["simulator"]
    text = (folder / "their_policies.py").read_text()
    (folder / "their_policies.py").write_text(text.partition("class Wrong")[0] + REPAIRED)
    sys.modules.pop("their_policies", None)
    again = sl.Experiment(
        "out",
        workloads="a.swf",
        systems="m.toml",
        schedulers=[
            "fifo",
            "their_policies:Wrong",
            "their_policies:Crashing",
            "their_policies:Leaving",
        ],
        repeat=2,
    ).run()
    assert again.failures == []
    assert again.status == "complete"
    assert sl.Result.load("out/runs/fifo+first-fit/01").run["simulator"] == kept


class Dying(sl.Scheduler):
    def schedule(self, state):
        os.kill(os.getpid(), signal.SIGKILL)


class Raising(sl.Scheduler):
    def schedule(self, state):
        raise RuntimeError("as it is")


@pytest.mark.usefixtures("folder")
def test_objects_that_fail():
    experiment = sl.Experiment("out", workloads="a.swf", systems="m.toml", schedulers="fifo")
    experiment.add(Dying(), name="dying")
    experiment.add(Raising(), name="raising")
    comparison = experiment.run()
    reasons = dict(comparison.failures)
    assert reasons["dying/01"] == "killed by signal 9 (SIGKILL)"
    assert "RuntimeError: as it is (test_failures.py:" in reasons["raising/01"]
    assert len(comparison.metrics) == 1


def command(out, *more):
    return [
        *(sys.executable, "-m", "schedlab", "compare", "a.swf", "--system", "m.toml"),
        *("--schedulers", "their_policies:Slow,fifo", "--repeat", "4", "--processes", "2"),
        *("--out", out, *more),
    ]


def whole_runs(out):
    """Returns the runs that are whole, each with what no other run in its place would have."""
    found = {}
    for path in sorted(Path(out).glob("runs/*/*/run.json")):
        result = sl.Result.load(path.parent)
        found[str(path.parent)] = result.run["simulator"]
    return found


def interrupted(out, how):
    """Starts an experiment, ends it when a third of it is done, and returns its whole runs."""
    process = subprocess.Popen(
        command(out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 30
    while len(whole_runs(out)) < 3 or not list(Path(out).glob("runs/Slow*/*/jobs.csv.part")):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < until
        time.sleep(0.005)
    process.send_signal(how)
    if how == signal.SIGKILL:
        process.wait()
        return whole_runs(out), ""
    _, errors = process.communicate()
    assert process.returncode == 1
    return whole_runs(out), errors


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """Returns the tables of an experiment that nothing happened to."""
    path = tmp_path_factory.mktemp("uninterrupted")
    fill(path)
    subprocess.run(command("whole"), cwd=path, check=True, stdout=subprocess.DEVNULL)
    return {name: (path / "whole" / name).read_bytes() for name in TABLES}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_an_interrupted_experiment_goes_on(folder, uninterrupted, how):
    before, errors = interrupted("out", how)
    assert 3 <= len(before) < 8
    if how == signal.SIGINT:
        assert "the same command resumes from there" in errors
        partial = sl.Comparison.load("out")
        assert partial.status == "partial"
        assert partial.failures == []
        assert len(partial.metrics) == len(before)
        assert not list(folder.glob("out/runs/*/*/jobs.csv"))
    else:
        with pytest.raises(sl.InputError, match="is running, or was killed"):
            sl.Comparison.load("out")
    done = subprocess.run(command("out"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    after = whole_runs("out")
    assert len(after) == 8
    assert {name: after[name] for name in before} == before
    for name in TABLES:
        assert (folder / "out" / name).read_bytes() == uninterrupted[name], name
    assert sl.Comparison.load("out").status == "complete"
    left = [str(path) for path in folder.rglob("*") if path.suffix in (".part", ".csv")]
    assert sorted(left) == sorted(
        str(folder / "out" / name)
        for name in ("metrics.csv", "summary.csv", "differences.csv", "timing.csv")
    )


def test_children_end_with_their_parent(folder):
    process = subprocess.Popen(
        [*command("out")[:-2], "--out", "out"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 30
    while not list(folder.glob("out/runs/Slow*/*/jobs.csv.part")):
        assert time.monotonic() < until
        time.sleep(0.005)
    (server,) = children_of(process.pid)
    children = [server, *children_of(server)]
    assert len(children) > 1
    process.kill()
    process.wait()
    while any(os.path.exists(f"/proc/{child}") for child in children):
        assert time.monotonic() < until
        time.sleep(0.01)


def children_of(pid):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(name))
    return found


@pytest.mark.usefixtures("folder")
def test_a_run_that_was_not_converted_is_converted():
    first = sl.Experiment(
        "out", workloads="a.swf", systems="m.toml", schedulers="easy", jobs="csv", timeline="csv"
    )
    first.run()
    tables = {name: Path("out", name).read_bytes() for name in TABLES}
    # As after a kill between the end of the run and its conversion.
    wanted = sl.Experiment("out", workloads="a.swf", systems="m.toml", schedulers="easy")
    (run,) = wanted.runs()
    marker = Path("out/runs", run.name, "experiment-run.json")
    marker.write_text(f'{{"key": "{run.key}"}}')
    before = sl.Result.load(marker.parent).run
    wanted.run()
    after = sl.Result.load(marker.parent).run
    assert after["files"] == ["jobs.parquet", "timeline.parquet"]
    assert list(after["tables"]) == after["files"]
    named = {"files": None, "tables": None}
    assert {**after, **named} == {**before, **named}
    assert not list(marker.parent.glob("*.csv"))
    assert {name: Path("out", name).read_bytes() for name in TABLES} == tables
