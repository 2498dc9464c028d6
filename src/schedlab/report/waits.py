"""Who waits: mean and longest waits by user, and by queue and partition where a trace has them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import polars

from schedlab.analysis.groups import RunGroup
from schedlab.durations import duration_text
from schedlab.errors import SchedlabError, UntrustedCodeError
from schedlab.report.dispatcher_tables import by_inputs
from schedlab.report.figures import missing_tables
from schedlab.trust import data
from schedlab.workload.formats import reader_named

MOST_ROWS = 10
"""Of a table: those with the most jobs."""

MOST_GROUPS = 12
"""Dispatchers side by side in a table."""

KINDS = ("queue", "partition", "user")


class Trust(NamedTuple):
    """What run.json may make the report run, and what it was refused.

    Attributes:
        trust_code: Whether code that it names may run.
        given: Names of code that the person gave, too.
        refused: What was said of code that did not run; it is added here.
    """

    trust_code: bool
    given: frozenset[str]
    refused: list[str]


def waits_section(groups: Sequence[RunGroup], trust: Trust) -> str:
    """Returns the tables; nothing where neither users, queues nor partitions are known."""
    if "jobs" in missing_tables(groups) or len(groups) > MOST_GROUPS:
        return ""
    parts = []
    inputs = by_inputs(groups)
    for name, some in inputs.items():
        tables = [_tables_of(kind, some, trust) for kind in KINDS]
        if any(tables):
            parts += [f"<h3>{escape(name)}</h3>"] if len(inputs) > 1 else []
            parts += [table for table in tables if table]
    for text in trust.refused:
        parts.append(f'<p class="note">Without queues and partitions: {escape(text)}</p>')
    if parts:
        parts.append('<p class="note">Mean waits, below them the longest, of jobs that ran.</p>')
    return "\n".join(parts)


def _tables_of(kind: str, groups: Sequence[RunGroup], trust: Trust) -> str:
    """Returns the table of a kind; nothing where it is not known, or all jobs have the same."""
    frames = []
    keys = None if kind == "user" else _of_workload(kind, groups[0], trust)
    if kind != "user" and keys is None:
        return ""
    for place, group in enumerate(groups):
        jobs = group.schedules.jobs("job_id", "user", "wait").drop_nulls("wait")
        if keys is not None:
            jobs = jobs.join(keys, on="job_id")
        waits = jobs.filter(polars.col(kind) >= 0).group_by(kind).agg(
            polars.len().alias(f"jobs{place}"),
            polars.col("wait").mean().alias(f"mean{place}"),
            polars.col("wait").max().alias(f"max{place}"),
        )  # fmt: skip
        frames.append(waits)
    joined = frames[0]
    for frame in frames[1:]:
        joined = joined.join(frame, on=kind, how="full", coalesce=True)
    if joined.height < 2:
        return ""
    joined = joined.sort([polars.col("jobs0"), polars.col(kind)], descending=[True, False],
                         nulls_last=True)  # fmt: skip
    return _table(kind, joined, groups)


def _table(kind: str, frame: polars.DataFrame, groups: Sequence[RunGroup]) -> str:
    of = f"the {MOST_ROWS} with the most jobs, of {frame.height:,}"
    title = f"By {kind}" + (f": {of}" if frame.height > MOST_ROWS else "")
    heads = "".join(f'<th scope="col">{escape(group.label)}</th>' for group in groups)
    lines = []
    for row in frame.head(MOST_ROWS).iter_rows(named=True):
        cells = "".join(_cell(row[f"mean{i}"], row[f"max{i}"]) for i in range(len(groups)))
        jobs = f"{row['jobs0']:,}" if row["jobs0"] is not None else "-"
        lines.append(f'<tr><th scope="row">{row[kind]}</th><td>{jobs}</td>{cells}</tr>')
    body = "\n".join(lines)
    return (
        f'<h3>{escape(title)}</h3>\n<div class="scroll"><table class="numbers"><thead><tr>'
        f'<th scope="col">{kind}</th><th scope="col">jobs</th>{heads}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(mean: float | None, most: float | None) -> str:
    if mean is None:
        return "<td>-</td>"
    longest = f'<span class="deviation">{escape(duration_text(most))}</span>'
    return f"<td>{escape(duration_text(mean))} {longest}</td>"


def _of_workload(kind: str, group: RunGroup, trust: Trust) -> polars.DataFrame | None:
    """Returns the queue or partition of each job of the trace; None where they are not known.

    Records of jobs do not have them, so that the trace is read again, where it still is as it was.
    """
    workload = group.results[0].run["workload"]
    path = workload["path"]
    if not path or not os.path.isfile(path) or workload.get("job_factory"):
        return None
    try:
        place = os.path.join(group.results[0].path, "run.json")
        origin = data(place, trust.trust_code, trust.given)
        reader = reader_named(path, workload.get("reader"), origin)
        job = polars.col("job").cast(polars.Int64).alias("job_id")
        number = polars.col(kind).cast(polars.Int64)
        frames = [table.select(job, number) for table in reader.tables()]
    except UntrustedCodeError as error:
        if str(error) not in trust.refused:
            trust.refused.append(str(error))
        return None
    except (SchedlabError, OSError, polars.exceptions.PolarsError):
        return None  # the page is about the runs; that the trace is gone is not their fault
    if not frames:
        return None
    keys = polars.concat(frames).drop_nulls().unique("job_id", keep="first")
    jobs = group.first.jobs("job_id")
    known = jobs.join(keys, on="job_id", how="semi").height
    return keys if known == jobs.height and keys[kind].n_unique() > 1 else None
