"""Parts by name: `easy`, `easy(order=shortest)`, `package.module:Class(share=0.5)`.

`find` is the one place where a name becomes code, and so the one that decides whether it may.
"""

from __future__ import annotations

import os

from schedlab.errors import InputError, did_you_mean
from schedlab.former_names import present_name
from schedlab.loading import is_of_users, load
from schedlab.trust import handed_over, like, origin_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from importlib.metadata import EntryPoint

    from schedlab.trust import Origin

GROUPS = {
    "additional data": "schedlab.additional_data",
    "job factory": "schedlab.job_factories",
}
"""Groups of entry points whose name is not simply the plural of the kind."""

LONGEST_TEXT = 20_000
"""Characters of a part with its arguments, or of an expression: far more than a person writes."""


def refuse_long(kind: str, text: str) -> None:
    """Raises InputError for a text that is far too long to be a part or an expression."""
    if len(text) > LONGEST_TEXT:
        raise InputError(
            f"{kind} {text[:40]!r}...: has {len(text):,} characters; write it in at most "
            f"{LONGEST_TEXT:,}"
        )


def parse_call(text: str, kind: str) -> tuple[str, dict[str, str]]:
    """Returns the name and the keyword arguments of a text such as `easy(depth=100)`.

    Arguments may hold brackets or quotes and, within them, commas:
    `easy(score=max(wait, 1) * user)`.
    """
    refuse_long(kind, text)
    name, bracket, rest = text.strip().partition("(")
    name = like(text, name.strip())
    if not bracket:
        return name, {}
    if not rest.endswith(")"):
        raise InputError(f"{kind} {text!r}: the closing bracket is missing")
    arguments: dict[str, str] = {}
    for part in split_at_commas(rest[:-1]):
        if not part.strip():
            continue
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            raise InputError(
                f"{kind} {text!r}: write arguments as name=value, not {part.strip()!r}"
            )
        if key in arguments:
            raise InputError(f"{kind} {text!r}: {key} is given twice")
        arguments[key] = like(text, value)
    return name, arguments


def split_at_commas(text: str) -> list[str]:
    """Splits at commas outside of brackets and quotes."""
    parts, first, depth, quote = [], 0, 0, ""
    for place, character in enumerate(text):
        if character in "'\"" and quote in ("", character):
            quote = "" if quote else character
        elif not quote:
            depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0 and not quote:
            parts.append(text[first:place])
            first = place + 1
    return [*parts, text[first:]]


def unknown(kind: str, name: str, known: tuple[str, ...]) -> InputError:
    """Returns the error for a name that is not one of the known ones."""
    names = ", ".join((*known, "or package.module:Name"))
    return InputError(f'unknown {kind} "{name}"; {did_you_mean(name, known)}known: {names}')


def not_taken(kind: str, text: str, key: str, known: tuple[str, ...]) -> InputError:
    """Returns the error for an argument that a built-in part does not take.

    Args:
        kind: "scheduler", "plot" and so on.
        text: What was given, such as `easy(dept=100)`.
        key: The argument.
        known: Those that it takes.
    """
    name = parse_call(text, kind)[0]
    *others, last = known or ("no arguments",)
    takes = f"{', '.join(others)} and {last}" if others else last
    hint = did_you_mean(key, known).rstrip()
    return InputError(f"{kind} {text!r}: {name} takes {takes}, not {key}{hint and '; ' + hint}")


def find(kind: str, name: str, homes: Mapping[str, str], origin: Origin) -> object | None:
    """Returns what a name stands for; None where it stands for nothing.

    This is where it is decided whether a name may stand for code: what is built in and what
    installed packages offer always may; any other code may if the name is of the person, or of
    data that the person trusts.

    Args:
        kind: "scheduler", "allocator" and so on.
        name: Without arguments.
        homes: `package.module:Name` of what is built in, by name.
        origin: Where the name comes from.

    Raises:
        InputError: It cannot be loaded.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    origin = origin_of(name, origin)
    home = homes.get(name) or present_name(name)
    if home in homes.values():
        return load(kind, home)
    if ":" in name and origin.allows(name):
        return load(kind, name)
    refused = name if ":" in name else ""
    for point in _offered(kind, name):
        if origin.allows(point.value) or _is_installed(point):
            return _loaded(kind, name, point)
        refused = refused or f"{name} ({point.value})"
    if refused:
        raise origin.refusal(kind, refused)
    return None


def load_own(home: str) -> object:
    """Returns something of schedlab itself, which only its own code names."""
    assert home.startswith("schedlab."), home
    return load("part", home)


def refuse_code(kind: str, name: str, origin: Origin) -> None:
    """Raises UntrustedCodeError for the name of code that may not run; nothing is loaded.

    For names that are looked up later: what is wrong with them is said when they are given.
    """
    origin = origin_of(name, origin)
    if not origin.allows(name):
        raise origin.refusal(kind, name)


def is_offered(kind: str, name: str) -> bool:
    """Returns whether an installed package offers something of that name."""
    return any(True for _ in _offered(kind, name))


def _offered(kind: str, name: str) -> Iterable[EntryPoint]:
    """Returns the entry points in `schedlab.<kind>s` of a name, or of what is named there."""
    from importlib.metadata import entry_points

    group = GROUPS.get(kind, f"schedlab.{kind}s")
    if ":" not in name:
        return entry_points(group=group, name=name)
    return [point for point in entry_points(group=group) if point.value == name]


def _is_installed(point: EntryPoint) -> bool:
    """Whether an entry point is of an installed package, and not of files in this folder.

    Python started in some ways looks for packages in the current folder, too, and whatever lies
    there is data.
    """
    if point.dist is None:
        return False
    folder = os.path.realpath(str(point.dist.locate_file("")))
    return folder != os.path.realpath(os.curdir) or folder.endswith("-packages")


def _loaded(kind: str, name: str, point: EntryPoint) -> object:
    try:
        return point.load()
    except Exception as error:
        raise InputError(
            f"{kind} {name!r}: {point.value} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def build(
    kind: str,
    text: str,
    base: type,
    known: Iterable[str] | Mapping[str, str],
    arguments: tuple[object, ...] = (),
    *,
    origin: Origin,
) -> object:
    """Returns the object that a name stands for.

    Args:
        kind: "scheduler", "allocator" and so on.
        text: A known name, `package.module:Name` or the name of an entry point, perhaps with
            arguments.
        base: The class that the object must be of.
        known: Built-in names: with `package.module:Name` of each, or for the message only.
        arguments: What the class is called with, before the arguments of the text.
        origin: Where the text comes from.

    Raises:
        InputError: There is no such thing, it is of another kind, or it does not take the
            arguments.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    name, given = parse_call(text, kind)
    found = _find(kind, name, known, origin)
    if isinstance(found, type):
        made_of = found
    else:
        _require_maker(kind, text, found, base)
        made_of = base
    if not issubclass(made_of, base):
        raise InputError(_other_kind(kind, text, made_of, base))
    made = _call(kind, text, found, arguments, given, origin)
    if not isinstance(made, base):
        raise InputError(_other_kind(kind, text, type(made), base))
    return made


def part_class(kind: str, name: str, base: type, homes: Mapping[str, str], origin: Origin) -> type:
    """Returns the class that a name stands for.

    Args:
        kind: "scheduler", "plot" and so on.
        name: A name of `homes`, `package.module:Class` or the name of an entry point.
        base: What it must be derived from.
        homes: `package.module:Class` of what is built in, by name.
        origin: Where the name comes from.

    Raises:
        InputError: There is no such thing, or it is of another kind.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    found = _find(kind, name, homes, origin)
    if not isinstance(found, type) or not issubclass(found, base):
        raise InputError(f"{kind} {name!r}: is not a class derived from schedlab.{base.__name__}")
    return found


def function(kind: str, text: str, origin: Origin) -> object:
    """Returns the function that a name stands for, or the object, if it names a class.

    Args:
        kind: "job factory" and so on.
        text: `package.module:function`, `package.module:Class(share=0.5)`, or an entry point.
        origin: Where the text comes from.

    Raises:
        InputError: There is no such thing, or it does not take the arguments.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    name, given = parse_call(text, kind)
    found = _find(kind, name, (), origin)
    if isinstance(found, type) and not any("__call__" in vars(one) for one in found.__mro__):
        raise InputError(f"{kind} {text!r}: objects of class {found.__name__} cannot be called")
    require_own_function(kind, name, found)
    made = given or isinstance(found, type)
    return _call(kind, text, found, (), given, origin) if made else found


def require_own_function(kind: str, name: str, found: object) -> None:
    """Raises InputError for a function of Python or of an installed package that does not offer it.

    A name must not call any function there is, with what a simulation hands to it.

    Args:
        kind: "order" and so on.
        name: Without arguments.
        found: What it stands for.
    """
    if not is_of_users(found) and not is_offered(kind, name):
        raise InputError(f"{kind} {name!r}: is not a function of yours, nor is it offered")


def _find(
    kind: str, name: str, known: Iterable[str] | Mapping[str, str], origin: Origin
) -> Callable[..., object]:
    found = find(kind, name, known if isinstance(known, dict) else {}, origin)
    if found is None:
        raise unknown(kind, name, tuple(known))
    if not callable(found):
        raise InputError(f"{kind} {name!r}: is not a class or function")
    return found


def _require_maker(kind: str, text: str, found: Callable[..., object], base: type) -> None:
    """Raises InputError for a function that makes no such part, before it is called.

    A function of the user's own may say what it makes or not. One of Python or of an installed
    package must say it, or be an entry point: a name must not call any function there is.
    """
    if is_of_users(found) or is_offered(kind, parse_call(text, kind)[0]):
        return
    told = getattr(found, "__annotations__", {}).get("return")
    if isinstance(told, str):
        told = getattr(found, "__globals__", {}).get(told)
    if not (isinstance(told, type) and issubclass(told, base)):
        raise InputError(
            f"{kind} {text!r}: is a function that does not say that it returns a "
            f"schedlab.{base.__name__}; name a class"
        )


def _other_kind(kind: str, text: str, made: type, base: type) -> str:
    return f"{kind} {text!r}: gives {made.__name__}, which is not a schedlab.{base.__name__}"


def _call(
    kind: str,
    text: str,
    found: Callable[..., object],
    arguments: tuple[object, ...],
    given: dict[str, str],
    origin: Origin,
) -> object:
    try:
        return found(*arguments, **{key: _value(it, origin) for key, it in given.items()})
    except InputError:
        raise
    except Exception as error:
        if isinstance(error, TypeError):
            _refuse_unknown(kind, text, found, len(arguments), given)
        raise InputError(f"{kind} {text!r}: {type(error).__name__}: {error}") from error


def _refuse_unknown(
    kind: str, text: str, found: Callable[..., object], before: int, given: dict[str, str]
) -> None:
    """Raises InputError with the arguments that something takes, if one is given that it does not.

    Args:
        kind: "rule" and so on.
        text: What was given, such as `flurries(factr=3)`.
        found: What it stands for.
        before: How many arguments come before those of the text.
        given: Those of the text.
    """
    from inspect import signature

    try:
        takes = list(signature(found).parameters.values())[before:]
    except (TypeError, ValueError):  # of some classes that are written in C
        return
    if any(one.kind is one.VAR_KEYWORD for one in takes):
        return
    names = [one.name for one in takes if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    for key in given:
        if key not in names:
            raise not_taken(kind, text, key, tuple(names)) from None


def _value(text: str, origin: Origin) -> object:
    """Returns a number, True, False, None or the text itself."""
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return handed_over(text.strip("'\""), origin_of(text, origin))
