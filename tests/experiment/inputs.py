"""What the tests of experiments share: small workloads, a machine, policies in a module."""

from __future__ import annotations

from pathlib import Path

import schedlab as sl
from schedlab.workload.models.synthetic import synthetic_rows

SYSTEM = """
name = "small"
[groups.node]
nodes = 64
resources = { core = 16 }
"""

POLICIES = """
import os, signal, time
import schedlab as sl

class Fifo(sl.Scheduler):
    def schedule(self, state):
        for job in state.queue:
            if not state.machine.fits(job):
                return
            yield job

class Slow(Fifo):
    def __init__(self, pause=0.002):
        self.pause = pause
    def schedule(self, state):
        time.sleep(self.pause)
        yield from super().schedule(state)

class Wrong(Fifo):
    def schedule(self, state):
        if state.now > 1000:
            print("about to fail")
            raise KeyError("no such user")
        yield from super().schedule(state)

class Crashing(Fifo):
    def schedule(self, state):
        print("last words", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

class Leaving(Fifo):
    def schedule(self, state):
        os._exit(7)

def halved(job):
    return job.replace(processors=max(1, job.processors // 2))
"""


def fill(path: Path) -> None:
    """Writes the inputs."""
    sl.write_swf(path / "a.swf", list(synthetic_rows(400, 1)))
    sl.write_swf(path / "b.swf", list(synthetic_rows(200, 2)))
    (path / "m.toml").write_text(SYSTEM)
    (path / "their_policies.py").write_text(POLICIES)


def experiment(out="out", **more):
    given = {"workloads": "a.swf", "systems": "m.toml", "schedulers": "fifo", **more}
    return sl.Experiment(out, **given)


def identity(out, name):
    """What another run in its place would not have."""
    return sl.Result.load(Path(out, "runs", name)).run["simulator"]
