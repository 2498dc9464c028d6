"""A workload of a present site, where hardly two jobs ask for the same.

    python benchmarks/modern_site.py FOLDER --jobs 10000 --nodes 1000 --values 1000 --seed 1

writes FOLDER/system.json, three kinds of nodes, and FOLDER/jobs.csv, a job table: tasks of 1 to 64
cores with memory out of N values, 5 % of the jobs with GPUs. The same arguments give the same
bytes. `--load` is the demand for the scarcest resource over what the machine has of it.
`modern_site_costs.py` measures schedulers on it.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from dataclasses import dataclass
from pathlib import Path

CORES, MEMORY, GPUS = 64, 256 * 1024, 4  # of a thin node; memory in MB
KINDS = {  # name: share of the nodes, resources of each
    "thin": (0.7, {"core": CORES, "mem": MEMORY, "gpu": 0}),
    "fat": (0.2, {"core": CORES, "mem": 4 * MEMORY, "gpu": 0}),
    "gpu": (0.1, {"core": CORES, "mem": 2 * MEMORY, "gpu": GPUS}),
}
COLUMNS = ("job", "submit", "run", "requested_time", "tasks", "task_core", "task_mem", "task_gpu")


@dataclass
class Job:
    run: int
    requested: int
    tasks: int
    core: int
    mem: int
    gpu: int

    def demand(self, resource: str) -> float:
        return self.run * self.tasks * getattr(self, resource)


def system(nodes: int) -> dict:
    groups, left = {}, nodes
    for name, (share, resources) in KINDS.items():
        count = left if name == "gpu" else min(left, round(share * nodes))
        left -= count
        if count > 0:
            groups[name] = {"nodes": count, "resources": resources}
    return {"groups": groups}


def draw(rng: random.Random, nodes: int, values: int) -> Job:
    run = max(1, min(86_400, int(rng.lognormvariate(7.0, 1.6))))
    requested = min(86_400, math.ceil(run * rng.uniform(1.0, 5.0) / 300) * 300)
    tasks = 1 if rng.random() < 0.6 else 2 ** rng.randint(1, max(1, int(math.log2(nodes / 8))))
    core = 2 ** rng.randint(0, 6) if tasks == 1 else 2 ** rng.randint(3, 6)
    step = MEMORY // values  # a task fits the thin node, so that each kind can take it
    mem = step * max(1, min(values, int(rng.paretovariate(0.8) * values * core / CORES / 4)))
    gpu = rng.randint(1, GPUS) if rng.random() < 0.05 else 0
    if gpu > 0:
        tasks = min(tasks, max(1, nodes // 40))
    return Job(run, max(run, requested), tasks, core, mem, gpu)


def submits(rng: random.Random, jobs: list[Job], machine: dict, load: float) -> list[int]:
    """Times of a Poisson process at which the jobs ask for `load` of the scarcest resource."""
    seconds = max(
        sum(job.demand(resource) for job in jobs)
        / sum(group["nodes"] * group["resources"][resource] for group in machine["groups"].values())
        for resource in ("core", "mem", "gpu")
    )
    rate = len(jobs) / (seconds / load)
    time, times = 0.0, []
    for _ in jobs:
        time += rng.expovariate(rate)
        times.append(int(time))
    return times


def write(folder: Path, jobs: int, nodes: int, values: int, load: float, seed: int) -> None:
    rng = random.Random(seed)
    machine = system(nodes)
    drawn = [draw(rng, nodes, values) for _ in range(jobs)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "system.json").write_text(json.dumps(machine, indent=2) + "\n")
    with open(folder / "jobs.csv", "w", encoding="utf-8") as file:
        file.write(",".join(COLUMNS) + "\n")
        for number, (submit, job) in enumerate(
            zip(submits(rng, drawn, machine, load), drawn, strict=True), 1
        ):
            row = (
                number,
                submit,
                job.run,
                job.requested,
                job.tasks,
                job.core,
                job.mem,
                job.gpu,
            )
            file.write(",".join(map(str, row)) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=1000, help="at least 16")
    parser.add_argument("--values", type=int, default=1000, help="different amounts of memory")
    parser.add_argument("--load", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.nodes < 16 or given.jobs < 1 or not 1 <= given.values <= MEMORY or given.load <= 0:
        parser.error("at least 16 nodes, a job, 1 to 262,144 values and a load above 0")
    write(given.folder, given.jobs, given.nodes, given.values, given.load, given.seed)


if __name__ == "__main__":
    main()
