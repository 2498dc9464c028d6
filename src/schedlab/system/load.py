"""A machine, or lists of windows and queues, from files of any supported format or as they are."""

from __future__ import annotations

import os

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields.reading import Tables
from schedlab.input_file import read_text
from schedlab.system.definition import System

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeVar

    from schedlab.fields import Defined

    Made = TypeVar("Made", bound=Defined)

MAX_FILE_BYTES = 16 * 2**20
_LONGEST_NAME = 40  # of a machine that has one

_NULL = "give it a value, or leave it out"


def load_system(source: str | os.PathLike[str] | dict[str, Any] | System) -> System:
    """Returns the machine that a file or a dict describes.

    Args:
        source: Path of a .json, .toml, .yaml or .yml file in schedlab's, AccaSim's or IRMaSim's
            layout, with #NAME after it to choose one of several platforms of IRMaSim's; or the
            name of a preset, such as cielo, where there is no such file; or the content of a file
            as a dict; or a System, which is returned as it is.

    Raises:
        InputError: With file, path of the field, what is wrong and what to do.
    """
    if isinstance(source, System):
        return source
    if isinstance(source, dict):
        return _from_table(source, "system", "system", None)
    try:
        path = os.fsdecode(source)
    except TypeError:
        kind = type(source).__name__
        raise InputError(f"a system is a file, a dict or a System, not of type {kind}") from None
    chosen = None
    if "#" in path and not os.path.lexists(path):
        path, _, chosen = path.rpartition("#")
    given, label = _preset(path) or _parse_file(path)
    stem = os.path.splitext(os.path.basename(path))[0]
    name = stem if stem.strip() and stem.isprintable() else "system"
    return _from_table(given, name, label, chosen)


def is_preset_name(path: str) -> bool:
    """Returns whether a path may be the name of a machine, where there is no such file."""
    return path.replace("-", "").isalnum() and len(path) < _LONGEST_NAME


def _preset(path: str) -> tuple[object, str] | None:
    """Returns the table of the machine of that name; None for what can only be a file."""
    if not is_preset_name(path) or os.path.lexists(path):
        return None
    from schedlab.system.network.presets import PRESETS  # only where it is needed

    if path in PRESETS:
        return PRESETS[path], path
    raise InputError(
        f"{path}: no such file, and no machine of that name; known machines: "
        f"{decode.listed(PRESETS)}"
    )


def is_description(given: Mapping[str, object]) -> bool:
    """Returns whether a table describes a machine, in any layout, and does not name several."""
    return "groups" in given or _is_irmasim(given)


def load_objects(
    source: str | os.PathLike[str] | Iterable[Made], key: str, kind: type[Made]
) -> tuple[Made, ...]:
    """Returns the objects of a file that holds a list of tables under one key, or those given.

    Args:
        source: Path of a .json, .toml, .yaml or .yml file; or objects, which are returned as they
            are.
        key: The key, the only one at the top level.
        kind: Their class.

    Raises:
        InputError: With file, path of the field, what is wrong and what to do.
    """
    if isinstance(source, (str, os.PathLike)):
        return tuple(_read_list(source, key, kind))
    name = kind.__name__
    if not hasattr(source, "__iter__"):
        raise InputError(f"{key}: must be a file or a list of {name} objects, not {source!r}")
    objects = tuple(source)
    for one in objects:
        if not isinstance(one, kind):
            raise InputError(f"{key}: must be {name} objects, not {one!r}")
    return objects


def _read_list(source: str | os.PathLike[str], key: str, kind: type[Made]) -> list[Made]:
    given, label = _parse_file(os.fsdecode(source))
    try:
        table = decode.table(given, "top level", key)
        decode.refuse_unknown(table, (key,), "")
        if key not in table:
            raise InputError(f"{key}: is missing; add at least one, such as [[{key}]]")
        return objects_of_tables(table[key], key, kind)
    except InputError as error:
        raise InputError(f"{label}: {error}") from None


def objects_of_tables(given: object, key: str, kind: type[Made]) -> list[Made]:
    """Returns the objects that tables of a list describe.

    Args:
        given: The list of tables.
        key: What the list is called.
        kind: Their class.

    Raises:
        InputError: With path of the field, what is wrong and what to do.
    """
    return Tables().several(kind, given, key)


def read_table(path: str) -> tuple[object, str]:
    """Returns the content of a file of any supported format, and what messages call the file.

    Raises:
        InputError: It cannot be read, or is not valid.
    """
    return _parse_file(path)


def _parse_file(path: str) -> tuple[object, str]:
    """Returns the content of a file, and what messages call it."""
    from schedlab.system.parse import parse  # for files, and not for tables

    label = path if path.isprintable() and 0 < len(path) < 500 else decode.shown(path)
    extension = os.path.splitext(path)[1].lower()
    text = read_text(path, MAX_FILE_BYTES)
    if not text.strip():
        raise InputError(f"{label}: is empty")
    return parse(text, extension, label), label


def _from_table(given: object, default_name: str, label: str, chosen: str | None) -> System:
    try:
        table = decode.table(given, "top level", "name, start_time, processor and groups")
        if _is_irmasim(table):
            from schedlab.system.irmasim import from_irmasim  # only where it is needed

            return from_irmasim(table, default_name, chosen)
        if chosen is not None:
            raise InputError(f"holds one machine; leave out #{decode.listed([chosen])}")
        if _is_accasim(table):
            from schedlab.system.accasim import from_accasim  # only where it is needed

            return from_accasim(table, default_name)
        return _from_own(table, default_name)
    except InputError as error:
        raise InputError(f"{label}: {error}") from None


def _is_irmasim(given: Mapping[str, object]) -> bool:
    """Returns whether a table has IRMaSim's shape: platforms beside types of nodes."""
    types = "node" in given or "processor" in given
    return types and isinstance(given.get("platform"), dict) and "groups" not in given


def _is_accasim(given: dict[str, Any]) -> bool:
    """Returns whether a table has AccaSim's shape: groups of amounts, counted in "resources"."""
    if "groups" not in given or "resources" not in given:
        return False
    # A group with a "resources" table is ours; a stray "resources" above it is then a mistake.
    groups = given["groups"]
    return not isinstance(groups, dict) or not any(
        isinstance(group, dict) and isinstance(group.get("resources"), dict)
        for group in groups.values()
    )


def _from_own(given: dict[str, Any], default_name: str) -> System:
    """Returns the system that a table in schedlab's own layout describes."""
    return Tables(null=_NULL).read(System, {"name": default_name, **given}, "")
