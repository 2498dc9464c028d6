"""`schedlab report`: a page about an experiment or some runs."""

from __future__ import annotations

import os
import shlex
import warnings

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import Force, print_warnings
from schedlab.cli.plot import runs_in
from schedlab.cli.progress import ProgressLine
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

EXAMPLE = "Example: schedlab report results"


def report(
    folders: Annotated[
        list[str],
        Argument(
            metavar="FOLDER...",
            help="The folder of an experiment, or run folders.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str | None,
        Option("--out", metavar="FILE", help="The page; report.html in the folder if not given."),
    ] = None,
    plots: Annotated[
        str | None,
        Option("--plots", metavar="NAMES", help="Figures, with commas between; all if not given."),
    ] = None,
    title: Annotated[str | None, Option("--title", metavar="TEXT", help="Of the page.")] = None,
    force: Force = False,
    trust_code: Annotated[
        bool, Option("--trust-code", help="Run code that the folders name: readers.")
    ] = False,
    quiet: Annotated[bool, Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Write a page about an experiment or some runs: numbers, figures, how to do it again."""
    from schedlab.naming import split_at_commas

    names = None if plots is None else [one.strip() for one in split_at_commas(plots)]
    if out is None:
        if len(folders) > 1:
            raise InputError("--out FILE is missing: where several runs share a page, say where")
        out = os.path.join(folders[0], "report.html")
    else:
        refuse_file(out, force)
    write(runs_in(folders), out, names, title, quiet, trust_code)
    if not quiet:
        print(f"{shlex.quote(out)} ({os.path.getsize(out) / 1000:,.0f} kB)")


def write(
    source: object,
    out: str,
    plots: list[str] | None = None,
    title: str | None = None,
    quiet: bool = False,
    trust_code: bool = False,
    reader: str | None = None,
) -> None:
    """Writes the page with a line that shows how far it is.

    Args:
        source: What `write_report` takes.
        out: The file.
        plots: Names of the figures; None: all.
        title: Of the page.
        quiet: Show no progress.
        trust_code: Whether code runs that the folders name.
        reader: That the person gave, whatever it names.
    """
    from schedlab.naming import parse_call
    from schedlab.report import write_report

    given = () if reader is None else (parse_call(reader, "reader")[0],)
    with ProgressLine("report", quiet=quiet) as line:

        def show(done: int, of: int, name: str) -> None:
            if line.due():
                line.show(done, "figures", done / max(1, of), name)

        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("always", UserWarning)
            write_report(
                source,
                out,
                plots=plots,
                title=title,
                progress=show,
                trust_code=trust_code,
                _given=given,
            )
    print_warnings(str(one.message) for one in noticed if one.category is UserWarning)
