"""Where jobs ran: the `nodes` column of jobs.csv as numbers."""

from __future__ import annotations

import polars

from schedlab.errors import InputError
from schedlab.node_lists import not_a_placement
from schedlab.results.placements import is_placement, split_placements


def node_spans(jobs: polars.DataFrame) -> polars.DataFrame:
    """Returns one row per item of the column `nodes`, in the order of the file.

    Its columns are `job` (the row of the job in the given frame, from 0), `first` and `last` (nodes
    from 0, both included) and `tasks` (on each of them). Jobs that ran nowhere have no row.

    Args:
        jobs: Jobs with a column `nodes`, such as `16-35*2 40`.

    Raises:
        InputError: An item is not of that form.
    """
    texts = jobs.lazy().select(polars.col("nodes").cast(polars.String)).with_row_index("job")
    spans = split_placements(texts, "nodes").collect()
    wrong = spans.filter(~is_placement())
    if wrong.height:
        row, item = wrong["job"][0], wrong["item"][0]
        raise InputError(f"column nodes, job in row {row + 1:,}: {not_a_placement(item)}")
    return spans.select(polars.col("job").cast(polars.Int64), "first", "last", "tasks")
