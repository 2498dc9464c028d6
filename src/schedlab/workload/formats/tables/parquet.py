"""Parquet tables, read and written in parts of bounded size."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import polars

from schedlab.errors import InputError
from schedlab.parquet_probe import probe
from schedlab.whole_file import parts_of
from schedlab.workload.compression import CHUNK
from schedlab.workload.formats.tables.mapped import LINE, MappedReader
from schedlab.workload.table import BATCH, in_batches
from schedlab.workload.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = "schedlab.header"
"""The key of the file's metadata under which the header is, as JSON."""

SLICE = 4 * BATCH
"""Rows that are read at once: about a row group, parts of which cost as much as the whole."""

HELD_ROWS = 8 * BATCH
"""Rows that a writer keeps in memory; more go to files beside the target until it is whole."""


class ParquetReader(MappedReader):
    """Rows of a Parquet file."""

    _kept: dict[str, str] | None = None
    _share: float | None = None

    @property
    def header(self) -> dict[str, str]:
        return {**(self._kept or {}), **self._own_header()}

    @property
    def share_read(self) -> float | None:
        return self._share

    def frames(self, only: list[str] | None = None) -> Iterator[polars.DataFrame]:
        with self._plain_file() as path:
            probe(path, SLICE, str(self.path))
            yield from self._slices(path, only)

    def _slices(self, path: str, only: list[str] | None) -> Iterator[polars.DataFrame]:
        try:
            self._kept = _header(polars.read_parquet_metadata(path))
            lazy = polars.scan_parquet(path, glob=False)
            schema = lazy.collect_schema()
            total = lazy.select(polars.len()).collect().item()
            self._refuse(schema)
            lazy = lazy if only is None else lazy.select(only)
            for done in range(0, max(1, total), SLICE):
                held = lazy.slice(done, SLICE).collect()
                lines = polars.Series(LINE, range(done + 1, done + 1 + held.height), polars.Int64)
                self._share = (done + held.height) / max(1, total)
                yield from in_batches(self._cleaned(held).with_columns(lines))
        except (polars.exceptions.PolarsError, OSError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{self.path}: is not a Parquet file, or damaged: {reason}") from None

    @contextmanager
    def _plain_file(self) -> Iterator[str]:
        """Gives the path of the file, unpacked; bytes are counted and their checksum is taken."""
        assert self.path is not None
        packed = self.path.endswith((".gz", ".bz2", ".xz"))
        with self.content() as file, ExitStack() as closing:
            unpacked = closing.enter_context(tempfile.NamedTemporaryFile()) if packed else None
            while chunk := file.read(CHUNK):
                if unpacked is not None:
                    unpacked.write(chunk)
            if unpacked is not None:
                unpacked.flush()
            yield self.path if unpacked is None else unpacked.name

    def _refuse(self, schema: polars.Schema) -> None:
        for name, kind in schema.items():
            if isinstance(kind, (polars.Struct, polars.Object)) and name in self._given.values():
                raise InputError(f"{self.path}: column {name!r}: cannot be read: it is {kind}")

    def _cleaned(self, frame: polars.DataFrame) -> polars.DataFrame:
        texts = polars.selectors.string()
        blank = texts.str.strip_chars().is_in(list(self._missing))
        return frame.with_columns(polars.when(~blank).then(texts).name.keep())


def _header(metadata: dict[str, str]) -> dict[str, str]:
    try:
        found = json.loads(metadata.get(HEADER, "{}"))
    except ValueError:
        return {}
    return {str(key): str(text) for key, text in found.items()} if isinstance(found, dict) else {}


class ParquetWriter(Writer):
    """Rows as Parquet, with the header in the file's metadata."""

    def begin(self, columns: list[str]) -> None:
        self._held: list[polars.DataFrame] = []
        self._rows_held = 0
        self._folder: str | None = None
        self._parts: list[str] = []

    def add(self, table: polars.DataFrame) -> None:
        self._held.append(table)
        self._rows_held += table.height
        if self._rows_held >= HELD_ROWS:
            self._put_aside()

    def _put_aside(self) -> None:
        if self._folder is None:
            self._folder = parts_of(self.partial)
            os.mkdir(self._folder)
        part = os.path.join(self._folder, f"{len(self._parts):06}.parquet")
        polars.concat(self._held).write_parquet(part)
        self._parts.append(part)
        self._held, self._rows_held = [], 0

    def end(self) -> None:
        metadata = {HEADER: json.dumps(self.header)}
        if not self._parts:
            polars.concat(self._held).write_parquet(self.file, metadata=metadata)
            return
        if self._held:
            self._put_aside()
        polars.scan_parquet(self._parts).sink_parquet(
            self.file, metadata=metadata, maintain_order=True
        )
