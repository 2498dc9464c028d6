"""Runs in progress: their curves, and what goes over the websocket."""

from __future__ import annotations

from time import monotonic, sleep

import numpy as np
import polars
import pytest
from dashboard.conftest import client_of, live_address
from hypothesis import example, given, settings
from hypothesis import strategies as st

import schedlab as sl
from schedlab.analysis.curves import curves
from schedlab.dashboard.live import MOST_BINS, GrowingCurves
from schedlab.watch import state_of

SECONDS = 20.0


@settings(max_examples=150, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from([0, 0.5, 1, 3, 200, 5000]), st.integers(0, 50)), min_size=2
    ),
    cuts=st.lists(st.integers(1, 20), max_size=6),
)
@example(steps=[(0, 0), (0, 0), (0, 0), (1, 1), (0, 0), (1, 0)], cuts=[4])
def test_growing_curves_are_those_of_the_whole(steps, cuts):
    times = 17.0 + np.cumsum([step for step, _ in steps])
    values = np.array([[float(level), 2.0 * level] for _, level in steps])
    growing, begin = GrowingCurves(["queued", "running"]), 0
    for cut in [*cuts, len(times)]:
        growing.add(times[begin : begin + cut], values[begin : begin + cut])
        begin += cut
    data = growing.data()
    count = len(data["time"])
    assert 1 <= count <= MOST_BINS
    width = 2.0**growing.merges
    assert data["time"] == [times[0] + width * i for i in range(count)]
    timeline = polars.DataFrame({"time": times, "queued": values[:, 0], "running": values[:, 1]})
    whole = int((times[-1] - times[0]) // width)  # the last bin has no end yet
    if whole:
        frame = curves(timeline, times[0], times[0] + whole * width, whole)
        for name in ("queued", "running"):
            column = data["columns"][name]
            assert column["mean"][:whole] == pytest.approx(
                frame[name].to_list(), rel=1e-4, abs=1e-9
            )
            assert column["max"][:whole] == pytest.approx(frame[f"{name}_max"].to_list(), rel=1e-5)
    assert data["columns"]["queued"]["max"][-1] >= values[-1, 0]


def test_increments_are_the_end_of_the_whole():
    growing = GrowingCurves(["queued"])
    growing.add(np.arange(0.0, 100.0), np.arange(100.0)[:, None])
    whole = growing.data()
    part = growing.data(60)
    assert part["begin"] == 60
    assert part["time"] == whole["time"][60:]
    assert part["columns"]["queued"]["mean"] == whole["columns"]["queued"]["mean"][60:]


def wait_for(condition):
    deadline = monotonic() + SECONDS
    while not condition():
        assert monotonic() < deadline, "waited too long"
        sleep(0.02)


def moment(socket):
    """Returns the next moment, and says that it was handled."""
    while True:
        answer = socket.receive_json()
        socket.send_json({"kind": "done"})
        if answer["kind"] == "moment":
            return answer
        assert answer["kind"] != "ended", answer


def until(socket, condition):
    deadline = monotonic() + SECONDS
    while not condition(answer := moment(socket)):
        assert monotonic() < deadline, answer
    return answer


def test_pause_step_and_go_on_to_the_end(paused):
    folder, process = paused
    wait_for(lambda: state_of(str(folder / "live")) == "live")
    client = client_of(folder)
    described = client.get("/api/run", params={"path": "live"}).json()
    assert described["is_live"]
    assert described["system"]["nodes"] == 64
    with client.websocket_connect(live_address("live")) as socket:
        answer = moment(socket)
        assert answer["mode"] == "pause"
        assert answer["counts"]["submitted"] == 0
        socket.send_json({"kind": "control", "mode": "pause", "steps": 10})
        stepped = until(socket, lambda answer: answer["counts"]["submitted"] > 0)
        assert stepped["mode"] == "pause"
        assert len(stepped["curves"]["time"]) >= 1
        assert len(str(stepped)) < 100_000
        socket.send_json({"kind": "control", "mode": "pause", "until": 100_000})
        later = until(socket, lambda answer: answer["time"] > 80_000)
        assert later["time"] <= 100_000
        assert later["counts"]["completed"] > 20
        socket.send_json({"kind": "control", "mode": "run", "speed": 36_000.0})
        paced = until(
            socket, lambda answer: answer["mode"] == "run" and answer["time"] > later["time"]
        )
        assert paced["speed"] == 36_000.0
        socket.send_json({"kind": "control", "mode": "run", "speed": None})
        while (answer := socket.receive_json())["kind"] != "ended":
            socket.send_json({"kind": "done"})
        assert answer["state"] == "finished"
    assert process.wait(SECONDS) == 0
    assert sl.Result.load(folder / "live").counts["completed"] == 400
    assert not client.get("/api/run", params={"path": "live"}).json()["is_live"]


def test_a_page_that_does_not_answer_gets_no_backlog(paused):
    folder, _ = paused
    wait_for(lambda: state_of(str(folder / "live")) == "live")
    with client_of(folder).websocket_connect(live_address("live")) as socket:
        first = socket.receive_json()
        assert first["kind"] == "moment"
        for _ in range(5):  # each makes a new moment, none of which may be sent
            socket.send_json({"kind": "control", "mode": "pause", "steps": 5})
            sleep(0.3)
        socket.send_json({"kind": "no such thing"})
        assert socket.receive_json()["kind"] == "error"  # comes before any moment
        socket.send_json({"kind": "done"})
        second = socket.receive_json()
        assert second["kind"] == "moment"
        assert second["counts"]["submitted"] > first["counts"]["submitted"]


def test_wrong_orders_are_answered(paused):
    folder, _ = paused
    wait_for(lambda: state_of(str(folder / "live")) == "live")
    with client_of(folder).websocket_connect(live_address("live")) as socket:
        assert socket.receive_json()["kind"] == "moment"
        for text in (
            "no json",
            "[1]",
            '{"kind": "control", "mode": "backwards"}',
            '{"kind": "control", "steps": -1}',
            '{"kind": "control", "steps": 1.5}',
            '{"kind": "control", "speed": 0}',
            '{"kind": "control", "speed": "fast"}',
            '{"kind": "control", "until": true}',
            '{"kind": "control", "speed": NaN}',
            "[" * 9_000,
            '{"kind": "' + "x" * 20_000 + '"}',
        ):
            socket.send_text(text)
            assert socket.receive_json()["kind"] == "error", text
        socket.send_json({"kind": "done"})
        socket.send_json({"kind": "control", "mode": "pause", "steps": 1})
        assert socket.receive_json()["kind"] == "moment"  # all is well


def test_a_run_that_is_killed_is_reported(paused):
    folder, process = paused
    wait_for(lambda: state_of(str(folder / "live")) == "live")
    client = client_of(folder)
    with client.websocket_connect(live_address("live")) as socket:
        assert socket.receive_json()["kind"] == "moment"
        process.kill()
        process.wait()
        while (message := socket.receive_json())["kind"] == "moment":
            pass
        assert (message["kind"], message["state"]) == ("ended", "stopped")
    answer = client.get("/api/run", params={"path": "live"})
    assert answer.status_code == 400
    assert "was stopped before its end" in answer.json()["error"]
    assert client.get("/api/runs").json()["rows"][0]["state"] == "stopped"


def test_two_pages_share_a_run(paused):
    folder, _ = paused
    wait_for(lambda: state_of(str(folder / "live")) == "live")
    client = client_of(folder)
    with (
        client.websocket_connect(live_address("live")) as one,
        client.websocket_connect(live_address("live")) as other,
    ):
        for socket, steps in ((one, 3), (other, 3), (one, 3)):
            before = moment(other)["counts"]["submitted"] if socket is one else None
            socket.send_json({"kind": "control", "mode": "pause", "steps": steps})
            if before is not None:
                assert moment(other)["counts"]["submitted"] > before
            else:
                moment(other)
                moment(one)


@pytest.mark.parametrize("run", ["nothing", "..", "notes", "%00"])
def test_runs_that_cannot_be_watched(client, run):
    with client.websocket_connect(live_address(run)) as socket:
        assert socket.receive_json()["kind"] == "error"
