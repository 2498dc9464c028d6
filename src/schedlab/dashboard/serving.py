"""Serving the dashboard's application at a port, to clients that may be slow, many, or hostile."""

from __future__ import annotations

import asyncio
import errno
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import uvicorn

from schedlab.dashboard.connections import Connection, Connections, most_connections
from schedlab.dashboard.limited_log import LimitedLog

if TYPE_CHECKING:
    import socket

    from fastapi import FastAPI

MOST_ACCEPTED_AT_ONCE = 64
"""Far fewer than connections there may be: a client's request is read before 64 more come in."""

MOST_QUEUED = 1_024
"""Connections that wait in the kernel until they are accepted."""

MOST_HEADER_BYTES = 32_768
NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def serve(app: FastAPI, listening: socket.socket) -> None:
    """Serves until Ctrl-C, which it raises when all has ended."""
    log = LimitedLog()
    logging.getLogger().addHandler(log)
    connections = Connections(most_connections())
    config = uvicorn.Config(
        app,
        http=cast("Any", partial(Connection, connections)),
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        backlog=MOST_ACCEPTED_AT_ONCE,
        log_config=None,  # it would write everything, however often
        log_level="warning",
        access_log=False,  # addresses may have a token in them
        server_header=False,
        timeout_graceful_shutdown=2,
        ws_max_size=100_000,
    )
    try:
        _Server(config, connections).run(sockets=[listening])
    finally:
        listening.close()
        log.log_left_out()
        logging.getLogger().removeHandler(log)


class _Server(uvicorn.Server):
    """A server that makes room where the machine has none."""

    def __init__(self, config: uvicorn.Config, connections: Connections) -> None:
        super().__init__(config)
        self._connections = connections

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to accept connections."""
        asyncio.get_running_loop().set_exception_handler(self._wrong)
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(MOST_QUEUED)

    def _wrong(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Notes what went wrong beside the requests; a lack of descriptors ends connections."""
        error = context.get("exception")
        logging.getLogger("schedlab.dashboard").error(
            str(context["message"]),
            exc_info=None if error is None else (type(error), error, error.__traceback__),
        )
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            self._connections.drop_one()
