"""What a workload has beyond processors: resources of tasks, dependencies, workflows, phases."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy

from schedlab.workload.table import APPLICATION, PHASES, PREDECESSORS, extra_columns

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

    Column = NDArray[numpy.float64]

PHASE_NAMES = {number: name for name, number in PHASES.items()}


class ShapeTally:
    """Counts of the columns that SWF has no field for, over the tables seen so far."""

    def __init__(self) -> None:
        self.rows = 0
        self.columns: dict[str, None] = {}
        self.resources: dict[str, dict[str, float]] = {}
        self.phases: Counter[int] = Counter()
        self.workflows: set[int] = set()
        self.counts: Counter[str] = Counter()
        self.applications: Counter[str] = Counter()

    def add(self, table: polars.DataFrame, resources: dict[str, Column]) -> None:
        """Takes a table, and what its jobs take of each resource."""
        self.rows += table.height
        self.columns.update(dict.fromkeys(extra_columns(table)))
        if "task_core" in table.columns or len(resources) > 1:
            for kind, taken in resources.items():
                self._add_resource(kind, taken[taken > 0])
        if PREDECESSORS in table.columns:
            lengths = table[PREDECESSORS].list.len().to_numpy()
            self.counts["dependent"] += int(numpy.count_nonzero(lengths))
            self.counts["dependencies"] += int(lengths.sum())
        if "workflow" in table.columns:
            numbers = table["workflow"].to_numpy()
            numbers = numbers[numbers >= 0]
            self.counts["in_workflows"] += len(numbers)
            self.workflows.update(map(int, numpy.unique(numbers)))
        if APPLICATION in table.columns:
            found = table[APPLICATION].value_counts()
            self.applications.update(dict(found.iter_rows()))
        if "phase" in table.columns:
            values, counts = numpy.unique(table["phase"].to_numpy(), return_counts=True)
            self.phases.update(dict(zip(map(int, values), map(int, counts), strict=True)))

    def _add_resource(self, kind: str, taken: Column) -> None:
        facts = self.resources.setdefault(kind, {"jobs": 0, "sum": 0.0, "max": 0.0})
        facts["jobs"] += len(taken)
        if len(taken):
            facts["sum"] += float(taken.sum())
            facts["max"] = max(facts["max"], float(taken.max()))

    def facts(self) -> dict[str, Any]:
        """Returns what there is; None for what the format or the file does not have."""
        counts = self.counts
        return {
            "extra_columns": list(self.columns),
            "resources": {
                kind: {
                    "share_of_jobs": facts["jobs"] / self.rows,
                    "mean": facts["sum"] / facts["jobs"] if facts["jobs"] else None,
                    "max": facts["max"] if facts["jobs"] else None,
                }
                for kind, facts in self.resources.items()
            }
            or None,
            "dependencies": {"jobs": counts["dependent"], "edges": counts["dependencies"]}
            if PREDECESSORS in self.columns
            else None,
            "workflows": {"number": len(self.workflows), "jobs": counts["in_workflows"]}
            if "workflow" in self.columns
            else None,
            "phases": {
                PHASE_NAMES.get(number, str(number)): self.phases[number]
                for number in sorted(self.phases)
            }
            or None,
            "applications": self._application_jobs(),
        }

    def _application_jobs(self) -> dict[str, int] | None:
        """Returns the jobs of each application, most of them first; None where no job has one."""
        named = [(text, jobs) for text, jobs in self.applications.items() if text]
        return dict(sorted(named, key=lambda item: (-item[1], item[0]))) or None
