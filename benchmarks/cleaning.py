"""Time and memory of `schedlab workload clean` on a million jobs with a flurry among them.

python benchmarks/cleaning.py
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

import numpy
import polars

from schedlab.workload.formats import write_tables
from schedlab.workload.random_numbers import generator
from schedlab.workload.table import complete, in_batches

JOBS, FLURRY = 1_000_000, 120_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("log.swf", "log.swf.gz"):
            log = os.path.join(folder, name)
            write_tables(log, in_batches(jobs()), {"MaxProcs": "256"})
            before = cpu_seconds()
            command = ["workload", "clean", log, os.path.join(folder, "clean.swf")]
            subprocess.run([sys.executable, "-m", "schedlab", *command], check=True)
            seconds = cpu_seconds() - before
            megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
            print(f"{name}: {seconds:.2f} s CPU, {megabytes:,.0f} MB at most so far")


def cpu_seconds() -> float:
    """Returns what processes that ended took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def jobs() -> polars.DataFrame:
    """Returns a year of jobs of 500 users, and a burst of another one in the middle."""
    numbers = generator("cleaning")
    users = numpy.floor(numbers.random(JOBS) ** 2 * 500)
    users[JOBS // 2 : JOBS // 2 + FLURRY] = 999
    return complete(
        polars.DataFrame(
            {
                "job": numpy.arange(1, JOBS + 1),
                "submit": numpy.sort(numpy.floor(numbers.random(JOBS) * 3e7)),
                "wait": numpy.floor(-1000 * numpy.log1p(-numbers.random(JOBS))),
                "run": numpy.floor(-5000 * numpy.log1p(-numbers.random(JOBS))),
                "allocated_processors": 2 ** numpy.floor(numbers.random(JOBS) * 8),
                "requested_time": 36_000.0,
                "status": 1.0,
                "user": users,
            }
        )
    )


if __name__ == "__main__":
    main()
