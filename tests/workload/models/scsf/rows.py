"""Small logs for the tests of models."""

from __future__ import annotations

import numpy as np
import polars

from schedlab.workload.table import complete


def log(jobs=2000, seed=1, cores_per_node=4, largest=64):
    """Returns a log with what real ones have: large jobs run longer, requests are whole minutes."""
    random = np.random.default_rng(seed)
    nodes = np.minimum(2 ** random.integers(0, 5, jobs), largest // cores_per_node)
    run = np.ceil(np.exp(random.normal(5.5 + 0.4 * np.log2(nodes), 1.2))).clip(1, 80_000)
    requested = np.ceil(run * random.uniform(1, 6, jobs) / 60) * 60
    submit = np.cumsum(np.ceil(random.exponential(120, jobs)))
    return complete(
        polars.DataFrame(
            {
                "job": np.arange(1.0, jobs + 1),
                "submit": submit,
                "wait": random.integers(0, 5000, jobs).astype(float),
                "run": run,
                "requested_processors": nodes * float(cores_per_node),
                "requested_time": requested,
            }
        )
    )
