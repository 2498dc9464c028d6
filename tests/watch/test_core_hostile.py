"""Whoever may write to a run's folder can put anything there; the run continues all the same."""

from __future__ import annotations

import json
import os
from pathlib import Path
from time import sleep

import pytest

import schedlab as sl
from schedlab.errors import InputError
from schedlab.watch import open_run

REQUESTS = [
    b'{"format": 1, "until": 1%s}' % (b"0" * 400),
    b'{"format": 1, "speed": 1%s}' % (b"0" * 400),
    b'{"format": 1, "mode": "pause", "steps": 1%s}' % (b"0" * 400),
    b'{"format": 1, "until": NaN, "speed": -Infinity, "steps": -1}',
    b'{"format": 1, "mode": ["run"]}',
    b"[" * 100_000 + b"]" * 100_000,
    b'{"format": 1, "mode": ' + b"[" * 40_000 + b"]" * 40_000 + b"}",
    b'{"format": 1, "mode": "run", "more": "%s"}' % (b"x" * 200_000),
    b"\xff\xfe",
    b"null",
]


def test_a_run_takes_no_harm_from_what_makes_no_sense(start):
    run = start()
    request = Path(run.path, "watch.json")
    for content in REQUESTS:
        partial = Path(run.path, "elsewhere")
        partial.write_bytes(content)
        os.replace(partial, request)
        sleep(0.1)  # it looks 50 times a second
    request.unlink()
    os.mkfifo(request)
    sleep(0.1)
    assert run.process.poll() is None
    request.unlink()
    run.end()
    jobs = Path(run.path, "jobs.csv").read_bytes()
    plain = sl.simulate(run.workload, system=run.system, scheduler="easy", out=f"{run.path}-plain")
    assert jobs == Path(plain.path, "jobs.csv").read_bytes()


def test_a_folder_in_the_place_of_live_json_does_not_fail_the_run(start):
    run = start()
    os.mkdir(os.path.join(run.path, "live.json"))
    with pytest.raises(InputError, match="does not answer"):
        open_run(run.path)
    Path(run.path, "watch.json").write_text(json.dumps({"format": 1, "mode": "run"}))
    assert run.process.wait(20) == 0


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", '{"format": 1}', "[" * 100_000, '{"format": 1, "moment": 1e9, "process": 0}'],
)
def test_a_watcher_keeps_what_it_knows_when_live_json_is_garbage(start, content):
    run = start()
    view = run.open()
    before = view.now().counts
    live = Path(run.path, "live.json")

    for _ in range(5):  # the run may replace it meanwhile
        live.write_text(content)
        view.refresh()
    assert view.now().counts == before


def test_more_steps_than_there_are_lead_to_the_end(start):
    run = start(3000)
    view = run.open()
    view.control("pause", steps=2**61)
    assert run.process.wait(20) == 0


def test_a_folder_that_may_not_be_written_to(start, monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    run = start()
    monkeypatch.setattr("schedlab.watch.live.LiveRun._write", refuse)
    monkeypatch.setattr("schedlab.watch.folder.SECONDS_TO_ANSWER", 0.3)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="does not answer; you may not write to its folder"):
        open_run(run.path)
    assert run.process.poll() is None
