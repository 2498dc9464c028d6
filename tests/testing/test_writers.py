"""check_writer, and check_reader on readers of tables."""

from __future__ import annotations

from functools import partial

import polars
import pytest

import schedlab
from schedlab.testing import ConformanceError, check_reader, check_writer
from schedlab.testing.table_readers import samples
from schedlab.workload.formats import READERS, SUFFIXES, WRITERS, open_reader, write_tables
from schedlab.workload.formats.swf.extended import SwfReader, SwfWriter
from schedlab.workload.table import complete
from schedlab.workload.writer import Writer


def test_swf_conforms(tmp_path) -> None:
    extra = [*samples()["all columns"].columns][:-2]  # all but the texts
    exact = partial(SwfWriter, exact=True)
    report = check_writer(exact, suffix=".swf.gz", reader=SwfReader, same=extra)
    assert report.passed["what is read again is what was written"] == 3
    path = tmp_path / "a.swf"
    write_tables(path, [samples()["plain rows"]])
    bad = tmp_path / "bad.swf"
    bad.write_text("1 2 3\n")
    assert check_reader(lambda: SwfReader(path), bad=[bad]).passed[
        "a saved simulation continues alike"
    ]


class Half(Writer):
    def add(self, table: polars.DataFrame) -> None:
        if table.height < 2:
            raise ValueError("too few")


class Changing(Writer):
    serial = 0

    def add(self, table: polars.DataFrame) -> None:
        type(self).serial += 1
        self.file.write(f"{self.serial}".encode())


class Impatient(Writer):
    def add(self, table: polars.DataFrame) -> None:
        with open(self.path, "w") as file:
            file.write("x")


class Forgetful(SwfWriter):
    def add(self, table: polars.DataFrame) -> None:
        super().add(table.with_columns(run=polars.lit(0.0)))


@pytest.mark.parametrize(
    ("writer", "rule"),
    [
        (Half, "writes every table"),
        (Changing, "the same tables give the same bytes"),
        (Impatient, "the file appears when it is whole"),
        (Forgetful, "what is read again is what was written"),
    ],
)
def test_what_is_wrong_with_a_writer_is_found(writer: type[Writer], rule: str) -> None:
    with pytest.raises(ConformanceError, match=rule):
        check_writer(writer, suffix=".swf", reader=SwfReader if writer is Forgetful else None)


class OtherColumns(schedlab.Reader):
    def tables(self):
        yield complete(polars.DataFrame({"job": [1]}))
        yield complete(polars.DataFrame({"job": [1], "phase": [1]}))


class NotWhole(schedlab.Reader):
    def tables(self):
        yield polars.DataFrame({"job": [1.0]})


class OnceOnly(schedlab.Reader):
    left = 1

    def tables(self):
        type(self).left -= 1
        yield complete(polars.DataFrame({"job": [1.0] * max(0, self.left + 1)}))


class Nothing(schedlab.Reader):
    def tables(self):
        return iter(())


@pytest.mark.parametrize(
    ("reader", "rule"),
    [
        (OtherColumns, "all have the same columns"),
        (NotWhole, "tables are complete"),
        (OnceOnly, "a second reading gives the same tables"),
        (Nothing, "gives no table"),
    ],
)
def test_what_is_wrong_with_a_reader_is_found(reader: type[schedlab.Reader], rule: str) -> None:
    with pytest.raises(ConformanceError, match=rule):
        check_reader(reader)


WORKFLOWS = {"dax", "manifest", "wfformat"}
"""Formats of one workflow: they hold tasks, not jobs with numbers and times, and at least one."""


@pytest.mark.parametrize("name", sorted(set(WRITERS) - WORKFLOWS))
def test_every_format_that_is_written_conforms_and_is_read(name: str) -> None:
    [suffix] = [end for end, known in SUFFIXES.items() if known == name][:1] or [f".{name}"]
    report = check_writer(
        lambda path, header: _writer(name, path, header),
        suffix=suffix,
        reader=(lambda path: open_reader(path, name)) if name in READERS else None,
        same=("job", "submit", "run", "requested_processors"),
    )
    assert len(report.passed) == 5


def _writer(name: str, path: str, header: dict[str, str]) -> Writer:
    from schedlab.workload.formats import open_writer

    return open_writer(path, name, header)
