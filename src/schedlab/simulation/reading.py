"""The workload of a simulation: opened as its options say, and what they could not be for it."""

from __future__ import annotations

import os

from schedlab import _engine
from schedlab.errors import InputError
from schedlab.options import DEFAULTS, READING, refuse_reading
from schedlab.workload.compression import InputFile
from schedlab.workload.formats import workload as workload_of
from schedlab.workload.source import is_frame, swf_source

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.simulation.core import Simulation, Workload
    from schedlab.workload.applications import Texts, TextsOfPerson
    from schedlab.workload.numbered_texts import ExplainedTexts
    from schedlab.workload.reader import Reader
    from schedlab.workload.workload_names import WorkloadNames


def named(workload: Workload, reader: str | None) -> Workload:
    """Returns a workload with the reader that was named for its file, if one was.

    Raises:
        InputError: There is no such reader, or the workload is not a file.
    """
    if reader is None:
        return workload
    if not isinstance(workload, (str, os.PathLike)):
        raise InputError(f"reader: {reader} reads a file, and the workload is not a file")
    return workload_of(workload, reader)


def open_source(
    simulation: Simulation, workload: Workload, processor: list[int], given: dict[str, Any]
) -> _engine.Source:
    """Returns the jobs of a workload, and sets what the simulation reads from.

    Args:
        simulation: Whose options, system and applications are known.
        workload: What was given.
        processor: What one processor of the workload takes of each resource type.
        given: Options that were given.

    Raises:
        InputError: It cannot be read, or not with these options.
    """
    if isinstance(workload, (str, os.PathLike)):
        workload = workload_of(workload)
    if isinstance(workload, str):
        simulation.input = InputFile(workload)
        attributes = simulation.swf_attributes
        return swf_source(
            simulation.input, simulation.system, processor, simulation.options, attributes
        )
    reader = _as_reader(workload)
    simulation.reader = reader
    options, types = simulation.options, simulation.system.resource_types
    if reader is not None and reader.gives_tables:
        from schedlab.workload.table_input import TableInput

        asks_itself = reader.enforces_memory and "mem" in types
        if given.get("memory") is None and asks_itself:
            options["memory"] = "requested"
        texts = {
            "application": simulation.applications,
            "needs": simulation.needs,
            "licenses": simulation.licenses,
        }
        simulation.input = TableInput(reader, options["strict"], texts)
        sort = options["sort"] or not reader.in_submit_order
        return swf_source(
            simulation.input,
            simulation.system,
            processor,
            {**options, "sort": sort},
            simulation.swf_attributes,
        )
    refuse_reading(given)
    # What rules say of reading is not done to such jobs, so it is not recorded either.
    options.update({name: DEFAULTS[name] for name in READING})
    _refuse_keeping(simulation, workload)
    applications = simulation.applications
    return _engine.job_source(
        workload,
        strict=options["strict"],
        types=types,
        processor=processor,
        texts=_texts(simulation, applications.of_person() if reader is None else applications),
    )


def _texts(simulation: Simulation, applications: Texts | TextsOfPerson) -> dict[str, Any]:
    """Returns what numbers the texts of jobs, by field."""
    return {
        "application": applications,
        "partition": simulation.partitions,
        "needs": simulation.needs,
        "licenses": simulation.licenses,
    }


def _refuse_keeping(simulation: Simulation, workload: Any) -> None:
    """Raises InputError if no job of a list has an attribute that is to be written."""
    names = (simulation.options["keep"] or "").replace(",", " ").split()
    if not names or simulation.job_factory is not None or not isinstance(workload, (list, tuple)):
        return
    jobs = (job for item in workload for job in (item if isinstance(item, list) else [item]))
    known = {name for job in jobs for name in getattr(job, "attributes", None) or ()}
    for name in names:
        if name not in known:
            raise InputError(
                f'keep: no job has "{name}"; the attributes of jobs are {", ".join(sorted(known))}'
                if known
                else f'keep: no job has "{name}"; the jobs have no attributes'
            )


def _as_reader(workload: Any) -> Reader | None:
    """Returns a workload that is not a path as a reader; None for jobs given by Python code."""
    from schedlab.workload.reader import Reader

    if isinstance(workload, type):
        raise InputError(
            f"a workload is an object, not the class {workload.__name__}; did you mean "
            f"{workload.__name__}(...)?"
        )
    if type(workload).__module__.startswith("pandas."):
        raise InputError("a pandas frame is not a workload; give polars.from_pandas(frame)")
    if is_frame(workload):
        from schedlab.workload.formats.tables.frame import FrameReader

        return FrameReader(workload)
    return workload if isinstance(workload, Reader) else None


def changed_source(
    simulation: Simulation, source: _engine.Source, processor: list[int]
) -> _engine.Source:
    """Returns a source as the job factory changes it."""
    if simulation.job_factory is None:
        return source
    return _engine.factory_source(
        source,
        simulation.job_factory,
        name=simulation.job_factory_name or "",
        types=simulation.system.resource_types,
        processor=processor,
        texts=_texts(simulation, simulation.applications.of_factory()),
    )


def mentions_names(expression: str) -> bool:
    """Whether an expression may have to do with what workloads have names for."""
    words = ('"', "'", "queue", "partition", "user", "group", "account")  # KEYS of workload.names
    return any(word in expression for word in words)


def names_of(simulation: Simulation, comments: list[str]) -> WorkloadNames:
    """Returns the names that the workload of a simulation has, by what its header says."""
    from schedlab.workload.header import header_fields
    from schedlab.workload.workload_names import WorkloadNames

    reader, opened = simulation.reader, simulation.input
    header = header_fields(comments)
    if reader is not None and opened is None:
        header = reader.header
    made = opened.numbered_names if reader is not None and opened is not None else ()  # type: ignore[union-attr]
    return WorkloadNames(header, made, simulation.applications)


def reading_warnings(simulation: Simulation) -> list[str]:
    """Returns which options mean something else for rows of the workload than was asked for."""
    options, found = simulation.options, simulation.engine.found_in_rows()
    notices = [] if simulation.reader is None else _notices(simulation)
    notices += simulation.needs.warnings() + simulation.licenses.warnings()
    if unheeded := simulation.engine.unheeded_predecessors():
        from schedlab.workload.predecessor_warnings import predecessor_warnings

        notices += predecessor_warnings(unheeded)
    if found is None or not found["jobs"]:
        return notices
    jobs, memory, processors = found["jobs"], options["memory"], options["processors"]
    other = {"requested": "used", "used": "requested", "allocated": "requested"}
    counted_texts: list[tuple[int, str]] = []
    if memory != "none":
        counted_texts += [
            (
                found["other_memory"],
                f"memory {memory}: %s have none, so their {other[memory]} memory stands in",
            ),
            (
                found["no_memory"],
                f"memory {memory}: %s have neither requested nor used memory, and take none",
            ),
            (found["own_memory"], f"memory {memory}: not used for %s, which have a task_mem"),
        ]
    if processors != DEFAULTS["processors"]:
        counted_texts += [
            (
                found["other_processors"],
                f"processors {processors}: %s have none, so the requested ones stand in",
            ),
            (
                found["own_tasks"],
                f"processors {processors}: not used for %s, which say what tasks they are",
            ),
        ]
    if options["estimate"] == "history":
        counted_texts.append(
            (found["no_user"], "estimate history: %s name no user, and count as one user's")
        )
    if options["dependencies"] == "honour" and not found["with_predecessors"]:
        counted_texts.append((jobs, "dependencies honour: %s name no preceding job"))
    return notices + [
        text % f"{count:,} of {jobs:,} jobs" for count, text in counted_texts if count
    ]


def _notices(simulation: Simulation) -> list[str]:
    opened: Any = simulation.input
    return list(opened.notices) if opened is not None else []


def queues_for_engine(simulation: Simulation, comments: list[str]) -> tuple[list[Any], str | None]:
    """Returns what the engine gets of the queues: their rules, and the field that names them."""
    if not simulation.queues:
        return [], None
    from schedlab.system import queues

    names = names_of(simulation, comments)
    rules, field, warnings = queues.for_engine(
        simulation.queues, names.of("queue"), names.are_made("queue"), simulation.preemption
    )
    simulation.name_warnings += warnings
    engine_rules = [
        (rank, when and simulation.numbered(when), *others) for rank, when, *others in rules
    ]
    return engine_rules, field


def explained_for_engine(
    simulation: Simulation, source: _engine.Source, texts: ExplainedTexts
) -> ExplainedTexts | None:
    """Returns what knows the texts of jobs; None where the system has nothing that they name.

    Rows of SWF have numbers, which the header explains.
    """
    if isinstance(simulation.input, InputFile) and texts.field in source.attribute_names:
        from schedlab.workload.header import header_fields

        texts.take_header(header_fields(source.comments), simulation.input.path)
    return texts if texts.honoured else None


def partitions_for_engine(simulation: Simulation, comments: list[str]) -> list[tuple[Any, ...]]:
    """Returns what the engine gets of the system's partitions; jobs name them by numbers."""
    system = simulation.system
    if not system.partitions:
        return []
    names = names_of(simulation, comments)
    simulation.name_warnings += simulation.partitions.go_by_names(
        names.of("partition"), names.are_made("partition")
    )
    return simulation.partitions.for_engine(system, simulation.preemption)
