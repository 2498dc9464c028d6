"""Keys follow imports: a change of any module of your own below a part changes the key."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

import pytest

import schedlab as sl
from schedlab.simulation.identity import user_code
from schedlab.workload.table import table_of

FILES = {
    "parts_of_mine.py": """
import schedlab as sl
import plain_helper
from wide import *
import bundle.inner.leaf
try:
    import not_there_at_all
except ImportError:
    pass

class Mine(sl.Scheduler):
    def schedule(self, state):
        from bundle import lazy
        import importlib
        importlib.import_module("by_call")
        for job in list(state.queue)[: plain_helper.limit()]:
            if state.machine.fits(job):
                yield job

class Last(sl.Allocator):
    def place(self, job, machine):
        return []

class Load(sl.AdditionalData):
    publishes = ("load",)
    def update(self, state):
        return {"load": 1}

class Guess(sl.Estimator):
    def estimate(self, job):
        return 5

class Lines(sl.Reader):
    def jobs(self):
        yield sl.Job(1, submit=0, run=5)

def factory(job):
    return job

def order(job):
    return job.processors
""",
    "plain_helper.py": "import of_helper\nLIMIT = 3\ndef limit():\n    return LIMIT\n",
    "of_helper.py": "import plain_helper\nA = 1\n",  # in a circle
    "wide.py": "B = 1\n",
    "by_call.py": "C = 1\n",
    "unrelated.py": "D = 1\n",
    "bundle/__init__.py": "",
    "bundle/lazy.py": "from . import sibling\n",
    "bundle/sibling.py": "E = 1\n",
    "bundle/inner/__init__.py": "",
    "bundle/inner/leaf.py": "from ..far import F\nfrom .near import G\n",
    "bundle/far.py": "F = 1\n",
    "bundle/inner/near.py": "G = 1\n",
}
NAMED = {
    "scheduler": {"schedulers": "parts_of_mine:Mine"},
    "scheduler of a file": {"schedulers": "./parts_of_mine.py:Mine"},
    "allocator": {"schedulers": "fifo", "allocators": "parts_of_mine:Last"},
    "data": {"schedulers": "fifo", "data": ["parts_of_mine:Load"]},
    "estimate": {"schedulers": "fifo", "estimate": "parts_of_mine:Guess"},
    "reader": {"schedulers": "fifo", "reader": "parts_of_mine:Lines"},
    "job factory": {"schedulers": "fifo", "job_factory": "parts_of_mine:factory"},
    "order": {"schedulers": "easy(order=parts_of_mine:order)"},
}
OBJECTS = {
    "scheduler": lambda mine: {"schedulers": mine.Mine()},
    "allocator": lambda mine: {"schedulers": "fifo", "allocators": mine.Last()},
    "data": lambda mine: {"schedulers": "fifo", "data": [mine.Load()]},
    "estimate": lambda mine: {"schedulers": "fifo", "estimate": mine.Guess()},
    "reader": lambda mine: {"schedulers": "fifo", "workloads": mine.Lines("a.swf")},
    "job factory": lambda mine: {"schedulers": "fifo", "job_factory": mine.factory},
    "order": lambda mine: {"schedulers": sl.Easy(order=mine.order)},
}


@pytest.fixture
def modules(folder, monkeypatch):
    """Returns the folder, with modules of your own, which Python finds."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(folder)
    forget()
    yield folder
    forget()


def forget():
    """Makes Python import the modules anew, as another process would."""
    roots = {name.partition("/")[0].removesuffix(".py") for name in FILES}
    for name in list(sys.modules):
        if name.partition(".")[0] in roots:
            del sys.modules[name]
    importlib.invalidate_caches()


def key(**given):
    given = {"workloads": "a.swf", "systems": "m.toml", **given}
    (run,) = sl.Experiment("out", **given).runs()
    assert run.key is not None
    return run.key


def keys_after_changes(folder, part):
    """Returns the key before, and after a change of each file, the others as they were."""
    found = {"nothing": key(**part())}
    for name, text in FILES.items():
        if name != "parts_of_mine.py":
            (folder / name).write_text(text + "\nCHANGED = 2\n")
            forget()
            found[name] = key(**part())
            (folder / name).write_text(text)
    forget()
    assert key(**part()) == found["nothing"]
    return found


@pytest.mark.parametrize("kind", NAMED)
def test_of_a_name(modules, kind):
    check(keys_after_changes(modules, lambda: NAMED[kind]))


@pytest.mark.parametrize("kind", OBJECTS)
def test_of_an_object(modules, kind):
    def part():
        return OBJECTS[kind](importlib.import_module("parts_of_mine"))

    check(keys_after_changes(modules, part))


def check(found):
    before = found.pop("nothing")
    assert found.pop("unrelated.py") == before
    same = [name for name, value in found.items() if value == before]
    assert same == []


def test_a_value_of_a_module_that_an_object_uses(modules):
    mine = importlib.import_module("parts_of_mine")
    before = key(schedulers=mine.Mine())
    mine.plain_helper.LIMIT = 4
    changed = key(schedulers=mine.Mine())
    mine.plain_helper.limit = lambda: 5
    assert len({before, changed, key(schedulers=mine.Mine())}) == 3


def test_installed_packages_are_not_followed(tmp_path):
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "flat" / "thing-1.dist-info").mkdir(parents=True)
    assert user_code.is_installed(str(tmp_path / "site-packages"))
    assert user_code.is_installed(str(tmp_path / "flat"))
    assert not user_code.is_installed(str(tmp_path))
    assert not user_code.is_users("polars", sys.modules["polars"].__file__)
    assert not user_code.is_users("json", json.__file__)
    assert user_code.is_users("mine", str(tmp_path / "mine.py"))


def test_a_changed_helper_repeats_the_run(modules):
    def run():
        forget()
        made = sl.Experiment(
            "out", workloads="b.swf", systems="m.toml", schedulers="parts_of_mine:Mine"
        ).run()
        assert made.failures == []
        return made.result(made.metrics["run"][0]).run["simulator"]

    first = run()
    assert run() == first
    (modules / "plain_helper.py").write_text("def limit():\n    return 1\n")
    assert run() != first


def test_a_changed_application_repeats_the_run(modules):
    (modules / "programs_of_mine.py").write_text(
        "import steps_of_mine\n"
        "def pings(mpi):\n"
        "    for _ in range(steps_of_mine.STEPS):\n"
        "        yield mpi.barrier()\n"
    )
    steps = modules / "steps_of_mine.py"
    steps.write_text("STEPS = 2\n")
    jobs = [sl.Job(1, submit=0, run=5, processors=4, application="programs_of_mine:pings")]
    sl.write_tables("apps.parquet", [table_of(jobs)])
    machine = {
        "groups": {"node": {"nodes": 4, "resources": {"core": 4}}},
        "network": {
            "topology": "torus",
            "dimensions": [2, 2],
            "bandwidth": 1e10,
            "delay": 1e-7,
            "host_bandwidth": 1e10,
            "host_delay": 1e-7,
        },
    }

    def run():
        sys.modules.pop("programs_of_mine", None)
        sys.modules.pop("steps_of_mine", None)
        made = sl.Experiment(
            "out",
            workloads="apps.parquet",
            systems={"m": machine},
            schedulers="fifo",
            trust_code=True,
        ).run()
        assert made.failures == []
        return made.result(made.metrics["run"][0]).run["simulator"]

    first = run()
    marker = json.loads(Path("out/runs/fifo+first-fit/01/experiment-run.json").read_text())
    assert set(marker["applications"]["programs_of_mine:pings"]) == {
        "programs_of_mine",
        "steps_of_mine",
    }
    assert run() == first
    steps.write_text("STEPS = 3\n")
    os.utime(steps, ns=(1, 1))
    assert run() != first


def test_a_helper_that_is_called_like_a_module_of_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "sched.py").write_text("KIND = 1\n")
    (tmp_path / "mine_of_it.py").write_text("import sched, math, json\n")
    monkeypatch.delitem(sys.modules, "sched", raising=False)
    importlib.import_module("sched")
    try:
        files = user_code.files_used("mine_of_it", str(tmp_path / "mine_of_it.py"))
        assert set(files) == {"mine_of_it", "sched"}
    finally:
        sys.modules.pop("sched", None)
