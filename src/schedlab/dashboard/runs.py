"""What a page asks about one run: facts, curves, moments, jobs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import polars

from schedlab.analysis.curves import curves
from schedlab.analysis.plots.time_axis import LATEST
from schedlab.clock import Clock
from schedlab.dashboard.gantt_shares import ChartPart
from schedlab.dashboard.moments import moment_data
from schedlab.durations import DAY
from schedlab.errors import InputError
from schedlab.job_states import ENDED
from schedlab.options import DEFAULTS
from schedlab.results.measures import platform_lines
from schedlab.results.result import Summary
from schedlab.watch.job_facts import in_words, job_facts
from schedlab.workload.local_time import EARLIEST, offsets_of

if TYPE_CHECKING:
    from schedlab.dashboard.open_runs import OpenRun
    from schedlab.watch import RunView

MARGIN_SECONDS = 400 * DAY
"""Around a run: a live one continues, and axes reach beyond the first and the last time."""

FILES = ("run.json", "jobs.csv", "jobs.parquet", "timeline.csv", "timeline.parquet")
"""What can be downloaded of a run."""

JOB_COLUMNS = (
    *("job_id", "user", "submit", "start", "end", "state", "tasks", "estimate", "wait"),
    "bounded_slowdown",
)
"""What the table of jobs shows and can be sorted by."""


def description(view: RunView) -> dict[str, Any]:
    """Returns what does not change while a page shows a run."""
    run, system = view.run, view.run["system"]
    data: dict[str, Any] = {
        "is_live": view.is_live,
        "first": view.first,
        "last": view.last,
        "status": run["status"],
        "scheduler": run["scheduler"],
        "allocator": run["allocator"],
        "options": run["options"],
        "changed_options": changed_options(run),
        "rules": run["rules"],
        "workload": {
            "path": os.path.basename(run["workload"]["path"] or "") or None,
            "rows": run["workload"]["rows"],
            "skipped": run["workload"]["skipped"],
        },
        "system": {
            "calendar": calendar_of(run),
            **{key: system[key] for key in ("name", "nodes", "capacity", "processor", "groups")},
        },
        "schedlab": run["schedlab"],
        "files": [name for name in FILES if os.path.exists(os.path.join(view.path, name))],
    }
    if not view.is_live:
        data["counts"] = run["counts"]
        data["metrics"] = run["metrics"]
        data["simulator"] = run["simulator"]
        data["summary"] = Summary(run).lines()
        data["machine"] = [line.split(maxsplit=1) for line in platform_lines(run)]
    return data


def clock_of(run: dict[str, Any]) -> Clock:
    """Returns the clock of a run; without dates where its times lead to none."""
    clock = Clock.of_run(run)
    start = clock.start_time
    has_dates = start is not None and start + run["time"]["now"] < LATEST
    return Clock(start if has_dates else None, clock.zone, clock.zone_name)


def calendar_of(run: dict[str, Any]) -> dict[str, Any] | None:
    """Returns how to write times of a run as dates of its zone; None where none are known.

    `offsets` has what the zone's clocks are ahead of UTC, in seconds, from each Unix time on, so
    that a page needs no table of zones.
    """
    clock = clock_of(run)
    if clock.start_time is None:
        return None
    first = max(clock.start_time + float(run["time"]["first_submit"] or 0.0), float(EARLIEST))
    last = min(clock.start_time + float(run["time"]["now"]) + MARGIN_SECONDS, float(LATEST))
    return {
        "start": clock.start_time,
        "zone": clock.zone_name,
        "offsets": offsets_of(clock.zone, first - MARGIN_SECONDS, last),
    }


def changed_options(run: dict[str, Any]) -> str:
    """Returns the options of a run that are not the defaults, such as `estimate=exact, seed=7`."""
    rules = [f"rules={run['rules']}"] if run["rules"] else []
    options = [
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in run["options"].items()
        if name in DEFAULTS and value != DEFAULTS[name]
    ]
    return ", ".join(rules + options)


def parse_time(opened: OpenRun, text: str) -> float:
    """Returns the time that a text means: `86400`, `3d`, `12h30m` or a date, if the run has dates.

    Raises:
        InputError: It is none of these.
    """
    return clock_of(opened.view.run).parse(text)


def curve_data(opened: OpenRun, first: float, last: float, bins: int) -> dict[str, Any]:
    """Returns the curves of a part of a run: for each name, its mean and maximum in each bin."""
    view = opened.view
    if not last > first:
        raise InputError(f"curves from {first} to {last}: there is nothing between")
    timeline = view.timeline()
    if timeline is None or timeline.is_empty():
        return {"time": [], "columns": {}}
    names = ["queued", "running", *(f"{kind}_used" for kind in view.run["system"]["capacity"])]
    table = timeline.select("time", *names)
    frame = opened.kept(("curves", first, last, bins), lambda: curves(table, first, last, bins))
    columns = {
        name: {"mean": _short(frame[name]), "max": _short(frame[f"{name}_max"])} for name in names
    }
    return {"time": frame["time"].to_list(), "columns": columns}


def _short(values: polars.Series) -> list[float]:
    return values.round_sig_figs(6).to_list()


def moment_at(opened: OpenRun, time: float) -> dict[str, Any]:
    """Returns how a run stood at a time."""
    view = opened.view
    return moment_data(view.at(min(max(time, view.first), view.last)), view.run)


def neighbour(opened: OpenRun, time: float, steps: int) -> float:
    """Returns the time of the event N steps on, or back; the ends of the run at most."""
    view, found = opened.view, time
    for _ in range(abs(steps)):
        after = view.next_time(found) if steps > 0 else view.previous_time(found)
        if after is None:
            break
        found = after
    return found


def picture(opened: OpenRun, part: ChartPart) -> bytes:
    """Returns a part of the Gantt chart."""
    index = opened.gantt()
    return opened.kept(("gantt", part), lambda: index.picture(part))


def job_data(opened: OpenRun, job_id: int, time: float | None = None) -> dict[str, Any]:
    """Returns everything about a job.

    Args:
        opened: The run.
        job_id: The job.
        time: For which `facts` are reported; None: the last there is.

    Returns:
        The row of jobs.csv, and `facts`: a label, a text and whether it is still to come, each.
    """
    view = opened.view
    job = view.job(job_id)
    if job is None:
        raise InputError(f"job {job_id}: there is none in this run")
    row = {name: (None if value != value else value) for name, value in job.items()}
    shown = min(max(view.last if time is None else time, view.first), view.last)
    return {**row, "facts": _facts_at(row, view.run, shown)}


def _facts_at(row: dict[str, Any], run: dict[str, Any], time: float) -> list[tuple[str, str, bool]]:
    """Returns the facts of a job in words, and whether they are still to come."""
    return [
        (label, text, "will" in label.split() or label.startswith("expected "))
        for label, text in in_words(job_facts(row, run, time), run, time)
    ]


def job_rows(
    opened: OpenRun, query: str, sort: str, descending: bool, offset: int, limit: int
) -> dict[str, Any]:
    """Returns a page of the table of jobs.

    Args:
        opened: The run.
        query: A job id, `user:7`, or a state; empty: all.
        sort: One of JOB_COLUMNS.
        descending: The largest first.
        offset: How many to leave out.
        limit: How many at most.
    """
    if sort not in JOB_COLUMNS:
        raise InputError(f"sort: must be one of {', '.join(JOB_COLUMNS)}, not {sort!r}")
    jobs = opened.view.jobs()
    found = jobs.filter(_condition(query)) if query.strip() else jobs
    if limit + offset < found.height // 4:  # the first few of many: no need to sort them all
        by = polars.col(sort)
        top = found.lazy().top_k if descending else found.lazy().bottom_k
        known = found.height - found[sort].null_count()
        if known >= limit + offset:
            found_page = top(limit + offset, by=by).sort(by, descending=descending).collect()
            return _page(found_page.slice(offset, limit), found.height, jobs.height)
    rows = found.sort(sort, descending=descending, nulls_last=True).slice(offset, limit)
    return _page(rows, found.height, jobs.height)


def _page(rows: polars.DataFrame, found: int, total: int) -> dict[str, Any]:
    return {
        "columns": JOB_COLUMNS,
        "rows": [list(row) for row in rows.select(JOB_COLUMNS).iter_rows()],
        "found": found,
        "total": total,
    }


def _condition(query: str) -> polars.Expr:
    word = query.strip().lower()
    states = (*ENDED, "running", "queued", "held")
    if word in states:
        return polars.col("state") == word
    column, text = ("user", word[5:]) if word.startswith("user:") else ("job_id", word)
    try:
        number = int(text)
        if abs(number) >= 2**63:
            raise ValueError
    except ValueError:
        raise InputError(
            f"search: {query[:60]!r} is not a job number, user:NUMBER or state "
            f"({', '.join(states)})"
        ) from None
    return polars.col(column) == number
