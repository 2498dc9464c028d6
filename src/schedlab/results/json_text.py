"""JSON without the json package, whose import costs more than reading a small trace."""

from __future__ import annotations

from _json import encode_basestring_ascii, make_scanner

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any


def to_json(value: object, indent: str = "") -> str:
    """Returns the JSON text of plain values, indented by two blanks.

    Numbers that JSON lacks (infinity, not a number) become null.
    """
    deeper = indent + "  "
    if isinstance(value, dict):
        if not value:
            return "{}"
        keys = (encode_basestring_ascii(str(key)) for key in value)
        values = (to_json(item, deeper) for item in value.values())
        pairs = (f"{deeper}{key}: {text}" for key, text in zip(keys, values, strict=True))
        return "{\n" + ",\n".join(pairs) + f"\n{indent}}}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(to_json(item, deeper) for item in value) + "]"
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "null"
    if isinstance(value, (int, float)):
        return repr(value)
    if value is None:
        return "null"
    raise TypeError(f"no JSON for {type(value).__name__}")


class _Scanning:
    """How the scanner of the json package's C part makes values: as `json.loads` does."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def from_json(text: str) -> Any:
    """Returns the value of a text that `to_json` made.

    Raises:
        ValueError: It is not such a text.
    """
    try:
        value, end = make_scanner(_Scanning)(text, 0)  # type: ignore[arg-type]
    except StopIteration:
        raise ValueError("no JSON") from None
    if text[end:].strip():
        raise ValueError("more than one JSON value")
    return value
