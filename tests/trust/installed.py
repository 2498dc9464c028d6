"""A package with entry points, as if it were installed: or lying in a folder."""

from __future__ import annotations

from pathlib import Path

POLICIES = """
from schedlab import Scheduler, Job, Reader
from schedlab.dispatch import scheduler

class Fair(Scheduler):
    def __init__(self, order="submit", inner="fifo"):
        self.order = order
        self.inner = str(scheduler(inner))

    def schedule(self, state):
        yield from state.queue.fitting()

class Outer(Scheduler):
    def __init__(self, inner):
        self.inner = scheduler(inner)

def summing(mpi, op: str = "sum"):
    yield mpi.allreduce(8, value=1, op=op)

def halved(job):
    return job.replace(run=job.run / 2)
"""
POINTS = """
[schedlab.schedulers]
fair = MODULE:Fair
outer = MODULE:Outer

[schedlab.applications]
summing = MODULE:summing

[schedlab.job_factories]
halved = MODULE:halved
"""


def install(folder: Path, module: str, canary: str = "") -> None:
    """Writes a module with policies, and what says that it offers them."""
    (folder / f"{module}.py").write_text(POLICIES + canary)
    information = folder / f"{module}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(POINTS.replace("MODULE", module))
