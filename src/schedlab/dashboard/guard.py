"""Who may ask, and for what: tokens, hosts, headers and paths."""

from __future__ import annotations

import asyncio
import html
import os
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from schedlab.dashboard.token_page import ask_page, forward_page
from schedlab.dashboard.tokens import Token, WrongTokens
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_PLAIN_PLACE = re.compile(r"[A-Za-z0-9.:\[\]-]{1,100}")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
OWN = ("same-origin", "none")
"""What browsers say of requests of the page itself, and of addresses that a user typed."""

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
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


class Guard:
    """Refuses what must not be answered, before anything else looks at it.

    Args:
        app: What answers.
        token: What every request must show; None: whoever can call the application may ask.
        hosts: Names by which this server may be called; None: by any. Others may be the work of a
            site that lets its own name point here.
    """

    def __init__(
        self, app: ASGIApp, token: str | None, hosts: Iterable[str] | None = LOCAL_HOSTS
    ) -> None:
        self._app = app
        self._token = None if token is None else Token(token)
        self._wrong = WrongTokens()
        self._hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or refuses."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is None:
            refusal = await self._unadmitted(scope, receive, headers)
        if refusal is not None:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 4401})
                return
            refusal.headers.update({**HEADERS, "cache-control": "no-store", "connection": "close"})
            await refusal(scope, receive, send)
            return
        connection = scope.get("state", {}).get("connection")
        if connection is not None:
            connection.trust()  # it need not give way to new ones

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
        if self._hosts is not None and _host_name(host) not in self._hosts:
            return _refused(403, f"this server does not answer to the name {host[:100]!r}")
        origin = headers.get("origin")
        if origin is not None and _place(origin) != host:
            return _refused(403, "another site asked for this")
        if scope["path"].startswith("/api/") and headers.get("sec-fetch-site", "none") not in OWN:
            return _refused(403, "another site asked for this")
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            is_form = scope["path"] == "/token"
            if not is_form and CHANGES not in headers:
                return _refused(403, f"the header {CHANGES} is missing")
            length, most = headers.get("content-length", ""), MOST_BYTES if not is_form else 4_096
            if not (length.isascii() and length.isdigit()) or len(length) > 12:
                return _refused(411, "the request must say how long it is")
            if int(length) > most:
                return _refused(413, f"the request is longer than {most:,} bytes")
        elif headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return _refused(400, "a request that only asks has no content")
        return None

    async def _unadmitted(
        self, scope: Scope, receive: Receive, headers: Headers
    ) -> Response | None:
        """Returns what to say to a client without the token, or with a new one; None: continue."""
        if self._token is None:
            return None
        path, port = scope["path"], (scope.get("server") or ("", 0))[1] or 0
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for name, value in query if name == "token"), None)
        if path == "/token" and scope.get("method") == "POST":
            try:
                body = await Request(scope, receive).body()
            except ClientDisconnect:
                return _refused(400, "the form did not arrive whole")  # which is seen by nobody
            given = dict(parse_qsl(body.decode("latin-1"))).get("token", "").strip()
        if given is None:
            is_right = self._token.shown(headers, port)
            if is_right:
                return None
        elif is_right := self._token.is_right(given):
            return self._welcome(path, query, headers, self._token.cookie(port))
        if is_right is False:
            refusal = await self._slow_down(scope)
            if refusal is not None:
                return refusal
        if path.startswith("/api/"):
            return _refused(401, "the token is missing or wrong; the dashboard's terminal shows it")
        place = headers.get("host", "")
        shown = place if _PLAIN_PLACE.fullmatch(place) else "&hellip;"
        return HTMLResponse(ask_page(shown, is_right is False), 401)

    def _welcome(
        self, path: str, query: list[tuple[str, str]], headers: Headers, cookie: tuple[str, str]
    ) -> Response:
        """Returns the answer to the right token: a cookie, and the address without the token."""
        rest = urlencode([item for item in query if item[0] != "token"])
        # A path of two slashes would be another host.
        clean = "/" if path == "/token" else "/" + quote(path.lstrip("/\\"))
        clean += f"?{rest}" if rest else ""
        response: Response
        if headers.get("sec-fetch-site", "none") in OWN:
            response = RedirectResponse(clean, 303)
        else:
            response = HTMLResponse(forward_page(html.escape(clean)))
        response.set_cookie(*cookie, httponly=True, samesite="strict")
        return response

    async def _slow_down(self, scope: Scope) -> Response | None:
        """Lets the answer to a wrong token wait; returns one where too many wait."""
        seconds = self._wrong.seconds_to_wait((scope.get("client") or ("",))[0])
        if seconds is None:
            return _refused(429, "too many wrong tokens; try again later")
        self._wrong.waiting += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._wrong.waiting -= 1
        return None


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
        """Returns a message that does not say where the folder is."""
        return message.replace(self.root.rstrip("/") + "/", "").replace(self.root, "the folder")
