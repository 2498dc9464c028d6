"""The first jobs of a real trace, for the tests of policies in Python."""

from __future__ import annotations

import itertools

import pytest

import schedlab
from schedlab import Job


@pytest.fixture(scope="session")
def first_jobs(trace):
    """Returns the first 5,000 jobs of HPC2N."""
    rows = itertools.islice(schedlab.read_swf(trace("HPC2N-2002-2.2-cln.swf.gz")), 5_000)
    jobs = []
    for row in rows:
        processors = row.requested_processors
        if processors <= 0:
            processors = row.allocated_processors
        if processors <= 0 or row.run < 0:
            continue
        requested = row.requested_time if row.requested_time > 0 else None
        jobs.append(Job(row.job, row.submit, row.run, processors, requested, row.user))
    return jobs
