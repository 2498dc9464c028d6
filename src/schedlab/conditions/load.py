"""Conditions of files and tables."""

from __future__ import annotations

import os

from schedlab.conditions.definition import MAX_SEED, Conditions
from schedlab.conditions.failures import Failures, FailureTrace, Resubmission
from schedlab.conditions.power import PowerCap, SwitchOff
from schedlab.conditions.series_file import series_of
from schedlab.conditions.thermal import Thermal
from schedlab.errors import InputError
from schedlab.system import decode
from schedlab.system.load import read_table

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

_TABLES: dict[str, tuple[type, tuple[str, ...]]] = {
    "failure_trace": (FailureTrace, ("file", "outages", "source")),
    "resubmission": (Resubmission, ("from", "interval", "cost", "restart", "limit")),
    "switch_off": (SwitchOff, SwitchOff._fields),
    "thermal": (Thermal, Thermal._fields),
}
_LISTS: dict[str, tuple[type, tuple[str, ...]]] = {
    "failures": (Failures, ("nodes", "per", "between", "repair")),
    "caps": (PowerCap, ("watts", "file", "every", "group", "action", "name")),
}
_REQUIRED = {
    "failures": {"between": '"exponential(mean=2.6e6)"', "repair": '"exponential(mean=14400)"'},
    "switch_off": {"after": "600"},
    "thermal": {"resistance": "0.15", "time_constant": "600"},
}
_READ_FILES = ("failure_trace", "caps")
_HINTS = {
    "ambient": "write supply, the temperature of the cold air",
    "cap": "write [[caps]]",
    "failure": "write [[failures]]",
}


def load_conditions(
    source: str | os.PathLike[str] | dict[str, Any] | Conditions, folder: str | None = None
) -> Conditions:
    """Returns the conditions that a file or a dict describes.

    Args:
        source: Path of a .toml, .json, .yaml or .yml file; or the content of such a file as a
            dict; or Conditions, which are returned as they are.
        folder: That relative paths of CSV files begin from; None: the folder of the file, or the
            current one.

    Raises:
        InputError: With file, path of the field, what is wrong and what to do.
    """
    if isinstance(source, Conditions):
        return source
    known: tuple[str, ...] = Conditions._fields
    if isinstance(source, dict):
        given: object = source
        label, name = "conditions", source.get("source")
    elif isinstance(source, (str, os.PathLike)):
        name = os.fsdecode(source)
        given, label = read_table(name)
        folder = os.path.dirname(name) if folder is None else folder
        known = known[: known.index("source")]  # the file is the source
    else:
        kind = type(source).__name__
        raise InputError(f"conditions are a file, a dict or Conditions, not of type {kind}")
    try:
        return _of_table(given, known, name, folder or "")
    except InputError as error:
        raise InputError(f"{label}: {error}") from None


def _of_table(given: object, known: tuple[str, ...], source: object, folder: str) -> Conditions:
    table = decode.table(given, "top level", "conditions, such as [[failures]] or [[caps]]")
    decode.refuse_unknown(table, known, "", _HINTS)
    made: dict[str, Any] = {"source": source}
    for key, value in table.items():
        if key in _TABLES:
            made[key] = _object(key, value, key, _TABLES[key], folder)
        elif key in _LISTS:
            if not isinstance(value, list):
                raise InputError(
                    f"{key}: must be a list of tables, such as [[{key}]] (is {decode.shown(value)})"
                )
            made[key] = [
                _object(key, one, f"{key}[{number}]", _LISTS[key], folder)
                for number, one in enumerate(value, 1)
            ]
        elif key in ("price", "carbon"):
            made[key] = series_of(value, key, key, negative=key == "price", folder=folder)
        elif key == "seed":
            made[key] = decode.whole_number(value, key, maximum=MAX_SEED)
    return Conditions(**made)


def _object(
    key: str, given: object, path: str, kind: tuple[type, tuple[str, ...]], folder: str
) -> Any:
    """Returns the object that a table describes."""
    make, known = kind
    fields = dict(decode.table(given, path, "fields"))
    decode.refuse_unknown(fields, known, path, _HINTS)
    for name, example in _REQUIRED.get(key, {}).items():
        if name not in fields:
            raise InputError(f"{path}.{name}: is missing; add it, such as {name} = {example}")
    if "from" in fields:  # a word of Python's own
        fields["from_"] = fields.pop("from")
    if key in _READ_FILES:
        fields["folder"] = folder
    try:
        return make(**fields)
    except InputError as error:
        raise InputError(f"{path}.{error}") from None
