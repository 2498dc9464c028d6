"""Folders with inputs, and an experiment that is done."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from experiment.inputs import fill

import schedlab as sl


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the current folder: a.swf (400 jobs), b.swf (200 others), m.toml, policies."""
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "their_policies", raising=False)  # of another test's folder
    return tmp_path


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Returns an experiment that is done, which no test changes: `comparison` and `path`."""
    path = tmp_path_factory.mktemp("finished")
    fill(path)
    experiment = sl.Experiment(
        path / "out",
        workloads=path / "a.swf",
        systems=path / "m.toml",
        schedulers=["fifo", "easy"],
        allocators=["first-fit", "random"],
        repeat=2,
        seed=5,
    )
    return SimpleNamespace(path=path, comparison=experiment.run(), experiment=experiment)
