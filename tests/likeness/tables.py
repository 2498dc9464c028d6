"""Workloads to compare: small tables, and a machine."""

from __future__ import annotations

import numpy
import polars

from schedlab.workload.random_numbers import generator


def jobs_table(jobs: int = 400, seed: str = "real", gap: float = 600.0) -> polars.DataFrame:
    """Returns jobs with users, estimates and a little memory of the last job."""
    draw = generator(seed, "likeness tests").random((5, jobs))
    run = numpy.round(-1800.0 * numpy.log1p(-draw[1]))
    return polars.DataFrame(
        {
            "job": numpy.arange(1.0, jobs + 1),
            "submit": numpy.round(numpy.cumsum(-gap * numpy.log1p(-draw[0]))),
            "run": run,
            "requested_processors": 2.0 ** numpy.floor(draw[2] * 5),
            "requested_time": 900.0 * numpy.ceil(run * (1 + draw[3]) / 900 + 0.001),
            "user": numpy.floor(draw[4] ** 2 * 9),
        }
    )


MACHINE = {"groups": {"node": {"nodes": 8, "resources": {"core": 4}}}}
