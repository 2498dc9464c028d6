"""Definitions declare their fields, each once: type, unit, bounds, default and meaning.

    class SwitchOff(Defined):
        after: float = number("how long a node must have been idle", unit="s", maximum=MAX_SECONDS)
        to: str = word(("off", "sleeping"), "the state that it is put into", default="off")

From the declarations come the constructor and its checks, equality, hash and repr, plain data
(`to_dict`), the reading of files (`fields.reading`), the tables of the documentation
(`fields.documentation`) and a JSON Schema (`fields.schema`).
"""

from __future__ import annotations

from schedlab import decode
from schedlab.calling import explained
from schedlab.errors import ArgumentError, InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Generic, NoReturn, TypeVar, dataclass_transform

    from schedlab.fields.reading import Tables

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
        """Lets constructors say which arguments were meant, but for classes made by the million."""
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


REQUIRED: Any = object()
"""The default of fields that have none."""


class Declaration:
    """What is known of one field.

    Args:
        sort: What kind of field it is: the name of the function below that made it.
        check: Given a value and its path, returns the value as the attribute has it; raises
            InputError, beginning with the path.
        meaning: One line for people, in the words of the documentation.
        default: The value where none is given, as the attribute then is; it is not checked.
        facts: The bounds and what else the kind of field has.
        **rest: Any of the attributes below.

    Attributes:
        name: Of the attribute and of the constructor's argument.
        key: In files: the name, without the underscore after a word of Python's own.
        stored: Whether it is an attribute, and not a key of files alone.
        unit: Of a number.
        values: What it may be, in words, where the kind of field does not say it.
        absent: What the documentation calls the default, where the value does not say it.
        example: TOML text of a value, for the message that the field is missing.
        compared: Whether it counts for equality.
        hidden: Whether files do not have it.
        is_key: Whether the key of the table in a file says it, and not a key inside the table.
        made: What makes the value where none is given, for fields whose default is None.
        read: What makes a value of the plain data of a file, given that, its path and the `Tables`
            that is being read.
        written: The JSON Schema of that plain data, where the kind of field does not say it.
        needed: Whether files must have it all the same where it has a default.
        lends: Whether nothing else is required where this key is given.
        beside: Whether the keys of this part stand beside those of the table itself.
        group, forms, metavar: Of options of commands: the heading in --help, the words that it may
            be given, and what stands for any other value.
    """

    name = key = ""
    stored = True
    unit = values = absent = example = group = metavar = ""
    compared = True
    hidden = is_key = needed = lends = beside = False
    made: Callable[[], Any] | None = None
    forms: tuple[str, ...] = ()
    read: Callable[[Any, str, Tables], Any] | None = None
    written: Mapping[str, Any] | None = None

    def __init__(
        self,
        sort: str,
        check: Callable[[Any, str], Any],
        meaning: str,
        default: Any = REQUIRED,
        facts: Mapping[str, Any] | None = None,
        **rest: Any,
    ) -> None:
        self.sort, self.check, self.meaning = sort, check, meaning
        self.default, self.facts = default, facts or {}
        vars(self).update(rest)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.key = name, name.rstrip("_")


class _Table(Declaration):
    """A dict, of which the attribute is a copy."""

    def __get__(self, instance: object, owner: type) -> Any:
        return self if instance is None else dict(vars(instance)[self.name])

    def __set__(self, instance: object, value: Any) -> None:
        vars(instance)[self.name] = value


def number(
    meaning: str,
    *,
    above: float | None = None,
    below: float | None = None,
    minimum: float = 0.0,
    maximum: float = decode.MAX_AMOUNT,
    **rest: Any,
) -> Any:
    """Returns a field that is a number within bounds; see `decode.number`."""
    bounds: Any = {"above": above, "below": below, "minimum": minimum, "maximum": maximum}

    def check(value: Any, path: str) -> float:
        return decode.number(value, path, **bounds)

    return Declaration("number", check, meaning, facts=bounds, **rest)


def whole(meaning: str, *, minimum: int = 0, maximum: int = decode.MAX_AMOUNT, **rest: Any) -> Any:
    """Returns a field that is a whole number within bounds."""
    bounds = {"minimum": minimum, "maximum": maximum}

    def check(value: Any, path: str) -> int:
        return decode.whole_number(value, path, **bounds)

    return Declaration("whole", check, meaning, facts=bounds, **rest)


def text(meaning: str, **rest: Any) -> Any:
    """Returns a field that is text of one line."""
    return Declaration("text", decode.text, meaning, **rest)


def identifier(meaning: str, **rest: Any) -> Any:
    """Returns a field that can name a group or the like."""
    return Declaration("identifier", decode.identifier, meaning, **rest)


def word(words: Sequence[str], meaning: str, *, what: str = "", **rest: Any) -> Any:
    """Returns a field that is one of a few words.

    Args:
        words: The words.
        meaning: As for every field.
        what: What messages call such a word, where there may be many; empty: they list them.
        **rest: As for every field.
    """

    def check(value: Any, path: str) -> str:
        if what:
            return decode.one_of(value, words, path, what)
        if not isinstance(value, str) or value not in words:
            choice = " or ".join(f'"{one}"' for one in words)
            raise InputError(f"{path}: must be {choice} (is {decode.shown(value)})")
        return value

    return Declaration("word", check, meaning, facts={"words": words}, **rest)


def part(kind: type[Defined], meaning: str, *, form: str = "a {}", **rest: Any) -> Any:
    """Returns a field that is another definition; `form` is how messages name it."""

    def check(value: Any, path: str) -> Any:
        if not isinstance(value, kind):
            name = form.format(kind.__name__)
            raise InputError(f"{path}: must be {name} (is {decode.shown(value)})")
        return value

    return Declaration("part", check, meaning, facts={"kind": kind}, **rest)


def parts(kind: type[Defined], meaning: str, **rest: Any) -> Any:
    """Returns a field of several definitions of one kind."""

    def check(value: Any, path: str) -> tuple[Any, ...]:
        name = kind.__name__
        if isinstance(value, (str, dict, kind)) or not hasattr(value, "__iter__"):
            raise InputError(f"{path}: must be a list of {name} (is {decode.shown(value)})")
        made = tuple(value)
        for place, one in enumerate(made, 1):
            if not isinstance(one, kind):
                raise InputError(f"{path}[{place}]: must be a {name} (is {decode.shown(one)})")
        return made

    return Declaration("parts", check, meaning, facts={"kind": kind}, **rest)


def other(check: Callable[[Any, str], Any], meaning: str, **rest: Any) -> Any:
    """Returns a field with a check of its own."""
    return Declaration("other", check, meaning, **rest)


def table(check: Callable[[Any, str], Any], meaning: str, **rest: Any) -> Any:
    """Returns a field with a check of its own that is a dict: the attribute is a copy."""
    return _Table("table", check, meaning, made=dict, **rest)


def file_key(meaning: str, **rest: Any) -> Any:
    """Returns a key of tables in files that is not an attribute: it says how to get the others."""
    return Declaration("file_key", lambda value, _: value, meaning, stored=False, **rest)


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
    field_specifiers=(number, whole, text, identifier, word, part, parts, other, table),
)
class Defined(Frozen, made_often=True):
    """Base of definitions that declare their fields.

    A class may override `_complete`, which fills in and checks what depends on several fields, and
    `_prefix`, which stands before the names of fields in messages.

    Attributes:
        _reads_files: Whether its constructor takes `folder`, where relative paths begin.
        _one_of: Keys of which a table in a file has exactly one.
    """

    _reads_files = False
    _one_of: tuple[str, ...] = ()
    _declared: tuple[Declaration, ...] = ()
    _known: frozenset[str] = frozenset()
    _required: frozenset[str] = frozenset()
    __signature__ = _Lazily("signature")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        found = [one for one in vars(cls).values() if isinstance(one, Declaration)]
        if not found:
            return
        cls._declared = tuple(found)
        stored = [field for field in found if field.stored]
        cls._fields = tuple([field.name for field in stored])
        cls._known = frozenset(cls._fields)
        cls._required = frozenset([one.name for one in stored if one.default is REQUIRED])
        cls.__doc__ = _Lazily("docstring", cls.__doc__)  # type: ignore[assignment]
        for field in found:
            if not field.stored:  # keys of files alone are not attributes
                delattr(cls, field.name)

    def __init__(self, *given: Any, **named: Any) -> None:
        names = self._fields
        if given:
            if len(given) > len(names) or not named.keys().isdisjoint(names[: len(given)]):
                raise self._refused(given, named)
            named.update(zip(names, given, strict=False))
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
        """Returns what run.json holds: the same, but for long lists, which it only describes."""
        return self._table("described")

    def _table(self, method: str) -> dict[str, Any]:
        table = {}
        for field in self._declared:
            written = field.stored and not field.is_key
            value = vars(self)[field.name] if written else None
            if value is not None and value not in ((), "", {}):
                table[field.key] = _plain(value, method)
        return table

    def _content(self) -> tuple[Any, ...]:
        counts = [field.compared for field in self._declared if field.stored]
        pairs = zip(self._values(), counts, strict=True)
        return tuple([value for value, counted in pairs if counted])


def keys(kind: type[Defined]) -> tuple[str, ...]:
    """Returns the keys that a table of that kind may have, in the order of the declarations."""
    return tuple([one.key for one in kind._declared if not (one.is_key or one.hidden)])


def _plain(value: Any, method: str) -> Any:
    if hasattr(value, method):
        return getattr(value, method)()
    if isinstance(value, tuple):
        return [_plain(one, method) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one, method) for key, one in value.items()}
    return value
