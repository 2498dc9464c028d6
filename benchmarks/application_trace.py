"""A workload whose jobs run applications: sizes and times of Lublin and Feitelson's model."""

from __future__ import annotations

import os
import random

NODES = 9_216
SHARES = {
    "stencil-3d(bytes=64k, compute=0.002, iterations=run)": 0.30,
    "stencil-2d(bytes=64k, compute=0.002, iterations=run)": 0.15,
    "conjugate-gradient(n=10000000, iterations=run)": 0.15,
    "allreduce(bytes=1M, compute=0.005, iterations=run)": 0.10,
    "even-odd(bytes=1M, compute=0.005, iterations=run)": 0.10,
    "random-pairs(bytes=1M, compute=0.005, iterations=run)": 0.10,
    "": 0.10,
}
"""Share of the jobs of each application; the last ones only take their time."""


def application_trace(folder: str, jobs: int, load: float = 0.7, seed: int = 1) -> str:
    """Writes that many jobs, always the same, unless that was done before; returns the file's path.

    Each job has one rank on each of its nodes, and iterates so often that it would take its
    recorded time alone.
    """
    path = os.path.join(folder, f"applications-{jobs}.csv")
    if os.path.exists(path):
        return path
    from schedlab.workload.models.lublin import LublinFeitelson

    draw = random.Random(seed)
    texts, weights = list(SHARES), list(SHARES.values())
    number = 0
    with open(f"{path}.part", "w", encoding="ascii") as file:
        file.write(
            "job,submit,run,requested_processors,requested_time,tasks_per_node,application\n"
        )
        for table in LublinFeitelson(NODES, load=load).tables(jobs, seed):
            for submit, run, size in table.select(
                "submit", "run", "requested_processors"
            ).iter_rows():
                number += 1
                (text,) = draw.choices(texts, weights) if size > 1 else ("",)
                limit = 2 * run + 60
                file.write(f'{number},{submit:.0f},{run:.0f},{size:.0f},{limit:.0f},1,"{text}"\n')
    os.replace(f"{path}.part", path)
    return path
