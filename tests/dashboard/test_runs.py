"""What the page gets of a run agrees with the run folder."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime

import numpy as np
import polars
import pytest
from dashboard.conftest import MIXED, client_of, mixed_jobs
from hypothesis import given, settings
from hypothesis import strategies as st

import schedlab as sl
from schedlab.analysis.curves import curves
from schedlab.analysis.raster import gantt_raster
from schedlab.dashboard import gantt as gantt_module
from schedlab.dashboard.gantt import IDLE_32, GanttIndex
from schedlab.dashboard.gantt_shares import ChartPart
from schedlab.dashboard.moments import node_map
from schedlab.dashboard.runs import calendar_of, clock_of
from schedlab.durations import duration_text
from schedlab.watch import Replay
from schedlab.watch.moment import occupancy


def ask(client, address, **query):
    answer = client.get(address, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def unpack(content: bytes):
    """Returns head, jobs and shares of a picture, as the page reads them."""
    length = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + length])
    pixels = head["width"] * head["height"]
    kind = np.dtype(head["kind"])
    jobs = np.frombuffer(content, kind, pixels, 8 + length)
    share = np.frombuffer(content, np.uint8, pixels, 8 + length + jobs.nbytes)
    shape = (head["height"], head["width"])
    return head, jobs.reshape(shape), share.reshape(shape)


@pytest.mark.parametrize("name", ["easy", "mixed", "trial/runs/two"])
def test_description(client, results, name):
    answer = ask(client, "/api/run", path=name)
    run = sl.Result.load(results / name).run
    assert not answer["is_live"]
    assert answer["metrics"] == run["metrics"]
    assert answer["system"]["groups"] == run["system"]["groups"]
    assert (answer["first"], answer["last"]) == (run["time"]["first_submit"], run["time"]["now"])
    assert sorted(answer["files"]) == sorted([*run["files"], "run.json"])


def test_dates_are_given_where_they_are_known(client, results):
    assert ask(client, "/api/run", path="easy")["system"]["calendar"]["start"] == 1704067200
    assert ask(client, "/api/run", path="mixed")["system"]["calendar"] is None
    run = sl.Result.load(results / "mixed").run
    run["workload"]["header"] = {"UnixStartTime": "1000000000"}
    assert calendar_of(run)["start"] == clock_of(run).start_time == 1_000_000_000
    assert calendar_of(run)["zone"] == "UTC"
    assert [offset for _, offset in calendar_of(run)["offsets"]] == [0]
    run["workload"]["header"]["TimeZoneString"] = "Europe/Stockholm"
    calendar = calendar_of(run)
    assert calendar["zone"] == "Europe/Stockholm"
    summer = datetime(2002, 3, 31, 1, tzinfo=UTC).timestamp()  # when clocks are put forward
    assert [summer, 7200] in calendar["offsets"]
    run["time"]["now"] = 1e15  # the page could not write such a date
    assert clock_of(run).start_time is calendar_of(run) is None


@pytest.mark.parametrize("name", ["easy", "mixed", "trial/runs/two"])
def test_moments(client, results, name):
    replay = Replay(str(results / name))
    for time in np.linspace(replay.first, replay.last, 7):
        answer = ask(client, "/api/run/moment", path=name, time=float(time))
        moment = replay.at(float(time))
        assert answer["counts"] == moment.counts
        assert answer["used"] == moment.used
        assert [row[0] for row in answer["running"]["rows"]] == moment.running["job_id"].to_list()[
            :100
        ]
        assert {job for job, _, _ in answer["map"]["jobs"]} == set(moment.running["job_id"])


def test_moments_outside_are_those_at_the_ends(client):
    answer = ask(client, "/api/run/moment", path="easy", time=1e15)
    assert answer["counts"]["completed"] == answer["counts"]["submitted"] == 400
    assert ask(client, "/api/run/moment", path="easy", time=-1e15)["counts"]["completed"] == 0


def test_large_machines_are_shown_in_cells(results):
    replay = Replay(str(results / "mixed"))
    run = json.loads(json.dumps(replay.run))
    moment = replay.at((replay.first + replay.last) / 3)
    held = occupancy(moment.running, run)
    run["system"]["nodes"] = 12_000  # as if there were more of them: three nodes to a cell
    cells_of_nodes = node_map(moment.running, run)
    assert cells_of_nodes["nodes_per_cell"] == 3
    for cell, job, *amounts in cells_of_nodes["cells"]:
        inside = held.filter(polars.col("node") // 3 == cell)
        assert amounts == [inside[kind].sum() for kind in ("core", "mem", "gpu")]
        by_job = inside.group_by("job_id").agg(polars.col("core").sum())
        assert by_job.filter(polars.col("job_id") == job)["core"][0] == by_job["core"].max()
    assert len(cells_of_nodes["cells"]) == held.select(polars.col("node") // 3).unique().height


def test_steps_follow_events(client, results):
    replay = Replay(str(results / "easy"))
    time = replay.first
    for _ in range(5):
        after = ask(client, "/api/run/step", path="easy", time=time, steps=1)["time"]
        assert after == replay.next_time(time)
        assert ask(client, "/api/run/step", path="easy", time=after, steps=-1)["time"] == time
        time = after
    assert ask(client, "/api/run/step", path="easy", time=1e12, steps=3)["time"] == 1e12


def test_curves(client, results):
    replay = Replay(str(results / "mixed"))
    answer = ask(client, "/api/run/curves", path="mixed", first=100, last=2000, bins=50)
    frame = curves(replay.timeline(), 100, 2000, 50)
    assert answer["time"] == frame["time"].to_list()
    assert set(answer["columns"]) == {"queued", "running", "core_used", "mem_used", "gpu_used"}
    for name, values in answer["columns"].items():
        assert values["mean"] == pytest.approx(frame[name].to_list(), rel=1e-5)
        assert values["max"] == pytest.approx(frame[f"{name}_max"].to_list(), rel=1e-5)
    none = ask(client, "/api/run/curves", path="trial/runs/two", first=100, last=2000)
    assert none == {"time": [], "columns": {}}


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_gantt_is_the_raster_of_the_analysis(results, data):
    replay = Replay(str(results / data.draw(st.sampled_from(["easy", "mixed"]))))
    nodes = replay.run["system"]["nodes"]
    long = replay.last - replay.first
    first = replay.first + long * data.draw(st.floats(-0.1, 0.9))
    last = first + long * data.draw(st.floats(1e-4, 1.2))
    width, height = data.draw(st.integers(1, 150)), data.draw(st.integers(1, nodes))
    picture = GanttIndex(replay.jobs(), replay.run).picture(
        ChartPart(first, last, 0, nodes, width, height)
    )
    _, jobs, _ = unpack(zlib.decompress(picture))
    expected = gantt_raster(replay.jobs(), nodes, first, last, width, height).job
    assert np.array_equal(np.where(jobs == IDLE_32, -1, jobs), expected)


def test_gantt_of_some_nodes_is_that_part_of_the_whole(client):
    query = {"path": "mixed", "first": 0, "last": 4000, "width": 300, "height": 10}
    whole = unpack(client.get("/api/run/gantt", params={**query, "top": 0, "bottom": 10}).content)
    part = unpack(client.get("/api/run/gantt", params={**query, "top": 3, "bottom": 8}).content)
    assert part[0]["height"] == 5  # one row per node is enough
    assert np.array_equal(part[1], whole[1][3:8])
    assert np.array_equal(part[2], whole[2][3:8])


def test_shares_of_nodes_that_are_not_shared_are_those_of_the_analysis(tmp_path):
    jobs = [
        sl.Job(n, submit=3 * n, run=1 + 7 * n % 90, processors=1 + n % 3, whole_nodes=True)
        for n in range(200)
    ]
    result = sl.simulate(jobs, system=MIXED, scheduler="easy", out=tmp_path / "run")
    replay = Replay(result.path)
    picture = GanttIndex(replay.jobs(), replay.run).picture(ChartPart(50, 900, 0, 10, 37, 4))
    _, _, share = unpack(zlib.decompress(picture))
    busy = gantt_raster(replay.jobs(), 10, 50, 900, 37, 4).busy
    assert np.abs(share / 255 - busy).max() < 1 / 200


def test_shares_of_many_jobs_are_nearly_the_same(results, monkeypatch):
    replay = Replay(str(results / "easy"))
    index = GanttIndex(replay.jobs(), replay.run)
    part = ChartPart(replay.first, replay.last, 8, 40, 200, 20)
    exact = unpack(zlib.decompress(index.picture(part)))[2]
    monkeypatch.setattr(gantt_module, "MOST_ADDED", 10)
    quick = unpack(zlib.decompress(index.picture(part)))[2]
    assert np.abs(exact.astype(int) - quick).mean() < 3
    assert np.abs(exact.astype(int) - quick).max() < 40


def test_deep_zoom_gives_the_boxes(client, results):
    frame = Replay(str(results / "mixed")).jobs()
    start, end = frame["start"][20], frame["end"][20]
    query = {"path": "mixed", "first": start, "last": end, "top": 0, "bottom": 10}
    head, _, _ = unpack(
        client.get("/api/run/gantt", params={**query, "width": 300, "height": 100}).content
    )
    seen = frame.filter((polars.col("start") < end) & (polars.col("end") > start))
    assert {job for job, *_ in head["boxes"]} == set(seen["job_id"])


def test_jobs_at_a_place(client, results):
    replay = Replay(str(results / "mixed"))
    time = float(np.mean([replay.first, replay.last]) / 2)
    held = occupancy(replay.at(time).running, replay.run)
    for node in range(10):
        jobs = ask(client, "/api/run/at", path="mixed", time=time, node=node)["jobs"]
        here = held.filter(polars.col("node") == node).sort(-polars.col("tasks"), "job_id")
        assert jobs == here["job_id"].to_list()


def test_one_job(client, results):
    row = Replay(str(results / "mixed")).job(7)
    job = ask(client, "/api/run/job", path="mixed", job_id=7)
    assert job.pop("facts")[0] == ["state", row["state"], False]
    assert job == row
    answer = client.get("/api/run/job", params={"path": "mixed", "job_id": 10**9})
    assert (answer.status_code, answer.json()["error"]) == (
        400,
        "job 1000000000: there is none in this run",
    )


def test_one_job_at_a_time(client, results):
    jobs = Replay(str(results / "easy")).jobs()
    row = jobs.filter(polars.col("wait") > 100).row(0, named=True)

    def at(time):
        facts = ask(client, "/api/run/job", path="easy", job_id=row["job_id"], time=time)["facts"]
        return {label: (text, comes) for label, text, comes in facts}

    queued = at((row["submit"] + row["start"]) / 2)
    assert queued["state"] == ("queued", False)
    assert queued["has waited"] == (duration_text(row["wait"] / 2), False)
    assert queued["will wait"] == (duration_text(row["wait"]), True)
    assert queued["slowdown will be"][1]
    assert queued["will be in group node"][1]
    assert {"will start", "will end", "will run"} <= set(queued)
    running = at(row["start"])
    assert running["state"] == ("running", False)
    assert "started" in running
    assert running["will end"][1]
    assert running["group node"][1] is False
    ended = at(row["end"])
    assert ended["state"] == (row["state"], False)
    assert not any(comes for _, comes in ended.values())


def test_times_in_words(client):
    def time(run, text):
        return client.get("/api/run/time", params={"path": run, "text": text}).json()

    assert time("easy", "3d") == {"time": 259_200.0}
    assert time("easy", "2024-01-03 12:00") == {"time": 216_000.0}
    assert time("mixed", "90") == {"time": 90.0}
    assert "is not a time" in time("easy", "tomorrow")["error"]
    assert "dates need a start time" in time("mixed", "2024-01-03")["error"]


def test_options_that_are_not_the_defaults(tmp_path):
    for name, options in (("plain", {}), ("other", {"seed": 7, "enforce_limits": True})):
        sl.simulate(mixed_jobs(20), system=MIXED, out=tmp_path / name, scheduler="easy", **options)
    client = client_of(tmp_path)
    other = "enforce_limits=true, seed=7"
    by_name = {row["name"]: row["options"] for row in ask(client, "/api/runs")["rows"]}
    assert by_name == {"plain": None, "other": other}
    assert ask(client, "/api/run", path="other")["changed_options"] == other
    assert [row["name"] for row in ask(client, "/api/runs", query="seed=7")["rows"]] == ["other"]
    rows = client.post("/api/compare", json={"runs": ["plain", "other"]}).json()["rows"]
    assert [row["options"] for row in rows] == [None, other]


@pytest.mark.parametrize("column", ["job_id", "wait", "submit", "end", "state", "tasks"])
@pytest.mark.parametrize("descending", [False, True])
def test_jobs_sorted(client, results, column, descending):
    frame = Replay(str(results / "easy")).jobs()
    place = ["job_id", "user", "submit", "start", "end", "state", "tasks", "estimate", "wait"]
    answer = ask(
        client, "/api/run/jobs", path="easy", sort=column, descending=descending, offset=5, limit=20
    )
    expected = frame.sort(column, descending=descending)[column].to_list()[5:25]
    assert [row[place.index(column)] for row in answer["rows"]] == expected
    assert answer["found"] == answer["total"] == 400


def test_jobs_searched(client, results):
    frame = Replay(str(results / "easy")).jobs()
    user = frame["user"][0]
    answer = ask(client, "/api/run/jobs", path="easy", query=f"user:{user}", limit=1000)
    assert answer["found"] == len(answer["rows"]) == (frame["user"] == user).sum()
    assert [row[0] for row in ask(client, "/api/run/jobs", path="easy", query="12")["rows"]] == [12]
    assert ask(client, "/api/run/jobs", path="easy", query="killed")["found"] == 0
    wrong = client.get("/api/run/jobs", params={"path": "easy", "query": "job twelve"})
    assert wrong.status_code == 400
    assert "is not a job number" in wrong.json()["error"]


def test_runs_without_jobs_say_so(client, results, tmp_path):
    folder = results / "no-jobs"
    sl.simulate(mixed_jobs(5), system=MIXED, out=folder, jobs="none")
    try:
        answer = client.get("/api/run", params={"path": "no-jobs"})
        assert answer.status_code == 400
        assert "has no jobs to show" in answer.json()["error"]
    finally:
        (folder / "run.json").unlink()
        folder.rmdir()


def test_one_job_runs_can_be_shown(tmp_path):
    from dashboard.conftest import client_of

    sl.simulate(mixed_jobs(1), system=MIXED, out=tmp_path / "one", timeline="csv")
    client = client_of(tmp_path)
    description = ask(client, "/api/run", path="one")
    assert (
        ask(client, "/api/run/moment", path="one", time=description["first"])["counts"]["running"]
        == 1
    )
    query = {"path": "one", "first": description["first"], "last": description["last"]}
    assert len(ask(client, "/api/run/curves", **query)["time"]) == 800
    answer = client.get(
        "/api/run/gantt", params={**query, "top": 0, "bottom": 10, "width": 10, "height": 10}
    )
    assert unpack(answer.content)[0]["boxes"][0][0] == 1


def test_comparisons(client, results):
    answer = client.post("/api/compare", json={"runs": ["fifo", "easy", "broken", "fifo"]}).json()
    assert [row["name"] for row in answer["rows"]] == ["fifo", "easy"]
    assert [row["name"] for row in answer["unreadable"]] == ["broken"]
    wait = [row["values"][0] for row in answer["rows"]]
    assert wait == [sl.Result.load(results / n).metrics["wait"]["mean"] for n in ("fifo", "easy")]
    one = ask(client, "/api/compare/run", path="fifo")
    waits = sl.Result.load(results / "fifo").jobs.collect()["wait"]
    assert (one["wait"][0], one["wait"][-1]) == (waits.min(), waits.max())
    assert one["wait"] == sorted(one["wait"])
    assert len(one["curves"]["time"]) == len(one["curves"]["queued"]) == 400


def test_job_by_job(client, results):
    answer = ask(client, "/api/compare/jobs", one="fifo", other="easy", limit=5)
    frames = [sl.Result.load(results / n).jobs.collect().sort("job_id") for n in ("fifo", "easy")]
    difference = frames[1]["wait"] - frames[0]["wait"]
    assert answer["jobs"] == answer["shorter"] + answer["longer"] + answer["same"] == 400
    assert answer["shorter"] == (difference < 0).sum()
    assert answer["mean"] == pytest.approx(difference.mean())
    assert abs(answer["largest"][0][-1]) == difference.abs().max()
    same = ask(client, "/api/compare/jobs", one="fifo", other="fifo")
    assert same["same"] == 400


def test_live_runs_come_first(client, monkeypatch):
    from schedlab.dashboard import catalogue

    monkeypatch.setattr(
        catalogue, "state_of", lambda path: "live" if path.endswith("fifo") else "finished"
    )
    for query in ({}, {"sort": "changed", "descending": True}, {"sort": "mean_wait"}):
        rows = ask(client, "/api/runs", **query)["rows"]
        assert (rows[0]["name"], rows[0]["state"]) == ("fifo", "live")


def test_the_best_is_among_runs_of_the_same_inputs(client):
    answer = client.post("/api/compare", json={"runs": ["easy", "fifo", "mixed"]})
    easy, fifo, mixed = answer.json()["rows"]
    assert easy["inputs"] == fifo["inputs"] != mixed["inputs"]
    assert easy["workload"] == "workload.swf"
