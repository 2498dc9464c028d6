"""Temporary folders: those of killed processes go, those of living ones stay."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

import schedlab as sl
from schedlab.results import temporary
from schedlab.results.temporary import SECONDS_KEPT, TemporaryFolder, sweep

HOLDER = """
import os, sys
from schedlab.results.temporary import TemporaryFolder
folder = TemporaryFolder(sys.argv[1])
os.utime(folder.name, (0, 0))
print(folder.name, flush=True)
sys.stdin.read()
"""


def make_old(path):
    before = time.time() - SECONDS_KEPT - 60
    os.utime(path, (before, before))


def test_folders_of_killed_processes_go_and_others_stay(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        held = process.stdout.readline().strip()
        new = TemporaryFolder(str(tmp_path)).name  # goes at once: nobody holds it
        assert not os.path.exists(new)
        (tmp_path / "schedlab-young").mkdir()
        (tmp_path / "schedlab-file").write_text("")
        (tmp_path / "precious").mkdir()
        (tmp_path / "schedlab-link").symlink_to("precious")
        for name in ("schedlab-file", "precious"):
            make_old(tmp_path / name)
        before = sorted(os.listdir(tmp_path))
        sweep(str(tmp_path))
        assert sorted(os.listdir(tmp_path)) == before
        process.kill()
    sweep(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == sorted(set(before) - {os.path.basename(held)})


def test_once_in_a_process(tmp_path, monkeypatch):
    monkeypatch.setattr(temporary, "_swept", set())
    (tmp_path / "schedlab-one").mkdir()
    make_old(tmp_path / "schedlab-one")
    with TemporaryFolder(str(tmp_path)) as first:
        assert os.listdir(tmp_path) == [os.path.basename(first)]
        (tmp_path / "schedlab-two").mkdir()
        make_old(tmp_path / "schedlab-two")
        with TemporaryFolder(str(tmp_path)):
            assert len(os.listdir(tmp_path)) == 3


def test_a_result_holds_its_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    system = {"groups": {"all": {"nodes": 1, "resources": {"core": 1}}}}
    result = sl.simulate([sl.Job(1, 0, 1)], system=system)
    make_old(result.path)
    sweep(str(tmp_path))
    assert result.jobs.collect().height == 1
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    del result
    assert os.listdir(tmp_path) == []
    if files:
        assert len(os.listdir("/proc/self/fd")) < files


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folders_of_other_users_stay(tmp_path):
    (tmp_path / "schedlab-theirs").mkdir()
    os.chown(tmp_path / "schedlab-theirs", 12345, 12345)
    make_old(tmp_path / "schedlab-theirs")
    sweep(str(tmp_path))
    assert os.listdir(tmp_path) == ["schedlab-theirs"]
