"""Arguments of parts that are named by texts: their values, and those that a part does not take."""

from __future__ import annotations

from schedlab.errors import InputError, did_you_mean
from schedlab.fields import Defined
from schedlab.fields.reading import of_text
from schedlab.trust import PERSON, handed_over, like, origin_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from schedlab.fields import Declaration
    from schedlab.trust import Origin

_OPEN_ENDED = 0x08
"""Of the flags of a function: it takes arguments of any name."""


_WORDS = {"True": True, "False": False, "None": None}


def values_of(
    found: Callable[..., object],
    given: Mapping[str, str],
    origin: Origin | None,
    read: Callable[[str, str], object] | None = None,
) -> dict[str, object]:
    """Returns the values of the arguments of a text.

    Args:
        found: What the name stands for.
        given: The texts of the arguments, by name.
        origin: Where they come from.
        read: Returns the value of an argument of its name and text; None: as the fields of a
            definition are declared, and else as Python has it.
    """
    fields = {one.name: one for one in _declared(found)}

    def value(key: str, text: str) -> object:
        if read is not None:
            return read(key, text)
        return of_text(fields[key], text) if key in fields else _as_in_python(text)

    return {
        key: value(key, handed_over(it, origin_of(it, origin or PERSON)))
        for key, it in given.items()
    }


def _as_in_python(text: str) -> object:
    """Returns a number, True, False, None or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return like(text, text.strip("'\""))


def _declared(found: object) -> Sequence[Declaration]:
    """Returns the fields of a definition that its constructor takes; none of anything else."""
    if not isinstance(found, type) or not issubclass(found, Defined):
        return ()
    own_constructor = found.__init__ is not Defined.__init__
    return () if own_constructor else [one for one in found._declared if one.taken]


def with_names(kind: str, text: str, parts: Sequence[str], names: Sequence[str]) -> list[str]:
    """Returns the arguments of a text, each with its name; those by their place come first.

    Args:
        kind: "distribution" and so on.
        text: What was given.
        parts: Its arguments, with or without a name.
        names: Of the arguments in their order; as for `naming.named`.
    """
    plain: list[str] = []
    named: list[str] = []
    for part in [one.strip() for one in parts if one.strip()]:
        if "=" in part and part.partition("=")[0].strip().isidentifier():
            named.append(part)
        elif named:
            raise InputError(f"{kind} {text!r}: {part} needs a name, as it follows {named[-1]}")
        else:
            plain.append(part)
    if plain and names and names[0].startswith("*"):
        plain = [", ".join(plain)]
    if names and len(plain) > len(names):
        name = text.partition("(")[0].strip()
        raise InputError(
            f"{kind} {text!r}: {len(plain)} values without a name, but {name} takes "
            f"{', '.join(names)}"
        )
    pairs = [f"{key.lstrip('*')}={value}" for key, value in zip(names, plain, strict=False)]
    return [*pairs, *plain[len(pairs) :], *named]


def arguments_of(
    found: Callable[..., object], before: int, also_open_ended: bool = False
) -> tuple[tuple[str, ...], list[str]] | None:
    """Returns the names of the arguments that something takes, and of those that it needs.

    Read off the function itself, since `inspect` costs more than a small simulation. None: that is
    not known, as of code that is written in C.

    Args:
        found: A class or a function.
        before: How many arguments come before.
        also_open_ended: Whether to return those with a name of something that takes any others.
    """
    fields = _declared(found)
    if fields:
        return tuple([one.name for one in fields]), [*found._required]  # type: ignore[attr-defined]
    is_class = isinstance(found, type)
    function: Any = found.__init__ if is_class else found
    if function is object.__init__:
        return (), []
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None or (code.co_flags & _OPEN_ENDED and not also_open_ended):
        return None
    positional = code.co_varnames[: code.co_argcount]
    keyword = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    optional = {*positional[code.co_argcount - len(function.__defaults__ or ()) :]}
    optional.update(function.__kwdefaults__ or ())
    bound = int(is_class or hasattr(function, "__self__"))
    names = (*positional, *keyword)[bound + before :]
    return names, [name for name in names if name not in optional]


def check_arguments(
    kind: str,
    text: str,
    given: Iterable[str],
    found: Callable[..., object],
    before: int = 0,
    takes: Callable[[str], Sequence[str]] | None = None,
    *,
    all_there: bool = False,
) -> None:
    """Raises InputError for an argument that a part does not take.

    Args:
        kind: "scheduler", "plot" and so on.
        text: What was given, such as `easy(dept=100)`.
        given: The names of the arguments in it.
        found: What the name stands for.
        before: How many arguments come before those of the text.
        takes: Returns those that it takes, by its name; None: those of its constructor.
        all_there: Whether to raise for one that it needs and that is not given, too.
    """
    own = arguments_of(found, before, takes is not None)
    known: Sequence[str] | None = None if own is None else own[0]
    if takes is not None:
        known = takes(text.partition("(")[0].strip())
    if known is not None:
        refuse_arguments(kind, text, given, known, own[1] if own and all_there else ())


def refuse_arguments(
    kind: str, text: str, given: Iterable[str], known: Sequence[str], needed: Iterable[str] = ()
) -> None:
    """Raises InputError for arguments that are not known, or that are needed and not given.

    Args:
        kind: "scheduler", "plot" and so on.
        text: What was given.
        given: The names of the arguments in it.
        known: Those that the part takes.
        needed: Those that it must have.
    """
    name = text.partition("(")[0].strip()
    *others, last = known or ("no arguments",)
    takes = f"{name} takes {', '.join(others)} and {last}" if others else f"{name} takes {last}"
    for key in given:
        if key not in known:
            hint = did_you_mean(key, known).rstrip()
            raise InputError(f"{kind} {text!r}: {takes}, not {key}{hint and '; ' + hint}")
    missing = " and ".join([one for one in needed if one not in given])
    if missing:
        raise InputError(f"{kind} {text!r}: {missing} missing; {takes}")
