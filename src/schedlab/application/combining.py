"""What collectives give to each rank, of the values that all ranks gave."""

from __future__ import annotations

from functools import reduce

from schedlab.application.reductions import reduction as operator_named
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["combine", "key_of", "operator_named"]


def key_of(function: Callable[[Any, Any], Any]) -> str:
    """Returns what functions that ranks made of the same code have in common."""
    code = getattr(function, "__code__", None)
    if code is None:
        return f"object {function!r}"
    constants = [constant for constant in code.co_consts if not hasattr(constant, "co_code")]
    place = f"{code.co_name}:{code.co_firstlineno}"
    return f"function {place} {code.co_names} {constants} {code.co_code.hex()}"


def combine(
    kind: str, function: Callable[[Any, Any], Any] | None, values: list[Any], root: int, rank: int
) -> Any:
    """Returns what the rank gets; None where it gets nothing.

    Args:
        kind: Name of the collective.
        function: Of two values, for reductions.
        values: What the ranks gave, by rank; None where one gave nothing.
        root: The root, where there is one.
        rank: Who asks.

    Raises:
        InputError: A list that must have an entry for each rank has not.
    """
    if kind == "bcast":
        return values[root]
    if kind in ("reduce", "allreduce"):
        return _combined(function, values) if kind == "allreduce" or rank == root else None
    if kind in ("gather", "allgather"):
        return list(values) if kind == "allgather" or rank == root else None
    if kind == "scatter":
        return _entries(values[root], len(values), kind)[rank]
    if kind == "alltoall":
        return [_entries(given, len(values), kind)[rank] for given in values]
    if kind == "reduce_scatter":
        return _combined(function, [_entries(given, len(values), kind)[rank] for given in values])
    if kind == "scan":
        return _combined(function, values[: rank + 1])
    return None


def _combined(function: Callable[[Any, Any], Any] | None, values: list[Any]) -> Any:
    """Returns the values combined in the order of ranks; those who gave none are left out."""
    assert function is not None
    given = [value for value in values if value is not None]
    return reduce(function, given) if given else None


def _entries(given: Any, size: int, kind: str) -> Any:
    if given is None or not hasattr(given, "__len__") or len(given) != size:
        raise InputError(f"{kind}: values must be a list with an entry for each of {size} ranks")
    return given
