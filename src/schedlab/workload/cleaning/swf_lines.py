"""Lines of an SWF file, copied as they are, except those of jobs that went."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from schedlab._engine import SwfRows
from schedlab.errors import InputError
from schedlab.workload.compression import InputFile
from schedlab.workload.formats.swf.extended import SwfReader, SwfWriter
from schedlab.workload.formats.swf.plain import FRACTIONS
from schedlab.workload.swf import FIELDS, whole_number
from schedlab.workload.table import BATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy
    from numpy.typing import NDArray

    from schedlab.workload.reader import Reader
    from schedlab.workload.writer import Writer


PLAIN_ROW = re.compile(rb"[ \t]*(?:-?\d+(?:[ \t]+|[ \t\r]*$)){18}")
"""A line of 18 whole numbers."""


def can_copy_lines(reader: Reader | None, writer: Writer) -> bool:
    """Returns whether lines can be copied: both formats are SWF, as it is built in.

    What extra fields say must be said in other fields, unless they are to stay.
    """
    if type(reader) is not SwfReader or type(writer) is not SwfWriter or reader.path is None:
        return False
    return writer.exact or not SwfRows(InputFile(reader.path).source, reader.path).extra_fields


def copy_lines(
    path: str, writer: SwfWriter, stays: NDArray[numpy.bool_], note: str, every_line_is_a_row: bool
) -> None:
    """Writes the header of an SWF file, a note after it, and the lines of rows that stay.

    Comments between rows stay as well; lines that are not rows go. For plain SWF, rows with other
    numbers than 18 whole ones are written anew.

    Args:
        path: Of the file.
        writer: To the other file.
        stays: Whether each row stays, in the order of the file.
        note: What the new line of the header says.
        every_line_is_a_row: Whether all could be read, comments and blank lines apart.

    Raises:
        InputError: The file has changed since it was read.
    """
    malformed = frozenset[int]() if every_line_is_a_row else _malformed(path)
    noted = b"; Note: " + note.encode(errors="surrogateescape") + b"\n"
    keep = stays.tolist()
    row, head = 0, True
    with writer:
        writer._began = True  # the header is in the lines that follow
        for first_line, lines in _lines(path):
            kept = []
            for number, line in enumerate(lines, first_line):
                text = line.strip(b" \t\r")
                if text and not text.startswith(b";"):
                    if number in malformed:
                        continue
                    if head:
                        kept.append(noted)
                        head = False
                    row += 1
                    if row > len(keep) or not keep[row - 1]:
                        continue
                    writer.rows += 1
                    if not writer.exact and not PLAIN_ROW.fullmatch(line):
                        line = _plain(line, writer)
                kept.append(line + b"\n")
            writer.file.write(b"".join(kept))
        if row != len(keep):
            raise InputError(f"{path}: has changed while it was read; clean it again")
        if head:
            writer.file.write(noted)
        writer.losses += Counter()  # without what was not lost


def _plain(line: bytes, writer: SwfWriter) -> bytes:
    """Returns the first 18 fields of a row in whole numbers."""
    fields = line.split()[: len(FIELDS)]
    rounded = False
    for place, text in enumerate(fields):
        if not text.lstrip(b"-").isdigit():
            number = float(text)
            plain = whole_number(FIELDS[place], number)
            rounded |= plain != number
            fields[place] = b"%d" % plain
    writer.losses[FRACTIONS] += rounded
    return b" ".join(fields)


def _lines(path: str) -> Iterator[tuple[int, list[bytes]]]:
    """Yields lines without their ends, some at a time, and the number of the first of them."""
    next_chunk = InputFile(path).open()
    number, rest = 1, b""
    while chunk := next_chunk():
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        yield number, lines
        number += len(lines)
    if rest:
        yield number, [rest]


def _malformed(path: str) -> frozenset[int]:
    """Returns the numbers of lines that are not rows."""
    rows, found = SwfRows(InputFile(path).source, path), list[int]()
    while True:
        columns, malformed = rows.block(BATCH)
        found += malformed
        if len(columns[0]) < BATCH * 8:  # bytes
            return frozenset(found)
