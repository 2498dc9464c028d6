"""Kinds of fields that networks have: rates, delays, counts, and one value for each link."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import Declaration, Defined, number, other, whole

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    Value = TypeVar("Value")

MAX_NODES = 10_000_000
MAX_PORTS = 65_535
MAX_RATE = 1e18
_MAX_BYTES = 2**31 - 1
_MAX_SECONDS = 1000.0

_DELAYS = f"0, or from 1e-12 to {_MAX_SECONDS:g}"
_RATE = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_RATE}
_SECONDS = {"type": "number", "anyOf": [{"const": 0}, {"minimum": 1e-12, "maximum": _MAX_SECONDS}]}
_SIZE = {"type": "integer", "minimum": 1, "maximum": MAX_NODES}
_PORTS = {"type": "integer", "minimum": 1, "maximum": MAX_PORTS}


def rate(value: object, path: str) -> float:
    """Returns the value if something can be done at this rate: a number above 0."""
    return decode.number(value, path, above=0.0, maximum=MAX_RATE)


def seconds(value: object, path: str) -> float:
    """Returns the value if it can be a delay on a network."""
    delay = decode.number(value, path, maximum=_MAX_SECONDS)
    if 0.0 < delay < 1e-12:
        raise InputError(f"{path}: is below a picosecond, the least time on a network; write 0")
    return delay


def ports(value: object, path: str) -> int:
    """Returns the value if it can be a number of links side by side."""
    return decode.whole_number(value, path, minimum=1, maximum=MAX_PORTS)


def byte_count(meaning: str, minimum: int = 0, **rest: Any) -> Any:
    """Returns a field of a number of bytes."""
    return whole(meaning, unit="byte", minimum=minimum, maximum=_MAX_BYTES, **rest)


def size(meaning: str, **rest: Any) -> Any:
    """Returns a field that says how many there are of something."""
    return whole(meaning, minimum=1, maximum=MAX_NODES, **rest)


def sizes(meaning: str, **rest: Any) -> Any:
    """Returns a field of a list of such numbers."""
    written = {"type": "array", "items": _SIZE}
    return other(whole_numbers, meaning, values="list of numbers", written=written, **rest)


def rate_of(meaning: str, unit: str, **rest: Any) -> Any:
    """Returns a field of a rate."""
    return number(meaning, unit=unit, above=0.0, maximum=MAX_RATE, **rest)


def delay_of(meaning: str, **rest: Any) -> Any:
    """Returns a field of a time on a network."""
    return other(seconds, meaning, unit="s", values=_DELAYS, written=_SECONDS, **rest)


FOR_EACH = "for each"


def _for_each_field(
    one: Callable[[object, str], Any], schema: dict[str, Any], meaning: str, **rest: Any
) -> Any:
    """Returns a field with a value for each dimension, level or the like: one for all, or a list.

    For how many is known once all fields are there: `resolve` then checks it.

    Args:
        one: Checks a single value.
        schema: The JSON Schema of a single value.
        meaning: As for every field.
        **rest: As for every field.
    """
    written = {"anyOf": [schema, {"type": "array", "items": schema}]}
    rest = {"values": "number or list", "written": written, "facts": {"one": one}, **rest}
    return Declaration(FOR_EACH, lambda value, _: value, meaning, **rest)


def resolve(definition: Defined, names: Sequence[str]) -> None:
    """Checks the fields of a definition that have a value for each of some names."""
    values = vars(definition)
    for field in definition._declared:
        if field.sort == FOR_EACH:
            path, one = f"network.{field.key}", field.facts["one"]
            values[field.name] = for_each(values[field.name], path, names, one)


def rates_of(meaning: str, **rest: Any) -> Any:
    """Returns a field of the bandwidth of each link."""
    return _for_each_field(rate, _RATE, meaning, unit="bit/s", **rest)


def delays_of(meaning: str, **rest: Any) -> Any:
    """Returns a field of the delay of each link."""
    return _for_each_field(seconds, _SECONDS, meaning, unit="s", **rest)


def ports_of(meaning: str) -> Any:
    """Returns a field of how many links lie side by side."""
    return _for_each_field(ports, _PORTS, meaning, default=1)


def listed(value: object, path: str) -> Sequence[object]:
    """Returns the value if it is a list."""
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{path}: must be a list of numbers (is {decode.shown(value)})")
    return value


def whole_numbers(value: object, path: str, *, most: int = MAX_NODES) -> tuple[int, ...]:
    """Returns the numbers of a list, each at least 1."""
    return tuple(
        decode.whole_number(one, f"{path}[{place}]", minimum=1, maximum=most)
        for place, one in enumerate(listed(value, path), 1)
    )


def for_each(
    value: object, path: str, names: Sequence[str], one: Callable[[object, str], Value]
) -> tuple[Value, ...]:
    """Returns one value for each name: the same for all, or those of a list.

    Args:
        value: A value, or a list of as many as there are names.
        path: Where it is written.
        names: What the values are for, such as dimensions.
        one: Checks a single value.
    """
    if not isinstance(value, (list, tuple)):
        return (one(value, path),) * len(names)
    if len(value) != len(names):
        raise InputError(
            f"{path}: has {len(value)} values; give one number for all, or {len(names)} "
            f"({decode.listed(names)})"
        )
    return tuple(one(entry, f"{path}[{place}]") for place, entry in enumerate(value, 1))
