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


def toml_value(value: object) -> str:
    """Returns plain data as TOML writes it on one line, floats that are whole as short as possible.

    Raises:
        InputError: It has something in it that TOML has no word for: null, or half a character.
    """
    if isinstance(value, dict):
        inner = ", ".join(f"{toml_key(key)} = {toml_value(entry)}" for key, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return "[ " + ", ".join(toml_value(entry) for entry in value) + " ]"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        short = f"{value:.6g}".replace("e+", "e")  # 4.2e10 is easier to read than its zeros
        return short if "e" in short and float(short) == value else str(int(value))
    if not isinstance(value, (int, float)):
        raise InputError(f"{value!r} cannot be written as TOML")
    return repr(value)


def toml_key(name: str) -> str:
    """Returns a key as TOML writes it."""
    plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if plain else _quoted(name)


def _quoted(text: str) -> str:
    """Returns a basic string of TOML."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError(f"{text!r} cannot be written as TOML: it is not UTF-8")
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"'
        + "".join(it if it >= " " and it != "\x7f" else f"\\u{ord(it):04x}" for it in plain)
        + '"'
    )
