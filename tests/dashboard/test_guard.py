"""What must be refused: other hosts and sites, wrong tokens, paths that lead out of the folder."""

from __future__ import annotations

import pytest
from dashboard.conftest import client_of, live_address
from hypothesis import given
from hypothesis import strategies as st
from starlette.websockets import WebSocketDisconnect

from schedlab.dashboard.guard import Folder
from schedlab.errors import InputError

TOKEN = "a-token-of-32-letters-or-so-1234"

OUTSIDE = [
    "..",
    "../secret",
    "easy/../../secret",
    "/etc",
    "/etc/passwd",
    "way-out",
    "way-out/run.json",
    "easy/\0",
    "..\\secret",
    "%2e%2e/secret",
    "....//secret",
    "//etc",
    "x" * 1001,
    "~",
]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("address", ["/api/run", "/api/run/jobs", "/api/compare/run"])
def test_paths_that_lead_out_are_refused(client, address, path):
    answer = client.get(address, params={"path": path})
    assert answer.status_code == 400
    assert "secret" not in answer.json()["error"] or "secret" in path


@pytest.mark.parametrize("path", OUTSIDE)
def test_files_outside_are_not_sent(client, path):
    answer = client.get("/api/file", params={"path": path, "name": "run.json"})
    assert answer.status_code == 400
    assert "secret" not in answer.text or "secret" in path


@pytest.mark.parametrize(
    "address",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e%2f%2e%2e%2ferrors.py",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api/file?path=..%2fsecret&name=run.json",
        "/api/file?path=%2e%2e/secret&name=run.json",
        "/api/file?path=easy&name=..%2f..%2fsecret%2frun.json",
        "/api/file?path=easy&name=run.json%00.txt",
    ],
)
def test_addresses_that_lead_out_are_refused(client, address):
    answer = client.get(address)
    assert answer.status_code in (400, 404)
    assert "error" in answer.json()


def test_only_files_of_runs_are_sent(client):
    assert client.get("/api/file", params={"path": "", "name": "notes.txt"}).status_code == 400
    sent = client.get("/api/file", params={"path": "easy", "name": "jobs.csv"})
    assert sent.status_code == 200
    assert sent.text.startswith("job_id,")
    assert "attachment" in sent.headers["content-disposition"]


def test_messages_do_not_say_where_the_folder_is(client, results):
    for path in ("nothing", "broken", "notes.txt", "trial"):
        text = client.get("/api/run", params={"path": path}).json()["error"]
        assert str(results) not in text


@given(st.text(max_size=80))
def test_no_name_leads_out(results, name):
    folder = Folder(results)
    try:
        path = folder.path(name)
    except InputError:
        return
    assert path == folder.root or path.startswith(folder.root + "/")


def test_other_hosts_are_refused(client):
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[::1", "evil.example:8265"):
        assert client.get("/api/about", headers={"host": host}).status_code == 403
    for host in ("localhost:8265", "127.0.0.1:1", "[::1]:8265"):
        assert client.get("/api/about", headers={"host": host}).status_code == 200


def test_other_sites_are_refused(client):
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "http://[", ""):
        assert client.get("/api/about", headers={"origin": origin}).status_code == 403
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect(live_address("easy"), headers={"origin": origin}),
        ):
            pass
    for site in ("cross-site", "same-site"):
        assert client.get("/api/runs", headers={"sec-fetch-site": site}).status_code == 403
    own = client.get("/api/about", headers={"origin": "http://127.0.0.1"})
    assert own.status_code == 200


def test_changes_need_the_header(results):
    client = client_of(results)
    del client.headers["x-schedlab"]
    for address in ("/api/launch", "/api/compare"):
        answer = client.post(address, json={})
        assert answer.status_code == 403
        assert "x-schedlab" in answer.json()["error"]


def test_long_requests_are_refused(client):
    answer = client.post("/api/launch", json={"name": "x" * 1_100_000})
    assert answer.status_code == 413

    def parts():
        yield b"{}"

    assert client.post("/api/launch", content=parts()).status_code == 411


def test_headers_of_every_answer(client):
    for address in ("/", "/static/app.js", "/api/runs", "/api/run?path=..", "/nowhere"):
        headers = client.get(address).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_without_the_token_nothing_is_answered(results):
    client = client_of(results, TOKEN)
    for address in ("/api/runs", "/api/about", "/api/run?path=easy", "/api/file?path=easy&name=x"):
        answer = client.get(address)
        assert answer.status_code == 401
        assert answer.json() == {
            "error": "the token is missing or wrong; the dashboard's terminal shows it"
        }
    nothing = ("/", "/static/app.js", "/static/style.css", "/static/plotly.min.js", "/nowhere")
    for address in (*nothing, "/?token=wrong", "/?token=", "/?TOKEN=" + TOKEN):
        answer = client.get(address)
        assert answer.status_code == 401
        assert "<form" in answer.text
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(live_address("easy")):
        pass


def test_the_token_becomes_a_cookie(results):
    client = client_of(results, TOKEN)
    answer = client.get("/", params={"token": TOKEN}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert cookie.startswith("schedlab-80=")  # with the port: two dashboards have two cookies
    assert TOKEN not in cookie
    assert client.get("/api/runs").status_code == 200
    with client.websocket_connect(live_address("easy")) as socket:
        assert socket.receive_json() == {"kind": "ended", "state": "finished"}


def test_the_token_from_the_form(results):
    client = client_of(results, TOKEN)
    del client.headers["x-schedlab"]  # a form cannot send it
    assert client.post("/token", data={"token": "wrong"}).status_code == 401
    assert client.get("/api/runs").status_code == 401
    answer = client.post("/token", data={"token": TOKEN}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert client.get("/api/runs").status_code == 200


def test_the_token_as_a_header(results):
    client = client_of(results, TOKEN)
    for value, status in ((f"Bearer {TOKEN}", 200), ("Bearer wrong", 401), (f"Basic {TOKEN}", 401)):
        assert client.get("/api/about", headers={"authorization": value}).status_code == status


def test_the_token_leads_nowhere_else(results):
    client = client_of(results, TOKEN)
    for path in ("//evil.example/", "/\\evil.example", "///evil.example"):
        answer = client.get(
            f"http://127.0.0.1{path}", params={"token": TOKEN}, follow_redirects=False
        )
        assert not answer.headers.get("location", "/").startswith(("//", "/\\", "http"))


def test_a_page_leads_on_those_who_come_from_elsewhere(results):
    # A browser that follows a redirect from elsewhere would not send the strict cookie.
    client = client_of(results, TOKEN)
    came = {"sec-fetch-site": "cross-site"}
    answer = client.get('/"><b', params={"token": TOKEN, "a": '"<'}, headers=came)
    assert answer.status_code == 200
    assert 'content="0; url=/%22%3E%3Cb?a=%22%3C"' in answer.text
    assert TOKEN not in answer.text
    assert "schedlab-80=" in answer.headers["set-cookie"]


def test_the_page_that_asks_repeats_nothing_that_could_be_a_page(results):
    client = client_of(results, TOKEN, hosts=None)
    for host in ('"><script>', "a b", "x" * 300):
        answer = client.get("/", headers={"host": host})
        assert answer.status_code == 401
        assert host not in answer.text


def test_the_name_of_the_server_is_looked_at_with_a_token_too(results):
    client = client_of(results, TOKEN)
    own = {"authorization": f"Bearer {TOKEN}"}
    assert client.get("/api/about", headers={**own, "host": "evil.example"}).status_code == 403
    assert client.get("/api/about", headers=own).status_code == 200
    anywhere = client_of(results, TOKEN, hosts=None)
    assert anywhere.get("/api/about", headers={**own, "host": "any.name:1"}).status_code == 200


def test_questions_with_content_are_refused(client):
    for more in ({"content": b"x"}, {"headers": {"transfer-encoding": "chunked"}}):
        answer = client.request("GET", "/api/about", **more)
        assert answer.status_code == 400
        assert "no content" in answer.json()["error"]


def test_forms_without_the_token_are_short(results):
    client = client_of(results, TOKEN)
    assert client.post("/token", data={"token": "x" * 5_000}).status_code == 413


@pytest.mark.parametrize(
    "cookie", ["", "=", ";;;", "schedlab-80", 'a="', "schedlab-80=é; b", "[]=1"]
)
def test_odd_cookies(results, cookie):
    client = client_of(results, TOKEN)
    answer = client.get("/api/about", headers={"cookie": cookie.encode()})
    assert answer.status_code == 401


def test_other_cookies_do_not_hide_ours(results):
    client = client_of(results, TOKEN)
    client.get("/", params={"token": TOKEN})
    ours = f"schedlab-80={client.cookies['schedlab-80']}"
    other = client_of(results, TOKEN)
    for header in (f'odd[]=1; {ours}; "=', f"schedlab-81=x; {ours}"):
        assert other.get("/api/about", headers={"cookie": header}).status_code == 200
