"""The kinds of fields that the parts of a run are: names, and what may be described in full."""

from __future__ import annotations

import os

from schedlab.errors import InputError
from schedlab.fields import Declaration, Frozen, other

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any


def as_given(given: Any, _: str) -> Any:
    """Returns what is given: wrong files and names are found when the run starts."""
    return given


def path_of(given: Any, _: str) -> Any:
    """Returns a path as text, and what is not a path as it is."""
    return os.fsdecode(given) if isinstance(given, os.PathLike) else given


def name_of_reader(given: Any, _: str) -> Any:
    """Returns the name; raises InputError for what is not text."""
    if not isinstance(given, str):
        raise InputError(f"reader: must be the name of a reader, not {given!r}")
    return given


def one_or_several(given: Any, path: str) -> Any:
    """Returns several objects, which may be given in any way, as a tuple; a path and others not."""
    one = isinstance(given, (str, os.PathLike, dict, Frozen)) or not hasattr(given, "__iter__")
    return copied(path_of(given, path) if one else tuple(given), path)


def copied(given: Any, path: str) -> Any:
    """Returns tables and what they hold as a copy, and paths and objects as they are."""
    if isinstance(given, dict):
        return {name: copied(one, path) for name, one in given.items()}
    if type(given) in (list, tuple):
        return type(given)(copied(one, path) for one in given)
    return path_of(given, path)


class _Described(Declaration):
    """A part that may be plain data: the attribute is a copy, so that the run stays as it is."""

    def __get__(self, instance: object, owner: type) -> Any:
        return self if instance is None else copied(vars(instance)[self.name], self.name)

    def __set__(self, instance: object, value: Any) -> None:
        vars(instance)[self.name] = value


TEXT = {"type": "string"}


def described_part(kind: str, meaning: str, several: bool = False, **rest: Any) -> Any:
    """Returns a part that is a path in files, or what a file of that kind holds."""
    one: dict[str, Any] = {"$ref": f"#/$defs/{kind}"}
    described = {
        "values": "path of a file, or list of tables" if several else "path of a file, or table",
        "written": {"anyOf": [TEXT, {"type": "array", "items": one} if several else one]},
        "metavar": "FILE",
        **rest,
    }
    default = () if several else None
    return _Described("other", one_or_several if several else copied, meaning, default, **described)


def named_part(meaning: str, default: Any = None, check: Any = as_given, **rest: Any) -> Any:
    """Returns a part that is text in files."""
    return other(check, meaning, **{"default": default, "written": TEXT, "values": "text", **rest})
