"""Parts by name: `easy`, `easy(order=shortest)`, `package.module:Class(share=0.5)`.

`find` is the one place where a name becomes code, and so the one that decides whether it may.
"""

from __future__ import annotations

from schedlab.decode import LONGEST_TEXT
from schedlab.errors import InputError, did_you_mean
from schedlab.former_names import present_name
from schedlab.loading import is_of_users, load
from schedlab.trust import like, origin_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from schedlab.trust import Origin


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
    name, inside = _divided(text, kind)
    return name, _arguments(text, kind, split_at_commas(inside))


def _divided(text: str, kind: str) -> tuple[str, str]:
    """Returns the name, and what stands in the brackets after it."""
    refuse_long(kind, text)
    name, bracket, rest = text.strip().partition("(")
    if bracket and not rest.endswith(")"):
        raise InputError(f"{kind} {text!r}: the closing bracket is missing")
    return like(text, name.strip()), rest[:-1]


def _arguments(text: str, kind: str, parts: Iterable[str]) -> dict[str, str]:
    """Returns the arguments of a text by name, of parts such as `depth=100`."""
    arguments: dict[str, str] = {}
    for part in parts:
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
    return arguments


def places_outside(text: str, separator: str) -> list[int]:
    """Returns where a character stands outside of brackets and quotes."""
    places, depth, quote = [], 0, ""
    for place, character in enumerate(text):
        if character in "'\"" and quote in ("", character):
            quote = "" if quote else character
        elif not quote:
            depth += (character in "([") - (character in ")]")
        if character == separator and depth == 0 and not quote:
            places.append(place)
    return places


def split_at_commas(text: str) -> list[str]:
    """Splits at commas outside of brackets and quotes."""
    parts, first = [], 0
    for place in places_outside(text, ","):
        parts.append(text[first:place])
        first = place + 1
    return [*parts, text[first:]]


def unknown(kind: str, name: str, known: Sequence[str], code: bool = True) -> InputError:
    """Returns the error for a name that is not one of the known ones; `code`: it may name code."""
    names = ", ".join((*known, "or package.module:Name") if code else known)
    known_names = f"known: {names}" if known else "give package.module:Name"
    return InputError(f'unknown {kind} "{name}"; {did_you_mean(name, known)}{known_names}')


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
    from schedlab.entry_points import is_installed, load_point, offered  # for names of others

    for point in offered(kind, name):
        if origin.allows(point.value) or is_installed(point):
            return load_point(kind, name, point)
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


def named(
    kind: str,
    text: str,
    known: Iterable[str] | Mapping[str, Any],
    origin: Origin | None,
    places: Callable[[str], Sequence[str]] | None = None,
) -> tuple[str, dict[str, str], object]:
    """Returns the name, the texts of the arguments, and what a text stands for.

    Args:
        kind: "scheduler", "allocator" and so on.
        text: A known name, `package.module:Name` or the name of an entry point, perhaps with
            arguments.
        known: Built-in names: with what makes each, or `package.module:Name` of that, or for the
            message only.
        origin: Where the text comes from; None: only what is built in has a name.
        places: Returns the names of arguments that may be given by their place, by the name of the
            part; after an asterisk, one that takes all that are given so. None: there are none.

    Raises:
        InputError: There is no such thing.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    name, inside = _divided(text, kind)
    parts = split_at_commas(inside)
    if inside and not isinstance(known, dict) and name in known:  # a word, and nothing to call
        from schedlab.part_arguments import refuse_arguments

        refuse_arguments(kind, text, _arguments(text, kind, parts), ())
    found = _find(kind, name, known, origin)
    if places is not None:
        from schedlab.part_arguments import with_names

        parts = with_names(kind, text, parts, places(name))
    return name, _arguments(text, kind, parts), found


def build(
    kind: str,
    text: str,
    base: type,
    known: Iterable[str] | Mapping[str, Any],
    arguments: tuple[object, ...] = (),
    *,
    origin: Origin | None,
    takes: Callable[[str], Sequence[str]] | None = None,
    read: Callable[[str, str], object] | None = None,
    places: Callable[[str], Sequence[str]] | None = None,
    prefixed: bool = False,
) -> object:
    """Returns the object that a name stands for.

    Args:
        kind: "scheduler", "allocator" and so on.
        text: As for `named`.
        base: The class that the object must be of, if it is not built in.
        known: As for `named`.
        arguments: What the class is called with, before the arguments of the text.
        origin: As for `named`.
        takes: Returns what a built-in part takes, by its name; None: what its constructor does.
        read: Returns an argument of a built-in part of its name and text; None: as the part
            declares it, or as Python has it.
        places: As for `named`.
        prefixed: Whether messages of built-in parts of which `known` has the homes have the text.

    Raises:
        InputError: There is no such thing, it is of another kind, or it does not take the
            arguments.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    name, given, found = named(kind, text, known, origin, places)
    if not callable(found):
        raise InputError(f"{kind} {name!r}: is not a class or function")
    if isinstance(known, dict) and name in known:
        how = (arguments, given, origin, takes, read)
        try:
            return _made(kind, text, found, *how, built_in=True)
        except InputError as error:
            has_name = str(error).startswith(f"{kind} {text!r}: ")
            if has_name or not (prefixed or found is known[name]):
                raise
            raise type(error)(f"{kind} {text!r}: {error}") from None
    _require_base(kind, text, found, base)
    made = _made(kind, text, found, arguments, given, origin)
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


def function(
    kind: str,
    text: str,
    known: Iterable[str] | Mapping[str, Any],
    origin: Origin,
    *,
    any_function: bool = False,
    values: tuple[type, ...] = (),
) -> object:
    """Returns the function that a name stands for, or the object, if it names a class.

    Args:
        kind: "job factory" and so on.
        text: A known name, `package.module:function`, `package.module:Class(share=0.5)`, or an
            entry point.
        known: As for `named`, the functions themselves.
        origin: As for `named`.
        any_function: Whether it may be one of Python or of an installed package, too.
        values: What a name may stand for instead of a function.

    Raises:
        InputError: There is no such thing, or it does not take the arguments.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    name, given, found = named(kind, text, known, origin)
    if isinstance(found, values):
        return found
    if not callable(found):
        raise InputError(f"{kind} {name!r}: is not a class or function")
    if isinstance(found, type) and not any("__call__" in vars(one) for one in found.__mro__):
        raise InputError(f"{kind} {text!r}: objects of class {found.__name__} cannot be called")
    built_in = isinstance(known, dict) and name in known
    if given and built_in:
        from schedlab.part_arguments import refuse_arguments

        refuse_arguments(kind, text, given, ())
    if not (built_in or any_function):
        require_own_function(kind, name, found)
    made = given or isinstance(found, type)
    return _made(kind, text, found, (), given, origin) if made else found


def require_own_function(kind: str, name: str, found: object) -> None:
    """Raises InputError for a function of Python or of an installed package that does not offer it.

    A name must not call any function there is, with what a simulation hands to it.

    Args:
        kind: "order" and so on.
        name: Without arguments.
        found: What it stands for.
    """
    from schedlab.entry_points import is_offered

    if not is_of_users(found) and not is_offered(kind, name):
        raise InputError(f"{kind} {name!r}: is not your own function, nor is it offered")


def _find(
    kind: str, name: str, known: Iterable[str] | Mapping[str, Any], origin: Origin | None
) -> object:
    """Returns what a name stands for."""
    homes = known if isinstance(known, dict) else {}
    found: Any = homes.get(name)
    if found is None or isinstance(found, str):
        modules = {key: it for key, it in homes.items() if isinstance(it, str)}
        if origin is not None:
            found = find(kind, name, modules, origin)
        elif found is not None:
            found = load_own(found)
    if found is None:
        raise unknown(kind, name, tuple(known), code=origin is not None)
    return found


def _require_base(kind: str, text: str, found: Callable[..., object], base: type) -> None:
    """Raises InputError for what makes no such part, before it is called."""
    if not isinstance(found, type):
        _require_maker(kind, text, found, base)
    elif not issubclass(found, base):
        raise InputError(_other_kind(kind, text, found, base))


def _require_maker(kind: str, text: str, found: Callable[..., object], base: type) -> None:
    """Raises InputError for a function that makes no such part, before it is called.

    A function of the user's own may say what it makes or not. One of Python or of an installed
    package must say it, or be an entry point: a name must not call any function there is.
    """
    from schedlab.entry_points import is_offered

    if is_of_users(found) or is_offered(kind, parse_call(text, kind)[0]):
        return
    return_type = getattr(found, "__annotations__", {}).get("return")
    if isinstance(return_type, str):
        return_type = getattr(found, "__globals__", {}).get(return_type)
    if not (isinstance(return_type, type) and issubclass(return_type, base)):
        raise InputError(
            f"{kind} {text!r}: is a function that does not say that it returns a "
            f"schedlab.{base.__name__}; name a class"
        )


def _other_kind(kind: str, text: str, made: type, base: type) -> str:
    return f"{kind} {text!r}: gives {made.__name__}, which is not a schedlab.{base.__name__}"


def _made(
    kind: str,
    text: str,
    found: Callable[..., object],
    arguments: tuple[object, ...],
    given: Mapping[str, str],
    origin: Origin | None,
    takes: Callable[[str], Sequence[str]] | None = None,
    read: Callable[[str, str], object] | None = None,
    *,
    built_in: bool = False,
) -> object:
    """Returns what a class or function makes of the arguments of a text; as for `build`."""
    place = (kind, text, given, found, len(arguments), takes)
    values: Mapping[str, object] = {}
    if given and built_in:
        _check_arguments(*place)
    try:
        if given:
            from schedlab.part_arguments import values_of  # where there are some

            values = values_of(found, given, origin, read)
        return found(*arguments, **values)
    except TypeError as error:
        _check_arguments(*place, all_there=built_in)
        if isinstance(error, InputError):
            raise
        raise InputError(f"{kind} {text!r}: TypeError: {error}") from error
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{kind} {text!r}: {type(error).__name__}: {error}") from error


def _check_arguments(*place: Any, **how: Any) -> None:
    from schedlab.part_arguments import check_arguments  # where there are some

    check_arguments(*place, **how)
