"""What jobs take of nodes, and what nodes have, as columns of numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

if TYPE_CHECKING:
    from numpy.typing import NDArray


def amounts_per_task(jobs: polars.DataFrame, run: dict[str, Any]) -> polars.DataFrame:
    """Returns what each task of each job takes, a column per resource type.

    Jobs that take whole nodes have null there: it depends on the node.
    """
    system = run["system"]
    types = list(system["capacity"])
    if "amounts" not in jobs.columns:
        text = polars.Series("amounts", [None] * jobs.height, dtype=polars.String)
    else:
        text = jobs["amounts"]
    given = text.fill_null("")
    plain, whole = given == "", given == "whole"
    columns = []
    for kind in types:
        amount = (
            given.str.extract(rf"(?:^| ){re.escape(kind)}=(\d+)").cast(polars.Int64).fill_null(0)
        )
        processor = int(system["processor"].get(kind, 0))
        usual = polars.Series([processor]).new_from_index(0, jobs.height)
        none = polars.Series([None], dtype=polars.Int64).new_from_index(0, jobs.height)
        columns.append(none.zip_with(whole, usual.zip_with(plain, amount)).alias(kind))
    return polars.DataFrame(columns)


def node_capacities(run: dict[str, Any]) -> polars.DataFrame:
    """Returns the nodes of the machine: columns node, group, and the amount of each resource."""
    system = run["system"]
    types = list(system["capacity"])
    parts, first = [], 0
    for name, group in system["groups"].items():
        count = int(group["nodes"])
        columns: dict[str, Any] = {"node": polars.int_range(first, first + count, eager=True)}
        columns["group"] = [name] * count
        for kind in types:
            columns[kind] = [int(group["resources"].get(kind, 0))] * count
        parts.append(polars.DataFrame(columns))
        first += count
    return polars.concat(parts)


def share_of_node(
    ran: polars.DataFrame,
    run: dict[str, Any],
    row: NDArray[Any],
    first: NDArray[Any],
    tasks: NDArray[Any],
) -> NDArray[np.float32]:
    """Returns what part of each of its nodes a rectangle takes, by the processor's first resource.

    Args:
        ran: Jobs, with the columns of jobs.csv.
        run: What run.json holds.
        row: The job of each rectangle.
        first: Its first node.
        tasks: How many tasks it has on each of its nodes.
    """
    kind = next(iter(run["system"]["processor"]), None) or next(iter(run["system"]["capacity"]))
    each = amounts_per_task(ran, run)[kind].cast(polars.Float64).fill_null(float("inf")).to_numpy()
    capacity = np.maximum(node_capacities(run)[kind].to_numpy(), 1)
    share: NDArray[Any] = np.minimum(
        1.0, each[row] * tasks / capacity[np.minimum(first, len(capacity) - 1)]
    )
    return share.astype(np.float32)
