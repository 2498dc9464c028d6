"""The identity of a run: the checksum of all that determines its results."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from typing import Any

import schedlab
from schedlab.results.json_text import to_json
from schedlab.simulation.identity import parts
from schedlab.simulation.identity.parts import RunPart
from schedlab.simulation.identity.source_checksums import checksum_of, file_checksum
from schedlab.simulation.spec import RunSpec

IDENTITY_FORMAT = 2
"""Changes with what goes into the checksum."""


def identity_of(spec: RunSpec, known: Mapping[str, RunPart] | None = None) -> str | None:
    """Returns the checksum of all that determines a run; see `RunSpec.identity`.

    Args:
        spec: The run.
        known: Its parts, where they are made already: those of many runs are, once for all.
    """
    found = _parts_of(spec) if known is None else known
    if any(part.unknown for part in found.values()):
        return None
    everything = {
        "format": IDENTITY_FORMAT,
        "schedlab": schedlab.__version__,
        "engine": engine_checksum(),
        "parts": {name: part.identity for name, part in found.items()},
        "options": {name: _one(value) for name, value in spec.resolved_options().items()},
    }
    return checksum_of(to_json(everything).encode())


def _one(value: Any) -> Any:
    """Returns the one form of numbers that are equal: 60.0 as 60."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _parts_of(spec: RunSpec) -> dict[str, RunPart]:
    spec.arguments()  # says what is missing
    return {
        "workload": parts.workload_part(spec.workload, spec.reader),
        "system": parts.system_part(spec.system),
        "scheduler": parts.scheduler_part(spec.scheduler),
        "allocator": parts.allocator_part(spec.allocator),
        **shared_parts(spec),
    }


def shared_parts(spec: RunSpec) -> dict[str, RunPart]:
    """Returns the parts that all runs of an experiment have in common, by name.

    Raises:
        InputError: One of them is wrong.
    """
    return {
        "windows": parts.definitions_part("windows", spec.windows),
        "queues": parts.definitions_part("queues", spec.queues),
        "conditions": parts.conditions_part(spec.conditions),
        "data": parts.data_part(spec.data),
        "estimate": parts.estimate_part(spec.options.get("estimate")),
        "job_factory": parts.factory_part(spec.job_factory),
        "mapping": parts.mapping_part(spec.options.get("mapping")),
    }


@cache
def engine_checksum() -> str:
    """Returns the checksum of the engine's file: another build may decide otherwise."""
    specification = importlib.util.find_spec("schedlab._engine")
    assert specification is not None
    assert specification.origin is not None
    return file_checksum(specification.origin)
