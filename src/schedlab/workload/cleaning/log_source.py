"""A workload that can be gone through again and again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import polars

from schedlab.workload.formats import open_reader
from schedlab.workload.reader import Reader
from schedlab.workload.table import complete, in_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Workload = str | os.PathLike[str] | Reader | polars.DataFrame | Iterable[polars.DataFrame]


class LogSource:
    """The job tables of a file, a reader, or what is in memory.

    Args:
        workload: Any of these.
        reader: Format of the file, as for `open_reader`.
        strict: Whether a row that cannot be read is an error.

    Attributes:
        reader: What reads the file; None for tables.
        path: Of the file, if any.
    """

    def __init__(
        self,
        workload: Workload,
        reader: str | None = None,
        strict: bool = False,
    ) -> None:
        self.reader: Reader | None = None
        self._tables: list[polars.DataFrame] = []
        if isinstance(workload, (str, os.PathLike)):
            self.reader = open_reader(workload, reader)
        elif isinstance(workload, Reader):
            self.reader = workload
        elif isinstance(workload, polars.DataFrame):
            self._tables = list(in_batches(complete(workload)))
        else:
            self._tables = [complete(table) for table in workload]
        self.path = None if self.reader is None else self.reader.path
        self._strict = strict
        self._last_pass: Reader | None = None

    def tables(self) -> Iterator[polars.DataFrame]:
        """Yields the tables, each time from the beginning."""
        if self.reader is None:
            yield from self._tables
            return
        reader = self.reader._pass(self._strict)
        yield from reader.tables()
        self._last_pass = reader

    @property
    def header(self) -> dict[str, str]:
        """What the last pass read of the workload as a whole."""
        return {} if self._last_pass is None else self._last_pass.header

    @property
    def skipped(self) -> dict[str, dict[str, int]]:
        """Rows that the last pass could not read: `rows` and `first_line` by reason."""
        return {} if self._last_pass is None else self._last_pass.skipped

    @property
    def notices(self) -> list[str]:
        """What the reader had to assume of the log."""
        return [] if self._last_pass is None else self._last_pass.notices
