"""`schedlab dashboard`: the runs below a folder, in a browser."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.errors import InputError

if TYPE_CHECKING:
    import socket

EXAMPLE = "Example: schedlab dashboard results --open"

PORT = 8265
TOKEN = "SCHEDLAB_TOKEN"
_EVERY = ("", "0.0.0.0", "::")
_SHORTEST, _LONGEST, _FEWEST_DIFFERENT = 16, 200, 8


def dashboard(
    folder: Annotated[
        str, Argument(metavar="DIR", help="Folder of runs; nothing outside it is served.")
    ] = ".",
    host: Annotated[
        str,
        Option(metavar="NAME", help="Address to listen on; the default is for this machine alone."),
    ] = "127.0.0.1",
    port: Annotated[
        int, Option(metavar="N", least=0, largest=65_535, help="Port; 0 takes a free one.")
    ] = PORT,
    token_file: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help=f"File whose first line is the token. Without it: the variable {TOKEN}, "
            "else a new one.",
            show_default=False,
        ),
    ] = None,
    workloads: Annotated[
        list[str] | None,
        Option(
            metavar="DIR",
            help="More workloads and systems to start simulations with; may be repeated.",
            show_default=False,
        ),
    ] = None,
    trust_code: Annotated[
        bool,
        Option(
            "--trust-code",
            help="Let whoever uses the page start runs with code by name: your own schedulers, "
            "allocators and applications.",
        ),
    ] = False,
    open_page: Annotated[bool, Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Show the runs below a folder in a browser, live ones too, and start new ones."""
    token = _token(token_file)
    if not os.path.isdir(folder):
        raise InputError(f"{folder}: there is no such folder; give one that holds runs")
    from schedlab.dashboard import create_app
    from schedlab.dashboard.guard import LOCAL_HOSTS
    from schedlab.dashboard.serving import serve

    listening = _listen(host, port)
    # By any name, where all addresses of the machine are listened on: which these are is not known.
    hosts = None if host in _EVERY else {*LOCAL_HOSTS, host.lower()}
    app = create_app(folder, token, hosts=hosts, workloads=workloads or (), trust_code=trust_code)
    number = listening.getsockname()[1]
    name = "localhost" if host in _EVERY else host
    url = f"http://{f'[{name}]' if ':' in name else name}:{number}/"
    link = f"{url}?token={quote(token, safe='')}"
    # The server raises KeyboardInterrupt again when it has ended everything.
    with suppress(KeyboardInterrupt), ExitStack() as until_the_end:
        _announce(os.path.abspath(folder), url, link, open_page, until_the_end)
        serve(app, listening)
    running = app.state.launcher.running()
    if running:
        print(f"simulations that you started continue: {running}")


def _announce(folder: str, url: str, link: str, open_page: bool, until_the_end: ExitStack) -> None:
    """Says where the folder is shown, and opens the page if that is asked for."""
    from schedlab.dashboard.link_file import link_file, output_is_open_to_others

    is_open = output_is_open_to_others()
    path = until_the_end.enter_context(link_file(link)) if open_page or is_open else ""
    if is_open:
        print(f"{folder} is shown at {url}")
        print(f"Other users can read this output: the link with the token is in {path}")
    else:
        print(f"{folder} is shown at {link}")
    print("Ctrl-C ends it.", flush=True)
    if open_page:
        import webbrowser

        webbrowser.open(f"file://{path}")


def _token(file: str | None) -> str:
    """Returns the token that requests need: that of the user, or a new one."""
    if file is not None:
        try:
            with open(file, encoding="utf-8") as lines:
                _warn_if_open_to_others(lines.fileno(), file)
                token = lines.readline(_LONGEST + 1).strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "is not text"
            raise InputError(f"--token-file {file}: {reason}") from None
        return _checked(token, f"--token-file {file}")
    # Taken out: simulations that are started here have no use for it.
    if token := os.environ.pop(TOKEN, "").strip():
        return _checked(token, TOKEN)
    import secrets

    return secrets.token_urlsafe(24)


def _warn_if_open_to_others(descriptor: int, file: str) -> None:
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        print(
            f"schedlab: warning: --token-file {file}: other users of this machine may use it "
            f"(mode {mode:03o}); chmod 600 {file}",
            file=sys.stderr,
        )


def _checked(token: str, where: str) -> str:
    plain = token.isascii() and token.isprintable() and " " not in token
    if not plain or not _SHORTEST <= len(token) <= _LONGEST or len(set(token)) < _FEWEST_DIFFERENT:
        raise InputError(
            f"{where}: a token has at least {_SHORTEST} letters, digits or signs, at most "
            f"{_LONGEST}, {_FEWEST_DIFFERENT} of them different, and no blanks; without one, each "
            "start makes its own"
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
        reason = getattr(error, "strerror", None) or "is not an address of this machine"
        raise InputError(
            f"--host {host} --port {port}: {reason}; choose another port, or 0 for a free one"
        ) from None
    return listening
