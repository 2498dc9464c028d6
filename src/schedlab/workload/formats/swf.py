"""The Standard Workload Format as job tables, with the fields of ours behind its 18."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
import polars

from schedlab import _engine
from schedlab._engine import SwfRows
from schedlab.errors import InputError
from schedlab.workload.compression import InputFile
from schedlab.workload.header import header_fields, with_plain_lines
from schedlab.workload.reader import Reader
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import BATCH, PREDECESSORS, TEXTS, complete, extra_columns
from schedlab.workload.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

EXTRA_FIELDS = "ExtraFields"
"""The line of the header that names the fields behind the 18."""


class SwfReader(Reader):
    """Rows of an SWF file, plain or compressed."""

    _rows: SwfRows | None = None

    def tables(self) -> Iterator[polars.DataFrame]:
        assert self.path is not None
        self._file = file = InputFile(self.path)
        self._rows = rows = SwfRows(file.source)
        names = (*FIELDS, *rows.extra_fields)
        refuse_twice(self.path, names)
        first = True
        while True:
            columns, malformed = rows.block(BATCH)
            for line in malformed:
                self.skip(f"not {len(names)} numbers", line)
            table = complete(
                polars.DataFrame(
                    [
                        polars.Series(name, column, polars.List(polars.Int64))
                        if isinstance(column, list)
                        else polars.Series(name, numpy.frombuffer(column))
                        for name, column in zip(names, columns, strict=True)
                    ]
                )
            )
            if first or table.height:
                yield table
            if table.height < BATCH:
                return
            first = False

    @property
    def header(self) -> dict[str, str]:
        if self._rows is None:
            return {}
        fields = header_fields(with_plain_lines(self._rows.comments))
        fields.pop(EXTRA_FIELDS, None)
        return fields

    @property
    def share_read(self) -> float | None:
        if self._rows is None:
            return None
        return self._file.share_read(self._rows.bytes_read)


def refuse_twice(path: str, names: tuple[str, ...]) -> None:
    """Raises InputError where a field has two places."""
    for name in names:
        if names.count(name) > 1:
            raise InputError(f'{path}: {EXTRA_FIELDS} in the header names "{name}" twice')


class SwfWriter(Writer):
    """Rows as SWF; columns that it has no field for follow, named in the header."""

    def begin(self, columns: list[str]) -> None:
        held = [name for name in columns if name not in TEXTS]
        self.file.write(header_text(self.header, held))

    def add(self, table: polars.DataFrame) -> None:
        self.file.write(swf_text(table))
        for name in TEXTS:
            if name in table.columns:
                self.losses[name] += table.filter(polars.col(name) != "").height


def header_text(header: Mapping[str, str], columns: Iterable[str]) -> bytes:
    """Returns the comments of a file with rows of these columns, all of numbers."""
    extra = [name for name in columns if name not in FIELDS]
    fields = {key: text for key, text in header.items() if key != EXTRA_FIELDS}
    if extra:
        fields[EXTRA_FIELDS] = " ".join(extra)
    lines = (
        f"; {key}: {line}" for key, text in fields.items() for line in text.splitlines() or [""]
    )
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")


def swf_text(table: polars.DataFrame) -> bytes:
    """Returns the rows of a complete table as lines of SWF.

    Raises:
        InputError: A number is infinite.
    """
    columns: list[bytes | list[str]] = []
    for name in (*FIELDS, *extra_columns(table)):
        if name == PREDECESSORS:
            listed = table[name].cast(polars.List(polars.String)).list.join(",")
            columns.append([ids or "-1" for ids in listed.to_list()])
        else:
            columns.append(table[name].to_numpy().tobytes())
    return _engine.swf_text(columns, table.height)
