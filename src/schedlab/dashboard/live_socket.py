"""The websocket of a page that watches a run in progress."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocketDisconnect

from schedlab.errors import InputError
from schedlab.watch import state_of

if TYPE_CHECKING:
    from fastapi import WebSocket

    from schedlab.dashboard.guard import Folder
    from schedlab.dashboard.launch import Launcher
    from schedlab.dashboard.live import LiveSource, LiveSources

SECONDS_BETWEEN_LOOKS = 0.2
MOST_CHARACTERS = 10_000
"""Of what a page may send at once."""


class LiveSocket:
    """Sends moments to a page, the next one when it has handled the last, and takes its orders.

    The page gets `{"kind": "moment", ...}`, then says `{"kind": "done"}`; it may say
    `{"kind": "control", ...}` at any time. At the end it gets `{"kind": "ended", "state": ...}`.
    What cannot be done is answered with `{"kind": "error", "error": ...}`.
    """

    def __init__(
        self, socket: WebSocket, sources: LiveSources, folder: Folder, launcher: Launcher
    ) -> None:
        self._socket, self._sources = socket, sources
        self._folder, self._launcher = folder, launcher
        self._ready = True  # the page has handled what it got
        self._gone = False
        self._sent = (0, -1, 0)  # serial, merges and bins that the page knows

    async def serve(self, run: str) -> None:
        """Serves the page until it goes away or the run is over."""
        try:
            await self._socket.accept()
        except (RuntimeError, OSError, WebSocketDisconnect):
            return  # the page has gone already
        try:
            path = self._folder.existing(run)
            source = await asyncio.to_thread(self._sources.open, path)
        except InputError as error:
            with suppress(RuntimeError, WebSocketDisconnect):
                await self._refuse(run, error)
            return
        listening = asyncio.create_task(self._listen(source))
        try:
            await self._send_all(run, source)
        except (RuntimeError, OSError, WebSocketDisconnect):
            pass  # the page went away while something was sent
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError, RuntimeError, WebSocketDisconnect):
                await listening
            self._sources.close(path, source)
            with suppress(RuntimeError, OSError, WebSocketDisconnect):
                await self._socket.close()  # which fails where the page has closed it

    async def _refuse(self, run: str, error: InputError) -> None:
        """Says why there is nothing to watch."""
        try:
            state = state_of(self._folder.existing(run))
        except InputError:
            state = "none"
        message = self._folder.without_root(self._launcher.failure(run) or str(error))
        if state == "finished":
            await self._send({"kind": "ended", "state": state})
        else:
            await self._send({"kind": "error", "error": message, "state": state})
        await self._socket.close()

    async def _send_all(self, run: str, source: LiveSource) -> None:
        while not self._gone:
            await asyncio.to_thread(source.look)
            if self._ready and source.serial > self._sent[0]:
                self._ready = False
                text = await asyncio.to_thread(self._moment, source)
                await self._socket.send_text(text)
            if source.state != "live":
                await self._send(
                    {
                        "kind": "ended",
                        "state": source.state,
                        "error": self._launcher.failure(run),
                    }
                )
                return
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)

    def _moment(self, source: LiveSource) -> str:
        """Returns the last moment, and what the page does not know of the curves."""
        with source.lock:
            _, merges, bins = self._sent
            known = bins - 1 if merges == source.curves.merges else 0
            message = {"kind": "moment", **source.moment, "curves": source.curves.data(known)}
            self._sent = (source.serial, source.curves.merges, len(source.curves))
        return _text(message)

    async def _listen(self, source: LiveSource) -> None:
        """Takes what the page says."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                self._gone = True
                return
            try:
                request = _parsed_request(message.get("text") or "")
                if request.get("kind") == "done":
                    self._ready = True
                elif request.get("kind") == "control":
                    await asyncio.to_thread(source.control, request)
                else:
                    raise InputError("this is not one of the known messages")
            except InputError as error:
                await self._send({"kind": "error", "error": str(error)})
            except OSError as error:
                reason = error.strerror or "it does not answer"
                await self._send({"kind": "error", "error": f"the run cannot be reached: {reason}"})

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(_text(message))


def _text(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))


def _parsed_request(text: str) -> dict[str, Any]:
    if len(text) > MOST_CHARACTERS:
        raise InputError("this message is too long")
    try:
        request = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("this message is not JSON") from None
    if not isinstance(request, dict):
        raise InputError("this message is not an object")
    return request
