"""A run from plain data: a table of a TOML file, of run.json, or of a worker's plan."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.options import CHOICES, DEFAULTS
from schedlab.simulation.spec.data import CODE, DEFINED, DESCRIBED
from schedlab.simulation.spec.value import PARTS, RunSpec, Unnamed
from schedlab.system.load import objects_of_tables
from schedlab.trust import data, handed_over

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.trust import Origin

_CODE = ("reader", *CODE)
_OBJECTS = ("workload", *DESCRIBED, "scheduler", "allocator", "data", "job_factory", "estimate")
"""Fields that may be Python objects."""


def from_data(table: dict[str, Any], trust_code: bool, place: str) -> RunSpec:
    """Returns the spec of plain data; see `RunSpec.from_data`."""
    origin = data(place, trust_code)
    try:
        return RunSpec(**_fields(decode.table(table, "top level", "fields of a run"), origin))
    except InputError as error:
        raise type(error)(f"{place}: {error}" if place else str(error)) from None


def _fields(table: dict[str, Any], origin: Origin) -> dict[str, Any]:
    decode.refuse_unknown(table, (*PARTS, *DEFAULTS, "objects"), "", _HINTS)
    fields = {
        name: _field(name, value, origin) for name, value in table.items() if name != "objects"
    }
    objects = decode.table(table.get("objects", {}), "objects", "parts that were Python objects")
    decode.refuse_unknown(objects, _OBJECTS, "objects")
    for name, text in objects.items():
        path = decode.child("objects", name)
        if name in fields:
            raise InputError(f"{path}: {name} is given as well; leave one of them out")
        fields[name] = Unnamed(decode.text(text, path))
    return fields


_HINTS = {
    "out": "where results go is said by --out",
    "jobs": "the form of results is said by --jobs",
    "timeline": "the form of results is said by --timeline",
    "checkpoint_every": "pass --checkpoint-every",
    "force": "pass --force",
    "trust_code": "no file can say so; pass --trust-code",
    "options": "write the options without a table around them",
}


def _field(name: str, value: Any, origin: Origin) -> Any:
    """Returns a field as `RunSpec` takes it; what may name code knows where it comes from."""
    if name in DEFINED and isinstance(value, list):
        from schedlab.system.queues import Queue
        from schedlab.system.windows import Window

        return objects_of_tables(value, name, Window if name == "windows" else Queue)
    if name in DEFINED and isinstance(value, dict):
        raise InputError(f"{name}: must be a list of tables, each under [[{name}]] (is a table)")
    if name in DESCRIBED and isinstance(value, dict):
        return decode.table(value, name, "fields")
    if name == "data":
        if not isinstance(value, list):
            raise InputError(f"data: must be a list of names (is {decode.shown(value)})")
        texts = [_text(one, f"data[{number}]") for number, one in enumerate(value, 1)]
        return [handed_over(text, origin) for text in texts]
    if name in _CODE or name in PARTS or name == "keep" or name in CHOICES:
        text = _text(value, name)
        return handed_over(text, origin) if name in _CODE else text
    if value is None:
        raise InputError(f"{name}: must not be null; leave it out")
    return value


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{path}: must be text (is {decode.shown(value)})")
    if "\0" in value:
        raise InputError(f"{path}: must not have a null character in it")
    return value
