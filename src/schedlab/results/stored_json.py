"""JSON files that schedlab wrote, and that anyone may have changed since."""

from __future__ import annotations

from schedlab.decode import child, shown
from schedlab.errors import InputError
from schedlab.regular_file import read_regular

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any, NoReturn

DEEPEST = 60
"""Tables within tables."""

LONGEST_WHOLE_BITS = 64
"""Of a whole number: seeds have that many."""


def read_table(path: str, what: str, advice: str) -> dict[str, Any]:
    """Returns the table that a JSON file holds, of values that can be shown and sent.

    Args:
        path: The file.
        what: It should be, such as `the file of a run`.
        advice: What to do where it is not.

    Raises:
        FileNotFoundError: There is no such file.
        InputError: It cannot be read, or is not a table in JSON; with the line or the field.
    """
    try:
        content = read_regular(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return parse_table(content, path, what, advice)


def parse_table(content: bytes, path: str, what: str, advice: str) -> dict[str, Any]:
    """Returns the table that bytes of a JSON file hold; see `read_table`."""
    import json

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise InputError(f"{path}: key {shown(twice)} appears twice in one table; {advice}")
        return table

    def refuse(constant: str) -> NoReturn:
        raise InputError(f"{path}: {constant} is not a number in JSON; {advice}")

    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: is not UTF-8 text; {advice}") from None
    try:
        found = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        raise InputError(f"{where}: cannot be read as JSON: {error.msg}; {advice}") from None
    except ValueError:  # Python's bound on the digits of a whole number
        raise InputError(f"{path}: a number has too many digits; {advice}") from None
    except RecursionError:
        raise InputError(f"{path}: is nested too deeply; {advice}") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: is not {what}: it holds {shown(found)}; {advice}")
    try:
        check_values(found)
    except InputError as error:
        raise InputError(f"{path}: {error}; {advice}") from None
    return found


def check_values(value: Any, path: str = "", depth: int = 0) -> None:
    """Raises InputError, with the field, for a value that cannot be shown, sent or counted with."""
    if isinstance(value, str):
        if not value.isascii():
            _check_text(value, path)
    elif isinstance(value, float):
        if value - value != 0:  # 1e999 is infinite
            raise InputError(f"{path}: must be a finite number (is {shown(value)})")
    elif isinstance(value, int):
        if value.bit_length() > LONGEST_WHOLE_BITS:
            raise InputError(f"{path}: must be a smaller number (is {shown(value)})")
    elif isinstance(value, (dict, list)):
        if depth == DEEPEST:
            raise InputError(f"{path[:200]}: is nested more than {DEEPEST} deep")
        if isinstance(value, dict):
            for key, one in value.items():
                inner = child(path, key)
                if not key.isascii():
                    _check_text(key, inner)
                check_values(one, inner, depth + 1)
        else:
            for place, one in enumerate(value):
                check_values(one, f"{path}[{place}]", depth + 1)


def _check_text(value: str, path: str) -> None:
    """Raises InputError for half a character.

    Bytes of names of files that are not UTF-8 are such halves, from U+DC80 to U+DCFF.
    """
    for letter in value:
        if "\ud800" <= letter <= "\udfff" and not "\udc80" <= letter <= "\udcff":
            raise InputError(f"{path}: has half of a character (is {shown(value)})")


def visible(value: Any) -> Any:
    """Returns plain data with bytes of names that are not UTF-8 written out, in hexadecimal.

    So everything can be printed and sent.
    """
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {visible(key): visible(one) for key, one in value.items()}
    return [visible(one) for one in value] if isinstance(value, list) else value
