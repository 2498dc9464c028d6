"""Orders of nodes: the lists that allocators go by."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.naming import function, refuse_code, unknown
from schedlab.trust import PERSON, like

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedlab.system import System

    OrderFunction = Callable[[System], Iterable[int]]
    NodeOrder = str | tuple[int, ...] | OrderFunction
    NodeOrderLike = str | Iterable[int] | OrderFunction

NODE_ORDERS = ("configured", "topological", "snake", "curve")
"""Names of orders; besides them there are dimensions such as `xzy`, and `boxes(2,1,2)`."""

_MOST_DIMENSIONS = 8


def node_order(given: NodeOrderLike) -> NodeOrder:
    """Returns an order of nodes in the one way in which it is written.

    Args:
        given: A name, dimensions such as "xzy", "boxes(2,1,2)", a list of all nodes, or such a list
            as the text "[2,0,1]", or a function of the system that returns one, or its name
            "package.module:function".

    Raises:
        InputError: There is no such order. Whether it fits the system's nodes and network is known
            once there is a system.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    if callable(given):
        return given
    if not isinstance(given, str):
        return _numbers(given, "order")
    text = like(given, "".join(given.split()).strip("'\""))
    if text.startswith("boxes"):
        return _boxes(text)
    if text.startswith("["):
        return _numbers(_whole_numbers(text, "[", "]", "[2,0,1]"), "order")
    letters = text.isascii() and text.isalpha() and text.islower()
    dimensions = letters and len(set(text)) == len(text) <= _MOST_DIMENSIONS
    if text not in NODE_ORDERS and ":" not in text and not dimensions:
        names = ("dimensions such as xzy", "boxes(2,1,2)", "a list such as [2,0,1]")
        raise unknown("order", text, (*NODE_ORDERS, *names))
    if ":" in text:
        refuse_code("order", text, PERSON)
    return text


def order_text(order: NodeOrder) -> str:
    """Returns the text of which `node_order` makes the same order."""
    if isinstance(order, str):
        return order
    if isinstance(order, tuple):
        return f"[{','.join(map(str, order))}]"
    return f"{order.__module__}:{getattr(order, '__qualname__', type(order).__qualname__)}"


def for_engine(order: NodeOrder, system: System) -> str | list[int]:
    """Returns what the engine gets of an order: a name, or all nodes.

    Raises:
        InputError: A function cannot be found, fails, or returns no list of node numbers.
    """
    if isinstance(order, tuple):
        return list(order)
    if isinstance(order, str) and ":" not in order:
        return order
    where = f"order {order_text(order)}"
    found = function("order", order, (), PERSON) if isinstance(order, str) else order
    try:
        nodes = found(system)  # type: ignore[operator]
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{where}: {type(error).__name__}: {error}") from error
    return list(_numbers(nodes, where))


def _numbers(given: object, where: str) -> tuple[int, ...]:
    try:
        numbers: tuple[int, ...] = tuple(given)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{where}: must be a list of all nodes, not {given!r}") from None
    if not numbers:
        raise InputError(f"{where}: the list is empty; it must have all nodes")
    for number in numbers:
        if not hasattr(number, "__index__") or isinstance(number, bool) or number < 0:
            raise InputError(f"{where}: nodes are whole numbers from 0 up, not {number!r}")
    return tuple(map(int, numbers))


def _boxes(text: str) -> str:
    extents = _whole_numbers(text, "boxes(", ")", "boxes(2,1,2)")
    if not extents or 0 in extents:
        raise InputError(f"order: the extents of {text} must be whole numbers from 1 up")
    return f"boxes({','.join(map(str, extents))})"


def _whole_numbers(text: str, opening: str, closing: str, example: str) -> list[int]:
    inside = text.removeprefix(opening).removesuffix(closing)
    parts = inside.split(",")
    if f"{opening}{inside}{closing}" != text or not all(
        part.isascii() and part.isdecimal() for part in parts
    ):
        raise InputError(f"order: write it as {example}, not {text}")
    return [int(part) for part in parts]
