"""The Standard Workload Format, row by row."""

from __future__ import annotations

import os
from typing import NamedTuple

from schedlab._engine import SwfRows
from schedlab.calling import explained
from schedlab.errors import InputError
from schedlab.workload.compression import InputFile

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class SwfRow(NamedTuple):
    """The 18 numbers of a row; -1 means that a value is missing. Memory is in KB per processor."""

    job: int
    submit: float
    wait: float = -1
    run: float = -1
    allocated_processors: int = -1
    cpu_time: float = -1
    used_memory: float = -1
    requested_processors: int = -1
    requested_time: float = -1
    requested_memory: float = -1
    status: int = -1
    user: int = -1
    group: int = -1
    executable: int = -1
    queue: int = -1
    partition: int = -1
    preceding_job: int = -1
    think_time: float = -1


FIELDS = SwfRow._fields


class read_swf:  # noqa: N801 - used as a function that returns an iterator with two attributes
    """Iterates over the rows of an SWF file (plain, .gz, .bz2 or .xz).

    Attributes:
        header: Comment lines read so far, without the semicolon.
        malformed: Lines that are not rows of 18 numbers, as (line number).
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(path)
        self._file = InputFile(self.path)
        self._rows = SwfRows(self._file.source, self.path)
        self.malformed: list[int] = []

    @property
    def header(self) -> list[str]:
        return self._rows.comments

    @property
    def share_read(self) -> float:
        """Share of the file that has been read."""
        return self._file.share_read(self._rows.bytes_read)

    def __iter__(self) -> Iterator[SwfRow]:
        while (read := self._rows.next()) is not None:
            line, numbers = read
            if numbers is None:
                self.malformed.append(line)
            else:
                yield SwfRow(*(int(n) if n.is_integer() else n for n in numbers))  # type: ignore[arg-type]


@explained
def write_swf(
    path: str | os.PathLike[str],
    rows: Iterable[Iterable[float]],
    header: Iterable[str] = (),
    exact: bool = False,
) -> int:
    """Writes rows of 18 numbers (or `SwfRow`) and returns how many.

    The file appears under its name only when it is whole. A path that ends in .gz, .bz2 or .xz is
    compressed.

    Args:
        path: The file.
        rows: What to write.
        header: Lines of comments, without the semicolon.
        exact: Whether fractions stay, with up to nine decimals. Else they are rounded, with a
            LossWarning: SWF has whole numbers, and other parsers drop rows that have others.

    Raises:
        InputError: A row has not 18 numbers, or a header line has a line break.
    """
    from contextlib import closing

    from schedlab.whole_file import whole_file
    from schedlab.workload.writer import open_for_writing, warn_of_losses

    target = os.fsdecode(path)
    count = rounded = 0
    with whole_file(target) as partial, closing(open_for_writing(partial, target)) as file:
        for line in header:
            if "\n" in line or "\r" in line:
                raise InputError(f"{target}: a header line must not contain a line break")
            file.write(f";{line}\n".encode(errors="surrogateescape"))
        for row in rows:
            numbers = tuple(row)
            if len(numbers) != len(FIELDS):
                raise InputError(f"{target}: row {count + 1} has {len(numbers)} numbers, not 18")
            if not exact:
                plain = tuple(map(whole_number, FIELDS, numbers))
                rounded += plain != numbers
                numbers = plain
            file.write((" ".join(map(_text, numbers)) + "\n").encode())
            count += 1
    if rounded:
        warn_of_losses(target, {"fractions": rounded})
    return count


def whole_number(field: str, number: float) -> float:
    """Returns what plain SWF has for a number of a field.

    Fractions go to the nearest whole number, in all fields alike: submissions stay in order, and a
    request that covers the run time still does. What is above 0 becomes at least 1, submit times
    apart: a job that ran does not become one that did not. What is below 0 stays so.
    """
    if isinstance(number, int) or number != number or number in (float("inf"), float("-inf")):
        return number
    down = number // 1
    if number == down or number < 0:
        return down
    return max((number + 0.5) // 1, 0.0 if field == "submit" else 1.0)


def _text(number: float) -> str:
    if isinstance(number, int) or float(number).is_integer():
        return str(int(number))
    if number != number or number in (float("inf"), float("-inf")):
        raise InputError(f"{number} is not a number that SWF can hold")
    return f"{number:.9f}".rstrip("0")
