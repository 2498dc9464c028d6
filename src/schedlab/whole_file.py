"""Files that are there when they are whole, and not before; every file that a user names is.

A file `x` is written as `.x.RANDOM.part` beside its place, made exclusively, and renamed when it is
whole and on disk. Meanwhile `.x.lock` is locked, and holds the name of that other file: a second
writer gets an error at once, and what a killed writer left behind is removed by the next one. Where
a file system has no locks, the last writer wins, whole, and nothing is removed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from time import monotonic, sleep

from schedlab.durable_files import (
    create,
    refuse_what_is_not_a_file,
    same_file,
    sync_file,
    sync_folder,
)
from schedlab.errors import InputError, written_error

LONGEST_NAME = 255
"""Bytes that a name may have."""

_NAP_SECONDS = 0.01


@contextlib.contextmanager
def whole_file(path: str, *, lasts: bool = True, patience_seconds: float = 0.0) -> Iterator[str]:
    """Gives the name under which to write a file; it takes its place when the block ends.

    If the block fails, nothing of it is left, and a file that was there before stays. Of a link,
    the file that it points to is replaced. The permissions of a file that is replaced are kept.

    Args:
        path: The file.
        lasts: Whether it must be on disk before it takes its place.
        patience_seconds: How long to wait for another writer of the same file.

    Raises:
        InputError: What is there is not a file: a device or a pipe must not be replaced by one. Or
            another process is writing the file.
    """
    path = os.path.realpath(path) if os.path.islink(path) else path
    refuse_what_is_not_a_file(path)
    place = _PlaceOfFile(path)
    try:
        with place.claimed(patience_seconds):
            yield place.partial
            place.publish(lasts)
    except BaseException as error:
        if not isinstance(error, Exception):
            raise
        error_to_raise = written_error(error, path)
        if (
            isinstance(error_to_raise, OSError)
            and error_to_raise.errno
            and error_to_raise.filename in (None, *place.names)
        ):
            error_to_raise.filename = path  # Python leaves it out where a write fails
        raise error_to_raise from None


def write_text(path: str, text: str) -> None:
    """Writes a text file that is never there in part."""
    with whole_file(path) as partial, open(partial, "w", encoding="utf-8") as file:
        file.write(text)


def remove_leftovers(path: str) -> None:
    """Removes what killed writers of a file left behind; nothing while one is writing it."""
    with contextlib.suppress(InputError, OSError), _PlaceOfFile(path).claimed(0.0):
        pass


class _PlaceOfFile:
    """Where a file is written, and the right to do so, which one writer has at a time."""

    def __init__(self, path: str) -> None:
        self.path, self._folder = path, os.path.dirname(path)
        self._base = f".{os.path.basename(path)}"
        random = os.urandom(6).hex()
        if len(os.fsencode(self._base)) + len(random) + len("..parts") > LONGEST_NAME:
            from schedlab._engine import Checksum

            checksum = Checksum()
            checksum.add(os.fsencode(self._base))
            self._base = f".schedlab-{checksum.hex()}"
        self._lock = os.path.join(self._folder, f"{self._base}.lock")
        self.partial = os.path.join(self._folder, f"{self._base}.{random}.part")
        self.names = (self._lock, self.partial)
        self._file = -1

    @contextlib.contextmanager
    def claimed(self, patience_seconds: float) -> Iterator[None]:
        """Keeps other writers out; at its end, whatever is not published is removed."""
        lock = self._claim(patience_seconds)
        try:
            if lock is not None:
                self._remove_leftovers(lock)
                os.pwrite(lock, os.fsencode(os.path.basename(self.partial)), 0)
            self._file = create(self.partial)
            self._keep_rights()
            yield
        finally:
            if self._file >= 0:
                os.close(self._file)
            _remove(self.partial)
            if lock is not None:
                _remove(self._lock, folder=False)
                os.close(lock)

    def publish(self, lasts: bool) -> None:
        """Lets the file take its place."""
        if not same_file(self._file, self.partial):
            raise InputError(f"{self.path}: another program removed it while it was written")
        if lasts:
            sync_file(self._file)
        os.replace(self.partial, self.path)
        if lasts:
            sync_folder(self._folder)

    def _keep_rights(self) -> None:
        """Gives the new file the permissions of the one that it replaces: private files stay so."""
        with contextlib.suppress(OSError):
            os.fchmod(self._file, os.stat(self.path).st_mode & 0o777)

    def _claim(self, patience_seconds: float) -> int | None:
        """Returns the locked file; None where there are no locks."""
        try:
            import fcntl
        except ImportError:
            return None
        until = monotonic() + patience_seconds
        while True:
            lock = self._opened_lock()
            if lock is None:
                return None
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if same_file(lock, self._lock):
                    return lock
            except BlockingIOError:
                if monotonic() >= until:
                    os.close(lock)
                    raise InputError(
                        f"{self.path}: another process is writing it; wait for its end, or give "
                        "another name"
                    ) from None
                sleep(_NAP_SECONDS)
            except OSError:  # a file system without locks
                os.close(lock)
                _remove(self._lock, folder=False)
                return None
            os.close(lock)  # try again: its owner has removed it, or still writes

    def _opened_lock(self) -> int | None:
        """Returns the file to lock; None where it is that of another user, who lets nobody in."""
        how = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            lock = os.open(self._lock, how | os.O_RDWR, 0o666)
        except OSError as error:
            if error.errno == errno.EACCES and os.access(self._folder or ".", os.W_OK):
                return None
            if error.errno not in (errno.ELOOP, errno.EISDIR):
                raise
        else:
            if stat.S_ISREG(os.fstat(lock).st_mode):
                return lock
            os.close(lock)
        raise InputError(f"{self._lock}: is not a file of schedlab; remove it")

    def _remove_leftovers(self, lock: int) -> None:
        """Removes what a writer left that was killed: nobody has its lock any more."""
        left = os.fsdecode(os.pread(lock, LONGEST_NAME, 0))
        ours = left.startswith(f"{self._base}.") and left.endswith(".part") and "/" not in left
        if ours:
            _remove(os.path.join(self._folder, left))
        os.ftruncate(lock, 0)


def parts_of(partial: str) -> str:
    """Returns the name of a folder for parts of a file that is being written; it goes with it."""
    return f"{partial}s"


def _remove(path: str, folder: bool = True) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
    if folder and os.path.isdir(parts_of(path)) and not os.path.islink(parts_of(path)):
        shutil.rmtree(parts_of(path), ignore_errors=True)
