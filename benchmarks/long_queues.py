"""What long queues of plain requests cost: python benchmarks/long_queues.py [--jobs 1000 2000 ...].

All jobs are there at time 0, on a machine of 1,024 processors; users ask for one to five times
what their jobs take. CPU time of a fresh process that simulates, less that of a process with one
job; the least of the turns. A ratio is that of the time per job to the row above.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

PROCESSORS = 1024
JOBS = {
    "easy": (10_000, 100_000, 1_000_000),
    "easy(order=wfp3)": (10_000, 100_000),
    "easy(order=unicep)": (10_000, 100_000),
    "wfp3": (10_000, 100_000),
    "unicep": (10_000, 100_000),
    "easy(reservations=3)": (10_000, 100_000),
    "conservative": (1_000, 2_000, 5_000, 10_000),
}
SCRIPT = """
import sys
import schedlab as sl
system = {"groups": {"g": {"nodes": 1, "resources": {"core": int(sys.argv[3])}}}}
sl.simulate(sys.argv[1], system=system, scheduler=sys.argv[2])
"""


def write(path: Path, jobs: int) -> None:
    rng = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for number in range(1, jobs + 1):
            run = max(1, min(86_400, int(rng.lognormvariate(7, 1.6))))
            power = rng.random() < 0.7
            tasks = 2 ** rng.randint(0, 8) if power else rng.randint(1, 256)
            asked = min(2 * 86_400, -(-int(run * rng.uniform(1, 5)) // 300) * 300)
            row = [number, 0, -1, run, tasks, -1, -1, tasks, max(run, asked), *[-1] * 9]
            file.write(" ".join(map(str, row)) + "\n")


def seconds(path: Path, scheduler: str, turns: int) -> float:
    """Returns the CPU time of the simulation in a process of its own."""
    least = float("inf")
    for _ in range(turns):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-c", SCRIPT, str(path), scheduler, str(PROCESSORS)]
        subprocess.run(command, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        least = min(least, used)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--jobs", type=int, nargs="+", help="instead of those of each scheduler")
    parser.add_argument("--schedulers", nargs="+", default=list(JOBS))
    parser.add_argument("--turns", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        path = Path(folder, "jobs.swf")
        print(f"{'scheduler':<22}{'jobs':>10}{'CPU s':>10}{'us per job':>12}{'ratio':>8}")
        for scheduler in given.schedulers:
            write(path, 1)
            start_up, above = seconds(path, scheduler, given.turns), 0.0
            for jobs in given.jobs or JOBS.get(scheduler, (10_000, 100_000)):
                write(path, jobs)
                used = max(0.0, seconds(path, scheduler, given.turns) - start_up)
                each = used / jobs * 1e6
                ratio = f"{each / above:>8.2f}" if above > 0 else ""
                print(f"{scheduler:<22}{jobs:>10,}{used:>10.2f}{each:>12.1f}{ratio}", flush=True)
                above = each


if __name__ == "__main__":
    main()
