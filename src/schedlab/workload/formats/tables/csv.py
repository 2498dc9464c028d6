"""Tables of text: CSV, with any delimiter, in blocks of bounded size."""

from __future__ import annotations

import csv
import io
import itertools
from typing import TYPE_CHECKING

import polars

from schedlab.errors import InputError
from schedlab.workload.formats.tables.mapped import LINE, MappedReader
from schedlab.workload.header import header_fields
from schedlab.workload.reader import bounded_lines
from schedlab.workload.table import BATCH, PREDECESSORS
from schedlab.workload.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "blank": " ", "bar": "|"}
"""Words for delimiters that are hard to write in a reader's arguments."""

TRIED = ",;\t|"
"""Delimiters that are distinguished by how often the first line has them."""

BLOCK = 1 << 22
MOST_COMMENTS = 10_000
"""Lines before the titles that are kept."""


class CsvReader(MappedReader):
    """Rows of a CSV file; its first line names the columns.

    Lines `# key: value` before it are the header of the workload.
    """

    def __init__(
        self,
        path: str,
        delimiter: str | None = None,
        encoding: str = "utf-8-sig",
        **arguments: object,
    ) -> None:
        """Reads the file later.

        Args:
            path: The file.
            delimiter: A character, or tab, comma, semicolon, blank, bar; None: what the first line
                has most often of , ; tab and |.
            encoding: Of the text.
            arguments: As for MappedReader.
        """
        super().__init__(path, **arguments)  # type: ignore[arg-type]
        chosen = self._given.pop("delimiter", None) if delimiter is None else delimiter
        self._encoding = str(self._given.pop("encoding", encoding))
        self._delimiter = None if chosen is None else DELIMITERS.get(str(chosen), str(chosen))
        if self._delimiter is not None and len(self._delimiter.encode()) != 1:
            raise InputError(f"delimiter: must be one ASCII character, not {chosen!r}")
        self._comments: list[str] = []

    @property
    def header(self) -> dict[str, str]:
        return {**header_fields(self._comments), **self._own_header()}

    def frames(self, only: list[str] | None = None) -> Iterator[polars.DataFrame]:
        try:
            text = io.TextIOWrapper(self.content(), self._encoding, newline="")
        except LookupError:
            raise InputError(f"encoding: there is no {self._encoding!r}") from None
        with text:
            try:
                titles = self._titles(text)
                delimiter = self._delimiter or max(TRIED, key=titles.count)
                names = self._names(titles, delimiter)
                empty = True
                for frame in self._records(text, names, delimiter):
                    empty = empty and not frame.height
                    yield from self._cleaned(frame).iter_slices(BATCH)
                if empty:
                    yield _frame([], [], names)
            except UnicodeError as error:
                raise InputError(
                    f"{self.path}: is not {self._encoding} text; name another with the reader's "
                    f"argument encoding, such as csv(encoding=latin-1): {error}"
                ) from None
            except csv.Error as error:
                raise InputError(f"{self.path}: after line {self.line}: {error}") from None

    def _titles(self, text: io.TextIOWrapper) -> str:
        """Returns the line that names the columns; keeps the comments before it."""
        self._comments = []
        for titles in self._lines(text):
            self.line += 1
            if titles.strip() and not titles.startswith("#"):
                return titles
            if len(self._comments) < MOST_COMMENTS:
                self._comments.append(titles[1:].strip())
            elif self.line > 100 * MOST_COMMENTS:
                raise InputError(f"{self.path}: has a million lines of comments; is this a table?")
        raise InputError(f"{self.path}: is empty; its first line must name the columns")

    def _lines(self, text: io.TextIOWrapper) -> Iterator[str]:
        return bounded_lines(text, lambda: f"{self.path}: after line {self.line}")

    def _names(self, titles: str, delimiter: str) -> list[str]:
        names = [name.strip() for name in next(csv.reader([titles], delimiter=delimiter))]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise InputError(f"{self.path}: two columns are called {name!r}")
        return names

    def _records(
        self, text: io.TextIOWrapper, names: list[str], delimiter: str
    ) -> Iterator[polars.DataFrame]:
        """Yields the records; those that have not as many fields as there are names are skipped."""
        while block := text.read(BLOCK):
            block += next(self._lines(text), "")
            if '"' in block:  # from here on a field may have delimiters and line breaks in it
                lines = itertools.chain(io.StringIO(block, newline=""), self._lines(text))
                yield from self._quoted(lines, names, delimiter)
                return
            yield self._plain(block, names, delimiter)

    def _quoted(
        self, text: Iterable[str], names: list[str], delimiter: str
    ) -> Iterator[polars.DataFrame]:
        before = self.line
        reader = csv.reader(text, delimiter=delimiter)
        records: list[list[str]] = []
        lines: list[int] = []
        for record in reader:
            if len(record) == len(names):
                records.append(record)
                lines.append(self.line + 1)
            elif record:
                self.skip(f"not {len(names)} fields", self.line + 1)
            self.line = before + reader.line_num
            if len(records) == BATCH:
                yield _frame(records, lines, names)
                records, lines = [], []
        yield _frame(records, lines, names)

    def _plain(self, text: str, names: list[str], delimiter: str) -> polars.DataFrame:
        kept: list[str] = []
        lines: list[int] = []
        between = len(names) - 1
        for record in text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n"):
            self.line += 1
            if record.count(delimiter) == between and record:
                kept.append(record)
                lines.append(self.line)
            elif record:
                self.skip(f"not {len(names)} fields")
        if not kept:
            return _frame([], [], names)
        frame = polars.read_csv(
            "\n".join(kept).encode(errors="backslashreplace"),
            has_header=False,
            new_columns=names,
            separator=delimiter,
            quote_char=None,
            infer_schema=False,
        )
        return frame.with_columns(polars.Series(LINE, lines, polars.Int64))

    def _cleaned(self, frame: polars.DataFrame) -> polars.DataFrame:
        """Returns the frame with null where a text stands for no value."""
        texts = polars.selectors.string()
        blank = texts.str.strip_chars().is_in(list(self._missing))
        return frame.with_columns(polars.when(~blank).then(texts).name.keep())


def _frame(records: list[list[str]], lines: list[int], names: list[str]) -> polars.DataFrame:
    columns = [
        polars.Series(name, [record[place] for record in records], polars.String)
        for place, name in enumerate(names)
    ]
    return polars.DataFrame([*columns, polars.Series(LINE, lines, polars.Int64)])


class CsvWriter(Writer):
    """Rows as CSV: the header as lines `# key: value`, the names of the columns, the numbers."""

    def begin(self, columns: list[str]) -> None:
        for key, text in self.header.items():
            for line in text.splitlines() or [""]:
                self.file.write(f"# {key}: {line}\n".encode(errors="backslashreplace"))
        titles = polars.DataFrame(schema=dict.fromkeys(columns, polars.Int8))
        self.file.write(titles.write_csv().encode())

    def add(self, table: polars.DataFrame) -> None:
        columns = []
        for column in table:
            if column.name == PREDECESSORS:
                column = column.cast(polars.List(polars.String)).list.join(" ")
            if column.dtype == polars.String:
                column = column.replace("", None)  # which is written without quotes
            elif column.dtype == polars.Float64 and _is_whole(column):
                column = column.cast(polars.Int64)
            columns.append(column)
        self.file.write(polars.DataFrame(columns).write_csv(include_header=False).encode())


def _is_whole(column: polars.Series) -> bool:
    return bool(((column == column.floor()) & (column.abs() < 2**53)).all())
