"""What the description in a state file holds: checked before anything is made of it."""

from __future__ import annotations

from schedlab.decode import child
from schedlab.errors import InputError
from schedlab.options import CHOICES, DEFAULTS, resolve
from schedlab.results.run_shape import LATEST_SECONDS
from schedlab.results.shapes import (
    boolean,
    fields,
    list_of,
    maybe,
    number,
    plain,
    text,
    whole,
    word,
)

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

_NAMES = fields({"scheduler": text, "allocator": text, "data": list_of(text)})

_FORMAT = word(*CHOICES["jobs"])

_RUN = fields(
    {
        "formats": fields(
            {"jobs": _FORMAT, "timeline": _FORMAT},
            dict.fromkeys(("states", "interruptions", "nodes", "links"), word("csv")),
        ),
        "sizes": fields(
            {}, dict.fromkeys(("jobs", "timeline", "states", "interruptions"), whole())
        ),
        "seconds": list_of(number(0.0), least=2),
    }
)
"""What a checkpoint says of the run folder that it is in."""

DESCRIPTION = fields(
    {
        **dict.fromkeys(("workload", "reader", "job_factory", "system_path"), maybe(text)),
        **dict.fromkeys(("swf_attributes", "applications", "data"), list_of(text)),
        "system": fields({}),
        **dict.fromkeys(("scheduler", "allocator"), text),
        "fixed_order": boolean,
        **dict.fromkeys(("estimator", "rules"), maybe(text)),
        **dict.fromkeys(("windows", "queues"), list_of(fields({}))),
        "conditions": maybe(fields({})),
        "names": _NAMES,
        "now": number(-LATEST_SECONDS, LATEST_SECONDS),
        "options": fields(dict.fromkeys(DEFAULTS, plain)),
    },
    {"run": _RUN, "spec": fields({})},
)


def check_description(description: dict[str, Any]) -> None:
    """Raises InputError, with the field, for what does not describe a simulation."""
    from schedlab.system.queues import Queue
    from schedlab.system.windows import Window

    DESCRIPTION(description, "")
    for name in ("workload", "system_path"):
        if "\0" in (description[name] or ""):
            raise InputError(f"{name}: no file has such a name")
    if description["reader"] is not None and description["workload"] is None:
        raise InputError("workload: is missing; a reader has a file")
    texts = description["applications"]
    if len(set(texts)) < len(texts):
        raise InputError("applications: names one twice")
    _check_options(description)
    for name, kind in (("windows", Window), ("queues", Queue)):
        for place, entry in enumerate(description[name]):
            _check_fields(entry, kind._fields, f"{name}[{place}]")
    if "run" in description and len(description["run"]["seconds"]) != 2:
        raise InputError("run.seconds: must be two, of wall time and of CPU time")


def _check_options(description: dict[str, Any]) -> None:
    """Raises InputError for an option that no simulation has."""
    options = dict(description["options"])
    if description["estimator"] is not None:
        text(options.pop("estimate"), "options.estimate")  # what people call an own one
    try:
        resolve(description["rules"], options)
    except InputError as error:
        raise InputError(f"options: {error}") from None
    for name, value in options.items():
        if value is None and DEFAULTS[name] is not None:
            raise InputError(f"options.{name}: must not be null")


def _check_fields(entry: dict[str, Any], known: tuple[str, ...], path: str) -> None:
    """Raises InputError for a table whose fields are not exactly those of a definition."""
    for name in entry:
        if name not in known:
            raise InputError(f"{child(path, name)}: unknown key")
    for name in known:
        if name not in entry:
            raise InputError(f"{child(path, name)}: is missing")
