"""Experiments on a full disk: the reason is reported, and afterwards the same command continues."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import schedlab as sl
from schedlab.durable_files import create
from schedlab.results.result import to_parquet

FULL = "/dev/full"
pytestmark = [
    pytest.mark.skipif(not os.path.exists(FULL), reason="needs a device that is always full"),
    pytest.mark.usefixtures("folder"),
]


def experiment(*schedulers: str) -> sl.Experiment:
    return sl.Experiment("out", workloads="a.swf", systems="m.toml", schedulers=schedulers)


def test_a_description_that_was_begun_is_no_other_content():
    Path("out").mkdir()
    Path("out/experiment.json.part").touch()
    assert experiment("fifo").run().status == "complete"


def made_on_a_full_disk(path: str) -> int:
    os.symlink(FULL, path)
    return os.open(FULL, os.O_RDWR)


def test_a_table_that_cannot_be_written(monkeypatch):
    wanted = experiment("fifo")
    wanted.run()
    os.unlink("out/metrics.csv")
    with monkeypatch.context() as patched:
        patched.setattr(
            "schedlab.whole_file.create",
            lambda path: (made_on_a_full_disk if "metrics.csv" in path else create)(path),
        )
        with pytest.raises(OSError, match=r"out/metrics\.csv'$") as raised:
            wanted.run()
    assert raised.value.errno == errno.ENOSPC
    assert not [name for name in os.listdir("out") if name.startswith(".")]
    assert wanted.run().status == "complete"


def to_full_disk(source: str, target: str) -> None:
    to_parquet(source, FULL if "sjf" in target else target)


def test_what_polars_says_becomes_an_error_with_a_number():
    result = sl.simulate("a.swf", system="m.toml", out="run")
    with pytest.raises(OSError, match=FULL) as raised:
        to_parquet(f"{result.path}/jobs.csv", FULL)
    assert raised.value.errno == errno.ENOSPC


def test_files_that_cannot_be_converted_fail_one_run_only(monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("schedlab.experiment.finishing.to_parquet", to_full_disk)
        found = experiment("fifo", "sjf").run()
    ((name, reason),) = found.failures
    assert name == "sjf+first-fit/01"
    assert reason == f"no space left on device while writing {FULL}"
    assert found.metrics["dispatcher"].to_list() == ["fifo+first-fit"]
    again = experiment("fifo", "sjf").run()
    assert again.failures == []
    assert again.status == "complete"


def test_the_reason_is_known_even_if_nothing_can_be_printed():
    Path("wrong_policies.py").write_text(
        "import schedlab as sl\n"
        "class Wrong(sl.Scheduler):\n"
        "    def schedule(self, state):\n"
        "        raise KeyError('no such user')\n"
    )
    wanted = experiment("wrong_policies:Wrong")
    ((name, reason),) = wanted.run().failures
    assert "KeyError: 'no such user'" in reason
    output = Path("out/runs", name, "output.txt")
    assert "Traceback" in output.read_text()
    output.unlink()
    output.symlink_to(FULL)
    assert wanted.run().failures == [(name, reason)]


def test_a_run_that_was_killed_after_its_end_is_taken_over(monkeypatch):
    with monkeypatch.context() as patched:  # as if it had been killed before it could report
        patched.setattr("schedlab.experiment.children.from_json", lambda _: ["nothing"])
        first = experiment("fifo").run()
    assert [reason for _, reason in first.failures] == ["ended with exit code 0"]
    again = experiment("fifo").run()
    assert again.failures == []
    assert again.status == "complete"
