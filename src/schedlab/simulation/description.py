"""What run.json says of a run, and the tables that are made of a simulation at its end."""

from __future__ import annotations

import schedlab
from schedlab import _engine
from schedlab.fields import Frozen
from schedlab.results import FORMAT
from schedlab.results.checksums import system_checksum
from schedlab.results.notices import sizes_notice, use_notice
from schedlab.system.table import as_table
from schedlab.workload.header import header_fields

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.simulation import Simulation

    Recorder = _engine.CsvJobs | _engine.CsvTimeline | _engine.CsvStates | _engine.CsvInterruptions


def _system(simulation: Simulation) -> dict[str, Any]:
    """Returns the machine as it was simulated, with a checksum of its definition."""
    system = simulation.system
    definition = as_table(system)
    return {
        "path": simulation.system_path,
        "checksum": system_checksum(system),
        **definition,
        "groups": {
            group.name: {**definition["groups"][group.name], "resources": group.resources}
            for group in system.groups  # whose type gives them, on platforms
        },
        "nodes": system.nodes,
        "capacity": system.capacity,
    }


def definition(given: Frozen) -> dict[str, Any]:
    """Returns the fields of a definition by name, also of those that are definitions."""
    return {
        name: definition(value) if isinstance(value, Frozen) else value
        for name, value in zip(given._fields, given._values(), strict=True)
    }


NODE_COLUMNS = (
    *("node", "group", "energy", "idle_energy", "busy_core_seconds", "on_seconds", "off_seconds"),
    *("sleeping_seconds", "transition_seconds", "down_seconds"),
)
THERMAL_COLUMNS = ("hottest", "mean_temperature", "throttled_seconds")
"""Of nodes.csv, where the conditions have a thermal model."""


def nodes_text(simulation: Simulation) -> str:
    """Returns nodes.csv of a platform: each node's time and energy, and how hot it was."""
    temperatures = simulation.engine.temperatures()
    lines = [",".join(NODE_COLUMNS + (THERMAL_COLUMNS if temperatures else ()))]
    groups = [group.name for group in simulation.system.groups for _ in range(group.nodes)]
    for node, *values in simulation.engine.nodes():
        heat = temperatures[int(node)][2:] if temperatures else ()
        numbers = ",".join(repr(value) for value in (*values, *heat))
        lines.append(f"{node:.0f},{groups[int(node)]},{numbers}")
    return "\n".join(lines) + "\n"


def describe(
    simulation: Simulation,
    status: str,
    files: tuple[str, ...],
    wall_seconds: float,
    cpu_seconds: float,
) -> dict[str, Any]:
    """Returns what run.json holds."""
    engine = simulation.engine
    report = simulation.workload_report()
    header = header_fields(report.pop("comments"))
    source = simulation.reader or simulation.input
    applications = simulation.applications.texts()
    timed = any(name.startswith("timeline.") for name in files)
    warnings = simulation.warnings
    if status != "complete":
        report.pop("checksum")  # of a part of the workload only
    run: dict[str, Any] = {
        "format": FORMAT,
        "status": status,
        "schedlab": schedlab.__version__,
        "scheduler": simulation.names["scheduler"],
        "allocator": simulation.names["allocator"],
        "windows": [definition(window) for window in simulation.windows],
        "queues": [definition(queue) for queue in simulation.queues],
        "conditions": simulation.conditions.described() if simulation.conditions else None,
        "data": simulation.names["data"],
        "rules": simulation.rules,
        "options": simulation.options,
        # Of a run that continues, this is asked for several times a second.
        **({} if status == "running" else {"spec": simulation.spec.to_data()}),
        "workload": {
            "path": source.path if source else None,
            "reader": str(simulation.reader) if simulation.reader else None,
            "job_factory": simulation.job_factory_name,
            **({"applications": applications} if applications else {}),
            **report,
            "header": header,
        },
        "system": _system(simulation),
        "warnings": [*warnings, *_size_notices(simulation, header)],
        **({"application_errors": engine.application_errors} if applications else {}),
        "counts": engine.counts(),
        "rejections": engine.rejections(),
        "metrics": engine.metrics(),
        "time": {
            "first_submit": engine.first_submit,
            "last_end": engine.last_end,
            "now": engine.now,
            "time_points": engine.time_points,
        },
        "files": [*files],
        "simulator": {
            "cpu_seconds": cpu_seconds,
            "wall_seconds": wall_seconds,
            "dispatch_seconds": engine.dispatch_seconds if timed else None,
            "peak_memory_bytes": _engine.peak_resident_bytes(),
        },
    }
    if status == "complete" and (notice := use_notice(run)) is not None:
        run["warnings"].append(notice)
    return run


def _size_notices(simulation: Simulation, header: dict[str, str]) -> list[str]:
    """Returns what is doubtful in the sizes of a workload's jobs; factories make them others."""
    if simulation.job_factory is not None:
        return []
    notice = sizes_notice(header, simulation.system, simulation.options)
    return [] if notice is None else [notice]
