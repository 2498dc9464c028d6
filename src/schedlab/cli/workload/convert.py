"""`schedlab workload convert`."""

from __future__ import annotations

import os

from schedlab.cli.options import Force
from schedlab.cli.progress import ProgressLine
from schedlab.cli.workload import options
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

EXAMPLE = "Example: schedlab workload convert trace.swf.gz trace.parquet"


def convert(
    source: options.Source,
    target: options.Target,
    reader: options.Reader = None,
    writer: options.Writer = None,
    exact: options.Exact = False,
    strict: options.Strict = False,
    force: Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the jobs of a workload file in another format."""
    from schedlab.workload.formats import open_reader, open_writer

    if os.path.exists(source) and os.path.exists(target) and os.path.samefile(source, target):
        raise InputError(f"{target}: is the workload itself; give another name for the new one")
    refuse_file(target, force)
    opened = open_reader(source, reader)
    opened.strict = strict
    tables = opened.tables()
    first = next(tables)  # so that the header is known
    made = open_writer(target, options.writer_of(target, writer, exact), opened.header)
    with ProgressLine(quiet=quiet) as progress, made:
        made.write(first)
        for table in tables:
            made.write(table)
            if progress.due():
                progress.show(made.rows, "rows", opened.share_read)
    if not quiet:
        print(f"{made.path}: {made.rows:,} jobs")
        options.print_skipped(opened.skipped)
        options.print_notices(opened.notices)
        options.print_losses(made.losses, made.notes)
