"""Plain and compressed inputs as what the engine reads: a path, or chunks from Python."""

from __future__ import annotations

import os
import stat

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

CHUNK = 1 << 18

_PIPES_READ: set[tuple[int, int]] = set()
"""Pipes that were opened here: device and number."""


class InputFile:
    """An input file: what the engine reads of it, its size, and how much of it was read.

    Attributes:
        source: The path of a plain file; else, and for a pipe, `open`.
        size: Bytes of the file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.size = os.stat(path).st_size
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from None
        if os.path.isdir(path):
            raise InputError(f"{path}: is a directory; give the file inside it")
        if not os.access(path, os.R_OK):
            raise InputError(f"{path}: cannot be read: permission denied")
        self.compressed = path.endswith((".gz", ".bz2", ".xz"))
        self.source: str | Callable[[], Callable[[], bytes]] = (
            self.open if self.compressed or is_pipe(path) else path
        )
        self.taken = 0

    def share_read(self, bytes_read: int) -> float:
        """Returns the share of the file that has been read.

        Args:
            bytes_read: What its reader got of it.
        """
        return (self.taken if self.compressed else bytes_read) / max(1, self.size)

    def open(self) -> Callable[[], bytes]:
        """Opens the input and returns a function for the next chunk, which is empty at the end.

        Raises:
            InputError: It cannot be read, or is a pipe that was read before and is now empty.
        """
        try:
            if is_pipe(self.path):
                _read_once(self.path)
            raw = open(self.path, "rb")  # noqa: SIM115 - closed at its end
        except OSError as error:
            raise unreadable(self.path, error) from None
        self.taken = 0
        file = raw if not self.compressed else _decompressed(self.path, raw)

        def next_chunk() -> bytes:
            try:
                chunk: bytes = file.read(CHUNK)
                self.taken = raw.tell() if raw.seekable() else 0
            except (OSError, EOFError, ValueError) as error:
                cut_off = isinstance(error, EOFError)
                reason = "is cut off" if cut_off else f"cannot be unpacked: {error}"
                raise InputError(f"{self.path}: {reason}; fetch or compress it again") from None
            except Exception as error:  # zlib.error and lzma.LZMAError have bases of their own
                raise InputError(f"{self.path}: cannot be unpacked: {error}") from None
            if not chunk:
                file.close()
                raw.close()
            return chunk

        return next_chunk


def is_pipe(path: str) -> bool:
    """Returns whether a path is that of a pipe, as /dev/stdin may be: it can be read but once."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _read_once(path: str) -> None:
    facts = os.stat(path)
    pipe = facts.st_dev, facts.st_ino
    if pipe in _PIPES_READ:
        raise InputError(
            f"{path}: is a pipe, which can be read but once, and this takes more than one pass; "
            "write it to a file first"
        )
    _PIPES_READ.add(pipe)


def _decompressed(path: str, raw: BinaryIO) -> BinaryIO:
    if path.endswith(".gz"):
        import gzip as module
    elif path.endswith(".bz2"):
        import bz2 as module  # type: ignore[no-redef]
    else:
        import lzma as module  # type: ignore[no-redef]
    return module.open(raw, "rb")  # type: ignore[return-value]


def unreadable(path: str, error: Exception) -> InputError:
    """Returns the error for an input that the system does not let us read."""
    reason = "no such file" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
    return InputError(f"{path}: {reason}")
