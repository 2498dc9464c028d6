"""Whatever is read for a page lies in the folder that is shown, and is a file."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from dashboard.conftest import client_of, live_address, write_inputs

SECRET = "c2VjcmV0-of-another-folder"
FILES = ("run.json", "jobs.csv", "timeline.csv")
QUESTIONS = (
    "/api/run?path=copy",
    "/api/run/curves?path=copy&first=0&last=1000&bins=10",
    "/api/run/moment?path=copy&time=100",
    "/api/run/time?path=copy&text=3d",
    "/api/run/step?path=copy&time=0&steps=1",
    "/api/run/gantt?path=copy&first=0&last=1000&top=0&bottom=4&width=10&height=4",
    "/api/run/at?path=copy&time=100&node=0",
    "/api/run/job?path=copy&job_id=1",
    "/api/run/jobs?path=copy",
    "/api/compare/run?path=copy",
    "/api/compare/jobs?one=easy&other=copy",
)


@pytest.fixture
def shown(results, tmp_path):
    """A folder with a run, a copy of it to be tampered with, and a run outside."""
    folder = tmp_path / "shown"
    shutil.copytree(results / "easy", folder / "easy")
    shutil.copytree(results / "easy", folder / "copy")
    shutil.copytree(results / "fifo", tmp_path / "outside")
    run = json.loads((tmp_path / "outside" / "run.json").read_text())
    run["system"]["name"] = SECRET
    (tmp_path / "outside" / "run.json").write_text(json.dumps(run))
    return folder


def answers(folder):
    """Returns what a client gets that asks everything about the run."""
    client = client_of(folder)
    files = [f"/api/file?path=copy&name={name}" for name in FILES]
    return [
        *(client.get(question) for question in (*QUESTIONS, *files, "/api/runs")),
        client.post("/api/compare", json={"runs": ["easy", "copy"]}),
    ]


def check_refused(folder, name):
    """Looks that nothing of a file was shown, and nothing broke."""
    refused = 0
    for answer in answers(folder):
        assert answer.status_code in (200, 400), (answer.url, answer.text)
        assert SECRET not in answer.text
        refused += answer.status_code == 400
        if answer.status_code == 400:
            assert str(folder) not in answer.json()["error"]
            assert str(folder.parent) not in answer.json()["error"]
    assert refused >= 1
    download = client_of(folder).get("/api/file", params={"path": "copy", "name": name})
    assert download.status_code == 400


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_links_out_are_refused(shown, name):
    (shown / "copy" / name).unlink()
    (shown / "copy" / name).symlink_to(shown.parent / "outside" / name)
    check_refused(shown, name)


def test_folders_that_are_links_out_are_refused(shown):
    shutil.rmtree(shown / "copy")
    (shown / "copy").symlink_to(shown.parent / "outside")
    check_refused(shown, "run.json")


def test_parquet_files_that_are_links_out_are_refused(results, shown):
    shutil.rmtree(shown / "copy")
    shutil.copytree(results / "trial" / "runs" / "one", shown / "copy")
    shutil.copy(results / "trial" / "runs" / "two" / "jobs.parquet", shown.parent)
    (shown / "copy" / "jobs.parquet").unlink()
    (shown / "copy" / "jobs.parquet").symlink_to(shown.parent / "jobs.parquet")
    check_refused(shown, "jobs.parquet")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["pipe", "directory", "device"])
def test_what_is_not_a_file_is_refused_at_once(shown, name, kind):
    path = shown / "copy" / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    check_refused(shown, name)


def test_pipes_in_the_place_of_folders_are_not_waited_for(shown):
    shutil.rmtree(shown / "copy")
    os.mkfifo(shown / "copy")
    os.mkfifo(shown / "machine.toml")
    os.mkfifo(shown / "trace.swf")
    (shown / "stopped").mkdir()
    for name in ("jobs.csv.part", "timeline.csv.part", "live.json", "watch.json"):
        os.mkfifo(shown / "stopped" / name)
    check_refused(shown, "run.json")
    client = client_of(shown)
    assert client.get("/api/launch").json()["systems"] == []
    for name in ("copy", "stopped"):
        with client.websocket_connect(live_address(name)) as socket:
            assert socket.receive_json()["kind"] == "error"


def test_links_that_stay_in_the_folder_are_followed(shown):
    (shown / "copy" / "jobs.csv").unlink()
    (shown / "copy" / "jobs.csv").symlink_to(shown / "easy" / "jobs.csv")
    assert {answer.status_code for answer in answers(shown)} == {200}


def test_runs_in_progress_are_read_no_further(paused):
    folder, process = paused
    from schedlab.watch import state_of

    while state_of(str(folder / "live")) != "live":
        assert process.poll() is None
    (folder.parent / "secret.json").write_text(json.dumps({"format": 1, "run": SECRET}))
    for name in ("live.json", "timeline.csv.part", "jobs.csv.part"):
        place = folder / "live" / name
        if place.exists():
            place.rename(folder / f"{name}.moved")
        place.symlink_to(folder.parent / "secret.json")
        with client_of(folder).websocket_connect(live_address("live")) as socket:
            assert SECRET not in json.dumps(socket.receive_json())
        place.unlink()
        if (folder / f"{name}.moved").exists():
            (folder / f"{name}.moved").rename(place)


@pytest.mark.parametrize("name", ["workload.swf", "system.toml"])
def test_inputs_that_became_links_are_not_started_with(tmp_path, name):
    folder, outside = tmp_path / "shown", tmp_path / "outside"
    for place in (folder, outside):
        place.mkdir()
        write_inputs(place)
    client = client_of(folder)
    assert client.get("/api/launch").json()["systems"]  # looked at now, and kept for a second
    (folder / name).unlink()
    (folder / name).symlink_to(outside / name)
    form = {
        "name": "new",
        "workload": "0:workload.swf",
        "system": "0:system.toml",
        "scheduler": "easy",
        "allocator": "first-fit",
    }
    answer = client.post("/api/launch", json=form)
    assert answer.status_code == 400, answer.text
    assert not (folder / "new").exists()


@pytest.mark.parametrize("name", ["easy/jobs.csv", "trial/runs/one/jobs.parquet"])
def test_tables_are_those_that_were_opened(results, tmp_path, name):
    from schedlab.results.stored_tables import scan_table

    shutil.copy(results / name, tmp_path)
    path = tmp_path / os.path.basename(name)
    frame = scan_table(str(path))
    path.unlink()  # and a link to another file in its place
    path.symlink_to(tmp_path / "secret")
    assert frame.collect().height > 100
    assert frame.select("job_id").collect().height > 100


def test_experiments_offer_files_of_their_own_alone(results, shown):
    shutil.copytree(results / "trial", shown / "trial")
    (shown.parent / "report.html").write_text(SECRET)
    (shown / "trial" / "report.html").symlink_to(shown.parent / "report.html")
    client = client_of(shown)
    (trial,) = client.get("/api/runs").json()["experiments"]
    assert trial["files"] == ["experiment.json"]
    answer = client.get("/api/file", params={"path": "trial", "name": "report.html"})
    assert answer.status_code == 400
    assert SECRET not in answer.text


def test_orders_to_a_run_are_not_written_through_links(paused):
    folder, process = paused
    from schedlab.watch import state_of

    while state_of(str(folder / "live")) != "live":
        assert process.poll() is None
    private = folder.parent / f"{folder.name}-private"
    private.write_text("mine")
    os.utime(private, (1, 1))
    client = client_of(folder)
    for _ in range(2):
        place = folder / "live" / "watch.json"
        place.unlink(missing_ok=True)
        place.symlink_to(private)
        with client.websocket_connect(live_address("live")) as socket:
            assert socket.receive_json()["kind"] == "moment"
            place.unlink(missing_ok=True)
            place.symlink_to(private)
            socket.send_json({"kind": "control", "mode": "pause", "steps": 1})
            socket.send_json({"kind": "done"})
            assert socket.receive_json()["kind"] == "moment"
        assert private.read_text() == "mine"
        assert private.stat().st_mtime == 1
