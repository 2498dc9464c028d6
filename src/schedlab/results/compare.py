"""How two schedules of the same workload differ."""

from __future__ import annotations

import os

import polars

from schedlab.calling import explained
from schedlab.errors import InputError
from schedlab.parquet_probe import probe
from schedlab.regular_file import open_regular
from schedlab.results.result import Result
from schedlab.results.stored_columns import PROBLEMS, read_header
from schedlab.results.stored_tables import ROWS_AT_ONCE
from schedlab.results.tables_check import refuse_changed

NUMBERS = ("submit", "start", "end")
TEXTS = ("state", "nodes")


class ScheduleDifference:
    """What `compare_schedules` found; printed as a short report.

    Attributes:
        jobs: Jobs that both schedules have.
        only_in_a: Ids of jobs that only the first one has.
        only_in_b: Ids of jobs that only the second one has.
        differing: For each compared column, in how many jobs it differs.
        different_jobs: Ids of the jobs that differ in any compared column, in order of submission.
        mean_wait: Of the common jobs that ran in both, by each schedule.
        largest_shift: Largest difference between two starts of one job, in seconds.
    """

    def __init__(self, a: polars.DataFrame, b: polars.DataFrame, columns: tuple[str, ...]) -> None:
        self.only_in_a: list[int] = a.join(b, on="job_id", how="anti")["job_id"].to_list()
        self.only_in_b: list[int] = b.join(a, on="job_id", how="anti")["job_id"].to_list()
        both = a.join(b, on="job_id", suffix="_b").sort("submit", "job_id")
        self.jobs = both.height
        unequal = {name: both[name].ne_missing(both[f"{name}_b"]) for name in columns}
        self.differing = {name: int(mask.sum()) for name, mask in unequal.items()}
        anywhere = polars.Series([False]).new_from_index(0, both.height)
        for mask in unequal.values():
            anywhere = anywhere | mask
        self._different = both.filter(anywhere)
        self.different_jobs: list[int] = self._different["job_id"].to_list()
        ran = both.filter(both["start"].is_not_null() & both["start_b"].is_not_null())
        waits = (ran["start"] - ran["submit"]).mean(), (ran["start_b"] - ran["submit_b"]).mean()
        self.mean_wait = waits
        shift = (ran["start"] - ran["start_b"]).abs().max()
        self.largest_shift = shift if isinstance(shift, float) else 0.0

    @property
    def identical(self) -> bool:
        """Whether both have the same jobs and no compared column differs anywhere."""
        return not (self.only_in_a or self.only_in_b or self.different_jobs)

    def __bool__(self) -> bool:
        """True where there is a difference."""
        return not self.identical

    def __str__(self) -> str:
        if self.identical:
            return f"identical: {self.jobs:,} jobs, {', '.join(self.differing)} equal in all"
        lines = [f"{self.jobs:,} jobs in both, {len(self.different_jobs):,} of them different"]
        for name, jobs in (("first", self.only_in_a), ("second", self.only_in_b)):
            if jobs:
                lines.append(f"only in the {name}: {len(jobs):,} jobs ({_some(jobs)})")
        counts = [(name, count) for name, count in self.differing.items() if count]
        lines += [f"  {name:8}{count:>12,} differ" for name, count in counts]
        if None not in self.mean_wait:
            lines.append("mean wait {:,.3f} s and {:,.3f} s".format(*self.mean_wait))
        lines.append(f"largest difference of a start {self.largest_shift:,.3f} s")
        for row in self._different.head(5).iter_rows(named=True):
            changes = ", ".join(
                f"{name} {row[name]} / {row[name + '_b']}"
                for name in self.differing
                if row[name] != row[f"{name}_b"]
            )
            lines.append(f"  job {row['job_id']}: {changes}")
        return "\n".join(lines)

    __repr__ = __str__


def _some(jobs: list[int]) -> str:
    return ", ".join(map(str, jobs[:5])) + (", ..." if len(jobs) > 5 else "")


@explained
def compare_schedules(
    a: str | os.PathLike[str] | Result, b: str | os.PathLike[str] | Result, *, shift: float = 0
) -> ScheduleDifference:
    """Returns how two job files differ, job by job.

    Args:
        a: A jobs.csv, a run folder or a result. Of other simulators' files the columns job_id,
            submit, start and end are enough; state and nodes are compared where both have them.
        b: The other one.
        shift: Seconds to add to every time of `b` before comparing, where its clock is another.

    Raises:
        InputError: A file is missing, lacks a column or names a job twice.
    """
    first, second = _jobs(a), _jobs(b)
    second = second.with_columns(polars.col(NUMBERS) + float(shift))
    texts = tuple(name for name in TEXTS if name in first.columns and name in second.columns)
    return ScheduleDifference(first, second, NUMBERS + texts)


def _jobs(source: str | os.PathLike[str] | Result) -> polars.DataFrame:
    path = source.path if isinstance(source, Result) else os.fsdecode(source)
    if os.path.isdir(path):
        result = source if isinstance(source, Result) else None
        if result is None and os.path.exists(os.path.join(path, "run.json")):
            result = Result.load(path)
        table = os.path.join(path, "jobs.parquet")
        path = table if os.path.exists(table) else os.path.join(path, "jobs.csv")
        if result is not None:
            refuse_changed(result.path, result.run, os.path.basename(path))
    if not os.path.exists(path):
        raise InputError(f"{path}: no such file; give a jobs.csv or a run folder that has one")
    try:
        if path.endswith(".parquet"):
            open_regular(path).close()
            probe(path, ROWS_AT_ONCE, path)
            frame = polars.read_parquet(path, glob=False)
        else:
            read_header(path, path)
            frame = polars.read_csv(path, infer_schema=False, glob=False)
        missing = [name for name in ("job_id", *NUMBERS) if name not in frame.columns]
        if missing:
            raise InputError(f"{path}: is not a job file: it has no column {', '.join(missing)}")
        frame = frame.with_columns(
            polars.col("job_id").cast(polars.Int64), polars.col(NUMBERS).cast(polars.Float64)
        )
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except PROBLEMS as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path}: cannot be read as a job file: {reason}") from None
    if frame["job_id"].is_duplicated().any():
        raise InputError(f"{path}: names a job twice; a schedule has one row for each")
    kept = [name for name in ("job_id", *NUMBERS, *TEXTS) if name in frame.columns]
    return frame.select(kept)
