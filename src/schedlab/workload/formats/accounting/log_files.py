"""Logs of many files, read as one: a folder of daily files, or a pattern of names."""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING

from schedlab._engine import Checksum
from schedlab.errors import InputError
from schedlab.workload.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator


class FilesReader(Reader):
    """Base of readers whose `path` may be a file, a folder or a pattern.

    Lines are counted as if the files were one, in the order of their names.
    """

    _parts: list[Reader] | None = None

    def files(self) -> list[str]:
        """Returns the files to read, in order of their names.

        Raises:
            InputError: There are none.
        """
        assert self.path is not None
        if os.path.isdir(self.path):
            inside = (os.path.join(self.path, name) for name in os.listdir(self.path))
            found = [path for path in inside if os.path.isfile(path) and not _is_hidden(path)]
            what = "is a folder without files"
        elif any(sign in self.path for sign in "*?[") and not os.path.exists(self.path):
            found = [path for path in glob.glob(self.path) if os.path.isfile(path)]
            what = "is a pattern that no file fits"
        else:
            return [self.path]
        if not found:
            raise InputError(f"{self.path}: {what}; give the accounting files")
        return sorted(found)

    def lines(self, encoding: str = "utf-8-sig") -> Iterator[str]:
        """Yields the lines of all files, one after the other."""
        files = self.files()
        if files == [self.path]:
            yield from super().lines(encoding)
            return
        self._parts, self.line = [], 0
        for path in files:
            part = Reader(path)
            self._parts.append(part)
            for line in part.lines(encoding):
                self.line += 1
                yield line

    def checksum(self) -> str:
        """Returns XXH64 of the content or, of several files, of their checksums as text."""
        if self._parts is None:
            return super().checksum()
        whole = Checksum()
        for part in self._parts:
            whole.add(part.checksum().encode())
        return whole.hex()

    def _report(self) -> tuple[list[tuple[str, int, int]], int, str]:
        skipped, size, checksum = super()._report()
        if self._parts is not None:
            size = sum(part._report()[1] for part in self._parts)
        return skipped, size, checksum


def _is_hidden(path: str) -> bool:
    return os.path.basename(path).startswith(".")
