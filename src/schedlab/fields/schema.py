"""JSON Schemas (draft 2020-12) of what declarations say, for editors."""

from __future__ import annotations

from schedlab.durations import PATTERN
from schedlab.fields import REQUIRED, Declaration, Defined, in_table
from schedlab.fields.documentation import values_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_DEFINITIONS = "#/$defs/"


def schema_of(
    kind: type[Defined],
    title: str,
    known: Mapping[str, dict[str, Any] | type[Defined]],
    further: Iterable[Declaration] = (),
) -> dict[str, Any]:
    """Returns the JSON Schema of files that describe a definition.

    Args:
        kind: The class of the definition.
        title: What such a file is called.
        known: What the fields refer to by name: other definitions, or schemas.
        further: Keys that such files may have beside.
    """
    whole = table_schema(kind, (*kind._declared, *further))
    found: dict[str, Any] = {}
    waiting = _names_in(whole)
    while waiting:
        name = waiting.pop()
        if name not in found:
            other = known[name]
            found[name] = table_schema(other, other._declared) if isinstance(other, type) else other
            waiting += _names_in(found[name])
    definitions = {"$defs": {name: found[name] for name in sorted(found)}} if found else {}
    return {"$schema": DRAFT, "title": title, **whole, **definitions}


def table_schema(kind: type[Defined], declared: Iterable[Declaration]) -> dict[str, Any]:
    """Returns the JSON Schema of tables of a kind, with these keys."""
    fields = in_table(declared)
    needed = [one.key for one in fields if one.needed or one.default is REQUIRED]
    lending = [one.key for one in fields if one.lends]
    table: dict[str, Any] = {
        "type": "object",
        "description": str(kind.__doc__).partition("\n")[0],
        "properties": {one.key: _property(one) for one in fields},
        "additionalProperties": False,
    }
    if needed and lending:
        table["anyOf"] = [{"required": needed}, {"required": lending}]
    elif needed:
        table["required"] = needed
    if kind._one_of:
        table["oneOf"] = [{"required": [key]} for key in kind._one_of]
    return table


def _property(field: Declaration) -> dict[str, Any]:
    values = values_of(field)
    description = f"{field.meaning} ({values})" if values else field.meaning
    described: dict[str, Any] = {**_values(field), "description": description.replace("`", "")}
    if field.default not in (REQUIRED, None, "", ()):
        default = field.default
        described["default"] = list(default) if isinstance(default, tuple) else default
    return described


def _values(field: Declaration) -> dict[str, Any]:
    """Returns the schema of the value alone."""
    facts = field.facts
    if field.written is not None:
        return dict(field.written)
    if field.sort in ("number", "whole"):
        return _number(field)
    if field.sort == "seconds":
        return {**_number(field), "type": ["number", "string"], "pattern": PATTERN}
    if field.sort == "expression":
        return {"type": "string"}
    if field.sort in ("word", "choice"):
        return {"enum": list(facts["words"])}
    if field.sort == "flag":
        return {"type": "boolean"}
    if field.sort == "text":
        return {"type": "string", "pattern": r"\S"}
    if field.sort == "identifier":
        return {"type": "string", "pattern": "^[^ ,'\"`]+$"}
    reference = {"$ref": f"{_DEFINITIONS}{facts['kind'].__name__}"}
    if field.sort != "parts":
        return reference
    if facts["by_name"]:
        least = {"minProperties": 1} if field.needed else {}
        return {"type": "object", "additionalProperties": reference, **least}
    return {"type": "array", "items": reference}


def _number(field: Declaration) -> dict[str, Any]:
    facts = field.facts
    low = {"minimum": facts["minimum"]}
    if facts.get("above") is not None:
        low = {"exclusiveMinimum": facts["above"]}
    high = {"maximum": facts["maximum"]}
    if facts.get("below") is not None:
        high = {"exclusiveMaximum": facts["below"]}
    return {"type": "integer" if field.sort == "whole" else "number", **low, **high}


def _names_in(schema: Any) -> list[str]:
    """Returns the names of the definitions that a schema refers to."""
    if isinstance(schema, list):
        return [name for one in schema for name in _names_in(one)]
    if not isinstance(schema, dict):
        return []
    own = schema.get("$ref")
    names = [own.removeprefix(_DEFINITIONS)] if isinstance(own, str) else []
    return names + [name for one in schema.values() for name in _names_in(one)]
