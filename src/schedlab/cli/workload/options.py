"""Options and lines that commands about workload files share: each is defined once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import TRUST_CODE
from schedlab.durations import duration_of
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ANY_FORMAT = "Workload file of any format; .gz, .bz2 and .xz are unpacked."

Source = Annotated[str, Argument(metavar="FROM", help=ANY_FORMAT, show_default=False)]
Target = Annotated[
    str,
    Argument(
        metavar="TO",
        help="File to write; the end of its name says the format.",
        show_default=False,
    ),
]
Reader = Annotated[
    str | None,
    Option(
        "--reader",
        metavar="NAME",
        help="Format to read, perhaps with arguments; else what the file is.",
        show_default=False,
    ),
]
Writer = Annotated[
    str | None,
    Option(
        "--writer",
        metavar="NAME",
        help="Format to write, perhaps with arguments; else by the file's name.",
        show_default=False,
    ),
]
EXACT = "SWF with fractions and extra fields; else 18 whole numbers a row, as all parsers read."
Exact = Annotated[bool, Option("--exact", help=EXACT)]
Strict = Annotated[bool, Option("--strict", help="Stop at the first row that is bad.")]
TrustCode = Annotated[bool, Option("--trust-code", help=TRUST_CODE)]
Quiet = Annotated[bool, Option("--quiet", help="Print nothing but errors.")]


def pairs(flag: str, given: Iterable[str]) -> dict[str, str]:
    """Returns what was given as NAME=VALUE.

    Raises:
        InputError: Something is not written so, or given twice.
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise InputError(f"{flag} {text!r}: must be NAME=VALUE")
        if name in found:
            raise InputError(f"{flag}: {name} is given twice")
        found[name] = value
    return found


def numbers(flag: str, text: str) -> dict[str, float]:
    """Returns the numbers of a text such as `core=3.3,gpu=933`.

    Raises:
        InputError: It is not written so.
    """
    found = {}
    for name, value in pairs(flag, text.split(",")).items():
        try:
            found[name] = float(value)
        except ValueError:
            raise InputError(f"{flag} {name}={value}: must be a number") from None
    return found


def widths(flag: str, text: str) -> dict[str, float]:
    """Returns the numbers of a text such as `requested_time=15m,size=4`; times may have units.

    Raises:
        InputError: It is not written so.
    """
    found = {}
    for name, value in pairs(flag, text.split(",")).items():
        width = duration_of(value)
        if width is None:
            raise InputError(
                f"{flag} {name}={value}: must be a number, or a duration such as 1h30m"
            )
        found[name] = width
    return found


def print_skipped(skipped: Mapping[str, Mapping[str, int]]) -> None:
    """Says on standard error which rows could not be read."""
    for reason, rows in skipped.items():
        line = f", first in line {rows['first_line']:,}" if rows["first_line"] else ""
        count = rows["rows"]
        print(f"skipped {count:,} row{'s' * (count != 1)}: {reason}{line}", file=sys.stderr)


def print_notices(notices: Iterable[str]) -> None:
    """Says on standard error what a reader had to assume of its file."""
    for notice in notices:
        print(f"note: {notice}", file=sys.stderr)


def writer_of(path: str, writer: str | None, exact: bool) -> str | None:
    """Returns the writer that --writer and --exact ask for.

    Raises:
        InputError: --exact is given, and the file is not written as SWF.
    """
    from schedlab.workload.formats import exact_writer

    return exact_writer(path, writer) if exact else writer


def print_losses(losses: Mapping[str, int], notes: Iterable[str] = ()) -> None:
    """Says on standard error what a file that was written lacks, and what to know of it."""
    for what, count in losses.items():
        jobs = f"{count:,} job{'s' * (count != 1)}"
        print(f"lost {what} of {jobs}: the format has no place for it", file=sys.stderr)
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
