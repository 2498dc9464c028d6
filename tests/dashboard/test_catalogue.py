"""The list of runs: what is found, how it is sorted, and that nothing is read twice."""

from __future__ import annotations

import shutil

import pytest
from dashboard.conftest import client_of

from schedlab.dashboard import catalogue
from schedlab.dashboard.catalogue import COLUMNS, RunCatalogue
from schedlab.dashboard.guard import Folder


def rows(client, **query):
    answer = client.get("/api/runs", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_finds_runs_and_experiments(client):
    answer = rows(client)
    by_name = {row["name"]: row for row in answer["rows"]}
    assert set(by_name) == {"broken", "easy", "fifo", "mixed", "trial/runs/one", "trial/runs/two"}
    assert by_name["broken"]["state"] == "broken"
    easy = by_name["easy"]
    assert (easy["state"], easy["scheduler"], easy["jobs"]) == ("finished", "easy", 400)
    assert easy["workload"] == "workload.swf"
    assert answer["experiments"] == [{"name": "trial", "runs": 2, "files": ["experiment.json"]}]
    sent = client.get("/api/file", params={"path": "trial", "name": "experiment.json"})
    assert sent.json() == {"format": 1}
    assert answer["names"] == sorted(set(by_name) - {"broken"})


def test_experiments_have_the_runs_below_their_runs_alone(results, tmp_path):
    shutil.copytree(results / "trial", tmp_path / "trial")
    for place in ("trial/exact", "trial/more/runs/one"):
        shutil.copytree(results / "easy", tmp_path / place)
    answer = rows(client_of(tmp_path / "trial"))
    assert (answer["total"], answer["experiments"][0]["runs"]) == (4, 2)
    assert rows(client_of(tmp_path / "trial"), experiment=".")["found"] == 2
    assert rows(client_of(tmp_path))["experiments"][0]["runs"] == 2


def test_links_out_of_the_folder_are_not_followed(client):
    assert not [row for row in rows(client)["rows"] if "way-out" in row["name"]]


def test_filter_needs_every_word(client):
    assert [row["name"] for row in rows(client, query="small EASY")["rows"]] == ["easy"]
    assert rows(client, query="no such run")["found"] == 0
    assert rows(client, experiment="trial")["found"] == 2


@pytest.mark.parametrize("column", COLUMNS)
def test_sorts_by_every_column(client, column):
    up = [row[column] for row in rows(client, sort=column)["rows"]]
    down = [row[column] for row in rows(client, sort=column, descending=True)["rows"]]
    known = [value for value in up if value is not None]
    assert known == sorted(known)
    assert [value for value in down if value is not None] == known[::-1]
    assert up[len(known) :] == [None] * (len(up) - len(known))  # what is not known comes last


def test_pages(client):
    names = [row["name"] for row in rows(client)["rows"]]
    assert [row["name"] for row in rows(client, offset=2, limit=2)["rows"]] == names[2:4]


def test_a_folder_that_is_a_run(results):
    assert [row["name"] for row in rows(client_of(results / "easy"))["rows"]] == ["."]


def test_an_empty_folder(tmp_path):
    answer = rows(client_of(tmp_path))
    assert (answer["total"], answer["rows"], answer["experiments"]) == (0, [], [])


def test_a_run_that_was_replaced_is_read_again(results, tmp_path):
    shutil.copytree(results / "easy", tmp_path / "run")
    catalogue = RunCatalogue(Folder(tmp_path))
    assert catalogue.runs()[0]["scheduler"] == "easy"
    shutil.copyfile(results / "fifo" / "run.json", tmp_path / "run" / "run.json")
    assert catalogue.runs()[0]["scheduler"] == "fifo"


def test_a_thousand_runs(results, tmp_path, monkeypatch):
    read, read_run = [], catalogue.read_run
    monkeypatch.setattr(catalogue, "read_run", lambda path: read.append(path) or read_run(path))
    source = results / "easy" / "run.json"
    for number in range(1000):
        folder = tmp_path / f"run-{number:04}"
        folder.mkdir()
        shutil.copyfile(source, folder / "run.json")
    client = client_of(tmp_path)
    assert rows(client)["total"] == 1000
    assert len(read) == 1000
    answer = rows(client, query="easy", sort="mean_wait")
    assert len(read) == 1000, "files that did not change are not read again"
    assert len(answer["rows"]) == 100
    compared = client.post("/api/compare", json={"runs": answer["names"]}).json()
    assert len(compared["rows"]) == 1000
    assert len(compared["drawn"]) == 12
