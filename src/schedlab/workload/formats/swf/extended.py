"""The Standard Workload Format as job tables, with our own fields after its 18."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
import polars

from schedlab import _engine
from schedlab._engine import SwfRows
from schedlab.errors import InputError
from schedlab.workload.compression import InputFile
from schedlab.workload.formats.swf.plain import plain_rows
from schedlab.workload.header import header_fields, with_plain_lines
from schedlab.workload.numbered_texts import EXPLAINED, texts_by_number
from schedlab.workload.reader import Reader
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import BATCH, PREDECESSORS, TEXTS, complete, extra_columns
from schedlab.workload.writer import Writer, text_bytes, warn_of_losses

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

EXTRA_FIELDS = "ExtraFields"
"""The line of the header that names the fields after the 18."""

MEMORY_UNITS_KB = {"KB": 1, "MB": 1024, "GB": 1024**2}


class SwfReader(Reader):
    """Rows of an SWF file, plain or compressed."""

    _rows: SwfRows | None = None

    def tables(self) -> Iterator[polars.DataFrame]:
        assert self.path is not None
        self._file = file = InputFile(self.path)
        self._rows = rows = SwfRows(file.source, self.path)
        names = (*FIELDS, *rows.extra_fields)
        refuse_twice(self.path, names)
        first = True
        while True:
            columns, malformed = rows.block(BATCH)
            for line in malformed:
                self.skip(f"not {len(names)} numbers", line)
            table = polars.DataFrame(
                [
                    polars.Series(name, column, polars.List(polars.Int64))
                    if isinstance(column, list)
                    else polars.Series(name, numpy.frombuffer(column))
                    for name, column in zip(names, columns, strict=True)
                ]
            )
            table = complete(self._with_texts(table))
            if first or table.height:
                yield table
            if table.height < BATCH:
                return
            first = False

    def _with_texts(self, table: polars.DataFrame) -> polars.DataFrame:
        """Returns a table with the texts that the header has by number."""
        for field, line in EXPLAINED.items():
            if field not in table.columns:
                continue
            known = texts_by_number(field, self.header)
            numbers = table[field].unique().to_list()
            for number in numbers:
                if number > 0 and number not in known:
                    raise InputError(
                        f"{self.path}: a row has {field} {number:g}, and the header has no line "
                        f"{line}: {number:g} ... that says what it is"
                    )
            texts = {number: known.get(int(number), "") for number in numbers}
            column = table[field].replace_strict(texts, return_dtype=polars.String)
            table = table.with_columns(column)
        return table

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
    """Rows as plain SWF: 18 whole numbers each. What they cannot say is counted as lost.

    Args:
        path: The file.
        header: What is known of the workload as a whole.
        exact: Whether fractions stay, and columns that SWF has no field for follow the 18, named in
            the header. Texts are lost even so.
        memory_unit: What `task_mem` counts: KB, MB or GB. In plain SWF it becomes field 10, in KB.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: dict[str, str] | None = None,
        exact: bool | str = False,
        memory_unit: str = "KB",
    ) -> None:
        super().__init__(path, header)
        word = str(exact).lower()
        if word not in ("true", "false", "1", "0", "yes", "no"):
            raise InputError(f"swf(exact={exact}): must be true or false")
        self.exact = word in ("true", "1", "yes")
        if memory_unit not in MEMORY_UNITS_KB:
            units = ", ".join(MEMORY_UNITS_KB)
            raise InputError(f"swf(memory_unit={memory_unit}): must be one of {units}")
        self._memory_kb = MEMORY_UNITS_KB[memory_unit]
        self._with_predecessor = 0

    def begin(self, columns: list[str]) -> None:
        held = [name for name in columns if name not in TEXTS] if self.exact else FIELDS
        self.file.write(header_text(self.header, held))

    def add(self, table: polars.DataFrame) -> None:
        if not self.exact:
            plain = plain_rows(table, self.header, self._memory_kb)
            self.losses += plain.losses
            self._with_predecessor += plain.with_predecessor
            self.file.write(swf_text(plain.table))
            return
        self.file.write(swf_text(table))
        for name in TEXTS:
            if name in table.columns:
                self.losses[name] += table.filter(polars.col(name) != "").height

    def end(self) -> None:
        if self._with_predecessor:
            self.notes.append(
                f"predecessors of {self._with_predecessor:,} jobs are in field 17, which "
                "simulations follow with --dependencies honour"
            )
        if not self.exact and any(name not in TEXTS for name in self.losses):
            self.notes.append(
                "SWF with fractions and extra fields holds all of it but texts: --exact, or the "
                "writer swf(exact=true)"
            )
            warn_of_losses(self.path, self.losses)


def header_text(header: Mapping[str, str], columns: Iterable[str]) -> bytes:
    """Returns the comments of a file with rows of these columns, all of numbers."""
    extra = [name for name in columns if name not in FIELDS]
    fields = {key: text for key, text in header.items() if key != EXTRA_FIELDS}
    if extra:
        fields[EXTRA_FIELDS] = " ".join(extra)
    lines = (
        f"; {key}: {line}" for key, text in fields.items() for line in text.splitlines() or [""]
    )
    return text_bytes("".join(f"{line}\n" for line in lines))


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
