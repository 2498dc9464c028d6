"""The identity of a run is the key that an experiment gives to it."""

from __future__ import annotations

import pytest

import schedlab as sl
from schedlab.experiment.identity import identity_of

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
    formats = {"timeline": given.get("timeline", "parquet")}
    keys = [identity_of(run.spec, **formats) for run in runs]
    assert keys == [run.key for run in runs]
    assert None not in keys
    assert len({*keys}) == len(runs) == 4


def test_it_is_of_contents_and_not_of_names(folder):
    spec = sl.RunSpec("a.swf", system=MACHINE, windows="w.toml")
    key = identity_of(spec)
    (folder / "b.swf").write_bytes((folder / "a.swf").read_bytes())
    assert identity_of(spec.replace(workload="b.swf")) == key
    assert identity_of(spec.replace(windows=[sl.Window(40, 90)])) == key
    assert identity_of(spec.replace(seed=0, scheduler="fifo")) == key
    assert identity_of(spec.replace(seed=1)) != key
    (folder / "w.toml").write_text(WINDOW.replace("90", "91"))
    assert identity_of(spec) != key
    with pytest.raises(sl.InputError, match="system: is missing"):
        identity_of(sl.RunSpec("a.swf"))
