"""Plain and compressed inputs as what the engine reads: a path, or chunks from Python."""

from __future__ import annotations

import os

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

CHUNK = 1 << 18


class InputFile:
    """An input file: what the engine reads of it, its size, and how much of it was read.

    Attributes:
        source: The path of a plain file; else `open`.
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
            self.open if self.compressed else path
        )
        self.taken = 0

    def open(self) -> Callable[[], bytes]:
        """Opens the input and returns a function for the next chunk, which is empty at the end."""
        try:
            raw = open(self.path, "rb")  # noqa: SIM115 - closed at its end
        except OSError as error:
            raise unreadable(self.path, error) from None
        self.taken = 0
        file = raw if not self.compressed else _decompressed(self.path, raw)

        def next_chunk() -> bytes:
            try:
                chunk: bytes = file.read(CHUNK)
                self.taken = raw.tell()
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
