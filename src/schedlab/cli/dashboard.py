"""`schedlab dashboard`: the runs below a folder, in a browser."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from schedlab.errors import InputError

if TYPE_CHECKING:
    import socket

    from fastapi import FastAPI

EXAMPLE = "Example: schedlab dashboard results --open"

PORT = 8265
TOKEN = "SCHEDLAB_TOKEN"
_LOCAL = ("127.0.0.1", "localhost", "::1")
_SHORTEST = 16


def dashboard(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Folder of runs; nothing outside it is served.")
    ] = ".",
    host: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Address to listen on; others than this machine need a token."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65_535, help="Port; 0 takes a free one.")
    ] = PORT,
    token_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help=f"File whose first line is the token. Without it: the variable {TOKEN}, "
            "else a new one.",
            show_default=False,
        ),
    ] = None,
    workloads: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR",
            help="More workloads and systems to start simulations with; may be repeated.",
            show_default=False,
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Show the runs below a folder in a browser, live ones too, and start new ones."""
    token = _token(host, token_file)
    if not os.path.isdir(folder):
        raise InputError(f"{folder}: there is no such folder; give one that holds runs")
    from schedlab.dashboard import create_app

    listening = _listen(host, port)
    app = create_app(folder, token, hosts=(host,), workloads=workloads or ())
    number = listening.getsockname()[1]
    name = "localhost" if host in ("", "0.0.0.0", "::") else host
    url = f"http://{f'[{name}]' if ':' in name else name}:{number}/"
    shown = f"{url}?token={token}" if token else url
    with suppress(KeyboardInterrupt):  # which uvicorn raises again when it has ended everything
        print(f"{os.path.abspath(folder)} is shown at {shown}")
        print("Ctrl-C ends it.", flush=True)
        if open_page:
            import webbrowser

            webbrowser.open(shown)
        _serve(app, listening)
    running = app.state.launcher.running()
    if running:
        print(f"{running} simulation{'s' if running > 1 else ''} that you started go on running.")


def _serve(app: FastAPI, listening: socket.socket) -> None:
    """Serves until Ctrl-C."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        ws_max_size=100_000,
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()


def _token(host: str, file: str | None) -> str | None:
    """Returns the token that requests need; None where only this machine can ask."""
    if file is not None:
        try:
            with open(file, encoding="utf-8") as lines:
                token = lines.readline().strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "is no text"
            raise InputError(f"--token-file {file}: {reason}") from None
        return _checked(token, f"--token-file {file}")
    if token := os.environ.get(TOKEN, "").strip():
        return _checked(token, TOKEN)
    if host in _LOCAL:
        return None
    import secrets

    return secrets.token_urlsafe(24)


def _checked(token: str, where: str) -> str:
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"{where}: a token has at least {_SHORTEST} letters, digits or signs, and no blanks"
        )
    return token


def _listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens, so that the page can be opened at once."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once only where the protocol is given; else they wait 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform != "win32":  # there it would let two servers share a port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except (OSError, UnicodeError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or "is no address of this machine"
        raise InputError(
            f"--host {host} --port {port}: {reason}; choose another port, or 0 for a free one"
        ) from None
    return listening
