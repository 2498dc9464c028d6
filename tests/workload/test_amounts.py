"""What jobs take of each resource."""

from __future__ import annotations

import polars

from schedlab.workload.amounts import amounts, processors
from schedlab.workload.table import complete

TABLE = complete(
    polars.DataFrame(
        {
            "requested_processors": [8, -1, -1, 4, 4],
            "allocated_processors": [6, 5, -1, -1, -1],
            "tasks": [-1, -1, -1, 2, 2],
            "task_core": [-1, -1, -1, 3, -1],
            "task_gpu": [0.5, -1, 1, 2, 0],
        }
    )
)


def test_processors_are_requested_or_else_allocated() -> None:
    assert list(processors(TABLE)) == [8, 5, -1, 4, 4]


def test_amounts_are_those_of_all_tasks() -> None:
    found = amounts(TABLE)
    assert list(found) == ["core", "gpu"]
    assert list(found["core"]) == [8, 5, -1, 6, 4]
    # Without a number of tasks each processor is one; without both, nothing is known to be taken.
    assert list(found["gpu"]) == [4, 0, 0, 4, 0]


def test_a_processor_may_be_several_cores() -> None:
    assert list(amounts(TABLE, 2)["core"]) == [16, 10, -1, 6, 8]
    plain = TABLE.drop("tasks", "task_core", "task_gpu")
    assert list(amounts(plain, 2)["core"]) == [16, 10, -1, 8, 8]
