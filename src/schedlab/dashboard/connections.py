"""Connections: how many there may be, how long they may take, and which give way to others."""

from __future__ import annotations

import resource
from collections import Counter
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

MOST_CONNECTIONS = 4_096
FILES_KEPT = 256
"""Descriptors that are left for everything else: runs, tables, simulations that are started."""

SECONDS_TO_ASK = 15.0
"""For a request to arrive whole, from its first byte, or from the start of the connection."""

SECONDS_UNKNOWN = 30.0
"""For a connection to show the token, whatever else it does."""

TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-type: application/json\r\n"
    b'content-length: 51\r\n\r\n{"error": "the request took too long to arrive"}   '
)


def most_connections() -> int:
    """Returns how many connections there may be, so that descriptors never run out.

    It asks the system for as many descriptors as that takes; many systems start with 1,024.
    """
    descriptors, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + FILES_KEPT
    if descriptors != resource.RLIM_INFINITY and descriptors < wanted:
        descriptors = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, most))
    if descriptors == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(descriptors - FILES_KEPT, descriptors // 4, 4))


class Connections:
    """The connections that are open; when there are too many, unknown ones give way.

    Unknown are those that have not shown the token. Of these, the oldest one of the address with
    most of them goes: a client that asks at once is known before its turn comes, and one that keeps
    many connections waiting only pushes out its own.

    Args:
        most: How many there may be.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._unknown: dict[Connection, str] = {}  # in the order in which they came
        self._known: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._unknown) + len(self._known)

    def add(self, connection: Connection, address: str) -> None:
        """Takes in a connection, and drops one if there are too many: itself, if all are known."""
        if len(self) >= self._most:
            self._forget_closed()
        self._unknown[connection] = address
        if len(self) > self._most:
            self.drop_one()

    def trust(self, connection: Connection) -> None:
        """Notes that a connection has shown the token."""
        if self._unknown.pop(connection, None) is not None:
            self._known.add(connection)

    def remove(self, connection: Connection) -> None:
        """Forgets a connection that is over."""
        self._unknown.pop(connection, None)
        self._known.discard(connection)

    def drop_one(self) -> None:
        """Ends the unknown connection that gives way first, if there is one."""
        if not self._unknown:
            return
        busiest, _ = Counter(self._unknown.values()).most_common(1)[0]
        oldest = next(one for one, address in self._unknown.items() if address == busiest)
        oldest.drop()

    def _forget_closed(self) -> None:
        """Forgets connections that became websockets, whose ends are not given here."""
        for connection in [one for one in (*self._unknown, *self._known) if one.is_over()]:
            self.remove(connection)


class Connection(H11Protocol):
    """A connection of the server that is not waited for without end.

    Args:
        open_ones: All of them.
        options: What uvicorn passes.
    """

    def __init__(self, open_ones: Connections, **options: Any) -> None:
        options["app_state"] = {**options["app_state"], "connection": self}
        super().__init__(**options)
        self._open_ones = open_ones
        self._slow: asyncio.TimerHandle | None = None
        self._unknown: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins."""
        super().connection_made(transport)
        self._unknown = self.loop.call_later(SECONDS_UNKNOWN, self.drop)
        self._slow = self.loop.call_later(SECONDS_TO_ASK, self._too_slow)
        self._open_ones.add(self, str(self.client[0]) if self.client else "")

    def data_received(self, data: bytes) -> None:
        """Takes what the client sends, and watches how long it takes to send a request."""
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # it became a websocket
            self._stop_waiting()
            return
        unfinished = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if not unfinished:
            self._stop_waiting()
        elif self._slow is None:
            self._slow = self.loop.call_later(SECONDS_TO_ASK, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends."""
        self._stop_waiting()
        self._stop_being_unknown()
        self._open_ones.remove(self)
        super().connection_lost(exc)

    def trust(self) -> None:
        """Notes that a request on it has shown the token."""
        self._stop_being_unknown()
        self._open_ones.trust(self)

    def drop(self) -> None:
        """Ends it at once."""
        self._stop_waiting()
        self._stop_being_unknown()
        self._open_ones.remove(self)
        self.transport.abort()

    def is_over(self) -> bool:
        """Returns whether nothing can be sent any more."""
        return self.transport.is_closing()

    def _too_slow(self) -> None:
        """Ends it because a request, or the rest of one, did not come in time."""
        self._slow = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(TOO_SLOW)
            self.transport.close()
        if self.transport.get_write_buffer_size() or not self.transport.is_closing():
            self.drop()

    def _stop_waiting(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None

    def _stop_being_unknown(self) -> None:
        if self._unknown is not None:
            self._unknown.cancel()
            self._unknown = None
