"""Objects as parts of an experiment: every kind gets into its run, and none can hang.

Scripts run in an interpreter of their own, whose threads of polars have worked before, and which
is ended when it takes too long: a run that waits for ever fails its test instead of holding it up.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

import schedlab as sl
from schedlab.errors import InputError

LONGEST_SECONDS = 240
THREADS = """
import polars
polars.DataFrame({"a": range(100_000)}).lazy().group_by("a").len().collect()  # starts threads
import schedlab as sl
from schedlab.workload.table import table_of
"""
WORKLOADS = """
class Counted(sl.Reader):
    def jobs(self):
        for number in range(1, 31):
            yield sl.Job(number, submit=number, run=100, processors=40)

class Tabled(sl.Reader):
    def __init__(self, frame):
        super().__init__()
        self.frame = frame
    def tables(self):
        yield self.frame.filter(polars.col("run") > 0)

def local():
    factor = 3
    class Local(Counted):
        def jobs(self):
            for job in super().jobs():
                yield job.replace(run=job.run * factor)
    return Local()

model = sl.WorkloadModel.fit("a.swf", cores_per_node=16)
jobs = list(Counted().jobs())
sl.write_tables("a.parquet", sl.open_reader("a.swf").tables())
workloads = {
    "path": "a.swf",
    "path by a reader": "a.parquet",
    "reader": sl.open_reader("a.parquet"),
    "jobs": jobs,
    "jobs in a tuple": tuple(jobs),
    "class of the script": Counted(),
    "class of a function": local(),
    "tables": Tabled(table_of(jobs)),
    "model": model.generate("s1", processors=1024, jobs=60),
    "model with phases": model.generate("s1", processors=1024, jobs=60, fill_wait=60),
    "Lublin and Feitelson": sl.LublinFeitelson(processors=1024).reader(60),
    "plain": sl.PlainWorkload(interarrival=60, run="exponential(mean=90)", processors=4).reader(60),
}
experiment = sl.Experiment(
    "out", workloads=workloads, systems="m.toml", schedulers=["fifo"], processes=2
)
comparison = experiment.run()
assert comparison.failures == [], comparison.failures
names = [row["run"] for row in comparison.metrics.iter_rows(named=True)]
assert len(names) == len(workloads)
for name, given in zip(names, workloads.values(), strict=True):
    alone = sl.simulate(list(given) if isinstance(given, tuple) else given, system="m.toml")
    assert sl.compare_schedules(comparison.result(name), alone).identical, name
print("all of them")
"""
POLICIES = """
import dataclasses, enum, functools, random, sys, threading, typing
import numpy
import helper

helper.LIMIT = 3  # otherwise than in its file
class Kind(enum.Enum):
    SMALL = 4
Pair = typing.NamedTuple("Pair", [("low", int), ("high", int)])

@dataclasses.dataclass
class Weights:
    table: polars.DataFrame
    scale: float = 2.0
    pair: Pair = Pair(1, 2)
    def of(self, job):
        return self.table.filter(polars.col("user") == job.processors % 5)["weight"].sum()

class Weighted(sl.Scheduler):
    def __init__(self, weights):
        self.weights, self.lock, self.calls = weights, threading.Lock(), 0
        self.kind, self.random = Kind.SMALL, random.Random(1)
        self.log, self.read = open("log.txt", "w"), open("m.toml")
        self.read.readline()
        self.out = sys.stderr
        self.generator = numpy.random.default_rng(1)
    def schedule(self, state):
        self.calls += 1
        with self.lock:
            assert self.kind is Kind.SMALL and self.weights.pair == Pair(1, 2)
        if self.calls == 1:
            assert self.read.readline().startswith("name")
            print("called", file=self.log)
        for job in sorted(state.queue, key=self.weights.of):
            if state.machine.fits(job):
                yield job

class Limited(sl.Scheduler):
    def schedule(self, state):
        for job in list(state.queue)[:helper.limit()]:
            if state.machine.fits(job):
                yield job

def local():
    class Local(sl.Allocator):
        def place(self, job, machine):
            nodes = []
            for node in reversed(range(64)):
                nodes += [node] * min(machine.room(node, job), job.processors - len(nodes))
            return nodes
    return Local()

def by(factor):
    return lambda job: job.processors * factor

class Shortened(sl.Estimator):
    def estimate(self, job):
        return job.requested_time / 2

class Load(sl.AdditionalData):
    publishes = ("load",)
    def update(self, state):
        return {"load": len(list(state.running))}

weights = polars.DataFrame({"user": range(5), "weight": [3, 1, 2, 5, 4]})
given = {
    "uses polars": (Weighted(Weights(weights)), "first-fit"),
    "module": (Limited(), "first-fit"),
    "local": ("easy", local()),
    "closure": (sl.Easy(order=by(-1)), "first-fit"),
    "partial": (sl.Easy(order=functools.partial(lambda sign, job: sign * job.processors, 1)),
                "first-fit"),
}
shared = {
    "job_factory": lambda job: job if job.id % 2 else None,
    "estimate": Shortened(),
    "data": [Load()],
}
experiment = sl.Experiment("out", workloads="b.swf", systems="m.toml", **shared)
for name, (scheduler, allocator) in given.items():
    experiment.add(scheduler, allocator, name=name)
comparison = experiment.run()
assert comparison.failures == [], comparison.failures
assert open("log.txt").read() == "called\\n"
for name, (scheduler, allocator) in given.items():
    run = next(run.name for run in experiment.runs() if run.dispatcher == name)
    alone = sl.simulate(
        "b.swf", system="m.toml", scheduler=scheduler, allocator=allocator, **shared
    )
    assert sl.compare_schedules(comparison.result(run), alone).identical, name
print("all of them")
"""
HELPER = "LIMIT = 1\ndef limit():\n    return LIMIT\n"


def in_time(folder, *command, text=None):
    """Runs a command that must end, and returns what it printed."""
    done = subprocess.run(
        [sys.executable, *command],
        input=text,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("script", [WORKLOADS, POLICIES], ids=["workloads", "policies"])
def test_every_kind_of_object_in_a_script(folder, script):
    (folder / "helper.py").write_text(HELPER)
    (folder / "script.py").write_text(THREADS + script)
    assert in_time(folder, "script.py") == "all of them\n"


def test_classes_of_an_interactive_session(folder):
    script = (
        "class Mine(sl.Scheduler):\n"
        "    def schedule(self, state):\n"
        "        yield from (job for job in state.queue if state.machine.fits(job))\n"
        "reader = sl.LublinFeitelson(processors=1024).reader(60)\n"
        "experiment = sl.Experiment('out', workloads=reader, systems='m.toml',\n"
        "    schedulers=[Mine(), sl.Blocking()])\n"
        "print(experiment.run().status)\n"
    )
    assert in_time(folder, "-", text=THREADS + script) == "complete\n"


class Stuck(sl.Scheduler):
    def __init__(self):
        self.walk = (number for number in range(3))

    def schedule(self, state):
        next(self.walk)


def test_what_cannot_leave_the_process_is_refused_before_anything_starts(folder):
    experiment = sl.Experiment("out", workloads="a.swf", systems="m.toml", schedulers=["fifo"])
    experiment.add(Stuck(), name="stuck")
    with pytest.raises(InputError, match=r"scheduler: Stuck\.walk cannot be handed .*generator"):
        experiment.run()
    assert not (folder / "out").exists()


def test_nothing_but_the_server_forks():
    """No other module of the package may copy a process: it may have threads."""
    import ast
    from pathlib import Path

    for path in Path(sl.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in getattr(node, "names", ()) if hasattr(alias, "name")]
            assert not any(name.split(".")[0] == "multiprocessing" for name in names), path
            is_fork = isinstance(node, ast.Attribute) and node.attr in ("fork", "forkpty")
            owner = getattr(getattr(node, "value", None), "id", "")
            forks = is_fork and owner in ("os", "pty")
            assert not forks or path.name == "fork_server.py", path
