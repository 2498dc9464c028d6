"""Kinds of fields: what is known of each, and the check of its values."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from schedlab.fields import Defined
    from schedlab.fields.reading import Tables

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
        stored: Whether it is an attribute, and not a key of files or an argument alone.
        taken: Whether the constructor takes it.
        unit: Of a number.
        values: What it may be, in words, where the kind of field does not say it.
        absent: What the documentation calls the default, where the value does not say it.
        example: TOML text of a value, for the message that the field is missing; of tables by
            name, such a name.
        compared: Whether it counts for equality.
        hidden: Whether files do not have it.
        is_key: Whether the key of the table in a file says it, and not a key inside the table.
        made: What makes the value where none is given, for fields whose default is None.
        read: What makes a value of the plain data of a file, given that, its path and the `Tables`
            that is being read.
        write: What files say of it, given the definition, where that is not the attribute.
        written: The JSON Schema of that plain data, where the kind of field does not say it.
        needed: Whether files must have it all the same where it has a default.
        lends: Whether nothing else is required where this key is given.
        beside: Whether the keys of this part stand beside those of the table itself.
        group, forms, metavar: Of options of commands: the heading in --help, the words that it may
            be given, and what stands for any other value.
    """

    name = key = ""
    stored = taken = True
    unit = values = absent = example = group = metavar = ""
    compared = True
    hidden = is_key = needed = lends = beside = False
    made: Callable[[], Any] | None = None
    forms: tuple[str, ...] = ()
    read: Callable[[Any, str, Tables], Any] | None = None
    write: Callable[[Any], Any] | None = None
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


class Alias(Declaration):
    """An argument that says another field in another way; the attribute is worked out of that."""

    def __get__(self, instance: object, owner: type) -> Any:
        return self if instance is None else self.facts["read"](instance)

    def replace(self, named: dict[str, Any]) -> None:
        """Puts the field itself into the arguments of a constructor, where the alias is there."""
        given, of = named.pop(self.name, None), self.facts["of"]
        if given is not None:
            if of in named:
                raise InputError(f"give {of} or {self.name}, not both")
            named[of] = self.facts["make"](given)


def number(
    meaning: str,
    *,
    above: float | None = None,
    below: float | None = None,
    minimum: float = 0.0,
    maximum: float = decode.MAX_AMOUNT,
    as_written: bool = False,
    **rest: Any,
) -> Any:
    """Returns a field that is a number within bounds; see `decode.number`.

    Args:
        meaning: As for every field.
        above: The number must be larger than this; stands in for `minimum`.
        below: The number must be smaller than this; stands in for `maximum`.
        minimum: Least number.
        maximum: Largest number.
        as_written: Whether 5 stays 5, and does not become 5.0.
        **rest: As for every field.
    """
    bounds = {"above": above, "below": below, "minimum": minimum, "maximum": maximum}
    return Declaration("number", _number(bounds, as_written), meaning, facts=bounds, **rest)


def seconds(
    meaning: str,
    *,
    above: float | None = None,
    minimum: float = 0.0,
    maximum: float = decode.MAX_AMOUNT,
    as_written: bool = False,
    **rest: Any,
) -> Any:
    """Returns a field that is a time: seconds, or a text with units such as "1h30m"."""
    bounds = {"above": above, "below": None, "minimum": minimum, "maximum": maximum}
    check = _number(bounds, as_written, decode.duration)
    rest = {"unit": 's or `"1h30m"`', **rest}
    return Declaration("seconds", check, meaning, facts=bounds, **rest)


def _number(
    bounds: dict[str, Any],
    as_written: bool,
    first: Callable[[Any, str], Any] | None = None,
) -> Callable[[Any, str], float]:
    """Returns the check of a number; `first` makes one of what else it may be."""

    def check(value: Any, path: str) -> float:
        given: float = value if first is None else first(value, path)
        checked = decode.number(given, path, **bounds)
        return given if as_written else checked

    return check


def whole(
    meaning: str,
    *,
    minimum: int = 0,
    maximum: int = decode.MAX_AMOUNT,
    none: str | None = None,
    **rest: Any,
) -> Any:
    """Returns a field that is a whole number within bounds.

    Args:
        meaning: As for every field.
        minimum: Least number.
        maximum: Largest number.
        none: The word for None, where it may be None though that is not the default.
        **rest: As for every field.
    """
    bounds = {"minimum": minimum, "maximum": maximum}

    def check(value: Any, path: str) -> int | None:
        if none is not None and (value is None or value == none):
            return None
        return decode.whole_number(value, path, **bounds)

    return Declaration("whole", check, meaning, facts={**bounds, "none": none}, **rest)


def text(meaning: str, **rest: Any) -> Any:
    """Returns a field that is text of one line."""
    return Declaration("text", decode.text, meaning, **rest)


def expression(meaning: str, **rest: Any) -> Any:
    """Returns a field that is an expression, which the engine parses."""
    return Declaration("expression", decode.expression, meaning, **rest)


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


def parts(
    kind: type[Defined],
    meaning: str,
    *,
    by_name: bool = False,
    most: int | None = None,
    **rest: Any,
) -> Any:
    """Returns a field of several definitions of one kind.

    Args:
        kind: Their class.
        meaning: As for every field.
        by_name: Whether files have them as tables by their names, and not in a list.
        most: How many there may be.
        **rest: As for every field.
    """

    def check(value: Any, path: str) -> tuple[Any, ...]:
        name = kind.__name__
        if isinstance(value, (str, dict, kind)) or not hasattr(value, "__iter__"):
            raise InputError(f"{path}: must be a list of {name} (is {decode.shown(value)})")
        made = tuple(value)
        decode.refuse_more(len(made), most, path)
        for place, one in enumerate(made, 1):
            if not isinstance(one, kind):
                raise InputError(f"{path}[{place}]: must be a {name} (is {decode.shown(one)})")
        return made

    facts = {"kind": kind, "by_name": by_name, "most": most}
    return Declaration("parts", check, meaning, facts=facts, **rest)


def other(check: Callable[[Any, str], Any], meaning: str, **rest: Any) -> Any:
    """Returns a field with a check of its own."""
    return Declaration("other", check, meaning, **rest)


def table(check: Callable[[Any, str], Any], meaning: str, **rest: Any) -> Any:
    """Returns a field with a check of its own that is a dict: the attribute is a copy."""
    return _Table("table", check, meaning, made=dict, **rest)


def unchecked(meaning: str, **rest: Any) -> Any:
    """Returns a field of any value, which code puts there and no file."""
    return Declaration("unchecked", _as_given, meaning, hidden=True, **rest)


def alias(
    of: str, meaning: str, *, make: Callable[[Any], Any], read: Callable[[Any], Any], **rest: Any
) -> Any:
    """Returns an argument that says another field in another way.

    Args:
        of: That field.
        meaning: As for every field.
        make: Returns the value of that field, given the argument.
        read: Returns what the argument would be, given the definition; None: there is no such way.
        **rest: As for every field.
    """
    facts = {"of": of, "make": make, "read": read}
    return Alias("alias", _as_given, meaning, None, facts, stored=False, hidden=True, **rest)


def file_key(meaning: str, **rest: Any) -> Any:
    """Returns a key of tables in files that is not an attribute: it says how to get the others."""
    rest = {"stored": False, "taken": False, **rest}
    return Declaration("file_key", _as_given, meaning, **rest)


def _as_given(value: Any, _: str) -> Any:
    return value
