"""TOML as plain values, within bounds; whatever is wrong is an InputError."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.input_file import read_text

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

MOST_BYTES = 8 * 2**20
DEEPEST = 50
"""Names in one key: the parser takes time and memory that grow with the square of it."""

_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_TOO_DEEP = rf"(?<![\w-])(?:{_PART}[ \t]*+\.[ \t]*+){{{DEEPEST}}}"


def parse_toml(text: str, label: str) -> dict[str, Any]:
    """Returns the content of a TOML file.

    Args:
        text: The file's text.
        label: What messages call the file.

    Raises:
        InputError: It is not valid, with line and column where the parser knows them; or its keys
            are nested more than 50 deep.
        RecursionError: Its values are nested too deeply.
    """
    import re
    import tomllib

    found = re.search(_TOO_DEEP, text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise InputError(f"{label}:{line}: a key is nested more than {DEEPEST} deep")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # Python 3.11 gives the place in the message only: "... (at line 3, column 7)".
        reason, _, place = str(error).rpartition(" (at ")
        at_line, _, column = place.removeprefix("line ").removesuffix(")").partition(", column ")
        where = f"{label}:{at_line}:{column}" if column else label
        raise InputError(f"{where}: not valid TOML: {reason or error}") from None
    except ValueError:  # Python's bound on the digits of an integer
        raise InputError(f"{label}: not valid TOML: a number has too many digits") from None


def read_toml(path: str) -> dict[str, Any]:
    """Returns the content of a TOML file; raises InputError."""
    try:
        return parse_toml(read_text(path, MOST_BYTES).replace("\r\n", "\n"), path)
    except RecursionError:
        raise InputError(f"{path}: values are nested too deeply") from None
