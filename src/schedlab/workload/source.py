"""Workloads as what the engine reads."""

from __future__ import annotations

from schedlab import _engine
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from schedlab.system import System
    from schedlab.workload.compression import InputFile
    from schedlab.workload.table_input import TableInput

SWF_ATTRIBUTES = ("group", "executable", "queue", "partition", "requested_memory")
"""Fields of SWF rows that jobs carry as attributes, where something uses them."""


def is_frame(workload: object) -> bool:
    """Returns whether a workload is a polars frame, without importing polars."""
    return type(workload).__module__.partition(".")[0] == "polars"


def swf_source(
    file: InputFile | TableInput,
    system: System,
    processor: list[int],
    options: dict[str, Any],
    attributes: list[str],
) -> _engine.Source:
    """Returns the jobs of an SWF file.

    Args:
        file: The file.
        system: The machine.
        processor: What one processor of the workload takes of each of its resource types.
        options: All of `schedlab.options`.
        attributes: Those of SWF_ATTRIBUTES that are read.

    Raises:
        InputError: Options and system do not fit together.
    """
    types = system.resource_types
    if options["memory"] != "none" and "mem" not in types:
        raise InputError(
            f'memory: the system "{system.name}" has no resource type "mem"; '
            "add it to its groups (in KB, as SWF has it), or read the workload with memory none"
        )
    missing = options["missing_estimate"]
    return _engine.swf_source(
        file.source,
        name=file.path,
        processors=options["processors"],
        memory=options["memory"],
        types=types,
        processor=processor,
        memory_type=types.index("mem") if "mem" in types else 0,
        missing_estimate=missing if isinstance(missing, str) else "fixed",
        fixed_estimate=0 if isinstance(missing, str) else missing,
        estimate_covers_run=options["estimate_covers_run"],
        skip_zero_run=options["zero_run"] == "skip",
        substitute_unusable=options["unusable"] == "substitute",
        dependencies=options["dependencies"],
        strict=options["strict"],
        sort=options["sort"],
        tasks_per_node=options["tasks_per_node"] or 0,
        whole_nodes=options["whole_nodes"],
        attributes=attributes,
    )


def attributes_named(expressions: Iterable[str]) -> list[str]:
    """Returns those of SWF_ATTRIBUTES that expressions use."""
    words: set[str] = set()
    for text in expressions:  # names may have dots: queue.length is not an attribute
        letters = (letter if letter.isalnum() or letter in "_." else " " for letter in text)
        words.update("".join(letters).split())
    return [name for name in SWF_ATTRIBUTES if name in words]
