"""Writers: job tables as files of some format."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from schedlab.errors import LossWarning
from schedlab.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Any, BinaryIO, Self

    import polars


def text_bytes(text: str) -> bytes:
    """Returns the bytes of a text; those of a log that were not UTF-8 are as they were there."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:  # half of a character, which only JSON can hold
        return text.encode(errors="backslashreplace")


class Writer:
    """Base of a writer of your own format; a context within which tables are written.

    The file appears under its name when the context ends, and not at all when it fails. A name that
    ends in .gz, .bz2 or .xz is compressed.

    Attributes:
        path: Of the file.
        header: What is known of the workload as a whole, by the names of SWF's header.
        rows: How many were written.
        losses: What the format cannot hold, and how many rows have it.
        notes: What to know of the file, as sentences.
        file: What is written to, in bytes, between `begin` and `end`.
        partial: The name of that file until it is whole.
    """

    file: BinaryIO
    partial: str

    def __init__(self, path: str | os.PathLike[str], header: dict[str, str] | None = None) -> None:
        self.path = os.fsdecode(path)
        self.header = dict(header or {})
        self.rows = 0
        self.losses: Counter[str] = Counter()
        self.notes: list[str] = []
        self._place: AbstractContextManager[str] | None = None
        self._began = False

    def begin(self, columns: list[str]) -> None:
        """Writes what comes before the rows; `columns` are those of all tables."""

    def add(self, table: polars.DataFrame) -> None:
        """Writes the rows of one table."""
        raise NotImplementedError(f"{type(self).__name__} must define add()")

    def end(self) -> None:
        """Writes what comes after the rows."""

    def write(self, table: polars.DataFrame) -> None:
        """Writes a table, completed to all columns of SWF."""
        from schedlab.workload.table import complete

        table = complete(table)
        if not self._began:
            self._began = True
            self.begin(table.columns)
        self.add(table)
        self.rows += table.height

    def __enter__(self) -> Self:
        self._place = whole_file(self.path)
        self._began = False
        try:
            self.partial = self._place.__enter__()
            self.file = open_for_writing(self.partial, self.path)
        except BaseException as error:
            self._place.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._place is not None
        try:
            if error is None:
                if not self._began:
                    from schedlab.workload.table import empty

                    self.write(empty())
                self.end()
            self.file.close()
        except BaseException as late:
            kind, error, trace = type(late), late, late.__traceback__
            self._place.__exit__(kind, error, trace)
            raise
        self._place.__exit__(kind, error, trace)


def open_for_writing(partial: str, path: str) -> BinaryIO:
    """Opens the file `partial`, compressed as the name `path` says.

    The same content gives the same bytes: neither name nor time are in a compressed file.
    """
    raw = open(partial, "wb")  # noqa: SIM115 - the writer closes it
    if path.endswith(".gz"):
        import gzip

        return _Compressed(gzip.GzipFile("", "wb", fileobj=raw, mtime=0), raw)  # type: ignore[return-value]
    if path.endswith(".bz2"):
        import bz2

        return _Compressed(bz2.BZ2File(raw, "wb"), raw)  # type: ignore[return-value]
    if path.endswith(".xz"):
        import lzma

        return _Compressed(lzma.LZMAFile(raw, "wb"), raw)  # type: ignore[return-value]
    return raw


def warn_of_losses(path: str, losses: Mapping[str, int]) -> None:
    """Warns Python code that plain SWF does not have all that was written to it."""
    lost = ", ".join(f"{what} of {count:,} jobs" for what, count in losses.items())
    import warnings

    warnings.warn(
        f"{path}: plain SWF cannot hold {lost}; the writer swf(exact=true) does, except texts",
        LossWarning,
        stacklevel=3,
    )


class _Compressed:
    """A compressed file that closes the one beneath it, too."""

    def __init__(self, packed: Any, raw: BinaryIO) -> None:
        self._packed, self._raw = packed, raw
        self.write = packed.write

    def close(self) -> None:
        try:
            self._packed.close()
        finally:
            self._raw.close()
