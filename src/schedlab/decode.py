"""Single values of a definition, checked: each function names the path of what is wrong.

Messages hold the path only (``groups.thin.nodes: ...``); callers put the file's name in front.
"""

from __future__ import annotations

from schedlab.errors import InputError, did_you_mean

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

MAX_AMOUNT = 2**53
"""Largest amount of a resource on one node: exact as a double, in every format."""

MAX_SECONDS = 4_000_000_000
"""126 years: such times, and sums of two of them, fit the engine's nanoseconds."""

LONGEST_TEXT = 20_000
"""Characters of an expression, or of a part with its arguments: far more than a person writes."""

_INFINITE = float("inf")
_SHOWN_CHARACTERS = 60
_SHOWN_NAMES = 10
_ALIKE = 0.75  # words of files are many, and most are short
_SPECIAL_IN_CSV = frozenset(" ,'\"`")


def shown(value: object) -> str:
    """Returns a short printable form of any value, for error messages."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        cut = value[:_SHOWN_CHARACTERS] + "..." if len(value) > _SHOWN_CHARACTERS else value
        return f'"{cut}"' if cut.isprintable() else ascii(cut)
    if isinstance(value, int):
        # Python refuses to print integers of thousands of digits.
        return str(value) if value.bit_length() < 200 else f"a number of {value.bit_length()} bits"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else f"of type {type(value).__name__}"


def child(path: str, key: object) -> str:
    """Returns the path of a key below a path; keys that could confuse a reader are quoted."""
    plain = isinstance(key, str) and _is_name(key) and len(key) <= _SHOWN_CHARACTERS
    step = str(key) if plain else shown(key)
    return f"{path}.{step}" if path else step


def listed(names: Iterable[str]) -> str:
    """Returns names as `a, b, c`, cut after a few."""
    every = [name if _is_name(name) else shown(name) for name in names]
    more = len(every) - _SHOWN_NAMES
    return ", ".join(every[:_SHOWN_NAMES]) + (f", ... ({more} more)" if more > 0 else "")


def table(value: object, path: str, holds: str) -> dict[str, Any]:
    """Returns the value if it is a table with text keys; `holds` says what belongs in it."""
    if not isinstance(value, dict):
        raise InputError(f"{path}: must be a table of {holds} (is {shown(value)})")
    for key in value:
        if not isinstance(key, str):
            raise InputError(f"{child(path, key)}: the key must be text; put it in quotes")
    return value


def refuse_unknown(
    given: dict[str, Any], known: Sequence[str], path: str, hints: Mapping[str, str] | None = None
) -> None:
    """Raises for the first key that is not known.

    Args:
        given: The table.
        known: The keys it may have.
        path: Where the table is.
        hints: What to say about keys that stand there for a known reason.
    """
    for key in given:
        if key in known:
            continue
        hint = did_you_mean(key, known, _ALIKE)
        if not hint and hints and key in hints:
            hint = hints[key] + "; "
        raise InputError(f"{child(path, key)}: unknown key; {hint}known: {listed(known)}")


def refuse_more(count: int, most: int | None, path: str) -> None:
    """Raises InputError for more of something than are supported; None: there is no limit."""
    if most is not None and count > most:
        raise InputError(f"{path}: there are {count}; at most {most} are supported")


def one_of(value: object, known: Iterable[str], path: str, what: str) -> str:
    """Returns the value if it is one of the known names; `what` says what they name."""
    names = list(known)
    if not isinstance(value, str):
        raise InputError(f"{path}: must be the name of a {what} (is {shown(value)})")
    if value not in names:
        raise InputError(
            f"{path}: there is no {what} {shown(value)}; {did_you_mean(value, names, _ALIKE)}"
            f"known: {listed(names) or 'none'}"
        )
    return value


def text(value: object, path: str) -> str:
    """Returns the value if it is free text of one line."""
    if not isinstance(value, str):
        raise InputError(f"{path}: must be text (is {shown(value)})")
    if not value.strip() or not value.isprintable():
        raise InputError(
            f"{path}: must be one line of visible text without control characters "
            f"(is {shown(value)})"
        )
    return value


def file_name(value: object, path: str) -> str:
    """Returns the value if it is text: names of files may have any characters."""
    if not isinstance(value, str):
        raise InputError(f"{path}: must be text (is {shown(value)})")
    return value


def expression(value: object, path: str) -> str:
    """Returns the value if it can be an expression; whether it is one, the engine knows."""
    if not isinstance(value, str):
        raise InputError(f"{path}: must be an expression (is {shown(value)})")
    if len(value) > LONGEST_TEXT:
        raise InputError(
            f"{path}: has {len(value):,} characters; write it in at most {LONGEST_TEXT:,}"
        )
    return value


def duration(value: Any, path: str) -> Any:
    """Returns the seconds of a text such as "90" or "1h30m"; any other value as it is."""
    if not isinstance(value, str):
        return value
    from schedlab.durations import duration_of  # where times are written as texts

    seconds = duration_of(value)
    if seconds is None:
        raise InputError(
            f'{path}: must be a duration: seconds, or units as in "90s", "10m", "1h30m", "3d" '
            f"(is {shown(value)})"
        )
    return int(seconds) if seconds.is_integer() else seconds


def identifier(value: object, path: str) -> str:
    """Returns the value if it can name a group or a resource, and so a column of a CSV file."""
    if not isinstance(value, str) or not _is_name(value):
        raise InputError(
            f"{path}: {shown(value)} cannot be a name; use text without spaces, commas, "
            "quotes and control characters"
        )
    return value


def whole_number(value: object, path: str, *, minimum: int = 0, maximum: int = MAX_AMOUNT) -> int:
    """Returns the value as an integer within the bounds; 4.0 counts as 4, true is not a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{path}: must be a whole number (is {shown(value)}){_advice(value)}")
    if isinstance(value, float) and not value.is_integer():
        raise InputError(f"{path}: must be a whole number (is {shown(value)})")
    number = int(value)
    if number < minimum:
        bound = f"be at least {minimum}" if minimum else "not be negative"
        raise InputError(f"{path}: must {bound} (is {shown(number)})")
    if number > maximum:
        raise InputError(f"{path}: must be at most {maximum} (is {shown(number)})")
    return number


def number(
    value: object,
    path: str,
    *,
    above: float | None = None,
    below: float | None = None,
    minimum: float = 0.0,
    maximum: float = MAX_AMOUNT,
) -> float:
    """Returns the value as a finite number within the bounds; true is not a number.

    Args:
        value: What is written there.
        path: Where.
        above: The number must be larger than this; stands in for `minimum`.
        below: The number must be smaller than this; stands in for `maximum`.
        minimum: Least number.
        maximum: Largest number.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{path}: must be a number (is {shown(value)}){_advice(value)}")
    if value != value or value in (_INFINITE, -_INFINITE):
        raise InputError(f"{path}: must be a finite number (is {shown(value)})")
    low = value <= above if above is not None else value < minimum
    if low:
        bound = f"be above {above:g}" if above is not None else f"be at least {minimum:g}"
        bound = "not be negative" if above is None and minimum == 0 else bound
        raise InputError(f"{path}: must {bound} (is {shown(value)})")
    if value >= below if below is not None else value > maximum:
        bound = f"be below {below:g}" if below is not None else f"be at most {maximum:g}"
        raise InputError(f"{path}: must {bound} (is {shown(value)})")
    return float(value)


def _advice(value: object) -> str:
    """Returns what to do about a value that is not a number, where it is a number in quotes."""
    try:
        float(value if isinstance(value, str) else "")
    except ValueError:
        return ""
    return "; write it without quotes"


def amounts(value: object, path: str) -> dict[str, int]:
    """Returns a fresh dict of resource amounts, with at least one resource."""
    given = table(value, path, "resource amounts, such as core = 4")
    if not given:
        raise InputError(f"{path}: names no resource; add at least one, such as core = 4")
    return {
        identifier(key, child(path, key)): whole_number(amount, child(path, key))
        for key, amount in given.items()
    }


def _is_name(value: str) -> bool:
    return value.isprintable() and value != "" and _SPECIAL_IN_CSV.isdisjoint(value)
