"""How long workload formats take to write and to read: CPU seconds for all jobs of a trace.

    python benchmarks/formats.py HPC2N-2002-2.2-cln.swf.gz

Each is read into job tables and written from them, in this process, three times; the least counts.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from time import process_time
from typing import TYPE_CHECKING

from schedlab.workload.formats import READERS, SUFFIXES, WRITERS, open_reader, write_tables

if TYPE_CHECKING:
    from collections.abc import Callable

ONE_WORKFLOW = {"dax", "manifest", "wfformat"}
"""Formats that hold one workflow, not a log."""

REPEATS = 3


def main() -> None:
    """Prints a row for each format."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trace", help="any workload file")
    chosen = parser.parse_args()
    reader = open_reader(chosen.trace)
    tables = list(reader.tables())
    rows = sum(table.height for table in tables)
    print(f"{rows:,} jobs of {os.path.basename(chosen.trace)}")
    print(f"{'format':10}{'write (s)':>12}{'read (s)':>12}{'bytes a job':>14}")
    with tempfile.TemporaryDirectory() as folder:
        for name in WRITERS:
            if name in ONE_WORKFLOW or name not in READERS:
                continue
            suffix = next((end for end, known in SUFFIXES.items() if known == name), f".{name}")
            path = os.path.join(folder, f"jobs{suffix}")

            def write(path: str = path, name: str = name) -> None:
                write_tables(path, tables, reader.header, name)

            def read(path: str = path, name: str = name) -> None:
                found = sum(table.height for table in open_reader(path, name).tables())
                assert found == rows, f"{name}: {found:,} of {rows:,} rows came back"

            written, was_read = least(write), least(read)
            size = os.path.getsize(path) / max(1, rows)
            print(f"{name:10}{written:12.2f}{was_read:12.2f}{size:14.1f}")


def least(work: Callable[[], None]) -> float:
    """Returns the least CPU time of a few repetitions."""
    seconds = []
    for _ in range(REPEATS):
        before = process_time()
        work()
        seconds.append(process_time() - before)
    return min(seconds)


if __name__ == "__main__":
    main()
