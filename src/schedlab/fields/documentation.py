"""What declarations say to people: signatures, docstrings and the tables of the documentation."""

from __future__ import annotations

import textwrap
from inspect import Parameter, Signature, cleandoc

from schedlab.decode import MAX_AMOUNT
from schedlab.fields import REQUIRED, Declaration, Defined, in_table

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

WIDTH = 96
MANY = 1e8
"""From which on round numbers are written with an exponent."""

_VALUES = {"text": "text", "identifier": "text", "expression": "expression", "part": "table"}

HEAD = ("key", "meaning", "values", "default")


def signature(kind: type[Defined]) -> Signature | None:
    """Returns the signature of a constructor; None where the class has one of its own."""
    if kind.__init__ is not Defined.__init__:
        return None  # inspect then looks at it
    return Signature(
        [
            Parameter(
                one.name,
                Parameter.POSITIONAL_OR_KEYWORD if one.stored else Parameter.KEYWORD_ONLY,
                default=Parameter.empty if one.default is REQUIRED else one.default,
                annotation=_taken(kind.__annotations__.get(one.name, Parameter.empty)),
            )
            for one in sorted(kind._declared, key=lambda one: not one.stored)
            if one.taken
        ]
    )


def _taken(annotation: Any) -> Any:
    """Returns what the constructor takes; of `Taking[got, taken]` that is the second."""
    if not str(annotation).startswith("Taking["):
        return annotation
    inside, depth = annotation[7:-1], 0
    for place, character in enumerate(inside):
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            return inside[place + 1 :].strip()
    return annotation


def docstring(kind: type[Defined], prose: str | None) -> str:
    """Returns what a class says of itself, with a line for each field."""
    lines = []
    for one in kind._declared:
        if one.taken:
            values = values_of(one)
            text = f"{one.name}: {one.meaning}{f' ({values})' if values else ''}."
            lines += textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent=" " * 8)
    raised = "Raises:\n    InputError: With the path of the field."
    return "\n".join([cleandoc(prose or ""), "", "Args:", *lines, "", raised])


def table(kind: type[Defined]) -> list[tuple[str, ...]]:
    """Returns the rows of the table that documents the keys of a definition in files."""
    return [HEAD, *rows(in_table(kind._declared))]


def rows(fields: Iterable[Declaration]) -> list[tuple[str, ...]]:
    """Returns a row for each field: key, meaning, values, default."""
    return [(f"`{one.key}`", one.meaning, values_of(one), default_of(one)) for one in fields]


def values_of(field: Declaration) -> str:
    """Returns the unit and the bounds of a field in words."""
    return ", ".join(word for word in (field.unit, field.values or _bounds(field)) if word)


def default_of(field: Declaration) -> str:
    """Returns the default of a field in words."""
    if field.absent:
        return field.absent
    if field.default is REQUIRED:
        return "required"
    if field.default in (None, (), ""):
        return "none"
    if isinstance(field.default, str):
        return f'`"{field.default}"`'
    if isinstance(field.default, bool):
        return str(field.default).lower()
    return _shown(field.default)


def _bounds(field: Declaration) -> str:
    facts = field.facts
    if field.sort == "word":
        *others, last = [f'`"{one}"`' for one in facts["words"]]
        return f"{', '.join(others)} or {last}"
    if field.sort in ("whole", "number", "seconds"):
        low, high = facts["minimum"], facts["maximum"]
        return _range(facts.get("above"), facts.get("below"), low, high)
    if field.sort == "parts":
        return "table of tables" if facts["by_name"] else "list of tables"
    return _VALUES.get(field.sort, "")


def _range(above: float | None, below: float | None, low: float, high: float) -> str:
    lowest = f"from {_shown(low)}" if above is None else f"above {_shown(above)}"
    if below is not None:
        return f"{lowest}, below {_shown(below)}"
    return lowest if high >= MAX_AMOUNT else f"{lowest} to {_shown(high)}"


def _shown(number: float) -> str:
    """Returns a number as people write it: 4,096, 0.001, 4e9."""
    exact = f"{number:,.0f}"
    plain = number == int(number) and len(exact) < len("10,000,000,000")
    short = f"{number:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return exact if plain and (number % 1000 or number < MANY) else short
