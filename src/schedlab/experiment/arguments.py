"""What an experiment is asked for, in the forms that people give it in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from schedlab.errors import InputError
from schedlab.experiment.names import input_name, short_labels, unique_names
from schedlab.experiment.plan import Dispatcher, Input, Shared
from schedlab.options import resolve
from schedlab.simulation import RunSpec
from schedlab.simulation.identity import parts, shared_parts
from schedlab.system.load import is_description
from schedlab.workload import Job
from schedlab.workload.formats import format_to_read

ARGUMENTS = ("workloads", "systems", "schedulers", "allocators", "repeat", "processes", "baseline")
"""Of an experiment: a misspelt one ends up among the options."""

_PARTS = ("windows", "queues", "conditions", "data", "estimate", "job_factory", "rules")
"""What runs share beside the options."""


def shared_of(
    options: dict[str, Any], reader: str | None, formats: dict[str, str], trust_code: bool
) -> Shared:
    """Returns what all runs have in common.

    Args:
        options: Those of `simulate` that are not part of a combination.
        reader: Of the workloads that are files; None: what each is.
        formats: Of jobs and timeline.
        trust_code: As for `simulate`.

    Raises:
        InputError: Something given is wrong.
    """
    given = {name: value for name, value in options.items() if value is not None}
    resolve(given.get("rules"), {n: it for n, it in given.items() if n not in _PARTS}, ARGUMENTS)
    spec = RunSpec(reader=reader, **given)
    return Shared(spec, shared_parts(spec), formats, trust_code)


def shared_data(spec: RunSpec) -> dict[str, Any]:
    """Returns what experiment.json says of what all runs have in common, as it was asked for."""
    return {
        name: it for name, it in spec.to_data().items() if name not in ("scheduler", "allocator")
    }


def as_list(given: Any) -> list[Any]:
    """Returns a list of what may be one or many."""
    one = isinstance(given, (str, os.PathLike, dict)) or not hasattr(given, "__iter__")
    return [given] if one else list(given)


def inputs_of(kind: str, given: Any, part: Callable[[Any], parts.RunPart]) -> list[Input]:
    """Returns workloads or systems under their names."""
    named = isinstance(given, Mapping) and not (kind == "system" and is_description(given))
    if named:
        names = [str(name) for name in given]
        for place, name in enumerate(names):
            if not name.strip() or not name.isprintable():
                raise InputError(f"{kind}s: a name must be a text of one line, not {name!r}")
            if name in names[:place]:
                raise InputError(f"{kind}s: two have the name {name!r}")
        return [Input(name, part(one)) for name, one in zip(names, given.values(), strict=True)]
    items = as_list(given)
    if items and isinstance(items[0], Job):  # the jobs of one workload
        items = [items]
    if not items:
        raise InputError(f"{kind}s: give at least one")
    made = [part(one) for one in items]
    names = unique_names(input_name(one.text) for one in made)
    return [Input(name, one) for name, one in zip(names, made, strict=True)]


def jobs_of(workload: Any) -> list[Job]:
    """Returns the jobs of a workload that is a list of them; none of other workloads."""
    return workload if isinstance(workload, list) else []


def input_description(one: Input) -> dict[str, Any]:
    """Returns what experiment.json says of a workload or a system."""
    given = RunSpec(one.part.given).workload  # the file, also of a reader that has a name
    path = given if isinstance(given, str) else None
    return {"name": one.name, "path": path, "identity": one.part.identity}


def workload_description(one: Input, reader: str | None) -> dict[str, Any]:
    """Returns what experiment.json says of a workload: its reader, too, where it has its own.

    Args:
        one: The workload.
        reader: That of all workloads that are files; None: what each is.
    """
    description = input_description(one)
    path, own = description["path"], RunSpec(one.part.given).reader or "swf"
    if path is None or own == (reader or format_to_read(path)):
        return description
    return {**description, "reader": own}


def _short(text: str) -> str:
    """Returns the name of a part without its module."""
    name, bracket, arguments = text.partition("(")
    if ":" in name and not name.startswith("score:"):
        name = name.rpartition(":")[2].rpartition(".")[2]
    return name + bracket + arguments


def default_name(scheduler: str, allocator: str) -> str:
    """Returns what to call a dispatcher that was given no name, by those of its parts."""
    return f"{_short(scheduler)}+{_short(allocator)}"


def labels_of(dispatchers: list[Dispatcher]) -> list[str]:
    """Returns what to call dispatchers in tables, as short as they can be distinguished."""
    usual = [
        one
        for one in dispatchers
        if one.name == default_name(one.scheduler.text, one.allocator.text)
    ]
    texts = [(_short(one.scheduler.text), _short(one.allocator.text)) for one in usual]
    short = dict(zip((one.name for one in usual), short_labels(texts), strict=True))
    labels = [short.get(one.name, one.name) for one in dispatchers]
    names = [one.name for one in dispatchers]
    return labels if len(set(labels)) == len(labels) else names
