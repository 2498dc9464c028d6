"""JSON files of other simulators: read whole, with messages that name the field."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


def parse_json(text: str | bytes, path: str) -> Any:
    """Returns the value of a JSON text.

    Raises:
        InputError: It is none; the message says where.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}:{error.lineno}: is not JSON (column {error.colno}): {error.msg}"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text: {error}") from None
    except RecursionError:
        raise InputError(f"{path}: lists or objects within each other too deep") from None
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"{path}: is not JSON: {error}") from None


def positive(name: str, value: object) -> float:
    """Returns the value of a reader's argument if it is a number above 0.

    Raises:
        InputError: It is none.
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 < value < math.inf:  # type: ignore[operator]
        raise InputError(f"{name}: must be a number above 0, not {value!r}")
    return float(value)  # type: ignore[arg-type]


class Field:
    """A value of a JSON document that knows where it stands, and says so when it is wrong."""

    __slots__ = ("path", "place", "value")

    def __init__(self, value: Any, path: str, place: str = "") -> None:
        self.value, self.path, self.place = value, path, place

    def error(self, what: str) -> InputError:
        """Returns the error for this field."""
        where = f"{self.path}: {self.place}" if self.place else self.path
        return InputError(f"{where}: {what}, not {_short(self.value)}")

    def object(self) -> dict[str, Any]:
        """Returns the value if it is an object."""
        if not isinstance(self.value, dict):
            raise self.error("must be an object")
        return self.value

    def __contains__(self, key: str) -> bool:
        return key in self.object()

    def __getitem__(self, key: str) -> Field:
        """Returns the field of that name; there must be one."""
        content = self.object()
        place = f"{self.place}.{key}" if self.place else key
        if key not in content:
            raise InputError(f"{self.path}: {place}: is missing")
        return Field(content[key], self.path, place)

    def get(self, *keys: str) -> Field | None:
        """Returns the first field of these names that is there and not null."""
        content = self.object()
        for key in keys:
            if content.get(key) is not None:
                return self[key]
        return None

    def items(self) -> Iterator[Field]:
        """Yields the items if the value is a list."""
        if not isinstance(self.value, list):
            raise self.error("must be a list")
        for number, item in enumerate(self.value):
            yield Field(item, self.path, f"{self.place}[{number}]")

    def text(self) -> str:
        """Returns the value if it is a text; a whole number becomes one."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        if not isinstance(self.value, str):
            raise self.error("must be a text")
        return self.value

    def number(self, least: float = -math.inf, most: float = math.inf) -> float:
        """Returns the value if it is a number within these bounds; never infinity or NaN."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise self.error("must be a number")
        try:
            number = float(self.value)
        except OverflowError:
            raise self.error("is too large a number") from None
        if not math.isfinite(number):
            raise self.error("must be a finite number")
        if not least <= number <= most:
            bound = f"at least {least:g}" if number < least else f"at most {most:g}"
            raise self.error(f"must be {bound}")
        return number

    def whole(self, least: int, most: int = 2**62) -> int:
        """Returns the value if it is a whole number within these bounds, as 4 or 4.0."""
        number = self.number(least, most)
        if not number.is_integer():
            raise self.error("must be a whole number")
        return int(self.value)


def _short(value: object) -> str:
    if isinstance(value, (dict, list)):
        return "a list" if isinstance(value, list) else "an object"
    text = "null" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def one_a_line(head: dict[str, object], key: str, items: list[dict[str, object]]) -> bytes:
    """Returns an object as JSON: `head`, then the list `key` with one item in each line."""
    begin = "".join(f"{json.dumps(name)}: {json.dumps(value)}, " for name, value in head.items())
    lines = ",\n".join(map(json.dumps, items))
    return f"{{{begin}{json.dumps(key)}: [\n{lines}\n]}}\n".encode()
