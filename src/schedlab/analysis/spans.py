"""Where jobs ran: the `nodes` column of jobs.csv as numbers."""

from __future__ import annotations

import polars

from schedlab.errors import InputError


def node_spans(jobs: polars.DataFrame) -> polars.DataFrame:
    """Returns one row per item of the column `nodes`, in the order of the file.

    Its columns are `job` (the row of the job in the given frame, from 0), `first` and `last` (nodes
    from 0, both included) and `tasks` (on each of them). Jobs that ran nowhere have no row.

    Args:
        jobs: Jobs with a column `nodes`, such as `16-35*2 40`.

    Raises:
        InputError: An item is not of that form.
    """
    items = (
        jobs.select(polars.col("nodes").cast(polars.String))
        .with_row_index("job")
        .filter(polars.col("nodes").is_not_null() & (polars.col("nodes") != ""))
        .with_columns(polars.col("nodes").str.split(" "))
        .explode("nodes")
    )
    # Splitting at the two signs is four times as fast as one regular expression.
    parts = items.with_columns(
        polars.col("nodes").str.splitn("*", 2).struct.rename_fields(["span", "tasks"])
    ).unnest("nodes")
    parts = parts.with_columns(
        polars.col("span").str.splitn("-", 2).struct.rename_fields(["first", "last"])
    ).unnest("span")
    whole = [
        polars.col(name).cast(polars.Int64, strict=False).alias(f"{name}_number")
        for name in ("first", "last", "tasks")
    ]
    spans = parts.with_columns(whole)
    wrong = spans.with_row_index("item").filter(
        polars.col("first_number").is_null()
        | (polars.col("last").is_not_null() & polars.col("last_number").is_null())
        | (polars.col("tasks").is_not_null() & polars.col("tasks_number").is_null())
        | (polars.col("last_number") < polars.col("first_number"))
    )
    if wrong.height:
        item, row = wrong["item"][0], wrong["job"][0]
        raise InputError(
            f"column nodes, job in row {row + 1:,}: {items['nodes'][item]!r} is none of 7, 7*2, "
            "16-35 and 16-35*2"
        )
    return spans.select(
        polars.col("job").cast(polars.Int64),
        polars.col("first_number").alias("first"),
        polars.col("last_number").fill_null(polars.col("first_number")).alias("last"),
        polars.col("tasks_number").fill_null(1).alias("tasks"),
    )
