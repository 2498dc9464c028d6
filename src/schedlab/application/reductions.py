"""How two values become one in a reduction, by name."""

from __future__ import annotations

import operator

from schedlab import naming
from schedlab.errors import InputError
from schedlab.trust import PERSON

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Combine = Callable[[Any, Any], Any]


def _by_element(combine: Combine) -> Combine:
    """Returns the same for numbers, and for lists of them element by element, as MPI does."""

    def combined(first: Any, second: Any) -> Any:
        if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
            if len(first) != len(second):
                raise InputError(
                    f"a reduction got lists of {len(first)} and of {len(second)} elements; all "
                    "ranks give as many"
                )
            return type(first)(combined(*pair) for pair in zip(first, second, strict=True))
        return combine(first, second)

    return combined


REDUCTIONS: dict[str, Combine] = {
    "sum": _by_element(operator.add),
    "prod": _by_element(operator.mul),
    "min": _by_element(min),
    "max": _by_element(max),
    "and": _by_element(operator.and_),
    "or": _by_element(operator.or_),
    "xor": _by_element(operator.xor),
}
"""Operators of reductions. `and`, `or` and `xor` are those of bits, and so of truth values too."""


def reduction(op: str | Combine) -> Combine:
    """Returns the function of two values that an operator stands for.

    Values are combined in the order of ranks, so a function need be associative only. One of your
    own gets whole values, even where they are lists.

    Args:
        op: A key of REDUCTIONS, `package.module:function` or such a function.

    Raises:
        InputError: There is no such operator.
        UntrustedCodeError: It is an argument of an application that data names, and names code.
    """
    if callable(op):
        return op
    # Programs name it; what comes from data knows that itself.
    found: Any = naming.function("reduction", op, REDUCTIONS, PERSON, any_function=True)
    combine: Combine = found
    return combine
