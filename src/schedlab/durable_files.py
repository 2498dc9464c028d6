"""Files that are on disk, and not only in the memory of the system: what all writers share.

It imports next to nothing: every run with a folder needs it.
"""

from __future__ import annotations

import errno
import os

from schedlab.errors import InputError

NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | os.O_CLOEXEC
"""A file of your own: none that is there already, and not through a link that others put there."""

_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EROFS)
"""What file systems answer that know no such thing."""


def create(path: str) -> int:
    """Returns a new open file with the permissions of new files; FileExistsError if it is there.

    Args:
        path: Its name.
    """
    return os.open(path, NEW_FILE, 0o666)


def create_anew(path: str) -> int:
    """The same in a folder that is locked: what has the name is left over, and is removed first."""
    if os.path.lexists(path):
        os.unlink(path)
    return create(path)


def sync_file(file: int) -> None:
    """Returns when the content of an open file is on disk."""
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def sync_folder(path: str) -> None:
    """Returns when the names in a folder are on disk: files made, renamed and removed before."""
    try:
        folder = os.open(path or ".", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return  # a folder that may be written but not read
    try:
        sync_file(folder)
    finally:
        os.close(folder)


def same_file(file: int, path: str) -> bool:
    """Returns whether an open file is still the one of that name."""
    try:
        there = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    ours = os.fstat(file)
    return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)


def refuse_what_is_not_a_file(path: str) -> None:
    """Raises InputError for a name under which no file can be written."""
    if path == "-":
        raise InputError(
            '-: standard output cannot be written to; give the name of a file ("./-" for this one)'
        )
    if os.path.lexists(path) and not os.path.isfile(path):
        what = "a device or pipe, not a file"
        if os.path.isdir(path):
            what = "a directory"
        elif os.path.islink(path):
            what = "a link that leads nowhere"
        raise InputError(f"{path}: is {what}; give the name of a file to write")
