"""The process of a run: what it loads, what it reports, and every part by name and as an object."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from test_weight import HEAVY

import schedlab as sl
from schedlab.errors import InputError
from schedlab.results.json_text import from_json, to_json

PARTS = """
import schedlab as sl

class Load(sl.AdditionalData):
    publishes = ("load",)
    def update(self, state):
        return {"load": len(list(state.running))}

class Guess(sl.Estimator):
    def __init__(self, factor=2):
        self.factor = factor
    def estimate(self, job):
        return job.requested_time * self.factor

class LastFit(sl.Allocator):
    def place(self, job, machine):
        nodes = []
        for node in reversed(range(64)):
            nodes += [node] * min(machine.room(node, job), job.processors - len(nodes))
        return nodes

class Lines(sl.Reader):
    def jobs(self):
        for number, line in enumerate(self.lines(), 1):
            yield sl.Job(number, submit=number, run=float(line))
"""


def worker(plan, *flags):
    command = [sys.executable, *flags, "-P", "-m", "schedlab.experiment.worker"]
    return subprocess.run(
        command,
        input=to_json({"requested_spec": {}, "output": {}, **plan}),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_loads_no_more_than_a_plain_simulation(folder):
    machine = {"groups": {"node": {"nodes": 64, "resources": {"core": 16}}}}
    spec = {"workload": "a.swf", "system": machine, "scheduler": "easy"}
    plan = {"out": "run", "parent": os.getpid(), "spec": spec, "output": {"timeline": "csv"}}
    done = worker(plan, "-X", "importtime")
    assert done.returncode == 0, done.stderr
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "schedlab._engine" in loaded
    assert not {*HEAVY, "signal", "threading"} & loaded
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert reports[-1] == ["done"]
    assert all(report[0] == "at" and len(report) == 7 for report in reports[:-1])
    assert sl.Result.load("run").counts["completed"] == 400


def test_a_failure_is_the_last_report(folder):
    spec = {"workload": "none.swf", "system": "m.toml"}
    done = worker({"out": "run", "parent": os.getpid(), "spec": spec})
    assert done.returncode == 1
    kind, what, reason = json.loads(done.stdout)
    assert (kind, what) == ("failed", "input")
    assert "none.swf" in reason
    assert done.stderr == ""


def test_without_its_parent_it_ends(folder):
    spec = {
        "workload": "a.swf",
        "system": "m.toml",
        "scheduler": "their_policies:Slow(pause=1)",
    }
    done = worker({"out": "run", "parent": 1 << 22, "spec": spec})
    assert done.returncode == 1
    assert done.stdout == ""
    assert not os.path.exists("run/run.json")


@pytest.mark.parametrize("as_objects", [False, True], ids=["by name", "as objects"])
def test_every_part(folder, as_objects, monkeypatch):
    (folder / "own_parts.py").write_text(PARTS)
    (folder / "runs.txt").write_text("10\n20\n30\n")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "own_parts", raising=False)
    import own_parts

    texts = {"data": "own_parts:Load", "estimate": "own_parts:Guess(factor=3)"}
    data = own_parts.Load() if as_objects else texts["data"]
    estimate = own_parts.Guess(3) if as_objects else texts["estimate"]
    allocator = own_parts.LastFit() if as_objects else "own_parts:LastFit"
    windows = [sl.Window(100, 5000, nodes="0-3")]
    given = {
        "systems": "m.toml",
        "data": [data],
        "estimate": estimate,
        "windows": windows,
        "queues": [sl.Queue("all")],
    }
    experiment = sl.Experiment(
        "out", workloads="a.swf", schedulers="easy", allocators=allocator, **given
    )
    (run,) = experiment.runs()
    assert bool(run.objects) == as_objects
    assert run.key is not None
    comparison = experiment.run()
    assert comparison.failures == []
    result = comparison.result(run.name)
    alone = sl.simulate(
        "a.swf",
        system="m.toml",
        scheduler="easy",
        allocator=own_parts.LastFit(),
        data=[own_parts.Load()],
        estimate=own_parts.Guess(3),
        windows=windows,
        queues=[sl.Queue("all")],
    )
    assert sl.compare_schedules(result, alone).identical
    assert result.run["windows"] == alone.run["windows"]
    assert "load" in result.timeline.collect_schema().names()
    # Readers, likewise.
    read = {"workloads": own_parts.Lines("runs.txt")} if as_objects else {"workloads": "runs.txt"}
    reader = None if as_objects else "own_parts:Lines"
    small = sl.Experiment("read", schedulers="fifo", systems="m.toml", reader=reader, **read)
    first = small.runs()[0].key
    assert small.run().metrics["jobs_completed"].to_list() == [3]
    (folder / "runs.txt").write_text("10\n20\n")
    again = sl.Experiment("read", schedulers="fifo", systems="m.toml", reader=reader, **read)
    assert again.runs()[0].key != first
    assert again.run().metrics["jobs_completed"].to_list() == [2]


VALUES = [None, True, -3, 2.5, 'a\n"é\udc80', [1, [2, {}]], {"a": {"b": [None]}, "": []}]


@pytest.mark.parametrize("value", VALUES)
def test_json_comes_back(value):
    assert from_json(to_json(value)) == value == json.loads(to_json(value))


@pytest.mark.parametrize("text", ["", "nonsense", "[1", "1 2", '{"a" 1}'])
def test_what_is_no_json(text):
    with pytest.raises(ValueError):  # noqa: PT011
        from_json(text)


def test_pipes_are_refused(folder):
    os.mkfifo("pipe.swf")
    with pytest.raises(InputError, match="is a pipe, not a file"):
        sl.Experiment("out", workloads="pipe.swf", systems="m.toml", schedulers="fifo")
