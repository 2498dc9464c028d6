"""Parts by name: `easy`, `easy(order=shortest)`, `package.module:Class(share=0.5)`."""

from __future__ import annotations

from schedlab.errors import InputError, did_you_mean
from schedlab.loading import load as load  # names are what others load by

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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
    if not bracket:
        return name.strip(), {}
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
        arguments[key] = value
    return name.strip(), arguments


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


def entry_point(kind: str, name: str) -> object | None:
    """Returns what an installed package offers under that name in `schedlab.<kind>s`."""
    from importlib.metadata import entry_points

    group = GROUPS.get(kind, f"schedlab.{kind}s")
    for point in entry_points(group=group, name=name):
        try:
            return point.load()  # type: ignore[no-any-return]
        except Exception as error:
            raise InputError(
                f"{kind} {name!r}: {point.value} cannot be loaded: {type(error).__name__}: {error}"
            ) from error
    return None


def build(
    kind: str,
    text: str,
    base: type,
    known: Iterable[str] | Mapping[str, str],
    arguments: tuple[object, ...] = (),
) -> object:
    """Returns the object that a name stands for.

    Args:
        kind: "scheduler", "allocator" and so on.
        text: A known name, `package.module:Name` or the name of an entry point, perhaps with
            arguments.
        base: The class that the object must be of.
        known: Built-in names: with `package.module:Name` of each, or for the message only.
        arguments: What the class is called with, before the arguments of the text.

    Raises:
        InputError: There is no such thing, it is of another kind, or it does not take the
            arguments.
    """
    name, given = parse_call(text, kind)
    home = known.get(name, name) if isinstance(known, dict) else name
    made = _call(kind, text, _find(kind, home, tuple(known)), arguments, given)
    if not isinstance(made, base):
        raise InputError(
            f"{kind} {text!r}: gives {type(made).__name__}, which is no schedlab.{base.__name__}"
        )
    return made


def function(kind: str, text: str) -> object:
    """Returns the function that a name stands for, or the object, if it names a class.

    Args:
        kind: "job factory" and so on.
        text: `package.module:function`, `package.module:Class(share=0.5)`, or an entry point.

    Raises:
        InputError: There is no such thing, or it does not take the arguments.
    """
    name, given = parse_call(text, kind)
    found = _find(kind, name, ())
    return _call(kind, text, found, (), given) if given or isinstance(found, type) else found


def _find(kind: str, name: str, known: tuple[str, ...]) -> Callable[..., object]:
    found = load(kind, name) if ":" in name else entry_point(kind, name)
    if found is None:
        raise unknown(kind, name, known)
    if not callable(found):
        raise InputError(f"{kind} {name!r}: is no class or function")
    return found


def _call(
    kind: str,
    text: str,
    found: Callable[..., object],
    arguments: tuple[object, ...],
    given: dict[str, str],
) -> object:
    try:
        return found(*arguments, **{key: _value(value) for key, value in given.items()})
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


def _value(text: str) -> object:
    """Returns a number, True, False, None or the text itself."""
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text.strip("'\"")
