"""Licenses: amounts that jobs share, and that belong to no node."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

MAX_LICENSES = 1_000
SIGNS = ":|;="
"""What separates licenses from amounts and from each other, so that no name has it."""

LICENSES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "propertyNames": {"pattern": r"^[^ ,'\"`:|;=]+$"},
    "additionalProperties": {"type": "integer", "minimum": 0, "maximum": decode.MAX_AMOUNT},
    "maxProperties": MAX_LICENSES,
}


def checked_licenses(value: object, path: str) -> dict[str, int]:
    """Returns amounts of licenses by name; raises InputError, beginning with the path."""
    given = decode.table(value, path, "amounts of licenses, such as matlab = 10")
    decode.refuse_more(len(given), MAX_LICENSES, path)
    for name in given:
        if not set(SIGNS).isdisjoint(decode.identifier(name, decode.child(path, name))):
            raise InputError(
                f"{decode.child(path, name)}: must be a name without the signs {SIGNS}"
            )
    return {
        name: decode.whole_number(amount, decode.child(path, name))
        for name, amount in given.items()
    }
