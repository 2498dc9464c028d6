"""Which runs are kept in memory."""

from __future__ import annotations

import pytest
from dashboard.conftest import MIXED, mixed_jobs

import schedlab as sl
from schedlab.dashboard import open_runs
from schedlab.dashboard.guard import Folder
from schedlab.dashboard.open_runs import OpenRuns
from schedlab.errors import InputError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("opened")
    for number in range(4):
        sl.simulate(mixed_jobs(10 + number), system=MIXED, out=path / str(number))
    return path


def test_a_run_is_loaded_once(folder):
    runs = OpenRuns(Folder(folder))
    assert runs.get("0") is runs.get("0")


def test_the_oldest_goes_when_there_are_too_many(folder, monkeypatch):
    monkeypatch.setattr(open_runs, "MOST_OPEN", 2)
    runs = OpenRuns(Folder(folder))
    first, second = runs.get("0"), runs.get("1")
    assert runs.get("0") is first  # which is now the last one looked at
    runs.get("2")
    assert runs.get("0") is first
    assert runs.get("1") is not second


def test_or_when_they_are_too_large(folder, monkeypatch):
    monkeypatch.setattr(open_runs, "MOST_JOBS", 25)
    runs = OpenRuns(Folder(folder))
    first, second = runs.get("0"), runs.get("1")
    assert runs.get("0") is first
    third = runs.get("2")
    assert runs.get("2") is third
    assert runs.get("1") is not second
    monkeypatch.setattr(open_runs, "MOST_JOBS", 1)
    assert runs.get("3") is runs.get("3")  # the last one stays


def test_a_run_that_was_written_again_is_loaded_again(folder):
    runs = OpenRuns(Folder(folder))
    before = runs.get("3")
    sl.simulate(mixed_jobs(5), system=MIXED, out=folder / "3", force=True)
    assert runs.get("3") is not before
    assert runs.get("3").view.jobs().height == 5


def test_one_that_cannot_be_loaded_can_be_tried_again(folder):
    runs = OpenRuns(Folder(folder))
    jobs = (folder / "0" / "jobs.csv").read_bytes()
    (folder / "0" / "jobs.csv").write_text("nothing\n")
    with pytest.raises(InputError, match=r"jobs\.csv: was cut off after the run"):
        runs.get("0")
    (folder / "0" / "jobs.csv").write_bytes(jobs)
    assert runs.get("0").view.jobs().height == 10
