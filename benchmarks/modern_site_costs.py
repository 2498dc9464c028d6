"""What a job of a present site costs a scheduler: many different requests, nodes of three kinds.

    python benchmarks/modern_site_costs.py                          # fifo and easy, all cases
    python benchmarks/modern_site_costs.py --only jobs --schedulers easy
    python benchmarks/modern_site_costs.py --python OTHER/bin/python --json other.json

The workloads are those of `modern_site.py`, seed 1, load 1: 10,000 to 200,000 jobs, 100 to 10,000
nodes, 10 to 5,000 different amounts of memory; what is not varied is 10,000 jobs, 1,000 nodes,
1,000 values. Shown are microseconds of CPU (user and system) per job in a process of its own, less
those of a rejecting run of the same file, which leaves the scheduler, starts and ends; and the
ratio to the cheapest of the cases that are varied together. Best of `--runs`. `--python` measures
the version that is installed there; docs/make_scale_image.py draws what `--json` wrote.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import modern_site

DEFAULTS = {"jobs": 10_000, "nodes": 1_000, "values": 1_000}
VARIED = {
    "jobs": (10_000, 50_000, 200_000),
    "nodes": (100, 1_000, 10_000),
    "values": (10, 100, 1_000, 5_000),
}
MEASURED = """
import sys, schedlab
workload, system, scheduler, out = sys.argv[1:]
schedlab.simulate(workload, system=system, scheduler=scheduler, out=out, force=True)
"""


def cpu_seconds(python: str, folder: Path, scheduler: str, runs: int) -> float:
    """Returns the least CPU time of some runs."""
    files = [str(folder / name) for name in ("jobs.csv", "system.json")]
    out = str(folder / "out")
    least = float("inf")
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([python, "-c", MEASURED, *files, scheduler, out], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        least = min(least, spent)
    return least


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=sorted(VARIED), default=sorted(VARIED))
    parser.add_argument("--schedulers", nargs="+", default=["fifo", "easy"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=DEFAULTS["jobs"], help="where not varied")
    parser.add_argument("--python", default=sys.executable, help="of the measured version")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    given = parser.parse_args()
    os.environ["PYTHONHASHSEED"] = "0"
    print(f"{'':14}" + "".join(f"{name:>18}" for name in given.schedulers) + "  us per job (ratio)")
    every: dict[str, dict[str, dict[str, float]]] = {}
    for name in given.only:
        costs: dict[str, list[float]] = {scheduler: [] for scheduler in given.schedulers}
        for value in VARIED[name]:
            case = {**DEFAULTS, "jobs": given.jobs, name: value}
            with tempfile.TemporaryDirectory() as folder:
                modern_site.write(Path(folder), **case, load=1.0, seed=1)
                idle = cpu_seconds(given.python, Path(folder), "reject", given.runs)
                for scheduler, all_costs in costs.items():
                    spent = cpu_seconds(given.python, Path(folder), scheduler, given.runs) - idle
                    all_costs.append(1e6 * spent / case["jobs"])
        for place, value in enumerate(VARIED[name]):
            cells = (
                f"{each[place]:10.1f} ({each[place] / min(each):4.1f})" for each in costs.values()
            )
            print(f"{value:>7,} {name:6}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
        every[name] = {
            scheduler: dict(zip(map(str, VARIED[name]), all_costs, strict=True))
            for scheduler, all_costs in costs.items()
        }
    if given.json is not None:
        given.json.write_text(
            json.dumps({"jobs": given.jobs, "us_per_job": every}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
