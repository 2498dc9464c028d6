"""Job tables as what the engine reads: rows of SWF, made while they are read."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from schedlab.workload.numbered_texts import NumberedTexts
    from schedlab.workload.reader import Reader


class TableInput:
    """The tables of a reader as an input file of the engine.

    So the options of reading, forks and saved states are the same for every format: the engine
    knows one.

    Attributes:
        path: Of the reader's file, for messages.
        reader: What reads; each pass is a copy of it.
        texts: Numbers the texts of jobs, by column.
    """

    def __init__(self, reader: Reader, strict: bool, texts: dict[str, NumberedTexts]) -> None:
        """Reads later."""
        self.reader = reader
        self.texts = texts
        self.path = reader.path or str(reader)
        self._strict = strict
        self._passing: Reader | None = None

    def source(self) -> Callable[[], bytes]:
        """Opens the input and returns a function for the next chunk, which is empty at the end."""
        self._passing = passing = self.reader._pass(self._strict)
        chunks = swf_chunks(passing, self.texts)
        return lambda: next(chunks, b"")

    def share_read(self, bytes_read: int) -> float | None:
        """Returns the share of the file that has been read; None where it is not known."""
        return self._passing.share_read if self._passing else None

    def with_file_facts(self, report: dict[str, Any]) -> dict[str, Any]:
        """Returns what the engine says about the rows, with what the reader knows of its file.

        The reader skipped some rows, the engine others, whose lines are not the file's. And the
        checksum must be that of the file: the engine's is of rows that are in no file.
        """
        if self._passing is None:
            return report
        others = {reason: {**rows, "first_line": 0} for reason, rows in report["skipped"].items()}
        skipped = {**self._passing.skipped, **others}
        return {
            **report,
            "skipped": skipped,
            "checksum": str(self._passing.checksum()) or report["checksum"],
        }

    @property
    def notices(self) -> list[str]:
        """What the reader had to assume of the file."""
        return self._passing.notices if self._passing else []

    @property
    def numbered_names(self) -> tuple[str, ...]:
        """Columns whose numbers the reader made of names."""
        return self._passing.numbered_names if self._passing else ()


def swf_chunks(reader: Reader, texts: dict[str, NumberedTexts]) -> Iterator[bytes]:
    """Yields the tables of a reader as text: the header, then rows.

    Args:
        reader: One pass over it.
        texts: Numbers the texts of jobs, by column; those of others are left out.
    """
    from schedlab.workload.formats.swf.extended import header_text, swf_text
    from schedlab.workload.table import TEXTS, complete

    first = True
    for table in reader.tables():
        whole = complete(table)
        for column in TEXTS:
            if column in whole.columns and column in texts:
                whole = whole.with_columns(texts[column].numbered(whole[column]))
            else:
                whole = whole.drop(column, strict=False)
        if first and (text := header_text(reader.header, whole.columns)):
            yield text  # not an empty one, which would be the end
        first = False
        if whole.height:
            yield swf_text(whole)
