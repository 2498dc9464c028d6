"""Files that are read: regular ones alone, and, where that is asked, only those inside a folder."""

from __future__ import annotations

import os
import stat
from _contextvars import ContextVar  # its own module costs a file at start-up

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from contextvars import Token
    from io import BufferedReader

MOST_BYTES = 64 * 2**20
"""Of a file that is read whole, unless its reader knows better: JSON takes twenty times as much."""

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# Not blocking: a pipe that took the place of a file since it was looked at must not stop us.
_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
# O_PATH, where there is one: folders that may be passed through need not be readable.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC

_confining: ContextVar[str | None] = ContextVar("folder that files must lie in", default=None)


class confined_to:  # noqa: N801 - a function to whoever uses it; contextlib costs 4 ms at start-up
    """While it lasts, `open_regular` refuses files outside a folder, in this thread or task.

    It is for servers: what reads a run for them needs no argument for who asked.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        self._token: Token[str | None] = _confining.set(self._folder)

    def __exit__(self, *error: object) -> None:
        _confining.reset(self._token)


def is_confined() -> bool:
    """Returns whether a server asks: what it reads must not end its process."""
    return _confining.get() is not None


def open_regular(path: str | os.PathLike[str], inside: str | None = None) -> BufferedReader:
    """Returns a file, opened to read bytes; polars takes it in place of a path.

    Args:
        path: The file. It may be a link, and below links.
        inside: Folder that it must lie in, links resolved; by default that of `confined_to`, if
            any. A link that is made while the file is being opened is refused, too.

    Raises:
        InputError: It is a directory, a pipe, a socket or a device, or lies elsewhere.
        OSError: It is not there, or may not be read.
    """
    name = os.fsdecode(path)
    folder = inside if inside is not None else _confining.get()
    if "\0" in name:
        raise InputError(f"{name!r}: no file has such a name")
    if folder is None:
        return _opened(name, name, 0, None)
    root = os.path.realpath(folder)
    real = os.path.realpath(name)
    if not real.startswith(root.rstrip(os.sep) + os.sep):
        raise InputError(f"{name}: leads out of the folder {folder}")
    *folders, last = os.path.relpath(real, root).split(os.sep)
    # Nothing on the way is a link now. What becomes one, or is moved, leads to an error.
    parent = os.open(root, _FOLDER)
    try:
        for part in folders:
            deeper = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
            os.close(parent)
            parent = deeper
        return _opened(last, name, os.O_NOFOLLOW, parent)
    except OSError as error:
        error.filename = name
        raise
    finally:
        os.close(parent)


def read_regular(
    path: str | os.PathLike[str], inside: str | None = None, most_bytes: int = MOST_BYTES
) -> bytes:
    """Returns the content of a file, as `open_regular` opens it.

    Raises:
        InputError: It is not one that may be read, or too large.
        OSError: It is not there, or may not be read.
    """
    with open_regular(path, inside) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise InputError(
            f"{os.fsdecode(path)}: has more than {most_bytes:,} bytes, which is more than such a "
            "file can have"
        )
    return content


def _opened(place: str, name: str, flags: int, folder: int | None) -> BufferedReader:
    """Returns a file below a folder that is open; asks twice what it is.

    First by its name, because opening alone does something to devices and to what waits at the
    other end of a pipe; then what was opened, which nobody can replace.
    """
    _check_kind(os.stat(place, dir_fd=folder, follow_symlinks=not flags), name)
    descriptor = os.open(place, _FILE | flags, dir_fd=folder)
    try:
        _check_kind(os.fstat(descriptor), name)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_kind(status: os.stat_result, name: str) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    found = (words for is_kind, words in _KINDS if is_kind(status.st_mode))
    raise InputError(f"{name}: is {next(found, 'a link')}, not a file")
