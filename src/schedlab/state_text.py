"""Plain data as text, and back: the states of Python policies in files.

JSON with a tag where JSON has no word of its own, so that tuples, sets, dicts with any keys, bytes
and random generators come back as they were. Nothing is ever executed.
"""

from __future__ import annotations

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
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
    """Returns what `encode` was given.

    Raises:
        InputError: It is something else: a file that holds it was changed.
    """
    import json

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise _damaged("is not JSON, or nested too deeply") from None
    try:
        return _untagged(value)
    except RecursionError:
        raise _damaged("is nested too deeply") from None


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
    if len(value) != 1:
        raise _damaged("has a value of two kinds")
    ((kind, content),) = value.items()
    make = _MADE.get(kind)
    if make is None:
        raise _damaged(f"has a value of a kind that there is not ({kind[:40]!r})")
    try:
        return make(content)
    # Of content that is not such a value: keys that cannot be such, numbers that are none.
    except (TypeError, ValueError, OverflowError):
        raise _damaged(f"has something else in the place of a {kind}") from None


def _damaged(what: str) -> InputError:
    return InputError(f"the state of a policy is damaged: it {what}")


def _pairs(content: Any) -> dict[Any, Any]:
    return {_untagged(key): _untagged(item) for key, item in content}


def _items(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise TypeError
    return [_untagged(item) for item in content]


def _dict(content: Any) -> dict[Any, Any]:
    found = _untagged(content)
    if type(found) is not dict:
        raise TypeError
    return found


def _deque(content: Any) -> Any:
    import collections

    longest, items = content
    return collections.deque(_untagged(items), longest)


def _defaultdict(content: Any) -> Any:
    import collections

    factory, pairs = content
    if factory is not None and factory not in _FACTORIES:
        raise ValueError
    return collections.defaultdict(_FACTORIES.get(factory), _dict(pairs))


def _counter(content: Any) -> Any:
    import collections

    return collections.Counter(_dict(content))


def _ordered_dict(content: Any) -> Any:
    import collections

    return collections.OrderedDict(_dict(content))


def _random(content: Any) -> Any:
    from random import Random

    random = Random()
    random.setstate(_untagged(content))
    return random


_MADE: dict[str, Callable[[Any], Any]] = {
    "float": float,
    "dict": _pairs,
    "bytes": bytes.fromhex,
    "bytearray": bytearray.fromhex,
    "tuple": lambda content: tuple(_items(content)),
    "set": lambda content: set(_items(content)),
    "frozenset": lambda content: frozenset(_items(content)),
    "deque": _deque,
    "defaultdict": _defaultdict,
    "Counter": _counter,
    "OrderedDict": _ordered_dict,
    "Random": _random,
}
"""What makes a value of the content of a tag."""
