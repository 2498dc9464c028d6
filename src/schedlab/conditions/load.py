"""Conditions of files and tables."""

from __future__ import annotations

import os

from schedlab import decode
from schedlab.conditions.definition import Conditions
from schedlab.errors import InputError
from schedlab.fields import keys
from schedlab.fields.reading import Tables
from schedlab.system.load import read_table

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any


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
    known = keys(Conditions)
    if isinstance(source, dict):
        given: object = source
        label, name = "conditions", source.get("source")
        known = Conditions._fields
    elif isinstance(source, (str, os.PathLike)):
        name = os.fsdecode(source)
        given, label = read_table(name)
        folder = os.path.dirname(name) if folder is None else folder
    else:
        kind = type(source).__name__
        raise InputError(f"conditions are a file, a dict or Conditions, not of type {kind}")
    try:
        return _of_table(given, known, name, folder or "")
    except InputError as error:
        raise InputError(f"{label}: {error}") from None


def _of_table(given: object, known: tuple[str, ...], source: object, folder: str) -> Conditions:
    table = decode.table(given, "top level", "conditions, such as [[failures]] or [[caps]]")
    decode.refuse_unknown(table, known, "", Conditions._hints(table))
    values = Tables(folder=folder).values(Conditions, table, "")
    return Conditions(**{**values, "source": source})
