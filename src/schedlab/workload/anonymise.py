"""Workloads without the names in them."""

from __future__ import annotations

import os
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import polars

from schedlab.errors import InputError
from schedlab.input_file import read_input
from schedlab.naming import parse_call
from schedlab.whole_file import whole_file
from schedlab.workload.formats import (
    SUFFIXES,
    format_to_read,
    open_reader,
    open_writer,
    suffix_of,
)
from schedlab.workload.formats.accounting.pseudonyms import SHORTEST_SECRET, Pseudonyms
from schedlab.workload.formats.pbs.reader import PbsReader
from schedlab.workload.formats.sacct.reader import SacctReader
from schedlab.workload.table import NAME
from schedlab.workload.writer import open_for_writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from schedlab.workload.reader import Reader

NUMBERED = {"user": "user", "group": "group", "executable": "job", "account": "account"}
"""Columns of a job table that are numbers of people and of what is theirs."""

HEADER = frozenset(
    "Version UnixStartTime TimeZone TimeZoneString StartTime EndTime MaxJobs MaxRecords MaxNodes "  # noqa: SIM905
    "MaxProcs MaxRuntime MaxMemory AllowOveruse Preemption MaxQueues Queue MaxPartitions Partition "
    "ExtraFields".split()
)
"""Fields of a header that stay: times, sizes, and the names of queues and partitions."""

RAW = ("sacct", "pbs")
"""Formats of which the text itself can be anonymised, with all that a job table does not hold."""

LINES_BETWEEN_REPORTS = 10_000


class Anonymised(NamedTuple):
    """What was done: rows written, names replaced by kind, fields left out, rows skipped.

    Beside them, what the format that was written cannot hold, and what to know of the file.
    """

    rows: int
    replaced: Counter[str]
    left_out: list[str]
    skipped: dict[str, dict[str, int]]
    losses: dict[str, int]
    notes: list[str]


def read_secret(path: str | os.PathLike[str]) -> bytes:
    """Returns the secret that a file holds, without blanks around it.

    Raises:
        InputError: There is no such file, or the secret is too short.
    """
    secret = read_input(os.fsdecode(path)).strip()
    if len(secret) < SHORTEST_SECRET:
        raise InputError(
            f"{os.fsdecode(path)}: a secret must have at least {SHORTEST_SECRET} bytes, not "
            f"{len(secret)}; make one with: openssl rand -hex 32"
        )
    return secret


def anonymise(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    reader: str | None = None,
    writer: str | None = None,
    secret: bytes | None = None,
    hide: Iterable[str] = (),
    strict: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Anonymised:
    """Writes a workload without names and returns what was done.

    A dump of sacct that stays one, and a log of PBS that stays one, keep all their text but names
    and what might hold some. Anything else becomes a job table in between: numbers of users,
    groups, programs and accounts are replaced by others, names of jobs by numbered ones, and the
    header keeps what is of the machine.

    Args:
        source: Any workload file.
        target: File to write.
        reader: Format to read; None: what the file is.
        writer: Format to write; None: what the end of the target's name says.
        secret: Makes the same numbers of the same names in every log; None: numbers in order.
        hide: Further columns (sacct), fields (PBS) or columns of the job table to replace.
        strict: Whether a row that cannot be read is an error.
        progress: Called with the number of rows written so far.

    Raises:
        InputError: The source cannot be read, or the target's name does not say which format.
    """
    source, target, hide = os.fsdecode(source), os.fsdecode(target), tuple(hide)
    if os.path.exists(source) and os.path.exists(target) and os.path.samefile(source, target):
        raise InputError(f"{target}: is the workload itself; write to another file, to keep it")
    name = format_to_read(source) if reader is None else reader
    opened = open_reader(source, name)
    opened.strict = strict
    pseudonyms = Pseudonyms(secret)
    kind = parse_call(name, "reader")[0]
    wanted = writer or SUFFIXES.get(suffix_of(target), kind)
    if kind in RAW and wanted == kind:
        return _text(opened, target, pseudonyms, hide, progress)
    return _tables(opened, target, writer, pseudonyms, hide, progress)


def _text(
    reader: Reader,
    target: str,
    pseudonyms: Pseudonyms,
    hide: tuple[str, ...],
    progress: Callable[[int], None] | None,
) -> Anonymised:
    """Writes the text of a log, line by line."""
    lines, left_out = _lines(reader, pseudonyms, hide)
    count = 0
    with whole_file(target) as partial:
        file = open_for_writing(partial, target)
        try:
            for line in lines:
                file.write(line.encode("latin-1") + b"\n")
                count += 1
                if progress is not None and count % LINES_BETWEEN_REPORTS == 0:
                    progress(count)
        finally:
            file.close()
    rows = count - 1 if isinstance(reader, SacctReader) else count
    return Anonymised(rows, pseudonyms.replaced, left_out, reader.skipped, {}, [])


def _lines(
    reader: Reader, pseudonyms: Pseudonyms, hide: tuple[str, ...]
) -> tuple[Iterator[str], list[str]]:
    """Returns the lines without names, and the columns that were emptied."""
    if isinstance(reader, SacctReader):
        from schedlab.workload.formats.sacct import anonymous

        left_out = anonymous.emptied(reader, hide)
        return anonymous.anonymous_lines(reader, pseudonyms, hide), left_out
    assert isinstance(reader, PbsReader)
    from schedlab.workload.formats.pbs.anonymous import anonymous_lines

    return anonymous_lines(reader, pseudonyms, hide), []


def _tables(
    reader: Reader,
    target: str,
    writer: str | None,
    pseudonyms: Pseudonyms,
    hide: tuple[str, ...],
    progress: Callable[[int], None] | None,
) -> Anonymised:
    """Writes the job tables of a workload, with other numbers."""
    tables = reader.tables()
    first = next(tables)  # so that the header is known
    unknown = [name for name in hide if name not in first.columns]
    if unknown:
        raise InputError(
            f"{reader.path}: has no column {unknown[0]!r} to hide; it has "
            f"{', '.join(first.columns)}"
        )
    hidden = {"queue": "Queue", "partition": "Partition"}
    gone = {field for column, field in hidden.items() if column in hide}
    header = {key: text for key, text in reader.header.items() if key in HEADER - gone}
    kinds = {**NUMBERED, **{name: NUMBERED.get(name, name) for name in hide}}
    made = open_writer(target, writer, header)
    with made:
        for table in chain((first,), tables):
            made.write(_renumbered(table, kinds, pseudonyms))
            if progress is not None:
                progress(made.rows)
    left_out = [key for key in reader.header if key not in header]
    losses_and_notes = (dict(made.losses), made.notes)
    return Anonymised(made.rows, pseudonyms.replaced, left_out, reader.skipped, *losses_and_notes)


def _renumbered(
    table: polars.DataFrame, kinds: dict[str, str], pseudonyms: Pseudonyms
) -> polars.DataFrame:
    """Returns a table with other numbers for people and programs, and other names."""
    columns = []
    for column, kind in kinds.items():
        if column in table.columns and column != "executable":
            numbers = [
                number if number < 0 else pseudonyms.number(kind, f"{number:.0f}")
                for number in table[column].to_list()
            ]
            columns.append(polars.Series(column, numbers, polars.Float64, strict=False))
    # A program is the name of its jobs, where they have one: name and number stay together.
    programs = [f"{number:.0f}" if number >= 0 else "" for number in table["executable"].to_list()]
    if NAME in table.columns:
        names = table[NAME].to_list()
        programs = [name or number for name, number in zip(names, programs, strict=True)]
        named = [pseudonyms.name("job", name) for name in names]
        columns.append(polars.Series(NAME, named, polars.String))
    numbers = [pseudonyms.number("job", program) if program else -1 for program in programs]
    columns.append(polars.Series("executable", numbers, polars.Float64, strict=False))
    return table.with_columns(columns)
