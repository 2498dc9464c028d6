"""Simulations that are started from the page."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep

import pytest
from dashboard.conftest import client_of, live_address, write_inputs

import schedlab as sl
from schedlab.watch import LiveRun, state_of


@pytest.fixture
def folder(tmp_path):
    shown = tmp_path / "shown"
    shown.mkdir()
    write_inputs(shown)
    return shown


def form(**changes):
    return {
        "name": "new",
        "workload": "0:workload.swf",
        "system": "0:system.toml",
        "scheduler": "easy(order=shortest)",
        "allocator": "best-fit",
        **changes,
    }


def wait_for_end(path):
    deadline = monotonic() + 20
    while state_of(str(path)) != "finished":
        assert monotonic() < deadline
        sleep(0.05)


def test_what_the_form_offers(folder):
    answer = client_of(folder).get("/api/launch").json()
    assert answer["workloads"] == [{"value": "0:workload.swf", "label": "workload.swf"}]
    assert answer["systems"] == [{"value": "0:system.toml", "label": "system.toml"}]
    assert "easy" in answer["schedulers"]


def test_starts_a_simulation(folder):
    client = client_of(folder)
    filled_form = form(estimate="exact", memory="none", rules="", seed=7, enforce_limits=True)
    answer = client.post("/api/launch", json=filled_form)
    assert (answer.status_code, answer.json()) == (200, {"name": "new"})
    wait_for_end(folder / "new")
    run = sl.Result.load(folder / "new").run
    assert (run["scheduler"], run["allocator"]) == ("easy(order=shortest)", "best-fit")
    assert run["options"]["estimate"] == "exact"
    assert run["options"]["seed"] == 7
    assert run["options"]["enforce_limits"] is True
    assert [row["name"] for row in client.get("/api/runs").json()["rows"]] == ["new"]


def test_begins_paused_and_is_watched(folder):
    client = client_of(folder)
    assert client.post("/api/launch", json=form(pause=True)).status_code == 200
    assert client.get("/api/runs").json()["rows"][0]["state"] == "live"
    with client.websocket_connect(live_address("new")) as socket:
        assert socket.receive_json()["mode"] == "pause"
    LiveRun(str(folder / "new")).control("run")
    wait_for_end(folder / "new")


def test_begins_at_a_pace(folder):
    client = client_of(folder)
    assert client.post("/api/launch", json=form(speed=86400)).status_code == 200
    with client.websocket_connect(live_address("new")) as socket:
        while (answer := socket.receive_json())["mode"] != "run":
            socket.send_json({"kind": "done"})
        assert answer["speed"] == 86400
    LiveRun(str(folder / "new")).control("run")
    wait_for_end(folder / "new")


def test_modules_in_the_folder_are_not_run(folder):
    for name in ("json", "typer", "schedlab"):
        (folder / f"{name}.py").write_text("raise SystemExit('run!')")
    assert client_of(folder).post("/api/launch", json=form()).status_code == 200
    wait_for_end(folder / "new")


def test_inputs_of_another_folder(folder, tmp_path):
    more = tmp_path / "more"
    more.mkdir()
    write_inputs(more, jobs=50)
    client = client_of(folder, workloads=[more])
    values = [item["value"] for item in client.get("/api/launch").json()["workloads"]]
    assert values == ["0:workload.swf", "1:workload.swf"]
    answer = client.post("/api/launch", json=form(workload="1:workload.swf"))
    assert answer.status_code == 200
    wait_for_end(folder / "new")
    assert sl.Result.load(folder / "new").counts["submitted"] == 50


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "../out"}, "name"),
        ({"name": "a/b"}, "name"),
        ({"name": "-flag"}, "name"),
        ({"name": ".hidden"}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "system.toml"}, "name"),
        ({"name": 7}, "name"),
        ({"workload": "0:../secret.swf"}, "workload"),
        ({"workload": "/etc/passwd"}, "workload"),
        ({"workload": "7:workload.swf"}, "workload"),
        ({"workload": "0:system.toml"}, "workload"),
        ({"workload": None}, "workload"),
        ({"workload": "²:workload.swf"}, "workload"),
        ({"scheduler": "ea\x00sy"}, "scheduler"),
        ({"rules": []}, "rules"),
        ({"system": "0:workload.swf"}, "system"),
        ({"system": "0:bad.toml"}, "system"),
        ({"scheduler": "esy"}, "scheduler"),
        ({"scheduler": "easy(depth=many)"}, "scheduler"),
        ({"scheduler": "subprocess:Popen(args=true)"}, "scheduler"),
        ({"scheduler": "os:getcwd"}, "scheduler"),
        ({"scheduler": "score:)("}, "scheduler"),
        ({"scheduler": "easy(order=os:getcwd)"}, "scheduler"),
        ({"scheduler": "blocking(order=evil:order)"}, "scheduler"),
        ({"allocator": "os:getcwd"}, "allocator"),
        ({"allocator": "--help"}, "allocator"),
        ({"estimate": "os:getcwd"}, "estimate"),
        ({"estimate": ["exact"]}, "estimate"),
        ({"rules": "none"}, "rules"),
        ({"seed": -1}, "seed"),
        ({"seed": "1"}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"speed": 0}, "speed"),
        ({"speed": "fast"}, "speed"),
        ({"workload": "0:bad.swf"}, "workload"),
    ],
)
def test_wrong_fields_are_named(folder, changes, field):
    (folder / "bad.toml").write_text("groups = 7")
    (folder / "bad.swf").write_text("this is not a trace\n")
    (folder / "evil.py").write_text(f"open({str(folder / 'new')!r}, 'w')")
    answer = client_of(folder).post("/api/launch", json=form(**changes))
    assert answer.status_code == 400, answer.text
    problem = answer.json()
    assert problem["field"] == field
    assert problem["error"]
    assert str(folder) not in problem["error"]
    assert not os.path.exists(folder / "new")


@pytest.mark.parametrize("scheduler", ["esy", "easy(order=shortst)", "blocking(order=x)"])
def test_classes_are_not_proposed(folder, scheduler):
    answer = client_of(folder).post("/api/launch", json=form(scheduler=scheduler)).json()
    assert "known" in answer["error"]
    assert "module" not in answer["error"]


def test_a_name_that_exists_is_refused(folder):
    client = client_of(folder)
    assert client.post("/api/launch", json=form()).status_code == 200
    answer = client.post("/api/launch", json=form())
    assert answer.json()["field"] == "name"
    assert "exists already" in answer.json()["error"]
    wait_for_end(folder / "new")


def test_of_two_at_once_with_one_name_one_is_started(folder):
    client = client_of(folder)
    with ThreadPoolExecutor(3) as pool:
        requests = [pool.submit(client.post, "/api/launch", json=form()) for _ in range(3)]
    answers = [one.result() for one in requests]
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400]
    refused = [answer.json() for answer in answers if answer.status_code == 400]
    assert [answer["field"] for answer in refused] == ["name"] * 2
    wait_for_end(folder / "new")
