"""A run as plain data, and what of it no plain data, or no command line, can hold.

Each part takes one of four forms: it is not given, it has a name (a file, or what `naming` finds),
it is a table (a description that plain data holds), or it is an object.
"""

from __future__ import annotations

from schedlab.dispatch import BuiltInAllocator, Discipline
from schedlab.dispatch.allocators import allocator_named
from schedlab.dispatch.schedulers import scheduler_named
from schedlab.errors import InputError
from schedlab.fields import Frozen
from schedlab.naming import parse_call
from schedlab.simulation.spec.value import Unnamed
from schedlab.system import System
from schedlab.system.table import as_table
from schedlab.trust import PERSON

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.simulation.spec.value import RunSpec

NAME, TABLE, OBJECT = "name", "table", "object"
CODE = ("scheduler", "allocator", "job_factory", "estimate", "mapping")
"""Fields that may name code; so do `reader` and the items of `data`."""

DEFINED, DESCRIBED = ("windows", "queues"), ("system", "conditions")
"""Fields that may be lists of definitions, and those that may be one description."""


def to_data(spec: RunSpec) -> dict[str, Any]:
    """Returns the plain data of a spec; see `RunSpec.to_data`."""
    table: dict[str, Any] = {}
    objects: dict[str, str] = {}
    for name, value in {**_always(spec), **spec.given()}.items():
        form, plain = form_of(name, value)
        if form == OBJECT:
            objects[name] = plain
        else:
            table[name] = plain
    return {**table, "objects": objects} if objects else table


def _always(spec: RunSpec) -> dict[str, Any]:
    """Returns what a description of a run says whether or not it is the default."""
    shown = ("workload", "reader", "system", "scheduler", "allocator")
    return {name: it for name in shown if (it := getattr(spec, name)) is not None}


def form_of(name: str, value: Any) -> tuple[str, Any]:
    """Returns the form of a part that is given, and its plain data; of an object, a description."""
    if isinstance(value, Unnamed):
        return OBJECT, value.text
    if isinstance(value, (str, int, float)):
        return NAME, _plain(value)
    if name == "system" and isinstance(value, System):
        return TABLE, as_table(value)
    if name == "conditions" and hasattr(value, "to_dict"):
        return TABLE, value.to_dict()
    if name in DESCRIBED and isinstance(value, dict):
        return TABLE, _plain(value)
    if name in DEFINED and isinstance(value, tuple) and all(isinstance(o, Frozen) for o in value):
        return TABLE, [_definition(one) for one in value]
    if name == "data" and isinstance(value, tuple) and all(isinstance(o, str) for o in value):
        return NAME, _plain(value)
    if _is_built_in(value):
        return NAME, str(value)
    return OBJECT, _described(name, value)


def _plain(value: Any) -> Any:
    """Returns values as JSON and TOML know them, whatever other classes hold the same, as numpy's.

    A run must not fail at its end because of what its description was written with.
    """
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    for kind in (str, bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return _plain(value.tolist())
    if hasattr(value, "__iter__"):
        return [_plain(one) for one in value]
    return value if value is None else str(value)


def _definition(one: Frozen) -> dict[str, Any]:
    """Returns the fields of a window or a queue; those without value are left out, as in files."""
    pairs = zip(one._fields, one._values(), strict=True)
    return {
        name: _definition(value) if isinstance(value, Frozen) else _plain(value)
        for name, value in pairs
        if value not in (None, "")
    }


def _is_built_in(value: Any) -> bool:
    """Whether a policy is one of schedlab's own, and its name makes the same one again.

    A function of the user's in it has a name, too, which another process may not find.
    """
    if not isinstance(value, (Discipline, BuiltInAllocator)):
        return False
    if not isinstance(getattr(value, "order", ""), (str, tuple)):
        return False
    named = scheduler_named if isinstance(value, Discipline) else allocator_named
    try:
        return named(str(value), PERSON) == value  # which also compares the classes
    except InputError:  # a score that cannot stand among arguments
        return False


def _described(name: str, value: Any) -> str:
    """Returns what people call an object."""
    if name == "workload" and isinstance(value, (list, tuple)):
        return f"{len(value):,} job{'s' if len(value) != 1 else ''}"
    if isinstance(value, tuple):
        return ", ".join(one if isinstance(one, str) else _described("", one) for one in value)
    is_code = hasattr(value, "__qualname__") and hasattr(value, "__module__")
    named = value if is_code else type(value)
    return f"{named.__module__}:{named.__qualname__}"


def objects_of(spec: RunSpec) -> dict[str, Any]:
    """Returns the parts that no plain data stands for, as they are."""
    given = {**_always(spec), **spec.given()}
    return {name: value for name, value in given.items() if form_of(name, value)[0] == OBJECT}


def unnamed(spec: RunSpec) -> dict[str, str]:
    """Returns the parts that no command line can name; see `RunSpec.unnamed`."""
    found = {}
    for name, value in spec.given().items():
        form, plain = form_of(name, value)
        if form == OBJECT:
            found[name] = plain
        elif form == TABLE:
            found[name] = "a description without a file of its own"
    return found


def names_code(spec: RunSpec) -> bool:
    """Returns whether a file that holds the run names code of a user's, as needs trust."""
    texts = [it for name in CODE if isinstance(it := spec.given().get(name), str)]
    data = [it for it in spec.data if isinstance(it, str)] if isinstance(spec.data, tuple) else []
    reader = [] if spec.reader is None else [spec.reader.partition("(")[0]]
    return any(map(_is_code, [*texts, *data, *reader]))


def _is_code(text: str) -> bool:
    if text.startswith("score:"):
        return False
    try:
        name, arguments = parse_call(text, "part")
    except InputError:  # what is wrong is said when the run starts
        return ":" in text
    return ":" in name or any(_is_code(it) for key, it in arguments.items() if key != "score")
