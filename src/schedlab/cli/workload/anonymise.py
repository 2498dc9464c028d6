"""`schedlab workload anonymise`."""

from __future__ import annotations

from schedlab.cli.declaring import Annotated, Option
from schedlab.cli.options import Force
from schedlab.cli.progress import ProgressLine
from schedlab.cli.workload import options
from schedlab.overwriting import refuse_file

EXAMPLE = "Example: schedlab workload anonymise site.sacct shared.sacct.gz --secret site.key"


def anonymise(
    source: options.Source,
    target: options.Target,
    secret: Annotated[
        str | None,
        Option(
            "--secret",
            metavar="FILE",
            help="File with a secret: the same names become the same numbers in every log. "
            "Else names are numbered as they come.",
        ),
    ] = None,
    hide: Annotated[
        list[str] | None,
        Option(
            "--hide",
            metavar="NAME",
            help="Replace this column or field, too, such as qos or queue; may be repeated.",
        ),
    ] = None,
    reader: options.Reader = None,
    writer: options.Writer = None,
    exact: options.Exact = False,
    strict: options.Strict = False,
    force: Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a workload without the names of people, projects, jobs and nodes."""
    from schedlab.workload.anonymise import anonymise, read_secret

    refuse_file(target, force)
    key = None if secret is None else read_secret(secret)
    with ProgressLine(quiet=quiet) as line:

        def show(rows: int) -> None:
            if line.due():
                line.show(rows, "rows", None)

        form = options.writer_of(target, writer, exact)
        done = anonymise(source, target, reader, form, key, hide or (), strict, show)
    if quiet:
        return
    print(f"{target}: {done.rows:,} rows")
    for kind, count in sorted(done.replaced.items()):
        print(f"replaced     {count:,} names of kind {kind}")
    if done.left_out:
        print(f"left out     {', '.join(done.left_out)}")
    options.print_skipped(done.skipped)
    options.print_losses(done.losses, done.notes)
