"""Formats of workload files: what reads and writes each, and which of them a file is."""

from __future__ import annotations

import os

from schedlab.errors import InputError
from schedlab.naming import build, parse_call
from schedlab.trust import PERSON
from schedlab.workload.compression import is_pipe

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import polars

    from schedlab.trust import Origin
    from schedlab.workload.reader import Reader
    from schedlab.workload.writer import Writer

READERS: dict[str, str] = {
    "swf": "schedlab.workload.formats.swf.extended:SwfReader",
    "parquet": "schedlab.workload.formats.tables.parquet:ParquetReader",
    "csv": "schedlab.workload.formats.tables.csv:CsvReader",
    "batsim": "schedlab.workload.formats.batsim:BatsimReader",
    "irmasim": "schedlab.workload.formats.irmasim:IrmasimReader",
    "wfformat": "schedlab.workload.formats.workflows.wfformat:WfFormatReader",
    "manifest": "schedlab.workload.formats.workflows.manifest:ManifestReader",
    "dax": "schedlab.workload.formats.workflows.dax:DaxReader",
    "sacct": "schedlab.workload.formats.sacct.reader:SacctReader",
    "pbs": "schedlab.workload.formats.pbs.reader:PbsReader",
    "moab": "schedlab.workload.formats.pbs.moab:MoabReader",
    "ppt": "schedlab.workload.formats.tables.csv:CsvReader",
}
"""Built-in readers by name."""

WRITERS: dict[str, str] = {
    "swf": "schedlab.workload.formats.swf.extended:SwfWriter",
    "parquet": "schedlab.workload.formats.tables.parquet:ParquetWriter",
    "csv": "schedlab.workload.formats.tables.csv:CsvWriter",
    "batsim": "schedlab.workload.formats.batsim:BatsimWriter",
    "irmasim": "schedlab.workload.formats.irmasim:IrmasimWriter",
    "wfformat": "schedlab.workload.formats.workflows.wfformat:WfFormatWriter",
    "manifest": "schedlab.workload.formats.workflows.manifest:ManifestWriter",
    "dax": "schedlab.workload.formats.workflows.dax:DaxWriter",
    "sacct": "schedlab.workload.formats.sacct.writer:SacctWriter",
    "pbs": "schedlab.workload.formats.pbs.writer:PbsWriter",
    "ppt": "schedlab.workload.formats.ppt.writer:SpecificationWriter",
}
"""Built-in writers by name."""

SUFFIXES: dict[str, str] = {
    ".swf": "swf",
    ".parquet": "parquet",
    ".csv": "csv",
    ".dax": "dax",
    ".xml": "dax",
    ".json": "batsim",
    ".sacct": "sacct",
    ".pbs": "pbs",
}
"""Formats by the end of a file's name; that of a compression is taken off first.

What AMBIGUOUS has, too, is here for writing.
"""


def _json_format(path: str) -> str:
    from schedlab.workload.formats.json_files.stream import json_format

    return json_format(path)


def _text_format(path: str) -> str:
    from schedlab.workload.formats.accounting.sniff import text_format

    return text_format(path)


AMBIGUOUS: dict[str, Callable[[str], str]] = {
    ".json": _json_format,
    ".txt": _text_format,
    ".log": _text_format,
    "": _text_format,
}
"""Ends of names that several formats share: what looks into the file and says which it is."""

COMPRESSIONS = (".gz", ".bz2", ".xz")


def suffix_of(path: str) -> str:
    """Returns the end of a file's name, in small letters, without that of a compression."""
    base = os.path.basename(path).lower()
    for compression in COMPRESSIONS:
        base = base.removesuffix(compression)
    return os.path.splitext(base)[1]


def format_to_read(path: str) -> str:
    """Returns the name of the format of a file that is there; SWF where nothing says otherwise.

    Raises:
        InputError: Only its content could say, and that can be read only once.
    """
    suffix = suffix_of(path)
    if suffix in AMBIGUOUS:
        if is_pipe(path):
            raise InputError(  # to look into it would take from it what its reader needs
                f"{path}: is a pipe, which cannot be looked into; name its format with "
                f"--reader: {', '.join(READERS)}"
            )
        return AMBIGUOUS[suffix](path)
    return SUFFIXES.get(suffix, "swf")


def workload(path: str | os.PathLike[str], name: str | None = None) -> Reader | str:
    """Returns what to simulate of a file: the path of an SWF file, which the engine reads itself.

    Args:
        path: The file.
        name: As for `open_reader`.

    Raises:
        InputError: There is no such reader.
    """
    path = os.fsdecode(path)
    if name == "swf" and (is_pipe(path) or format_to_read(path) != "swf"):
        return open_reader(path, name)  # the path alone would be read as what its name says
    name = format_to_read(path) if name is None else name
    return path if name == "swf" else open_reader(path, name)


def open_reader(path: str | os.PathLike[str], name: str | None = None) -> Reader:
    """Returns what reads a file, as a person names it.

    Args:
        path: The file.
        name: A name of READERS, perhaps with arguments, as `csv(submit=start)`;
            `package.module:Class`; an entry point's name; None: what the file is.

    Raises:
        InputError: There is no such reader.
    """
    return reader_named(path, name, PERSON)


def reader_named(path: str | os.PathLike[str], name: str | None, origin: Origin) -> Reader:
    """Returns what reads a file.

    Args:
        path: The file.
        name: As for `open_reader`.
        origin: Where the name comes from.

    Raises:
        InputError: There is no such reader.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    from schedlab.workload.reader import Reader

    path = os.fsdecode(path)
    text = format_to_read(path) if name is None else name
    made = build("reader", text, Reader, READERS, (path,), origin=origin)
    assert isinstance(made, Reader)
    made._text = text  # so that a saved run can make it again
    return made


def exact_writer(path: str | os.PathLike[str], name: str | None = None) -> str:
    """Returns the name of the writer that keeps fractions and extra fields in an SWF file.

    Args:
        path: The file.
        name: The writer that was named; None: what the end of the file's name says.

    Raises:
        InputError: The file is not written as SWF.
    """
    path = os.fsdecode(path)
    kind, arguments = parse_call(name or SUFFIXES.get(suffix_of(path), ""), "writer")
    if kind != "swf":
        raise InputError(
            f"{path}: exact is for SWF, which is written in whole numbers else; leave --exact out "
            "for other formats, which have all that they can hold"
        )
    given = {**arguments, "exact": "true"}
    return f"swf({', '.join(f'{key}={value}' for key, value in given.items())})"


def open_writer(
    path: str | os.PathLike[str], name: str | None = None, header: Mapping[str, str] | None = None
) -> Writer:
    """Returns what writes a file.

    Args:
        path: The file; it appears when it is whole.
        name: A name of WRITERS, perhaps with arguments, as `swf(exact=true)`;
            `package.module:Class`; an entry point's name; None: what the end of the file's name
            says.
        header: What is known of the workload as a whole, by the names of SWF's header.

    Raises:
        InputError: There is no such writer, or the file's name does not say its format.
    """
    from schedlab.workload.writer import Writer

    path = os.fsdecode(path)
    if name is None:
        name = SUFFIXES.get(suffix_of(path))
        if name is None or name not in WRITERS:
            ends = ", ".join(end for end, known in SUFFIXES.items() if known in WRITERS)
            raise InputError(
                f"{path}: its name does not say which format to write; known ends: {ends}; "
                f"or name the format: {', '.join(WRITERS)}"
            )
    arguments = (path, dict(header or {}))
    # No file names a writer.
    made = build("writer", name, Writer, WRITERS, arguments, origin=PERSON)
    assert isinstance(made, Writer)
    return made


def write_tables(
    path: str | os.PathLike[str],
    tables: Iterable[polars.DataFrame],
    header: Mapping[str, str] | None = None,
    name: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Writer:
    """Writes tables to a file, whole or not at all, and returns the writer, which has the losses.

    Args:
        path: The file.
        tables: All with the same columns.
        header: What is known of the workload as a whole, by the names of SWF's header.
        name: Of the format; None: what the end of the file's name says.
        progress: Called with the number of rows written so far.
    """
    writer = open_writer(path, name, header)
    with writer:
        for table in tables:
            writer.write(table)
            if progress is not None:
                progress(writer.rows)
    return writer
