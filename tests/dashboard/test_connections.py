"""Slow clients, many clients, and those that say nothing: none of them keeps others out."""

from __future__ import annotations

import contextlib
import http.client
import logging
import socket
import subprocess
import sys
from time import monotonic, sleep

import httpx
import pytest

from schedlab.dashboard import limited_log
from schedlab.dashboard.connections import TOO_SLOW, Connections, most_connections
from schedlab.dashboard.limited_log import LimitedLog

TOKEN = "a-token-of-32-letters-or-so-1234"
OWN = {"authorization": f"Bearer {TOKEN}"}

SERVER = """
import resource, socket, sys
from schedlab.dashboard import connections, create_app, serving
connections.SECONDS_TO_ASK = {ask}
connections.SECONDS_UNKNOWN = {unknown}
connections.MOST_CONNECTIONS = {most}
if {descriptors}:
    connections.most_connections = serving.most_connections = lambda: 10_000
    resource.setrlimit(resource.RLIMIT_NOFILE, ({descriptors}, {descriptors}))
listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listening.bind(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
serving.serve(create_app(sys.argv[1], sys.argv[2]), listening)
"""


@contextlib.contextmanager
def server(folder, ask=60.0, unknown=60.0, most=512, descriptors=0):
    """A server with limits of its own; gives its port and what it writes to standard error."""
    code = SERVER.format(ask=ask, unknown=unknown, most=most, descriptors=descriptors)
    with open(folder.parent / "errors.txt", "w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(folder), TOKEN],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            port = int(process.stdout.readline())
            until(lambda: status(port) == 200)
            yield port, folder.parent / "errors.txt"
        finally:
            process.kill()
            process.communicate()


def until(condition, seconds=30.0):
    deadline = monotonic() + seconds
    while not condition():
        assert monotonic() < deadline
        sleep(0.05)


def status(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/api/about", headers=OWN).status_code
    except httpx.TransportError:
        return 0


def connected(port, sent=b""):
    client = socket.create_connection(("127.0.0.1", port), timeout=30)
    client.sendall(sent)
    return client


def rest(client):
    """Returns what comes until the server ends the connection."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while part := client.recv(65_536):
            received += part
    return received


HEADER = b"GET /api/about HTTP/1.1\r\nhost: 127.0.0.1\r\n"
BEARER = f"authorization: Bearer {TOKEN}\r\n".encode()
FORM = b"POST /token HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\n"
POST = b"POST /api/compare HTTP/1.1\r\nhost: 127.0.0.1\r\nx-schedlab: 1\r\ncontent-length: 9\r\n"


@pytest.mark.parametrize(
    "sent",
    [b"", b"G", HEADER, HEADER + b"x: y", POST + BEARER + b"\r\n{"],
    ids=["nothing", "a letter", "some headers", "half a header", "half a body"],
)
def test_requests_that_do_not_arrive_are_ended(results, sent):
    with server(results, ask=0.5) as (port, _), connected(port, sent) as client:
        answer = rest(client)
        assert answer in (b"", TOO_SLOW)
        assert status(port) == 200


def test_a_letter_now_and_then_is_no_request(results):
    with server(results, ask=1.0) as (port, _), connected(port) as client:
        client.settimeout(0.1)
        answer, deadline = None, monotonic() + 30
        while answer is None:
            assert monotonic() < deadline, "it was never ended"
            try:
                client.send(b"x")
                answer = client.recv(65_536)
            except TimeoutError:
                continue
            except ConnectionError:
                answer = b""
        assert answer in (b"", TOO_SLOW)


def test_connections_that_do_not_show_the_token_end(results):
    # Each request is answered and ends its connection, so this one sends none that is whole.
    with server(results, unknown=0.5) as (port, _), connected(port, HEADER) as client:
        assert rest(client) == b""


def test_connections_that_have_shown_it_are_kept(results):
    with server(results, ask=0.5, unknown=0.5) as (port, _):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        client.connect()
        used = client.sock
        for _ in range(3):
            client.request("GET", "/api/about", headers=OWN)
            answer = client.getresponse()
            assert answer.status == 200
            answer.read()
            sleep(0.4)
        assert client.sock is used
        client.close()


def test_many_slow_ones_do_not_keep_others_out(results):
    with server(results, most=20) as (port, _), contextlib.ExitStack() as stack:
        known = httpx.Client(headers=OWN, base_url=f"http://127.0.0.1:{port}")
        stack.enter_context(known)
        slow = [stack.enter_context(connected(port, HEADER)) for _ in range(100)]
        for _ in range(10):
            assert status(port) == 200
            assert known.get("/api/about").status_code == 200
            slow += [stack.enter_context(connected(port, b"G")) for _ in range(20)]
        assert httpx.get(f"http://127.0.0.1:{port}/").status_code == 401
        for client in slow:
            client.setblocking(False)
        until(lambda: sum(is_ended(client) for client in slow) >= len(slow) - 20)


def is_ended(client):
    try:
        return client.recv(65_536) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_without_descriptors_it_goes_on_and_says_little(results):
    with server(results, descriptors=60) as (port, errors), contextlib.ExitStack() as stack:
        for _ in range(120):
            stack.enter_context(connected(port, HEADER))
        until(lambda: status(port) == 200)
        assert len(errors.read_text().splitlines()) < 2 * limited_log.MOST_LINES


def test_requests_that_are_no_http_do_not_fill_the_log(results):
    with server(results) as (port, errors):
        for _ in range(100):
            with connected(port, b"\x1b[31m what\r\n\r\n") as client:
                assert rest(client).startswith(b"HTTP/1.1 400")
        text = errors.read_text()
        assert 1 <= len(text.splitlines()) <= limited_log.MOST_LINES + 1
        assert "\x1b" not in text


def test_clients_that_go_away_are_not_written_about(results):
    with server(results) as (port, errors):
        for sent in (HEADER, POST + BEARER + b"\r\n{", FORM + b"token="):
            connected(port, sent).close()
        until(lambda: status(port) == 200)
        assert errors.read_text() == ""


def test_headers_have_a_limit(results):
    with server(results) as (port, _):
        for sent in (b"GET /" + b"x" * 1_000_000, HEADER + b"x: " + b"y" * 1_000_000):
            with connected(port) as client:
                with contextlib.suppress(ConnectionError):
                    client.sendall(sent)
                answer = rest(client)
                assert answer == b"" or answer.startswith(b"HTTP/1.1 400")
        assert status(port) == 200


class Fake:
    def __init__(self, name, dropped):
        self.name, self._dropped, self.closed = name, dropped, False

    def drop(self):
        self._dropped.append(self)

    def is_over(self):
        return self.closed


class Recorded(Connections):
    """Connections whose dropped ones are removed, as real ones remove themselves."""

    def __init__(self, most):
        super().__init__(most)
        self.dropped = []

    def come(self, name, address):
        connection = Fake(name, self.dropped)
        self.add(connection, address)
        for one in self.dropped:
            self.remove(one)
        return connection


def test_the_oldest_of_the_busiest_address_gives_way():
    every = Recorded(4)
    for name, address in (("a", "x"), ("b", "y"), ("c", "y"), ("d", "z"), ("e", "z")):
        every.come(name, address)
    assert [one.name for one in every.dropped] == ["b"]
    assert len(every) == 4


def test_known_ones_never_give_way():
    every = Recorded(3)
    known = [every.come(name, "x") for name in "abc"]
    for connection in known:
        every.trust(connection)
    for name in "defg":
        every.come(name, "x")
    assert [one.name for one in every.dropped] == list("defg")
    known[1].closed = True  # it was a websocket
    every.come("h", "x")
    assert len(every.dropped) == 4
    assert len(every) == 3


def test_descriptors_are_left_for_files(monkeypatch):
    import resource

    endless = resource.RLIM_INFINITY
    for soft, hard, most, limit in (
        (1024, 1024, 768, 1024),
        (400, 400, 144, 400),
        (64, 64, 16, 64),
        (1024, 2000, 1744, 2000),
        (1024, endless, 4096, 4352),
        (9000, endless, 4096, 9000),
        (endless, endless, 4096, endless),
    ):
        now = [soft]
        monkeypatch.setattr(resource, "getrlimit", lambda _, now=now, hard=hard: (now[0], hard))
        monkeypatch.setattr(
            resource, "setrlimit", lambda _, limits, now=now: now.__setitem__(0, limits[0])
        )
        assert (most_connections(), now[0]) == (most, limit)


def test_the_log_says_what_it_leaves_out(capsys):
    now = [0.0]
    log = LimitedLog(lambda: now[0])
    for number in range(1000):
        record = logging.LogRecord("x", logging.ERROR, "", 0, "bad %d \x1b[2J\nx", (number,), None)
        log.emit(record)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == limited_log.MOST_LINES
    assert lines[0] == "schedlab: bad 0 \\u001b[2J x"
    now[0] = 61.0
    log.emit(record)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "schedlab: 970 more messages like these were left out"
    assert second.startswith("schedlab: bad 999")
