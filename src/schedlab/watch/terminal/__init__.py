"""The terminal monitor, `schedlab watch`; it needs textual."""

from __future__ import annotations

import os
import sys

from schedlab.errors import InputError
from schedlab.watch.folder import open_run


def watch_in_terminal(path: str) -> None:
    """Watches the run of a folder on the whole terminal, until a user quits.

    Raises:
        InputError: There is no run, no terminal that can show it, or no textual.
    """
    view = open_run(path)
    _require_terminal(path)
    try:
        from schedlab.watch.terminal.app import WatchApp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        raise InputError("schedlab watch needs textual: pip install 'schedlab[watch]'") from None
    WatchApp(view).run()


def _require_terminal(path: str) -> None:
    instead = f"schedlab status {path} shows the same as text"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(f"schedlab watch needs a terminal; {instead}")
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        raise InputError(f"schedlab watch needs a terminal that can move its cursor; {instead}")
    if not _has_colours():
        raise InputError(f"schedlab watch needs a terminal with colours; {instead}")
    if os.environ.get("NO_COLOR"):
        raise InputError(f"schedlab watch distinguishes jobs by colour, NO_COLOR is set; {instead}")


def _has_colours() -> bool:
    """Returns what the system's table of terminals says; True where it does not know this one."""
    try:
        import curses

        curses.setupterm()
        return curses.tigetnum("colors") >= 8
    except (ImportError, OSError, curses.error):
        return True
