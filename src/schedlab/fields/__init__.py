"""Definitions declare their fields, each once: type, unit, bounds, default and meaning.

    class SwitchOff(Defined):
        after: float = number("how long a node must have been idle", unit="s", maximum=MAX_SECONDS)
        to: str = word(("off", "sleeping"), "the state that it is put into", default="off")

From the declarations come the constructor and its checks, equality, hash and repr, plain data
(`to_dict`), the reading of files (`fields.reading`), the tables of the documentation
(`fields.documentation`) and a JSON Schema (`fields.schema`).
"""

from __future__ import annotations

from schedlab.calling import explained
from schedlab.errors import ArgumentError
from schedlab.fields.kinds import (
    REQUIRED,
    Alias,
    Declaration,
    alias,
    expression,
    file_key,
    identifier,
    number,
    other,
    part,
    parts,
    seconds,
    table,
    text,
    unchecked,
    whole,
    word,
)

__all__ = [
    "REQUIRED",
    "Declaration",
    "Defined",
    "Frozen",
    "alias",
    "by_name",
    "expression",
    "file_key",
    "identifier",
    "in_table",
    "keys",
    "number",
    "other",
    "part",
    "parts",
    "seconds",
    "table",
    "text",
    "unchecked",
    "whole",
    "word",
]

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Generic, NoReturn, TypeVar, dataclass_transform

    Got = TypeVar("Got", covariant=True)
    Taken = TypeVar("Taken", contravariant=True)

    class Taking(Generic[Got, Taken]):
        """Annotates a field whose constructor takes more than the attribute then is."""

        def __get__(self, instance: object, owner: object) -> Got: ...
        def __set__(self, instance: object, value: Taken) -> None: ...
else:

    def dataclass_transform(**_: object) -> Callable[[type], type]:
        """Returns what leaves a class alone; type checkers know the real one."""
        return lambda kind: kind


class Frozen:
    """Equality, repr, pickling and immutability over `_fields`, the constructor's arguments.

    Written out because importing dataclasses costs a quarter of a short simulation.
    """

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls, made_often: bool = False) -> None:
        """Lets constructors say which arguments were meant; not for classes made by the million."""
        if "__init__" in vars(cls) and not made_often:
            cls.__init__ = explained(cls.__init__)  # type: ignore[method-assign]

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self._fields])

    def _content(self) -> tuple[Any, ...]:
        """Returns what counts for equality."""
        return self._values()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(tuple([one for one in self._content() if not isinstance(one, dict)]))

    def __repr__(self) -> str:
        pairs = zip(self._fields, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()


class _Lazily:
    """An attribute of a class of definitions that is made when it is first used.

    Args:
        name: Of the function of `fields.documentation` that makes it.
        given: What that is given beside the class.
    """

    def __init__(self, name: str, *given: Any) -> None:
        self._name, self._given = name, given

    def __get__(self, instance: object, owner: type) -> Any:
        from schedlab.fields import documentation

        return getattr(documentation, self._name)(owner, *self._given)


@dataclass_transform(
    frozen_default=True,
    field_specifiers=(
        number,
        seconds,
        whole,
        text,
        expression,
        identifier,
        word,
        part,
        parts,
        other,
        table,
        unchecked,
        alias,
    ),
)
class Defined(Frozen, made_often=True):
    """Base of definitions that declare their fields.

    A class may override `_complete`, which fills in and checks what depends on several fields,
    `_prefix`, which stands before the names of fields in messages, and `_hints`.

    Attributes:
        _reads_files: Whether its constructor takes `folder`, where relative paths begin.
        _one_of: Keys of which a table in a file has exactly one.
    """

    _reads_files = False
    _one_of: tuple[str, ...] = ()
    _declared: tuple[Declaration, ...] = ()
    _aliases: tuple[Alias, ...] = ()
    _known: frozenset[str] = frozenset()
    _required: frozenset[str] = frozenset()
    __signature__ = _Lazily("signature")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        found = [one for one in vars(cls).values() if isinstance(one, Declaration)]
        if not found:
            return
        names = [field.name for field in found if field.stored]
        aliases = [field for field in found if isinstance(field, Alias)]
        cls._declared, cls._fields, cls._aliases = tuple(found), tuple(names), tuple(aliases)
        cls._known = frozenset([*names, *[field.name for field in aliases]])
        needed = [one.name for one in found if one.stored and one.default is REQUIRED]
        cls._required = frozenset(needed)
        cls.__doc__ = _Lazily("docstring", cls.__doc__)  # type: ignore[assignment]
        for field in found:
            if not field.stored and field not in aliases:  # keys of files alone
                delattr(cls, field.name)

    def __init__(self, *given: Any, **named: Any) -> None:
        names = self._fields
        if given:
            if len(given) > len(names) or not named.keys().isdisjoint(names[: len(given)]):
                raise self._refused(given, named)
            named.update(zip(names, given, strict=False))
        for one in self._aliases:
            one.replace(named)
        if not self._required <= named.keys() or not named.keys() <= self._known:
            raise self._refused((), named)
        prefix = self._prefix(named)
        values = vars(self)
        for field in self._declared:
            if field.stored:
                value = named.get(field.name, field.default)
                if value is not field.default:
                    value = field.check(value, prefix[:-1] if field.is_key else prefix + field.key)
                elif field.made is not None:
                    value = field.made()
                values[field.name] = value
        self._complete()

    @classmethod
    def _prefix(cls, named: Mapping[str, Any]) -> str:
        """Returns what stands before the names of fields in messages.

        Args:
            named: What the constructor was given, by name; not checked.
        """
        return ""

    @classmethod
    def _hints(cls, table: Mapping[str, Any]) -> Mapping[str, str]:
        """Returns what to do about keys of a table that are not known, by key."""
        return {}

    def _complete(self) -> None:
        """Fills in and checks what depends on several fields; all of them are there."""

    def _refused(self, given: tuple[Any, ...], named: dict[str, Any]) -> ArgumentError:
        from inspect import signature

        from schedlab.calling import what_is_wrong

        name = type(self).__name__
        wrong = what_is_wrong(name, dict(signature(type(self)).parameters), given, named)
        return ArgumentError(wrong or f"{name}() got two values for one argument")

    def to_dict(self) -> dict[str, Any]:
        """Returns the content as plain data, by the keys that files have."""
        return self._table("to_dict")

    def described(self) -> dict[str, Any]:
        """Returns what run.json holds: the same, except for long lists, which it only describes."""
        return self._table("described")

    def _table(self, method: str) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for field in self._declared:
            if field.write is not None:
                value = field.write(self)
            elif field.stored and not field.is_key:
                value = vars(self)[field.name]
            else:
                continue
            if field.facts.get("by_name"):
                value = {one.name: one for one in value}
            if field.beside:
                table.update(_plain(value, method))
            elif value is not None and value not in ((), "", {}):
                table[field.key] = _plain(value, method)
        return table

    def _content(self) -> tuple[Any, ...]:
        counts = [field.compared for field in self._declared if field.stored]
        pairs = zip(self._values(), counts, strict=True)
        return tuple([value for value, counted in pairs if counted])


def in_table(declared: Iterable[Declaration]) -> list[Declaration]:
    """Returns the fields that tables have as keys; those of parts beside them are among them."""
    found = []
    for one in declared:
        if one.beside:
            found += in_table(one.facts["kind"]._declared)
        elif not (one.is_key or one.hidden):
            found.append(one)
    return found


def keys(kind: type[Defined]) -> tuple[str, ...]:
    """Returns the keys that a table of that kind may have, in the order of the declarations."""
    return tuple([one.key for one in in_table(kind._declared)])


def by_name(definition: Frozen) -> dict[str, Any]:
    """Returns the values of the fields of a definition, by name."""
    return dict(zip(definition._fields, definition._values(), strict=True))


def _plain(value: Any, method: str) -> Any:
    if hasattr(value, method):
        return getattr(value, method)()
    if isinstance(value, tuple):
        return [_plain(one, method) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one, method) for key, one in value.items()}
    return value
