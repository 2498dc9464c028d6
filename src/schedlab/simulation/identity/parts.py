"""The parts of a run, and what of each determines its results: the identity of the run."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from schedlab.conditions import load_conditions
from schedlab.dispatch import BuiltInAllocator, Discipline
from schedlab.dispatch.additional_data import check as checked_data
from schedlab.dispatch.allocators import allocator_named
from schedlab.dispatch.estimators import estimator_named
from schedlab.dispatch.orders import Order
from schedlab.dispatch.schedulers import scheduler_named
from schedlab.errors import InputError
from schedlab.fields import Frozen
from schedlab.naming import function as function_named
from schedlab.options import CHOICES
from schedlab.policy import Policy
from schedlab.results.json_text import to_json
from schedlab.simulation.description import definition
from schedlab.simulation.identity.source_checksums import (
    UnknownSourceError,
    checksum_of,
    file_checksum,
    module_files,
    module_sources,
    object_source,
)
from schedlab.simulation.parts import label
from schedlab.system import load_system
from schedlab.system.queues import load_queues
from schedlab.system.table import as_table
from schedlab.system.windows import load_windows
from schedlab.trust import PERSON
from schedlab.workload import Job, Reader
from schedlab.workload.compression import InputFile
from schedlab.workload.formats import workload as workload_of
from schedlab.workload.formats.tables.frame import FrameReader
from schedlab.workload.job_factory import factory_named, name_of
from schedlab.workload.source import is_frame


class RunPart(NamedTuple):
    """One argument of a run.

    Attributes:
        text: What people call it.
        given: What `RunSpec` takes.
        identity: What of it determines the run, as plain data.
        unknown: Why that cannot be determined; None: it can.
        files: Of the modules that each run imports anew for it.
    """

    text: str
    given: Any
    identity: Any
    unknown: str | None
    files: tuple[str, ...] = ()


def _part(text: str, given: Any, identity: Callable[[], Any], code: Any = None) -> RunPart:
    """Returns a part.

    Args:
        text: As of `RunPart`.
        given: Likewise.
        identity: Returns what is known of it.
        code: The class or function that a name stands for, whose modules belong to the identity.
    """
    files: dict[str, str] = {}
    try:
        known, unknown = identity(), None
        if code is not None:
            files = module_files(code)
            known["modules"] = module_sources(code)
    except UnknownSourceError as error:
        known, unknown = None, str(error)
    return RunPart(text, given, known, unknown, tuple(files.values()))


def workload_part(given: Any, reader: str | None) -> RunPart:
    """Returns the part of a workload: a path, a `Reader`, a polars frame, or a list of `Job`.

    Raises:
        InputError: There is no such file, or it can be read once only.
    """
    if isinstance(given, (str, os.PathLike)):
        path = os.fsdecode(given)
        made = workload_of(path, reader)
        if isinstance(made, str):
            return _part(path, path, lambda: {"file": _file(path)})
        reader = made._text

        def by_reader() -> Any:
            return {"file": _file(path), "reader": reader}

        return _part(path, made, by_reader, type(made))
    if is_frame(given):
        given = FrameReader(given)
    if isinstance(given, FrameReader):
        rows = f"{given.collected().height:,} rows of a frame"
        return _part(rows, given, lambda: {"frame": given.checksum()})
    if isinstance(given, Reader):
        text = given.path or str(given)
        if given._text is not None and given.path is not None:
            return workload_part(given.path, given._text)

        def by_object() -> Any:
            files = {"file": _file(given.path)} if given.path else {}
            return {"source": object_source(given), **files}

        return _part(text, given, by_object)
    if isinstance(given, (list, tuple)) and all(isinstance(job, Job) for job in given):
        jobs = list(given)
        what = checksum_of(*(repr(job).encode() for job in jobs))
        return _part(f"{len(jobs):,} jobs", jobs, lambda: {"jobs": what})
    raise InputError(
        "a workload is a file, a list of Job, a Reader or a polars frame, not "
        f"{type(given).__name__}; it is read once for each run"
    )


def _file(path: str) -> str:
    InputFile(path)  # says what is wrong with it
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise InputError(
            f"{path}: is not a plain file, and an experiment reads it once for each run"
        )
    return file_checksum(path)


def system_part(given: Any) -> RunPart:
    """Returns the part of a system: a path, a dict, or a `System`."""
    system = load_system(given)
    table = as_table(system)
    path = os.fsdecode(given) if isinstance(given, (str, os.PathLike)) else None
    return _part(path or system.name, path or system, lambda: table)


def scheduler_part(given: Any) -> RunPart:
    """Returns the part of a scheduler: a name, or an object."""
    made = scheduler_named(given, PERSON)
    text = label(given, made)
    if isinstance(made, Discipline) and isinstance(made.order, Order):
        function = made.order.function
        if isinstance(given, str):
            return _part(given, given, lambda: {"name": given}, function)
        return _part(text, made, lambda: {"name": text, "source": object_source(function)})
    return _policy_part(given, made, text)


def allocator_part(given: Any) -> RunPart:
    """Returns the part of an allocator: a name, or an object."""
    made = allocator_named(given, PERSON)
    text = label(given, made)
    order = getattr(made, "order", None) if isinstance(made, BuiltInAllocator) else None
    if isinstance(order, str) and ":" in order:
        return _part(text, text, lambda: {"name": text}, function_named("order", order, (), PERSON))
    if callable(order):
        return _part(text, made, lambda: {"name": text, "source": object_source(order)})
    return _policy_part(given, made, text)


def estimate_part(given: Any) -> RunPart:
    """Returns the part of what schedulers know of run times: a word, a name, or an object."""
    if given is None or given in CHOICES["estimate"]:
        return RunPart(str(given), given, None, None)  # a word is among the options
    made = estimator_named(given, PERSON)
    return _policy_part(given, made, label(given, made))


def mapping_part(given: str | None) -> RunPart:
    """Returns the part of which rank runs where: None, a word, or the name of a function."""
    if given is None or ":" not in given:
        return RunPart(str(given), given, None, None)  # a word is among the options
    return _part(
        given, given, lambda: {"name": given}, function_named("mapping", given, (), PERSON)
    )


def data_part(given: Iterable[Any]) -> RunPart:
    """Returns the part of all additional data: names, or objects."""
    items = list(given)
    parts = [
        _policy_part(item, made, label(item, made))
        for item, made in zip(items, checked_data(items, PERSON), strict=True)
    ]
    unknown = [part.unknown for part in parts if part.unknown]
    return RunPart(
        ", ".join(part.text for part in parts),
        [part.given for part in parts],
        [part.identity for part in parts],
        unknown[0] if unknown else None,
        tuple(path for part in parts for path in part.files),
    )


def factory_part(given: Any) -> RunPart:
    """Returns the part of a job factory: None, a name, or a function."""
    if given is None:
        return RunPart("", None, None, None)
    made = factory_named(given, PERSON)
    if isinstance(given, str):
        what = made if hasattr(made, "__qualname__") else type(made)
        return _part(given, given, lambda: {"name": given}, what)
    return _part(name_of(made), made, lambda: {"source": object_source(made)})


def definitions_part(kind: str, given: Any) -> RunPart:
    """Returns the part of windows or queues, as `kind` says: a file, or objects."""
    loaded: tuple[Frozen, ...] = ()
    if given != ():
        loaded = load_windows(given) if kind == "windows" else load_queues(given)
    tables = [definition(one) for one in loaded]
    return RunPart(kind, loaded, tables, None)


def conditions_part(given: Any) -> RunPart:
    """Returns the part of what happens to the machine: None, a file, a dict, or `Conditions`.

    Files are read here, once: all runs have the same, and know their content.
    """
    if given is None:
        return RunPart("", None, None, None)
    made = load_conditions(given)
    content = checksum_of(to_json(made.without_names()).encode())
    return RunPart(str(made), made, {"text": str(made), "content": content}, None)


def _policy_part(given: Any, made: Any, text: str) -> RunPart:
    if not isinstance(made, Policy):  # built in: its name says all
        return _part(text, text, lambda: {"name": text})
    if isinstance(given, str):
        return _part(given, given, lambda: {"name": given}, type(made))
    return _part(text, made, lambda: {"name": text, "source": object_source(made)})
