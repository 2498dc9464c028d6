"""A base for small definitions that never change."""

from __future__ import annotations

from schedlab.calling import explained

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Frozen:
    """Equality, repr, pickling and immutability over `_fields`, the constructor's arguments.

    Written out because importing dataclasses costs a quarter of a short simulation.
    """

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls, made_often: bool = False) -> None:
        """Lets constructors say which arguments were meant, but for classes made by the million."""
        if "__init__" in vars(cls) and not made_often:
            cls.__init__ = explained(cls.__init__)  # type: ignore[method-assign]

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(tuple(value for value in self._values() if not isinstance(value, dict)))

    def __repr__(self) -> str:
        pairs = zip(self._fields, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()
