"""Plain and compressed inputs as what the engine reads: a path, or chunks from Python."""

from __future__ import annotations

import os
import stat

from schedlab.errors import InputError
from schedlab.input_file import open_input

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from lzma import LZMADecompressor
    from typing import BinaryIO

CHUNK = 1 << 18
MOST_XZ_MEMORY = 256 * 2**20

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
        with open_input(path) as file:
            self.size = os.fstat(file.fileno()).st_size
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
        if is_pipe(self.path):
            _read_once(self.path)
        raw = open_input(self.path)  # closed at its end
        self.taken = 0
        file: BinaryIO | _XzFile = _decompressed(self.path, raw) if self.compressed else raw

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
    """Returns whether a path is that of a pipe, as /dev/stdin may be: it can be read only once."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _read_once(path: str) -> None:
    facts = os.stat(path)
    pipe = facts.st_dev, facts.st_ino
    if pipe in _PIPES_READ:
        raise InputError(
            f"{path}: is a pipe, which can be read only once, and this takes more than one pass; "
            "write it to a file first"
        )
    _PIPES_READ.add(pipe)


def _decompressed(path: str, raw: BinaryIO) -> BinaryIO | _XzFile:
    if path.endswith(".gz"):
        import gzip as module
    elif path.endswith(".bz2"):
        import bz2 as module  # type: ignore[no-redef]
    else:
        return _XzFile(raw)
    return module.open(raw, "rb")  # type: ignore[return-value]


class _XzFile:
    """The content of an .xz file, as lzma.open gives it, but in bounded memory.

    The file says how much memory it takes to unpack it: up to 4 GB. `xz -9` asks for 65 MB.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._decompressor = self._fresh()

    @staticmethod
    def _fresh() -> LZMADecompressor:
        from lzma import LZMADecompressor

        return LZMADecompressor(memlimit=MOST_XZ_MEMORY)

    def read(self, size: int) -> bytes:
        """Returns up to that many bytes; none at the end."""
        while True:
            if self._decompressor.eof:  # another stream may follow, after zeros
                rest = self._decompressor.unused_data.lstrip(b"\0")
                while not rest and (more := self._raw.read(CHUNK)):
                    rest = more.lstrip(b"\0")
                if not rest:
                    return b""
                self._decompressor = self._fresh()
                chunk = self._decompressor.decompress(rest, size)
            else:
                data = self._raw.read(CHUNK) if self._decompressor.needs_input else b""
                if self._decompressor.needs_input and not data:
                    raise EOFError
                chunk = self._decompressor.decompress(data, size)
            if chunk:
                return chunk

    def close(self) -> None:
        """Leaves the file to whoever opened it."""
