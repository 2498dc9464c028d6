"""Who may ask, and for what: tokens, hosts, headers and paths."""

from __future__ import annotations

import hmac
import os
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
OWN = ("same-origin", "none")
"""What browsers say of requests of the page itself, and of addresses that somebody typed."""

CHANGES = "x-schedlab"
"""Header of requests that change something: no other site can make a browser send it."""

MOST_BYTES = 1_000_000
"""Of what a request may send."""

HEADERS = {
    # Plotly writes style elements and draws into data: and blob: images; scripts are ours alone.
    "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
}

ASK = """<!doctype html><html lang="en"><meta charset="utf-8"><title>schedlab: token</title>
<link rel="stylesheet" href="/static/style.css"><body class="ask"><main><h1>schedlab</h1>
<form method="post" action="/token"><p>{message}</p>
<label>Token <input name="token" type="password" autofocus autocomplete="off"></label>
<button>Open</button></form></main></body></html>"""


class Guard:
    """Refuses what must not be answered, before anything else looks at it.

    Args:
        app: What answers.
        token: What every request must show; None: anybody on this machine may ask.
        hosts: Names by which this server may be called where there is no token. Others may be the
            work of a site that lets its own name point here.
    """

    def __init__(self, app: ASGIApp, token: str | None, hosts: Iterable[str] = ()) -> None:
        self._app, self._token = app, token
        self._hosts = {*LOCAL_HOSTS, *hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or refuses."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is not None or not self._knows(scope, headers):
                await send({"type": "websocket.close", "code": 4401})
            else:
                await self._app(scope, receive, send)
            return
        if refusal is None and self._token is not None:
            refusal = await self._ask(scope, receive, headers)
        if refusal is not None:
            refusal.headers.update(HEADERS)
            await refusal(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("cache-control", "no-cache")  # or an old page meets a new server
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Returns what is wrong with a request, whoever makes it; None if nothing is."""
        host = headers.get("host", "")
        if self._token is None and _host_name(host) not in self._hosts:
            return _refused(403, f"this server does not answer to the name {host[:100]!r}")
        origin = headers.get("origin")
        if origin is not None and _place(origin) != host:
            return _refused(403, "another site asked for this")
        if scope["path"].startswith("/api/") and headers.get("sec-fetch-site", "none") not in OWN:
            return _refused(403, "another site asked for this")
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            if scope["path"] != "/token" and CHANGES not in headers:
                return _refused(403, f"the header {CHANGES} is missing")
            length = headers.get("content-length", "")
            if not length.isdigit() or len(length) > 12:
                return _refused(411, "the request must say how long it is")
            if int(length) > MOST_BYTES:
                return _refused(413, f"the request is longer than {MOST_BYTES:,} bytes")
        return None

    def _cookie(self, scope: Scope) -> str:
        server = scope.get("server")  # cookies do not tell ports apart, their names must
        return f"schedlab-token-{server[1] if server else 0}"

    def _is_token(self, given: str) -> bool:
        assert self._token is not None
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _knows(self, scope: Scope, headers: Headers) -> bool:
        """Returns whether the request shows the token."""
        if self._token is None:
            return True
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        shown = Request({**scope, "type": "http"}).cookies.get(self._cookie(scope), "")
        return self._is_token(bearer) or self._is_token(shown)

    async def _ask(self, scope: Scope, receive: Receive, headers: Headers) -> Response | None:
        """Returns what to say to somebody without the token, or with a new one; None: go on."""
        path = scope["path"]
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        given = dict(query).get("token")
        if path == "/token" and scope["method"] == "POST":
            body = await Request(scope, receive).body()
            given = dict(parse_qsl(body.decode("latin-1"))).get("token", "")
        if given is not None and self._is_token(given):
            rest = urlencode([item for item in query if item[0] != "token"])
            # A path of two slashes would be another host.
            clean = "/" if path == "/token" else "/" + path.lstrip("/\\")
            response = RedirectResponse(clean + (f"?{rest}" if rest else ""), 303)
            response.set_cookie(self._cookie(scope), given, httponly=True, samesite="strict")
            return response
        if path in ("/static/style.css", "/static/icon.svg"):
            return None
        if given is None and self._knows(scope, headers):
            return None
        message = "This is not the token." if given else "This dashboard asks for its token."
        if path.startswith("/api/"):
            return _refused(401, "the token is missing or wrong")
        return HTMLResponse(ASK.format(message=message), 401)


def _place(origin: str) -> str:
    """Returns host and port of an Origin header."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _host_name(host: str) -> str:
    """Returns the name of a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _refused(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status)


class Folder:
    """A folder, and the paths below it; nothing else can be named.

    Attributes:
        root: Its real path.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not os.path.isdir(path):
            raise InputError(f"{os.fsdecode(path)}: there is no such folder")
        self.root = os.path.realpath(os.fsdecode(path))

    def path(self, name: str) -> str:
        """Returns the real path of something below the folder.

        Raises:
            InputError: The name is none, or leads out of the folder, be it through a link.
        """
        if len(name) > 1000 or not name.isprintable() or "\\" in name or os.path.isabs(name):
            raise InputError("a path must be one below the folder that is shown")
        if ".." in name.split("/"):
            raise InputError(f"{name}: leads out of the folder that is shown")
        real = os.path.realpath(os.path.join(self.root, name))
        if real != self.root and not real.startswith(self.root.rstrip("/") + "/"):
            raise InputError(f"{name}: leads out of the folder that is shown")
        return real

    def existing(self, name: str) -> str:
        """Returns the real path of something that is there."""
        path = self.path(name)
        if not os.path.exists(path):
            raise InputError(f"{name or '.'}: there is no such file or folder")
        return path

    def name(self, path: str) -> str:
        """Returns how a path below the folder is called here."""
        return os.path.relpath(path, self.root)

    def without_root(self, message: str) -> str:
        """Returns a message that does not tell where the folder is."""
        return message.replace(self.root.rstrip("/") + "/", "").replace(self.root, "the folder")
