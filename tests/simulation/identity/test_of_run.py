"""The identity of a run is what an experiment knows it by."""

from __future__ import annotations

import pytest

import schedlab as sl
from schedlab.experiment.plan import key_of
from schedlab.simulation.spec.value import PARTS

ROWS = [(i, 4 * i, -1, 20, 1, -1, -1, 2, 30, -1, 1, i % 5) + (-1,) * 6 for i in range(1, 9)]
MACHINE = {"groups": {"a": {"nodes": 5, "resources": {"core": 2}}}}
WINDOW = "[[windows]]\nstart = 40\nend = 90\n"


class Mine(sl.Estimator):
    """An estimator of your own."""

    def estimate(self, job):
        """Returns a minute."""
        return 60


@pytest.fixture
def folder(tmp_path, monkeypatch):
    sl.write_swf(tmp_path / "a.swf", ROWS)
    (tmp_path / "w.toml").write_text(WINDOW)
    (tmp_path / "w.csv").write_text("begin,run\n1,5\n2,5\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


CASES = {
    "plain": {"workloads": "a.swf"},
    "jobs": {"workloads": {"jobs": [sl.Job(1, 0, 5)]}},
    "reader": {"workloads": "w.csv", "reader": "csv(submit=begin)"},
    "windows": {"workloads": "a.swf", "windows": "w.toml", "conditions": {"seed": 3}},
    "rules": {"workloads": "a.swf", "rules": "pyss", "zero_run": "skip", "seed": 9},
    "objects": {"workloads": "a.swf", "estimate": Mine(), "data": [], "timeline": "none"},
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_key_of_the_experiment(folder, case):
    given = CASES[case]
    made = sl.Experiment(
        "x", systems=MACHINE, schedulers=["fifo", "easy(depth=3)"], repeat=2, **given
    )
    runs = made.runs()
    formats = {"jobs": "parquet", "timeline": given.get("timeline", "parquet")}
    keys = [key_of(run.spec.identity(), formats) for run in runs]
    assert keys == [run.key for run in runs]
    assert None not in keys
    assert len({*keys}) == len(runs) == 4


def test_it_is_of_contents_and_not_of_names(folder):
    spec = sl.RunSpec("a.swf", system=MACHINE, windows="w.toml")
    key = spec.identity()
    (folder / "b.swf").write_bytes((folder / "a.swf").read_bytes())
    assert spec.replace(workload="b.swf").identity() == key
    assert spec.replace(windows=[sl.Window(40, 90)]).identity() == key
    assert spec.replace(seed=0, scheduler="fifo").identity() == key
    assert spec.replace(seed=1).identity() != key
    (folder / "w.toml").write_text(WINDOW.replace("90", "91"))
    assert spec.identity() != key
    with pytest.raises(sl.InputError, match="system: is missing"):
        sl.RunSpec("a.swf").identity()


class Waiting(sl.AdditionalData):
    """Data of your own."""

    number = "waiting"

    def update(self, state):
        """Returns how many wait."""
        return len(state.queue)


def shorter(job):
    """Makes jobs of a minute."""
    return job.replace(run=60)


OTHERS = {
    "workload": [sl.Job(1, 0, 5)],
    "reader": "csv(submit=begin)",
    "system": {"groups": {"a": {"nodes": 6, "resources": {"core": 2}}}},
    "scheduler": "easy",
    "allocator": "best-fit",
    "windows": [sl.Window(40, 90)],
    "queues": [sl.Queue("short", when="estimate < 60"), sl.Queue("rest")],
    "conditions": {"price": 0.2},
    "data": [Waiting()],
    "job_factory": shorter,
    "rules": "pyss",
}
"""A value of each part of a run that is not the one of the plain run."""


def test_every_part_of_a_run_counts(folder):
    """A part that does not would let an experiment take one run for another."""
    assert list(OTHERS) == list(PARTS), "give the new part a value"
    plain = sl.RunSpec("a.swf", reader="swf", system=MACHINE)
    keys = {name: plain.replace(**{name: value}).identity() for name, value in OTHERS.items()}
    assert None not in keys.values()
    assert [name for name, key in keys.items() if key == plain.identity()] == []
    assert len({*keys.values()}) == len(keys)


@pytest.mark.parametrize(
    ("given", "other"),
    [
        ({"estimate": "requested"}, {}),
        ({"mapping": "block"}, {}),
        ({"estimate": "exact", "rules": "accasim"}, {"estimate": "exact"}),
        ({"missing_estimate": 60.0}, {"missing_estimate": "1m"}),
        ({"accuracy": 0.0}, {"accuracy": 0}),
    ],
)
def test_equal_options_are_equal_however_they_are_given(folder, given, other):
    spec = sl.RunSpec("a.swf", system=MACHINE)
    key = spec.replace(**given).identity()
    assert key == spec.replace(**other).identity()
    assert key != spec.replace(estimate="history", mapping="cyclic").identity()


MINE = """
import schedlab as sl

def order(system):
    return range(system.nodes)

def mapped(job, nodes):
    return nodes[::-1]

class Mine(sl.Scheduler):
    def schedule(self, state):
        yield from state.queue.fitting()
"""


@pytest.mark.parametrize(
    "part",
    [
        {"scheduler": "identified:Mine"},
        {"allocator": "first-fit(order=identified:order)"},
        {"mapping": "identified:mapped"},
        {"job_factory": "identified:mapped"},
    ],
)
def test_code_of_yours_counts_wherever_it_is_named(folder, monkeypatch, part):
    monkeypatch.syspath_prepend(folder)
    (folder / "identified.py").write_text(MINE)
    spec = sl.RunSpec("a.swf", system=MACHINE, **part)
    key = spec.identity()
    assert key == spec.identity() != spec.replace(**dict.fromkeys(part)).identity()
    (folder / "identified.py").write_text(MINE + "# otherwise\n")
    assert spec.identity() != key


def test_functions_that_order_nodes_count(folder):
    def order(system):
        return range(system.nodes)

    def backwards(system):
        return range(system.nodes)[::-1]

    keys = {
        sl.RunSpec("a.swf", system=MACHINE, allocator=sl.FirstFit(order=one)).identity()
        for one in (order, order, backwards)
    }
    assert len(keys) == 2
    assert None not in keys
