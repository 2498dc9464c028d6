"""Readers: a user's format as jobs for the engine."""

from __future__ import annotations

import io
import os

from schedlab._engine import Checksum
from schedlab.errors import InputError
from schedlab.workload.compression import CHUNK, InputFile

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Self

    import polars

    from schedlab.workload.job import Job

LONGEST_LINE = 1 << 24
"""Characters of a line of any text format."""

MOST_WHOLE_BYTES = 64 * 2**20
"""Of what is read whole: a workflow, or a value in JSON. Parsed, it takes ten times as much."""

FORMER_NAME = "asks_for_more"
"""Of the attribute `may_ask_beyond_processors` of readers and job factories."""


class Reader:
    """Base of a reader of your own format. It defines `jobs` or `tables`.

    A simulation goes over a copy of the reader, and so does each fork. Attributes that `jobs` sets
    are those of its pass.

    Attributes:
        path: Of the file, for messages and run.json; None where there is none.
        may_ask_beyond_processors: Whether a job may ask for more than processors: `resources`,
            `tasks_per_node`, `whole_nodes`. True makes backfilling plan nodes from the beginning;
            else the first such job makes it do so from then on.
        in_submit_order: Whether the rows of `tables` are; else the engine sorts them first.
        enforces_memory: Whether memory is `requested` on machines that have `mem`, where the option
            `memory` is not given.
        numbered_names: Columns whose numbers stand for names of the file, and mean nothing by
            themselves; known with the first table.
        strict: Whether `skip` raises; the option of that name sets it.
        line: Number of the line that `lines` gave last.
        skipped: Rows that were skipped so far: `rows` and `first_line` by reason.
    """

    path: str | None = None
    may_ask_beyond_processors: bool = False
    in_submit_order: bool = True
    enforces_memory: bool = False
    numbered_names: tuple[str, ...] = ()
    strict: bool = False
    line: int = 0
    _content: _Content | None = None
    _text: str | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, FORMER_NAME):  # which nothing would heed
            raise InputError(
                f"{cls.__qualname__}: {FORMER_NAME} is now called may_ask_beyond_processors; "
                "rename the attribute"
            )

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else os.fsdecode(path)

    def jobs(self) -> Iterable[Job | list[Job]]:
        """Yields jobs, or lists of jobs, in order of submission, from the beginning.

        It is called anew for each pass: for a simulation, and for each fork, which reads again up
        to its place. So it must give the same jobs each time.
        """
        raise NotImplementedError(f"{type(self).__name__} must define jobs() or tables()")

    def tables(self) -> Iterator[polars.DataFrame]:
        """Yields the rows of the file as job tables (docs/reference/job-table.md), in its order.

        All of them have the same columns. Rows are given as they are, even those that cannot be
        simulated, such as jobs that never started. A reader that defines this one need not define
        `jobs`: the engine takes the rows, and all options of reading hold for them.
        """
        from schedlab.workload.table import in_batches, table_of

        given = (jobs if isinstance(jobs, list) else [jobs] for jobs in self.jobs())
        yield from in_batches(table_of(job for jobs in given for job in jobs))

    @property
    def gives_tables(self) -> bool:
        """Whether it is `tables` that the reader defines."""
        return type(self).tables is not Reader.tables

    @property
    def header(self) -> dict[str, str]:
        """What the file says of the workload as a whole, by the names of SWF's header.

        Such as UnixStartTime, TimeZoneString, MaxProcs, MaxNodes, Computer. It is complete when all
        rows are read.
        """
        return {}

    def skip(self, reason: str, line: int | None = None) -> None:
        """Counts a row that cannot be used; run.json and the summary say so.

        Args:
            reason: What is wrong with it; rows are counted by reason.
            line: Where it is; by default the line that `lines` gave last.

        Raises:
            InputError: The simulation is strict.
        """
        line = self.line if line is None else line
        if self.strict:
            place = f"{self.path or type(self).__name__}:{line}" if line else str(self.path or self)
            raise InputError(
                f"{place}: {reason}; without --strict (strict=False) such rows are skipped and "
                "counted"
            )
        rows = self.skipped.setdefault(reason, {"rows": 0, "first_line": line})
        rows["rows"] += 1

    @property
    def skipped(self) -> dict[str, dict[str, int]]:
        """Rows that were skipped so far: `rows` and `first_line` by reason."""
        counts: dict[str, dict[str, int]] = self.__dict__.setdefault("_skipped", {})
        return counts

    @property
    def notices(self) -> list[str]:
        """What had to be assumed of the file, in sentences; complete when all rows are read."""
        return []

    def lines(self, encoding: str = "utf-8-sig") -> Iterator[str]:
        """Yields the lines of the file at `path`, decompressed if it ends in .gz, .bz2 or .xz.

        `line` counts them, and the checksum of their bytes goes to run.json.

        Raises:
            InputError: The file cannot be read or decompressed, or is not text in that encoding.
        """
        with io.TextIOWrapper(self.content(), encoding, newline="") as text:
            try:
                for line in bounded_lines(text, lambda: f"{self.path}:{self.line + 1}"):
                    self.line += 1
                    yield line
            except UnicodeError as error:
                raise InputError(
                    f"{self.path}: after line {self.line}: is not {encoding} text; "
                    f"lines() takes another encoding: {error}"
                ) from None

    def content(self) -> io.BufferedReader:
        """Opens the file at `path` as bytes, decompressed; their checksum goes to run.json.

        Raises:
            InputError: The file cannot be read.
        """
        if self.path is None:
            raise InputError(f"{type(self).__name__}: has no path to read from")
        self._content, self.line = _Content(InputFile(self.path)), 0
        return io.BufferedReader(self._content, CHUNK)

    def whole_content(self) -> bytes:
        """Returns all bytes of the file at `path`, decompressed.

        Raises:
            InputError: The file cannot be read, or is too large to be read whole.
        """
        with self.content() as file:
            found = file.read(MOST_WHOLE_BYTES + 1)
        if len(found) > MOST_WHOLE_BYTES:
            raise InputError(
                f"{self.path}: has more than {MOST_WHOLE_BYTES:,} bytes, unpacked, which is the "
                "most that is read whole"
            )
        return found

    @property
    def share_read(self) -> float | None:
        """Share of the file that has been read; None where it is not known."""
        return self._content.share_read if self._content else None

    def checksum(self) -> str:
        """Returns what run.json has as the input's checksum: XXH64 of all that was read.

        A reader that uses neither `lines` nor `content` may return a text of its own.
        """
        return self._content.checksum.hex() if self._content else ""

    def __str__(self) -> str:
        return self._text or f"{type(self).__module__}:{type(self).__qualname__}"

    def _pass(self, strict: bool) -> Self:
        """Returns a copy that has read nothing."""
        import copy

        other = copy.copy(self)
        other.__dict__.pop("_skipped", None)
        other.strict, other.line, other._content = strict, 0, None
        return other

    def _report(self) -> tuple[list[tuple[str, int, int]], int, str]:
        """Returns what the engine says about the input: rows skipped, bytes, checksum."""
        skipped = [(reason, r["rows"], r["first_line"]) for reason, r in self.skipped.items()]
        return skipped, self._content.size if self._content else 0, str(self.checksum())


def bounded_lines(text: io.TextIOWrapper, place: Callable[[], str]) -> Iterator[str]:
    """Yields lines; one that is longer than any line of a log is an InputError, not gigabytes.

    Args:
        text: The file.
        place: Returns what messages call the line.
    """
    while line := text.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise InputError(
                f"{place()}: a line is longer than {LONGEST_LINE:,} characters; is this a workload?"
            )
        yield line


class _Content(io.RawIOBase):
    """The content of a file, decompressed; counts bytes and takes their checksum."""

    def __init__(self, file: InputFile) -> None:
        self._file = file
        self._next_chunk = file.open()
        self._chunk, self._ended = memoryview(b""), False
        self.size = 0
        self.checksum = Checksum()

    def readable(self) -> bool:
        return True

    @property
    def share_read(self) -> float:
        return self._file.share_read(self.size)

    def readinto(self, buffer: Any) -> int:
        if not self._chunk and not self._ended:
            chunk = self._next_chunk()
            self.size += len(chunk)
            self.checksum.add(chunk)
            self._chunk, self._ended = memoryview(chunk), not chunk
        size = min(len(buffer), len(self._chunk))
        buffer[:size] = self._chunk[:size]
        self._chunk = self._chunk[size:]
        return size
