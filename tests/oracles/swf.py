"""Small readers of the Standard Workload Format, each with one simulator's rules.

They keep what the golden schedules need and nothing more: the package's own readers are
tested elsewhere.
"""

import gzip
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from .model import Job

# AccaSim adds the start time of its system file; Alea's output was shifted.
ACCASIM_START = 1027839845
ALEA_SHIFT = -342055


def _rows(path: Path, first: int | None) -> Iterator[tuple[int, ...]]:
    """Yield the first rows of a gzipped trace as integers, fractions cut off."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = (line.split() for line in lines if not line.lstrip().startswith(";"))
        for row in islice((row for row in rows if row), first):
            yield tuple(int(float(text)) for text in row)


def accasim_jobs(path: Path, first: int | None = None) -> list[Job]:
    """Read jobs as AccaSim does with two cores per processor.

    Processors are the requested ones, else the allocated ones, else the job is dropped;
    each is a task of two cores. The run time is not cut at the requested time.
    """
    jobs = []
    for row in _rows(path, first):
        processors = row[7] if row[7] > 0 else row[4]
        if processors > 0:
            jobs.append(
                Job(
                    id=row[0],
                    submit=row[1] + ACCASIM_START,
                    run=row[3],
                    estimate=row[8],
                    tasks=processors,
                    request=(2,),
                )
            )
    return jobs


def alea_jobs(path: Path, first: int | None = None) -> list[Job]:
    """Read jobs as Alea does: allocated processors, run time cut at the request."""
    return [
        Job(
            id=row[0],
            submit=row[1] + ALEA_SHIFT,
            run=min(row[3], row[8]),
            estimate=row[8],
            tasks=row[4],
        )
        for row in _rows(path, first)
    ]


def pyss_jobs(path: Path, processors: int) -> list[Job]:
    """Read jobs as PySS does on a machine of N processors.

    A row is unusable if run time <= 0, or allocated processors <= 0, or submit < 0
    (nothing else: not the requested time, requested processors or status). It becomes
    a job of max(1, allocated) processors, run 1, estimate 1, submit max(1, submit).

    Any other row keeps its submit time and gets the allocated processors (at most the
    whole machine), run = min(run, requested) and estimate = max(requested, run), where
    both run times are the raw one; run and estimate are then raised to at least 1.

    What SDSC-SP2-1998-5Ksample can show of this: its unusable rows are exactly the 355
    with run = -1, of which 354 also lack processors and one (job 785) has 1; its only
    submit of 0 belongs to an unusable row; its requested times are all positive. The
    rest is the rule of PySS's source.
    """
    jobs = []
    for row in _rows(path, None):
        submit, run, allocated, requested = row[1], row[3], row[4], row[8]
        if run <= 0 or allocated <= 0 or submit < 0:
            job = Job(
                id=row[0],
                submit=max(1, submit),
                run=1,
                estimate=1,
                tasks=max(1, allocated),
            )
        else:
            job = Job(
                id=row[0],
                submit=submit,
                run=max(1, min(run, requested)),
                estimate=max(1, requested, run),
                tasks=min(allocated, processors),
            )
        jobs.append(job)
    return jobs
