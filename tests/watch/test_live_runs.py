"""Live runs against their replays; what watchers may ask of them; folders without a run."""

from __future__ import annotations

import json
import os
from time import monotonic, sleep

import pytest

import schedlab as sl
from schedlab.errors import InputError
from schedlab.simulation.live import SECONDS_BETWEEN_MOMENTS
from schedlab.simulation.run_folder import LIVE, WATCH
from schedlab.watch import Replay, folder, open_run, state_of

from .conftest import wait_for


def test_a_live_run_shows_what_its_replay_shows_later(start):
    process = start()
    live = process.open()
    seen = []
    for until in (45_000, 55_000, 100_000):
        live.control("pause", until=until)
        wait_for(lambda: live.refresh() and live.run["time"]["now"] > 0.95 * until)  # noqa: B023
        moment = live.now()
        past = live.at(moment.time)
        assert past.counts == moment.counts
        assert past.used == moment.used
        seen.append(moment)
    process.end()
    replay = open_run(process.path)
    assert isinstance(replay, Replay)
    assert any(moment.counts["queued"] for moment in seen)
    for moment in seen:
        later = replay.at(moment.time)
        assert later.counts == moment.counts
        assert later.used == moment.used
        assert set(later.running["job_id"]) == set(moment.running["job_id"])
        assert set(later.queue["job_id"]) == set(moment.queue["job_id"])
        then = later.running.sort("job_id").select("job_id", "start", "nodes", "tasks", "amounts")
        now = moment.running.sort("job_id").select("job_id", "start", "nodes", "tasks", "amounts")
        assert then.rows() == now.rows()


def test_steps_go_from_one_time_point_to_the_next(start):
    process = start()
    live = process.open()
    times = []
    for step in range(1, 6):
        live.control("pause", steps=1)
        wait_for(lambda: live.refresh() and live.run["time"]["time_points"] == step)  # noqa: B023
        times.append(live.now().time)
    live.control("pause", steps=10)
    wait_for(lambda: live.refresh() and live.run["time"]["time_points"] == 15)
    fifteenth = live.now().time
    process.end()
    timeline = Replay(process.path).timeline()
    assert timeline["time"][:5].to_list() == times
    assert timeline["time"][14] == fifteenth


def test_two_watchers_control_the_same_run(start):
    process = start()
    one, other = process.open(), process.open()
    for watcher, points in ((one, 1), (other, 2), (other, 3), (one, 4), (other, 5)):
        for each in (one, other):
            each.refresh()
        watcher.control("pause", steps=1)
        wait_for(lambda: one.refresh() and one.run["time"]["time_points"] == points)  # noqa: B023
        wait_for(lambda: other.refresh() or other.run["time"]["time_points"] == points)  # noqa: B023
    one.control("run", speed=1000.0)
    wait_for(lambda: other.refresh() and (other.mode, other.speed) == ("run", 1000.0))


def test_speed_is_kept_to(start):
    process = start()
    live = process.open()
    live.control("pause", until=100_000)
    wait_for(lambda: live.refresh() and live.run["time"]["now"] > 90_000)
    before = live.now().time
    live.control("run", speed=20_000.0)
    began = monotonic()
    wait_for(lambda: live.refresh() and live.now().time > before + 10_000)
    elapsed = monotonic() - began
    covered = live.now().time - before
    assert covered <= 20_000 * (elapsed + 0.1)  # never ahead; late only as the machine is busy
    assert elapsed < 10


def test_a_time_that_was_reached_is_not_reached_again(start):
    process = start()
    live = process.open()
    live.control("pause", until=100_000)
    wait_for(lambda: live.refresh() and live.run["time"]["now"] > 90_000)
    first, began = live._last_report["moment"], monotonic()
    while monotonic() < began + 1.0:  # touches the request, which must not make news of it
        live.refresh()
        sleep(0.03)
    elapsed = monotonic() - began
    assert live._last_report["moment"] - first <= elapsed / SECONDS_BETWEEN_MOMENTS + 2


NONSENSE = (
    "",
    "{",
    "[]",
    "null",
    '{"format": 99, "mode": "run"}',
    '{"format": 1, "mode": 7, "speed": "fast", "until": [], "steps": -3}',
    '{"format": 1, "steps": true, "speed": NaN}',
)


def test_nonsense_in_the_request_is_ignored(start):
    process = start()
    live = process.open()
    for text in NONSENSE:
        with open(os.path.join(process.path, WATCH), "w", encoding="utf-8") as file:
            file.write(text)
        last_moment = live._last_report["moment"]
        wait_for(lambda: live.refresh() and live._last_report["moment"] > last_moment)  # noqa: B023
        assert live.mode == "pause"
        assert live.run["time"]["time_points"] == 0
    process.end()


def test_a_paused_run_stays_so_without_watchers_and_is_found_again(start):
    process = start()
    process.open().control("pause", steps=3)
    live = process.open()
    wait_for(lambda: live.refresh() and live.run["time"]["time_points"] == 3)
    os.unlink(os.path.join(process.path, WATCH))
    assert process.process.poll() is None
    again = process.open()
    assert again.mode == "pause"
    assert again.run["time"]["time_points"] == 3
    process.end()


def test_nothing_is_published_when_the_watchers_are_gone(start):
    process = start()
    live = process.open()
    request = os.path.join(process.path, WATCH)
    long_ago = os.stat(request).st_mtime - 60
    os.utime(request, (long_ago, long_ago))
    sleep(0.3)  # one moment may have been on its way

    def last_moment() -> int:
        with open(os.path.join(process.path, LIVE), encoding="utf-8") as file:
            return json.load(file)["moment"]

    last = last_moment()
    sleep(0.5)
    assert last_moment() == last
    wait_for(live.refresh)  # a user is there again
    assert last_moment() > last


def test_a_run_without_watchers_leaves_nothing(finished):
    assert sorted(os.listdir(finished)) == ["jobs.csv", "run.json", "timeline.csv"]


def test_a_watched_run_leaves_nothing_either(start):
    process = start()
    live = process.open()
    assert {WATCH, LIVE} <= set(os.listdir(process.path))
    process.end()
    live.refresh()
    live.control("pause")  # too late
    assert sorted(os.listdir(process.path)) == ["jobs.csv", "run.json", "timeline.csv"]
    assert state_of(process.path) == "finished"


def test_a_killed_run_is_stopped(start):
    process = start()
    process.open()
    process.kill()
    assert state_of(process.path) == "stopped"
    with pytest.raises(InputError, match="stopped before its end"):
        open_run(process.path)


def test_a_request_that_a_killed_run_left_is_not_obeyed(start):
    process = start()
    process.open().control("pause")
    process.kill()
    sl.simulate(process.workload, system=process.system, out=process.path)
    assert state_of(process.path) == "finished"


def test_a_folder_that_is_being_written_is_refused(start):
    process = start()
    with pytest.raises(InputError, match="another run is writing"):
        sl.simulate(process.workload, system=process.system, out=process.path)


def test_folders_without_a_run(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        open_run(tmp_path / "nowhere")
    assert state_of(str(tmp_path)) == "none"
    with pytest.raises(InputError, match="has no run"):
        open_run(tmp_path)
    sl.simulate(
        [sl.Job(1, submit=0, run=1)],
        system={"groups": {"n": {"nodes": 1, "resources": {"core": 1}}}},
        out=tmp_path,
        jobs="none",
    )
    with pytest.raises(InputError, match="has no jobs to show"):
        open_run(tmp_path)


def test_a_folder_above_runs_names_some(tmp_path, monkeypatch):
    (tmp_path / "plots").mkdir()
    for name in ("a/01", "a/02", "b/01", "c/01"):
        assert "did you mean" not in _why_not(tmp_path / "plots")
        where = tmp_path / "runs" / name
        where.mkdir(parents=True)
        (where / "run.json").touch()
        if name == "a/01":
            assert _why_not(tmp_path).endswith(f"has no run itself; did you mean {where}?")
    first, second, third = (tmp_path / "runs" / name for name in ("a/01", "a/02", "b/01"))
    question = f"did you mean {first}, {second} or {third}?"
    assert _why_not(tmp_path).endswith(f"{question} (4 runs below)")
    assert _why_not(tmp_path / "runs" / "a").endswith(f"{first} or {second}? (2 runs below)")
    monkeypatch.setattr(folder, "MOST_ENTRIES", 8)  # all but the run of c
    assert _why_not(tmp_path).endswith(f"{question} (3 runs below, or more)")
    monkeypatch.setattr(folder, "MOST_ENTRIES", 4)
    assert _why_not(tmp_path).endswith("has no run: neither run.json nor one in progress")


def _why_not(path) -> str:
    with pytest.raises(InputError) as caught:
        open_run(path)
    return str(caught.value)


def test_what_a_live_run_publishes(start):
    process = start()
    live = process.open()
    live.control("pause", until=100_000)
    wait_for(lambda: live.refresh() and live.run["time"]["now"] > 90_000)
    with open(os.path.join(process.path, LIVE), encoding="utf-8") as file:
        report = json.load(file)
    assert list(report) == [
        *("format", "moment", "process", "mode", "speed", "steps", "share_read", "used", "run"),
        "jobs",
    ]
    assert report["process"] == process.process.pid
    assert report["run"]["status"] == "running"
    assert set(report["used"]) == {"core", "mem"}
