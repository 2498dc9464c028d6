"""Plans on nodes: CPU per job of what backfills around several reservations of nodes.

    python benchmarks/node_plans.py [--jobs 10000] [--only windows] [--limit 120]

Workloads of a present site (`modern_site.py`) with more jobs, nodes and different requests; HPC2N
with memory that binds, and with maintenance windows; jobs on whole nodes. Each line: CPU seconds of
a fresh process, microseconds per job, and the checksum of jobs.csv, by which two versions compare.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import modern_site

HERE = os.path.dirname(os.path.abspath(__file__))
TRACES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "shared", "traces")
HPC2N = os.path.join(TRACES, "HPC2N-2002-2.2-cln.swf.gz")
PLANS = ("easy(reservations=3)", "conservative(depth=100)")
RUN = """
import json, resource, sys
import schedlab
given = json.loads(sys.argv[1])
given["windows"] = [schedlab.Window(*each) for each in given["windows"]]
schedlab.simulate(given.pop("workload"), **given)
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime)
"""

Case = tuple[str, str, str, list, dict]  # name, workload, system, windows, options


def sites(folder: Path, jobs: int) -> Iterator[Case]:
    """One number at a time differs from 1,000 nodes, 1,000 values of memory and `jobs` jobs."""
    shapes = [(jobs, 1000, 1000), (jobs, 100, 1000), (jobs, 4000, 1000), (jobs, 1000, 10)]
    shapes += [(4 * jobs, 1000, 1000)]
    for count, nodes, values in shapes:
        name = f"site {count:,} jobs, {nodes:,} nodes, {values:,} values"
        place = folder / f"site-{count}-{nodes}-{values}"
        modern_site.write(place, count, nodes, values, 1.0, 1)
        yield name, str(place / "jobs.csv"), str(place / "system.json"), [], {}


def rows_of_hpc2n(jobs: int) -> list[list[str]]:
    with open(HPC2N, "rb") as file:
        text = zlib.decompressobj(31).decompress(file.read()).decode("latin-1")
    return [line.split() for line in text.splitlines() if line[:1] != ";"][:jobs]


def write_swf(path: Path, rows: list[list[str]]) -> str:
    path.write_text("".join(" ".join(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def write_system(path: Path, nodes: int, cores: int, memory: int) -> str:
    resources = {"core": cores, **({"mem": memory} if memory else {})}
    machine = {"processor": {"core": 1}, "groups": {"g": {"nodes": nodes, "resources": resources}}}
    path.write_text(json.dumps(machine), encoding="utf-8")
    return str(path)


def memory(folder: Path, jobs: int) -> Iterator[Case]:
    """HPC2N, a tenth of the jobs with four times the memory."""
    draw = random.Random(1)
    rows = rows_of_hpc2n(jobs)
    for row in rows:
        if draw.random() < 0.1:
            for column in (6, 9):
                row[column] = str(max(4 * int(row[column]), -1))
    swf = write_swf(folder / "memory.swf", rows)
    system = write_system(folder / "memory.json", 120, 2, 2_000_000)
    yield f"hpc2n {jobs:,} jobs, memory", swf, system, [], {"memory": "requested"}


def windows(folder: Path, jobs: int) -> Iterator[Case]:
    """HPC2N with windows of four hours on all nodes, evenly over its time."""
    rows = rows_of_hpc2n(jobs)
    swf = write_swf(folder / "windows.swf", rows)
    system = write_system(folder / "windows.json", 120, 2, 0)
    first, last = int(rows[0][1]), int(rows[-1][1])
    for count in (1, 10):
        starts = [first + (last - first) * (i + 1) // (count + 1) for i in range(count)]
        closed = [(start, start + 14_400, "0-119") for start in starts]
        counted = "1 window" if count == 1 else f"{count} windows"
        yield f"hpc2n {jobs:,} jobs, {counted}", swf, system, closed, {}


def whole_nodes(folder: Path, jobs: int) -> Iterator[Case]:
    """Jobs of 1 to 1,024 whole nodes out of 4,360, at a load of 1."""
    draw, nodes = random.Random(1), 4360
    made = []
    for _ in range(jobs):
        run = max(1, min(86_400, int(draw.lognormvariate(7.5, 1.4))))
        estimate = min(86_400, run * draw.choice((1, 2, 4)) // 600 * 600 + 600)
        made.append((run, max(run, estimate), min(1024, int(draw.paretovariate(0.7)))))
    seconds = sum(run * size for run, _, size in made) / nodes
    time, lines = 0.0, ["job,submit,run,requested_time,tasks,task_core,whole_nodes"]
    for number, (run, estimate, size) in enumerate(made, 1):
        time += draw.expovariate(jobs / seconds)
        lines.append(f"{number},{int(time)},{run},{estimate},{size},32,1")
    table = folder / "whole.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    system = write_system(folder / "whole.json", nodes, 32, 0)
    yield f"whole nodes {jobs:,} jobs, {nodes:,} nodes", str(table), system, [], {}


CASES = {"sites": sites, "memory": memory, "windows": windows, "whole": whole_nodes}


def run(case: Case, scheduler: str, out: str, limit: float) -> str:
    """Returns the figures of a run in a fresh process."""
    _, workload, system, closed, options = case
    given = {"workload": workload, "system": system, "scheduler": scheduler, "windows": closed}
    given |= {"out": out, "force": True, **options}
    command = [sys.executable, "-c", RUN, json.dumps(given)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"not done in {limit:.0f} s"
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    seconds = float(done.stdout)
    table = Path(out, "jobs.csv").read_bytes()
    per_job = 1e6 * seconds / (table.count(b"\n") - 1)
    checksum = hashlib.sha256(table).hexdigest()[:12]
    return f"{seconds:8.2f} s {per_job:8.1f} us/job  {checksum}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--only", choices=sorted(CASES), action="append")
    parser.add_argument("--schedulers", nargs="+", default=PLANS)
    parser.add_argument("--limit", type=float, default=120, help="seconds for each run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for group in given.only or CASES:
            for case in CASES[group](Path(folder), given.jobs):
                for scheduler in given.schedulers:
                    figures = run(case, scheduler, os.path.join(folder, "run"), given.limit)
                    print(f"{case[0]:45} {scheduler:25} {figures}", flush=True)


if __name__ == "__main__":
    main()
