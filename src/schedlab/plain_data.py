"""Plain data as text, and back: the states of Python policies in files.

JSON with a tag where JSON has no word of its own, so that tuples, sets, dicts with any keys, bytes
and random generators come back as they were. Nothing is ever executed.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any


def encode(value: object, path: str) -> bytes:
    """Returns the data as bytes.

    Args:
        value: Numbers, text, bytes, None, lists, tuples, sets, dicts, random.Random; nested.
        path: What messages call it.

    Raises:
        TypeError: Something in it is of another type; the message says where.
    """
    import json

    return json.dumps(_tagged(value, path), separators=(",", ":")).encode()


def decode(data: bytes) -> Any:
    """Returns what `encode` was given."""
    import json

    return _untagged(json.loads(data))


def _tagged(value: object, path: str) -> Any:
    if value is None or isinstance(value, (bool, str)) or type(value) is int:
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else {"float": repr(value)}
    if type(value) is list:
        return [_tagged(item, f"{path}[{i}]") for i, item in enumerate(value)]
    if type(value) in (tuple, set, frozenset):
        kind = type(value).__name__
        items: Any = value
        if kind != "tuple":
            items = sorted(items, key=repr)
        return {kind: [_tagged(item, f"{path}[{i}]") for i, item in enumerate(items)]}
    if type(value) is dict:
        pairs = [
            [_tagged(key, f"a key of {path}"), _tagged(item, f"{path}[{key!r}]")]
            for key, item in value.items()
        ]
        return {"dict": pairs}
    if isinstance(value, (bytes, bytearray)):
        return {type(value).__name__: value.hex()}
    from random import Random

    if type(value) is Random:
        return {"Random": _tagged(value.getstate(), path)}
    raise TypeError(f"{path} is of type {type(value).__name__}")


def _untagged(value: Any) -> Any:
    if isinstance(value, list):
        return [_untagged(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "float":
        return float(content)
    if kind == "dict":
        return {_untagged(key): _untagged(item) for key, item in content}
    if kind in ("bytes", "bytearray"):
        return (bytes if kind == "bytes" else bytearray).fromhex(content)
    if kind == "Random":
        from random import Random

        random = Random()
        random.setstate(_untagged(content))
        return random
    return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](_untagged(content))
