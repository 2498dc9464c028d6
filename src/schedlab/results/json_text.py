"""JSON without the json package, whose import costs more than reading a small trace."""

from __future__ import annotations

from _json import encode_basestring_ascii


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
