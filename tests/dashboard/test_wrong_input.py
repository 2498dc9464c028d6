"""Whatever is asked, the answer is a message and no trace."""

from __future__ import annotations

import json
import shutil

import pytest
from dashboard.conftest import client_of
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.dashboard.catalogue import COLUMNS

ADDRESSES = {
    "/api/run": ("path",),
    "/api/run/curves": ("path", "first", "last", "bins"),
    "/api/run/moment": ("path", "time"),
    "/api/run/step": ("path", "time", "steps"),
    "/api/run/gantt": ("path", "first", "last", "top", "bottom", "width", "height"),
    "/api/run/at": ("path", "time", "node"),
    "/api/run/job": ("path", "job_id"),
    "/api/run/jobs": ("path", "query", "sort", "descending", "offset", "limit"),
    "/api/runs": ("query", "sort", "descending", "offset", "limit", "experiment"),
    "/api/compare/run": ("path",),
    "/api/compare/jobs": ("one", "other", "limit"),
    "/api/file": ("path", "name"),
}
VALUES = st.one_of(
    st.sampled_from(
        [
            "easy",
            "mixed",
            "broken",
            "trial",
            ".",
            "..",
            "nan",
            "inf",
            "-inf",
            "1e999",
            "-1",
            "0",
            "1",
            "2",
            "10",
            "63",
            "64",
            "65",
            "1e308",
            "-1e308",
            "1e17",
            "4096",
            "4097",
            "99999999999999999999",
            "true",
            "wait",
            "run.json",
            "jobs.csv",
            "user:1",
            "user:x",
        ]
    ),
    st.integers(-(2**70), 2**70).map(str),
    st.floats().map(str),
    st.text(max_size=20),
)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_parameters(client, data):
    address = data.draw(st.sampled_from(sorted(ADDRESSES)))
    query = {
        name: data.draw(st.one_of(st.sampled_from(["easy", "mixed", "1", "50"]), VALUES))
        for name in ADDRESSES[address]
        if data.draw(st.integers(0, 9))
    }
    answer = client.get(address, params=query)
    assert answer.status_code in (200, 400, 404), (query, answer.text)
    if answer.status_code != 200:
        message = answer.json()["error"]
        assert message
        assert "Traceback" not in message


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(
    body=st.one_of(
        JSON,
        st.fixed_dictionaries({"runs": JSON}),
        st.fixed_dictionaries(
            dict.fromkeys(("name", "workload", "system", "scheduler", "seed", "speed"), JSON)
        ),
    ),
    address=st.sampled_from(["/api/launch", "/api/compare"]),
)
def test_any_body(client, body, address):
    answer = client.post(address, json=body)
    assert answer.status_code == 400 or (address == "/api/compare" and answer.status_code == 200)
    if answer.status_code == 400:
        assert answer.json()["error"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b'{"runs": [1e999]}'])
def test_bodies_that_are_no_json(client, content):
    answer = client.post(
        "/api/compare", content=content, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_messages_name_the_parameter(client):
    answer = client.get("/api/run/moment", params={"path": "easy", "time": "noon"})
    assert answer.json()["error"].startswith("time: ")
    answer = client.get("/api/run/moment", params={"path": "easy"})
    assert answer.json()["error"].startswith("time: ")
    assert client.get("/api/nothing").json() == {"error": "not found"}
    assert client.put("/api/runs", json={}).json() == {"error": "method not allowed"}


def test_what_nobody_thought_of_is_a_short_message(client, monkeypatch, caplog):
    from schedlab.dashboard import runs

    def fails(*_):
        raise ZeroDivisionError("of the test")

    monkeypatch.setattr(runs, "moment_at", fails)
    answer = client.get("/api/run/moment", params={"path": "easy", "time": 1})
    assert answer.status_code == 500
    assert list(answer.json()) == ["error"]
    assert "test" not in answer.text
    assert "ZeroDivisionError: of the test" in caplog.messages


WRONG_VALUES = [7, [1], {}, "\ud800", 10**400, float("nan")]
PLACES = [
    *(("scheduler",), ("status",), ("metrics", "wait"), ("metrics", "makespan"), ("files",)),
    *(("system", "name"), ("system", "groups"), ("system", "nodes"), ("time", "now")),
    *(("counts", "submitted"), ("simulator", "cpu_seconds"), ("workload", "path")),
]


@pytest.mark.parametrize("place", PLACES, ids=".".join)
def test_one_wrong_value_spoils_no_list(results, place):
    folder = results / "lies"
    folder.mkdir()
    for name in ("jobs.csv", "timeline.csv"):
        shutil.copy(results / "easy" / name, folder)
    try:
        for value in WRONG_VALUES:
            run = json.loads((results / "easy" / "run.json").read_text())
            part = run
            for key in place[:-1]:
                part = part[key]
            part[place[-1]] = value
            (folder / "run.json").write_text(json.dumps(run))
            # Another client: it looks at once, and not at what it saw a second ago.
            other_client = client_of(results)
            for sort in COLUMNS:
                assert other_client.get("/api/runs", params={"sort": sort}).status_code == 200
            for address in ("run", "compare/run"):
                answer = other_client.get(f"/api/{address}", params={"path": "lies"})
                assert answer.status_code in (200, 400), answer.text
            compared = other_client.post("/api/compare", json={"runs": ["lies", "easy"]})
            assert compared.status_code == 200
            assert "easy" in [row["name"] for row in compared.json()["rows"]]
    finally:
        shutil.rmtree(folder)


def test_tables_that_cannot_be_read(client, results):
    folder = results / "unreadable"
    folder.mkdir()
    run = json.loads((results / "easy" / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**run, "files": ["jobs.parquet"]}))
    (folder / "jobs.parquet").write_bytes(b"PAR1 and nothing more")
    try:
        answers = [
            client.get("/api/run", params={"path": "unreadable"}),
            client.get("/api/compare/run", params={"path": "unreadable"}),
            client.get("/api/compare/jobs", params={"one": "easy", "other": "unreadable"}),
        ]
        for answer in answers:
            assert answer.status_code == 400
            error = answer.json()["error"]
            assert error.startswith("unreadable/jobs.parquet: is not a Parquet file")
    finally:
        shutil.rmtree(folder)


def test_a_run_file_that_lies(client, results):
    folder = results / "lies"
    folder.mkdir()
    run = json.loads((results / "easy" / "run.json").read_text())
    try:
        for change in ({"system": {}}, {"files": []}, {"metrics": {}}, {"time": None}):
            (folder / "run.json").write_text(json.dumps({**run, **change}))
            answer = client.get("/api/run", params={"path": "lies"})
            assert answer.status_code == 400
            assert "run.json" in answer.json()["error"] or "jobs" in answer.json()["error"]
            assert client.get("/api/runs").status_code == 200
    finally:
        (folder / "run.json").unlink()
        folder.rmdir()
