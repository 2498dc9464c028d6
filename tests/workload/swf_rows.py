"""Rows of SWF files, simulated with and without job factories."""

from __future__ import annotations

import schedlab
from schedlab.workload import SwfRow

SYSTEM = {"groups": {"node": {"nodes": 4, "resources": {"core": 4, "mem": 1000}}}}


def row(job, submit=0, run=10, requested=2, time=20, **other):
    return SwfRow(
        job,
        submit,
        run=run,
        allocated_processors=requested,
        requested_processors=requested,
        requested_time=time,
        **other,
    )


def simulated(workload, tmp_path, **choices):
    """Returns the rows of jobs.csv."""
    choices = {"system": SYSTEM, **choices}
    schedlab.simulate(workload, out=tmp_path / "out", force=True, **choices)
    return (tmp_path / "out/jobs.csv").read_text().splitlines()[1:]


def identity(job):
    return job


def anew(job):
    return job.replace(attributes={**(job.attributes or {}), "power": 1.5})
