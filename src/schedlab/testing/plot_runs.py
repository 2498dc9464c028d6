"""The runs on which plots are checked."""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from schedlab.simulation import simulate
from schedlab.testing.plot_machines import (
    conditions,
    connected,
    equipped,
    with_applications,
)
from schedlab.workload import Job

if TYPE_CHECKING:
    from schedlab.results import Result

SMALL: dict[str, Any] = {"groups": {"node": {"nodes": 6, "resources": {"core": 4}}}}
MIXED: dict[str, Any] = {
    "name": "mixed",
    "start_time": 1_704_067_200,
    "processor": {"core": 1, "mem": 2},
    "groups": {
        "cpu": {"nodes": 12, "resources": {"core": 16, "mem": 64}},
        "gpu": {"nodes": 4, "resources": {"core": 16, "mem": 64, "gpu": 2}},
    },
}
LONG = "a dispatcher with a name that needs some room"


class Run(NamedTuple):
    """A run of a case: what is simulated, and the group it belongs to."""

    label: str
    jobs: int
    system: dict[str, Any]
    scheduler: str = "easy"
    seed: int = 0
    options: tuple[tuple[str, Any], ...] = ()


CASES: dict[str, tuple[Run, ...]] = {
    "no-job": (Run("fifo", 0, SMALL),),
    "one-job": (Run("fifo", 1, SMALL),),
    "rejected": (Run("reject", 3, SMALL, "reject"),),
    "one-group": (Run("easy", 300, MIXED),),
    "repetitions": (
        *(Run("fifo", 200, SMALL, "fifo", seed) for seed in range(2)),
        *(Run("easy", 200, SMALL, "easy", seed) for seed in range(3)),
    ),
    "with-and-without": (Run("empty", 0, SMALL), Run("one", 1, SMALL), Run("many", 200, SMALL)),
    "per-event": (Run("easy", 200, MIXED, options=(("dispatch_per", "event"),)),),
    "many": tuple(
        Run(f"{LONG}, {number}", 250, MIXED, ("fifo", "sjf", "easy")[number % 3], number // 3)
        for number in range(12)
    ),
}
"""Each by its name. Runs of one label are repetitions."""


def case_runs(name: str, folder: str, machine: str = "plain") -> dict[str, list[Result]]:
    """Returns the runs of a case by label, simulated into the folder.

    Args:
        name: Of the case.
        folder: Where to.
        machine: "plain"; "platform", of processors, with all that can happen to them: caps,
            failures, prices, heat; or "network", where jobs run applications.
    """
    platform, network = machine == "platform", machine == "network"
    groups: dict[str, list[Result]] = {}
    for number, run in enumerate(CASES[name]):
        system = equipped(run.system) if platform else run.system
        jobs = _jobs(run.jobs, run.seed, memory=platform)
        more: dict[str, Any] = {}
        if network:
            system, jobs = connected(system), with_applications(jobs)
            more = {"fidelity": "phase", "data": ["link-use(every=3600)"]}
        result = simulate(
            jobs,
            system=system,
            conditions=conditions(system) if platform else None,
            scheduler=run.scheduler,
            out=os.path.join(folder, str(number)),
            timeline="csv",
            **more,
            **dict(run.options),
        )
        groups.setdefault(run.label, []).append(result)
    return groups


def _jobs(count: int, seed: int, memory: bool) -> list[Job]:
    """Returns jobs whose sizes, run times and gaps span decades."""
    random = Random(seed)
    jobs, now = [], 0.0
    for number in range(1, count + 1):
        now += random.expovariate(1 / 900)
        run = round(random.lognormvariate(7, 2), 1)
        jobs.append(
            Job(
                number,
                submit=round(now, 1),
                run=run,
                processors=random.choice((1, 1, 2, 4, 8, 16, 24)),
                requested_time=run * random.choice((1, 2, 10)) + 1,
                attributes={"memory_volume": number % 9 * 1500 * run} if memory else None,
            )
        )
    return jobs
