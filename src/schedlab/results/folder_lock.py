"""Locks of folders: while a run writes to one, no other does."""

from __future__ import annotations

import os
from time import monotonic, sleep

from schedlab.errors import InputError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY
"""How folders are opened: a pipe in the place of one would be waited for."""


def lock_folder(path: str, writer: str, patience_seconds: float = 0.1) -> int | None:
    """Returns an open folder that nobody else can lock meanwhile; None where there are no locks.

    The lock goes with the process, however that ends, and leaves nothing in the folder.

    Args:
        path: The folder.
        writer: What writes there, for the message.
        patience_seconds: How long to wait for a process that has it, and may be about to end; or
            that only looked, with `is_locked`.

    Raises:
        InputError: Another one is writing there.
    """
    try:
        import fcntl
    except ImportError:
        return None
    folder = os.open(path, _FOLDER)
    until = monotonic() + patience_seconds
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() < until:
                sleep(0.02)
                continue
            os.close(folder)
            raise InputError(
                f"{path}: another {writer} is writing to this folder; choose another"
            ) from None
        except OSError:  # a file system without locks
            os.close(folder)
            return None
        return folder


def unlock_folder(folder: int | None) -> None:
    """Lets others lock a folder, even if processes that were started meanwhile have it open too."""
    if folder is None:
        return
    import fcntl

    fcntl.flock(folder, fcntl.LOCK_UN)
    os.close(folder)


def is_locked(path: str) -> bool:
    """Returns whether a run is writing to the folder now."""
    try:
        import fcntl
    except ImportError:
        return True  # no locks there: files that are being written are all there is to go by
    try:
        folder = os.open(path, _FOLDER)
    except OSError:
        return False
    try:
        fcntl.flock(folder, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return True
    finally:
        os.close(folder)
    return False
