"""The link with the token in a file that only its owner can read."""

from __future__ import annotations

import contextlib
import html
import os
import stat
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>schedlab</title>
<meta http-equiv="refresh" content="0; url={link}"></head>
<body><a href="{link}">the dashboard of schedlab</a></body></html>
"""


@contextlib.contextmanager
def link_file(link: str) -> Iterator[str]:
    """Gives the path of a page that leads to a link; it is gone when the block ends.

    A browser is started with this path: its command line can be read by every user of the machine.
    """
    descriptor, path = tempfile.mkstemp(".html", "schedlab-", _folder_of_user())  # with mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(_PAGE.format(link=html.escape(link)))
        yield path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _folder_of_user() -> str | None:
    """Returns the folder that the system keeps for this user's session; None where it has none."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    try:
        status = os.stat(folder)
    except OSError:
        return None
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return folder if is_own and os.access(folder, os.W_OK) else None


def output_is_open_to_others() -> bool:
    """Returns whether standard output goes to a file that other users of the machine may read."""
    try:
        status = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return False  # there is no such output, or it is kept in memory
    return stat.S_ISREG(status.st_mode) and bool(status.st_mode & (stat.S_IRGRP | stat.S_IROTH))
