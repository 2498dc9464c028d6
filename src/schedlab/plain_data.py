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
    tagged = _collection(value, path)
    if tagged is not None:
        return tagged
    from random import Random

    if type(value) is Random:
        return {"Random": _tagged(value.getstate(), path)}
    raise TypeError(f"{path} is of type {type(value).__name__}")


_FACTORIES: dict[str, Any] = {"int": int, "float": float, "list": list, "dict": dict, "set": set}


def _collection(value: object, path: str) -> Any:
    """Returns one of the collections module's kinds, tagged; None for anything else."""
    import collections

    if type(value) is collections.deque:
        return {"deque": [value.maxlen, _tagged(list(value), path)]}
    if type(value) in (collections.Counter, collections.OrderedDict):
        return {type(value).__name__: _tagged(dict(value), path)}  # type: ignore[call-overload]
    if type(value) is collections.defaultdict:
        factory = getattr(value.default_factory, "__name__", None)
        if value.default_factory is None or _FACTORIES.get(str(factory)) is value.default_factory:
            return {"defaultdict": [factory, _tagged(dict(value), path)]}
    return None


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
    if kind in ("deque", "defaultdict", "Counter", "OrderedDict"):
        import collections

        if kind == "deque":
            return collections.deque(_untagged(content[1]), content[0])
        if kind == "defaultdict":
            return collections.defaultdict(_FACTORIES.get(content[0]), _untagged(content[1]))
        return getattr(collections, kind)(_untagged(content))
    if kind == "Random":
        from random import Random

        random = Random()
        random.setstate(_untagged(content))
        return random
    return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](_untagged(content))
