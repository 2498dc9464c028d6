"""Orders of the queue: built-in ones, score expressions, and functions."""

from __future__ import annotations

from schedlab import _engine
from schedlab.errors import InputError
from schedlab.fields import Defined, other
from schedlab.naming import function, refuse_long
from schedlab.trust import PERSON

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from schedlab._engine import JobView
    from schedlab.trust import Origin

_TABLE = _engine.orders()  # engine/dispatch/orders.cpp: the one place that lists them

ORDERS = tuple(name for name, _, _, _, score in _TABLE if not score)
"""Names of built-in orders; docs/reference/dispatchers.md says what they go by."""

FORMULAS = {name: score for name, _, _, _, score in _TABLE if score}
"""Scores from the literature, by name; the lowest goes first."""

ATTRIBUTES = {name: reads for name, _, _, reads, _ in _TABLE if reads}
"""What an order reads of jobs beyond their fields."""

SCORE = "score:"
"""What an expression begins with that orders jobs by its value."""

SHORT_NAMES = {other: name for name, others, _, _, _ in _TABLE for other in others.split()}
"""Other names of built-in orders."""


def _function(value: Any, path: str) -> Any:
    if not callable(value):
        raise InputError(f"{path}: an order's function must be callable, not {value!r}")
    return value


class Order(Defined):
    """A function that orders the queue: the job with the lowest number goes first."""

    function: Callable[[JobView], float] = other(
        _function, "called with a view of a waiting job; returns a number", hidden=True
    )
    fixed: bool = other(
        lambda value, _: bool(value),
        "whether the number of a job never changes, so that it is asked for once only, and not "
        "before every decision",
        default=False,
    )

    def __str__(self) -> str:
        module = getattr(self.function, "__module__", "?")
        name = f"{module}:{getattr(self.function, '__qualname__', '?')}"
        return f"{name} (fixed)" if self.fixed else name


def order(given: str | Order | Callable[[JobView], float]) -> str | Order:
    """Returns the order that a person gives: a name, a text such as "score:-wait", or a function.

    Raises:
        InputError: It is not known, or the expression is wrong.
    """
    return order_named(given, PERSON)


def order_named(given: str | Order | Callable[[JobView], float], origin: Origin) -> str | Order:
    """Returns the order of a name, a text such as "score:-wait", or a function.

    Args:
        given: One of these.
        origin: Where a name comes from.

    Raises:
        InputError: It is not known, or the expression is wrong.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    if isinstance(given, Order):
        return given
    if callable(given):
        return Order(given)
    if not isinstance(given, str):
        raise InputError(f"an order is a name, a score or a function, not {given!r}")
    if given.startswith(SCORE):
        refuse_long("order", given)
        return SCORE + " ".join(given[len(SCORE) :].split())
    named = SHORT_NAMES.get(given, given)
    if named in ORDERS or named in FORMULAS:
        return named
    known = (*ORDERS, *SHORT_NAMES, *FORMULAS, f"{SCORE}EXPRESSION")
    is_name = given.replace("-", "").replace("_", "").isalnum()
    if ":" not in given and not is_name and given.partition("(")[0] not in known:
        raise InputError(f'unknown order "{given}"; a score is written "score:{given}"')
    found: Any = function("order", given, known, origin, values=(str, Order))
    return order_named(found, origin)


def for_engine(given: str | Order) -> object:
    """Returns what the engine takes: a name, "score:..." or a function."""
    return given.function if isinstance(given, Order) else given


def read_by(given: object) -> str:
    """Returns an expression with the names of all that an order of the engine reads of jobs."""
    name = str(given)
    return ATTRIBUTES.get(name) or FORMULAS.get(name) or name.removeprefix(SCORE)
