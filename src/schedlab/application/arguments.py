"""Arguments of applications: texts such as `bytes=64k` as what the program's signature asks for."""

from __future__ import annotations

from functools import lru_cache

from schedlab.durations import duration_of
from schedlab.errors import InputError
from schedlab.fields import Defined, unchecked
from schedlab.finite import is_finite
from schedlab.part_arguments import refuse_arguments

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

KINDS = ("int", "float", "str", "bool")
MULTIPLES = {"k": 2**10, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
RUN = "run"
"""Instead of a number of iterations: as many as fill the job's recorded run time."""

_REQUIRED = object()


class Parameter(Defined):
    """An argument that a program takes."""

    name: str = unchecked("of the argument")
    kind: str = unchecked('"int", "float", "str" or "bool"')
    optional: bool = unchecked("whether it may be None")
    default: Any = unchecked("what it is where it is not given")
    iterations: bool = unchecked('whether it may be the word "run"')

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is _REQUIRED

    @property
    def is_size(self) -> bool:
        """Whether it is a number of bytes, by its name."""
        return self.kind == "int" and (self.name == "bytes" or self.name.endswith("_bytes"))

    @property
    def is_time(self) -> bool:
        """Whether it is a number of seconds, by its name."""
        named = self.name in ("compute", "seconds") or self.name.endswith("_seconds")
        return named and self.kind in ("int", "float")

    def read(self, given: object) -> Any:
        """Returns the value of a text, or the value itself where it is of the right kind.

        Raises:
            InputError: It is not; the message begins with what it must be.
        """
        if given is None or given == "None":
            if self.optional:
                return None
        elif self.iterations and given == RUN:
            return RUN
        elif isinstance(given, str):
            value = self._of_text(given)
            if value is not None and self._in_range(value):
                return value
        elif type(given).__name__ == self.kind and self._in_range(given):
            return given
        elif self.kind == "float" and type(given) is int and self._in_range(given):
            return float(given)
        raise InputError(f"{self.name} must be {self.wanted}, not {_shown(given)}")

    def _of_text(self, text: str) -> Any:
        """Returns the value of a text; None where it has none of the right kind."""
        if self.is_time:
            seconds = duration_of(text)
            if self.kind == "int" and seconds is not None:
                return int(seconds) if seconds.is_integer() else None
            return seconds
        if self.is_size and text[-1:] in MULTIPLES:
            count = _whole(text[:-1])
            return None if count is None else count * MULTIPLES[text[-1]]
        return _READERS[self.kind](text)

    @property
    def wanted(self) -> str:
        """What it must be, in words."""
        if self.iterations:
            words = 'a whole number from 1 up, or "run"'
        elif self.is_size:
            words = "a number of bytes from 0 up, such as 4096, 64k or 1M"
        elif self.is_time:
            words = "a number of seconds from 0 up, which may have units, such as 1h30m"
        else:
            words = {
                "int": "a whole number",
                "float": "a number",
                "str": "a text of one line, with one kind of quotes at most",
                "bool": "true or false",
            }[self.kind]
        return f"{words}, or None" if self.optional else words

    def _in_range(self, value: Any) -> bool:
        if self.kind == "str":  # as `written` can write it
            return len(f"{value}.".splitlines()) < 2 and not ("'" in value and '"' in value)
        if self.kind == "float" and not is_finite(value):
            return False
        if self.iterations:
            return bool(value >= 1)
        return bool(value >= 0) if self.is_size or self.is_time else True


@lru_cache(maxsize=256)
def parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Returns the arguments of a program, without its first one, in their order.

    Read off the function itself, since `inspect` costs more than a small simulation.

    Raises:
        InputError: One of them is annotated as something else than int, float, str or bool.
    """
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    keyword = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    defaults = dict(zip(reversed(positional), reversed(function.__defaults__ or ()), strict=False))
    defaults.update(function.__kwdefaults__ or {})
    goes_round = getattr(function, "iterative", False)
    found = []
    for name in (*positional[1:], *keyword):
        default = defaults.get(name, _REQUIRED)
        kind, optional = _kind(name, function.__annotations__.get(name), default)
        found.append(Parameter(name, kind, optional, default, goes_round and name == "iterations"))
    return tuple(found)


def read_arguments(
    function: Callable[..., Any], given: Mapping[str, object], text: str
) -> dict[str, Any]:
    """Returns the arguments that differ from their defaults, in the order of the signature.

    Args:
        function: The program.
        given: Texts, or values of the right kind, by name.
        text: The application as it was given, for messages.

    Raises:
        InputError: One is not known, is missing, or has a wrong value.
    """
    try:
        known = parameters(function)
    except InputError as error:
        raise InputError(f"application {text!r}: {error}") from None
    names = tuple(one.name for one in known)
    needed = [one.name for one in known if one.required]
    refuse_arguments("application", text, given, names, needed)
    values = {}
    for one in known:
        if one.name in given:
            try:
                value = one.read(given[one.name])
            except InputError as error:
                raise InputError(f"application {text!r}: {error}") from None
            if one.required or value != one.default:
                values[one.name] = value
    return values


def unquoted(text: str) -> str:
    """Returns a text without the quotes around it, if there are some."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text


def written(value: object) -> str:
    """Returns a value as text, in quotes where commas or brackets in it would mean something."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return repr(value)
    plain = value == value.strip() and not set(value) & set(",()[]'\"")
    if value and plain:
        return value
    return f'"{value}"' if '"' not in value else f"'{value}'"


def _kind(name: str, annotation: object, default: object) -> tuple[str, bool]:
    """Returns the kind of an argument, and whether it may be None."""
    if annotation is None:
        kind = "str" if default is None or default is _REQUIRED else type(default).__name__
        return _known_kind(name, kind), default is None
    words = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    alternatives = [word.strip() for word in words.split("|")]
    optional = "None" in alternatives
    kinds = [word for word in alternatives if word != "None"]
    return _known_kind(name, kinds[0] if len(kinds) == 1 else words), optional


def _known_kind(name: str, kind: str) -> str:
    if kind not in KINDS:
        raise InputError(
            f"{name} is a {kind}; arguments of applications are of {', '.join(KINDS[:-1])} or "
            f"{KINDS[-1]}"
        )
    return kind


def _whole(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_READERS: dict[str, Callable[[str], Any]] = {
    "int": _whole,
    "float": _number,
    "bool": lambda text: {"true": True, "false": False}.get(text.lower()),
    "str": lambda text: text,
}


def _shown(given: object) -> str:
    return given if isinstance(given, str) else repr(given)
