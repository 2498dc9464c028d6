"""Temporary folders that go away: with what holds them, or, where that was killed, a day later."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref

from schedlab.durations import DAY
from schedlab.errors import InputError
from schedlab.results.folder_lock import is_locked, lock_folder

PREFIX = "schedlab-"
SECONDS_KEPT = DAY
"""Folders of others are left alone for this long: one may be made, and not locked yet."""

_swept: set[str] = set()


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """A folder that is locked while it is in use, and removed afterwards.

    The first one that a process makes removes those that killed processes of the same user left.

    Args:
        within: Where to make it; None: where temporary files go.
    """

    def __init__(self, within: str | None = None) -> None:
        within = tempfile.gettempdir() if within is None else within
        if within not in _swept:
            _swept.add(within)
            sweep(within)
        super().__init__(prefix=PREFIX, dir=within)
        self.lock = lock_folder(self.name, "run")
        if self.lock is not None:
            weakref.finalize(self, os.close, self.lock)


def sweep(within: str) -> None:
    """Removes temporary folders of this user that nobody holds."""
    before = time.time() - SECONDS_KEPT
    try:
        with os.scandir(within) as entries:
            found = [one for one in entries if one.name.startswith(PREFIX)]
    except OSError:
        return
    for entry in found:
        try:
            facts = entry.stat(follow_symlinks=False)
            ours = entry.is_dir(follow_symlinks=False) and facts.st_uid == os.geteuid()
            if ours and facts.st_mtime < before and not is_locked(entry.path):
                shutil.rmtree(entry.path, ignore_errors=True)
        except (OSError, InputError):
            continue  # another process was faster
