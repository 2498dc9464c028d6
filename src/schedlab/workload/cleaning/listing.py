"""The list of jobs that went: what a rule finds, as rows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
import polars

from schedlab.errors import InputError
from schedlab.workload.cleaning.rule import CleaningRule, Finding, size

if TYPE_CHECKING:
    from numpy.typing import NDArray

REMOVED = {
    "row": polars.Int64,
    "job": polars.Float64,
    "submit": polars.Float64,
    "run": polars.Float64,
    "processors": polars.Float64,
    "user": polars.Float64,
    "rule": polars.String,
    "reason": polars.String,
    "evidence": polars.String,
}
"""Columns of the list of jobs that went; rows count from 1, those that cannot be read left out."""


def rows_found(
    finding: Finding, table: polars.DataFrame, rule: CleaningRule
) -> NDArray[numpy.bool_]:
    """Returns which rows a finding names.

    Raises:
        InputError: It is not a finding, as may be in a rule of a user's own.
    """
    if not isinstance(finding, Finding):
        raise InputError(f"rule {rule}: find() must yield Finding(...), not {finding!r}")
    try:
        found = table.select(finding.when).to_series()
    except polars.exceptions.PolarsError as error:
        raise InputError(f"rule {rule}: {finding.reason}: {error}") from None
    if found.dtype != polars.Boolean or len(found) != table.height:
        raise InputError(
            f"rule {rule}: {finding.reason}: `when` must be true or false for each of "
            f"{table.height} rows, not {len(found)} of {found.dtype}"
        )
    return found.fill_null(False).to_numpy()


def listed(
    finding: Finding,
    table: polars.DataFrame,
    found: NDArray[numpy.bool_],
    rule: CleaningRule,
    first_row: int,
) -> polars.DataFrame:
    """Returns the rows of a finding as part of the list of jobs that went."""
    evidence = finding.evidence
    if isinstance(evidence, str):
        evidence = polars.lit(evidence)
    elif isinstance(evidence, polars.Series):
        evidence = polars.lit(evidence.filter(polars.Series(found)))
    rows = polars.Series(numpy.flatnonzero(found) + first_row + 1)
    return table.filter(polars.Series(found)).select(
        rows.alias("row").cast(polars.Int64),
        "job",
        "submit",
        "run",
        size().alias("processors"),
        "user",
        polars.lit(rule.title).alias("rule"),
        polars.lit(finding.reason).alias("reason"),
        evidence.cast(polars.String).alias("evidence"),
    )


def shortest(column: polars.Series) -> polars.Series:
    """Returns whole numbers as such: 7 rather than 7.0."""
    whole = column.is_finite().all() and (column == column.floor()).all()
    return column.cast(polars.Int64, strict=False) if whole else column
