"""Requests to the dashboard: damaged ones, and good ones for folders that are damaged."""

from __future__ import annotations

import asyncio
import functools
import json
import shutil
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fuzz import run_folders
from fuzz.harness import Sample, Target

from schedlab.dashboard.runs import FILES
from schedlab.errors import InputError

TOKEN = "a-token-of-32-letters-or-so-1234"
HEADERS = {"host": "127.0.0.1", "authorization": f"Bearer {TOKEN}"}
CHANGING = {**HEADERS, "x-schedlab": "1", "content-type": "application/json"}
FORM = {
    **{"name": "new", "workload": "0:workload.swf", "system": "0:system.toml"},
    **{"scheduler": "easy(order=shortest)", "allocator": "best-fit", "estimate": "exact"},
    **{"memory": "none", "processors": "requested", "rules": "", "seed": 7, "speed": 10.5},
    **{"pause": True, "enforce_limits": True},
}
QUESTIONS: dict[str, dict[str, str]] = {
    "/": {"token": TOKEN, "x": "y"},
    "/static/app.js": {},
    "/api/about": {},
    "/api/launch": {},
    "/api/runs": {
        **{"query": "easy", "sort": "jobs", "descending": "true", "experiment": ""},
        **{"offset": "0", "limit": "10"},
    },
    "/api/run": {"path": "run"},
    "/api/run/curves": {"path": "run", "first": "0", "last": "9000", "bins": "50"},
    "/api/run/moment": {"path": "run", "time": "4000"},
    "/api/run/time": {"path": "run", "text": "3d12h"},
    "/api/run/step": {"path": "run", "time": "4000", "steps": "-2"},
    "/api/run/gantt": {
        **{"path": "run", "first": "0", "last": "9000", "top": "0", "bottom": "4"},
        **{"width": "40", "height": "20"},
    },
    "/api/run/at": {"path": "run", "time": "4000", "node": "1"},
    "/api/run/job": {"path": "run", "job_id": "3", "time": "4000"},
    "/api/run/jobs": {
        **{"path": "run", "query": "user:1", "sort": "wait", "descending": "1"},
        **{"offset": "1", "limit": "5"},
    },
    "/api/compare/run": {"path": "run"},
    "/api/compare/jobs": {"one": "run", "other": "run", "limit": "5"},
    "/api/file": {"path": "run", "name": "jobs.csv"},
}
CONTROL = {"kind": "control", "mode": "pause", "speed": 10.0, "until": 20_000, "steps": 3}


def request_samples() -> list[Sample]:
    """Returns requests as JSON: method, path, query, headers and body, all to be damaged."""
    application()  # what it takes to begin is not the first request's fault
    requests: dict[str, dict[str, Any]] = {
        path: {"method": "GET", "path": path, "query": query, "headers": HEADERS, "body": None}
        for path, query in QUESTIONS.items()
    }
    for path, body in (("/api/launch", FORM), ("/api/compare", {"runs": ["run", "run"]})):
        requests[f"POST {path}"] = {
            **{"method": "POST", "path": path, "query": {}, "headers": CHANGING, "body": body}
        }
    requests["websocket"] = {
        **{"method": "WEBSOCKET", "path": "/api/live", "query": {"run": "live"}},
        **{"headers": HEADERS, "body": CONTROL},
    }
    return [
        Sample(name, {"request.json": json.dumps(one).encode()}) for name, one in requests.items()
    ]


@functools.cache
def shown_folder() -> Path:
    """Returns a folder with a run, one in progress, a workload and a system; always the same."""
    from schedlab.results.folder_lock import lock_folder
    from schedlab.workload import write_swf
    from schedlab.workload.models import synthetic

    place = tempfile.TemporaryDirectory(prefix="fuzz-shown-")
    shown_folder.place = place  # type: ignore[attr-defined]  # it goes with the process
    shown = Path(place.name)
    runs = {sample.name: sample.files for sample in run_folders.samples()}
    for name, files in (("run", runs["plain"]), ("live", runs["live"])):
        for file, content in files.items():
            (shown / name / file).parent.mkdir(parents=True, exist_ok=True)
            (shown / name / file).write_bytes(content)
    lock_folder(str(shown / "live"), "run")
    write_swf(shown / "workload.swf", synthetic.synthetic_rows(20, 1), [])
    (shown / "system.toml").write_text("[groups.a]\nnodes = 4\nresources = { core = 4 }\n")
    return shown


@functools.cache
def changing_folder() -> Path:
    """Returns a folder for one run after the other: an application for each would cost more."""
    place = tempfile.TemporaryDirectory(prefix="fuzz-changing-")
    changing_folder.place = place  # type: ignore[attr-defined]  # it goes with the process
    return Path(place.name)


@functools.cache
def application(shown: Path | None = None) -> Any:
    """Returns the application; simulations that are asked of it are checked, and not started."""
    from schedlab.dashboard import create_app

    app = create_app(shown or shown_folder(), TOKEN)
    launcher = app.state.launcher
    launcher.start = lambda form: {"name": launcher.planned(form)[0]}
    return app


def feed_request(_: str, folder: Path) -> None:
    """Sends a request that was read from a file, whatever is left of it."""
    content = (folder / "request.json").read_bytes()
    try:
        request = json.loads(content)
    except (ValueError, RecursionError):
        request = content.decode("utf-8", "replace")
    if not isinstance(request, dict):
        request = {"method": "POST", "path": "/api/launch", "headers": CHANGING, "body": request}
    query = request.get("query", {})
    pairs = query.items() if isinstance(query, dict) else [("path", query), ("path", "run")]
    headers = request.get("headers")
    given = headers if isinstance(headers, dict) else HEADERS
    ask(
        application(),
        str(request.get("method")),
        "/" + _text(request.get("path")).lstrip("/"),
        urlencode([(_text(name), _text(value)) for name, value in pairs], errors="replace"),
        {_text(name): _text(value) for name, value in given.items()},
        request.get("body"),
    )


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value)
    except (ValueError, RecursionError):
        return "deep"


def ask(
    app: Any, method: str, path: str, query: str, headers: dict[str, str], body: object
) -> bytes:
    """Returns the content of an answer.

    Raises:
        InputError: It was refused.
        AssertionError: The server failed, or what it said of a refusal is none.
    """
    content = b"" if body is None else _text(body).encode("utf-8", "surrogatepass")
    raw = [
        (name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        for name, value in headers.items()
    ]
    scope = {
        **{"type": "http", "http_version": "1.1", "method": method, "scheme": "http"},
        **{"path": path, "raw_path": path.encode("utf-8", "replace"), "root_path": ""},
        **{"query_string": query.encode(), "server": ("127.0.0.1", 80), "client": ("a", 1)},
        "headers": raw,
    }
    if method == "WEBSOCKET":
        answer = event_loop().run_until_complete(
            _messages(app, scope, content.decode("utf-8", "replace"))
        )
        if not answer:
            raise InputError("the websocket was refused")
        return answer
    if method not in ("GET", "HEAD"):
        raw.append((b"content-length", str(len(content)).encode()))
    status, answer = event_loop().run_until_complete(_answer(app, scope, content))
    assert status < 500, f"status {status}: {answer[:300]!r}"
    if status >= 400 and method != "HEAD":
        if path.startswith("/api/"):
            error = json.loads(answer)["error"]
            assert isinstance(error, str)
            assert error
        raise InputError(f"status {status}")
    return answer


@functools.cache
def event_loop() -> asyncio.AbstractEventLoop:
    """Returns the loop of this process: one for each request would cost more than the request."""
    return asyncio.new_event_loop()


async def _answer(app: Any, scope: dict[str, Any], content: bytes) -> tuple[int, bytes]:
    sent: list[dict[str, Any]] = []
    given = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not given:
            await asyncio.Event().wait()  # it does not go away before it has its answer
        return given.pop()

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


async def _messages(app: Any, scope: dict[str, Any], text: str) -> bytes:
    """Returns what comes over a websocket that sends one message and then closes."""
    received = b""
    given = [{"type": "websocket.connect"}, {"type": "websocket.receive", "text": text}]
    answered = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not given:
            with suppress(TimeoutError):
                await asyncio.wait_for(answered.wait(), 0.05)
            return {"type": "websocket.disconnect", "code": 1000}
        return given.pop(0)

    async def send(message: dict[str, Any]) -> None:
        nonlocal received
        if message["type"] == "websocket.send":
            json.loads(message["text"])
            received += message["text"].encode()
            answered.set()

    await app({**scope, "type": "websocket", "subprotocols": []}, receive, send)
    return received


def raw_samples() -> list[Sample]:
    """Returns requests as a client sends them."""
    port()
    found = []
    for path, query in list(QUESTIONS.items())[2:]:
        lines = [f"GET {path}?{urlencode(query)} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in HEADERS.items()]
        found.append(Sample(path, {"request.txt": "\r\n".join([*lines, "", ""]).encode()}))
    body = json.dumps({"runs": ["run", "run"]})
    lines = [
        "POST /api/compare HTTP/1.1",
        *(f"{name}: {value}" for name, value in CHANGING.items()),
    ]
    text = "\r\n".join([*lines, f"content-length: {len(body)}", "", body])
    found.append(Sample("POST", {"request.txt": text.encode()}))
    upgrade = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
    upgrade["sec-websocket-key"] = "dGhlIHNhbXBsZSBub25jZQ=="
    lines = ["GET /api/live?run=run HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in {**HEADERS, **upgrade}.items()]
    frame = b"\x81\x85\x00\x00\x00\x00hello"
    text = "\r\n".join([*lines, "", ""])
    return [*found, Sample("websocket", {"request.txt": text.encode() + frame})]


@functools.cache
def port() -> int:
    """Returns the port of a server in a thread of this process."""
    from schedlab.dashboard import serving

    listening = socket.create_server(("127.0.0.1", 0))
    number = int(listening.getsockname()[1])
    app = application()
    threading.Thread(target=serving.serve, args=(app, listening), daemon=True).start()
    deadline = time.monotonic() + 20
    while True:
        with suppress(AssertionError, OSError):
            _check_alive(number)
            return number
        assert time.monotonic() < deadline, "the server does not begin"
        time.sleep(0.05)


def feed_raw(_: str, folder: Path) -> None:
    """Sends bytes to a server, and looks that it still answers afterwards."""
    content = (folder / "request.txt").read_bytes()
    answer = _exchanged(port(), content)
    status = answer[9:12]
    _check_alive(port())
    if answer:
        assert answer.startswith(b"HTTP/1.1 "), answer[:200]
        assert status < b"500", answer[:300]
    if not answer or status >= b"400":
        raise InputError("refused")


def _exchanged(number: int, content: bytes) -> bytes:
    """Returns what the server says to some bytes until it ends, or has nothing more to say."""
    received = b""
    with socket.create_connection(("127.0.0.1", number), timeout=5) as client, suppress(OSError):
        client.sendall(content)
        client.settimeout(0.3)
        while part := client.recv(65_536):
            received += part
    return received


def _check_alive(number: int) -> None:
    lines = [f"{name}: {value}" for name, value in HEADERS.items()]
    request = "\r\n".join(["GET /api/about HTTP/1.1", *lines, "connection: close", "", ""])
    answer = _exchanged(number, request.encode())
    assert answer.startswith(b"HTTP/1.1 200"), answer[:200]


def folder_samples() -> list[Sample]:
    """Returns run folders, finished and live ones."""
    application(changing_folder())
    return run_folders.samples()


def feed_folder(name: str, folder: Path) -> None:
    """Asks everything about a run whose folder is damaged."""
    from schedlab.results.folder_lock import lock_folder, unlock_folder

    run, files = changing_folder() / "run", list(folder.iterdir())
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(folder, run)
    app = application(changing_folder())
    app.state.launcher._catalogue.forget()
    lock = lock_folder(str(run), "run") if name == "live" else None
    refused = 0
    questions = {path: query for path, query in QUESTIONS.items() if path != "/api/file"}
    if name == "live":  # what only finished runs can be asked
        questions = {path: query for path, query in questions.items() if "compare" not in path}
    requests = [("GET", path, query, HEADERS, None) for path, query in questions.items()]
    requests += [
        ("GET", "/api/file", {"path": "run", "name": path.name}, HEADERS, None)
        for path in files
        if path.name in FILES
    ]
    requests.append(("POST", "/api/compare", {}, CHANGING, {"runs": ["run", "run"]}))
    requests.append(("WEBSOCKET", "/api/live", {"run": "run"}, HEADERS, CONTROL))
    try:
        for method, path, query, headers, body in requests:
            try:
                ask(app, method, path, urlencode(query), headers, body)
            except InputError:
                refused += 1
    finally:
        unlock_folder(lock)
    if refused:
        raise InputError(f"{refused} requests were refused")


TARGETS = [
    Target("requests", request_samples, feed_request),
    Target("raw-requests", raw_samples, feed_raw),
    Target("shown-folders", folder_samples, feed_folder, few=7),
]
