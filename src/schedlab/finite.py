"""Whether a number can be counted with."""

from __future__ import annotations

import math

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any


def is_finite(value: Any) -> bool:
    """Returns whether a double can hold a number: not infinite, NaN, or of four hundred digits."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number has no bound in Python, nor in JSON
        return False
