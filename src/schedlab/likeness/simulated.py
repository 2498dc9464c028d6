"""The same dispatchers on each workload: what a scheduling study needs a model for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError, SchedlabError
from schedlab.simulation import simulate
from schedlab.workload.formats import workload as workload_of
from schedlab.workload.formats.swf.extended import SwfReader

if TYPE_CHECKING:
    from schedlab.analysis.workload_columns import WorkloadColumns
    from schedlab.simulation import Simulation
    from schedlab.system import System

Watcher = Callable[[str], Callable[["Simulation"], None] | None]
"""Called with what begins to be simulated; returns what to call some times a second."""


def simulate_all(
    columns: WorkloadColumns,
    system: System,
    schedulers: Sequence[str],
    watch: Watcher | None = None,
    trust_code: bool = False,
) -> dict[str, dict[str, Any]]:
    """Simulates a workload under some schedulers and returns the metrics of each.

    Rows that are not in order of submission are sorted; everything else is read as `simulate` does.

    Args:
        columns: The workload.
        system: Its machine.
        schedulers: Names, such as "easy".
        watch: Called before each run.
        trust_code: As for `simulate`.

    Raises:
        InputError: No job of it can run.
    """
    source = columns.source
    # The engine reads SWF itself, faster than through tables.
    by_engine = type(source) is SwfReader and source.path is not None
    workload = workload_of(str(source.path), "swf") if by_engine else source
    # A reader that gives jobs, not rows, has sorted them, or the engine says so.
    options: dict[str, Any] = {"sort": True} if columns.unsorted and source.gives_tables else {}
    found = {}
    for scheduler in schedulers:
        progress = watch(f"{columns.label}: {scheduler}") if watch else None
        try:
            result = simulate(
                workload,
                system=system,
                scheduler=scheduler,
                jobs="none",
                progress=progress,
                trust_code=trust_code,
                **options,
            )
        except SchedlabError as error:
            kind = InputError if isinstance(error, InputError) else type(error)
            raise kind(f"simulating {columns.label} under {scheduler}: {error}") from None
        found[scheduler] = {
            "system": result.run["system"]["name"],
            "counts": result.counts,
            **{
                name: result.metrics[name]
                for name in ("wait", "bounded_slowdown", "utilization", "makespan")
            },
        }
    return found
