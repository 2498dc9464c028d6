"""Machines with processors: speed, growth, instructions: python benchmarks/platforms.py [--quick].

Jobs are those of IRMaSim's paper (NPB class C, uniform mix) on its 15 nodes with contention and
power, FCFS and first fit, in our own files (SWF with instructions, IPC and memory volume).

- Speed: 2,000 jobs against the 72 jobs per CPU second that were measured of IRMaSim. It is not on
  PyPI, so it cannot be installed beside; its number is taken as given.
- Growth: CPU time per job and peak memory from 125 to a million jobs, submitted at once, and
  arriving so that four fifths of the cores are in use.
- Instructions: HPC2N on a machine of groups alone, and on the same with processors and power.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
from typing import Any

from bench import ROOT
from cases import SETH, Bench
from instructions import ROWS, instructions
from measure import BenchmarkError, Figures, Runner, check, first_rows, run_process

sys.path.insert(0, os.path.join(ROOT, "examples"))

from irmasim_machines import HOMOGENEOUS, MEAN_SECONDS, NPB, cores_at_fastest, platform

PEER_JOBS_PER_SECOND = 72.0
"""Of IRMaSim at 2,000 jobs, CPU seconds of one core."""

SPEED_JOBS, TIMES = 2_000, 1_000
SIZES = (125, 2_000, 32_000, 200_000, 1_000_000)
LOADS = {"at once": 0.0, "arriving": 0.53}
"""Work that arrives, as a share of what the cores do alone. Contention makes it four fifths."""

GROWTH = 1.5
"""At most, of the largest workload: cost per job beside the least of those from 32,000 jobs on."""

SETH_WITH_PROCESSORS = {
    "name": SETH["system_name"],
    "start_time": SETH["start_time"],
    "processor": {"core": 2},
    "processors": {
        "athlon": {"cores": 2, "clock": 1.667, "power": {"core": 12, "shared": 8, "idle": 6}}
    },
    "node_types": {"node": {"processors": {"athlon": 2}, "resources": {"mem": 1_000_000}}},
    "groups": {"g0": {"nodes": 120, "type": "node"}},
}
"""The watts are made up; what is measured is that they are counted."""


def workload(scratch: str, jobs: int, load: float) -> str:
    """Writes that many jobs, always the same, and returns the file's path."""
    path = os.path.join(scratch, f"npb-{jobs}-{load:g}.swf")
    if os.path.exists(path):
        return path
    generator = random.Random(jobs)
    rows = [
        f"{p.alone_seconds:.3f} 1 -1 -1 1 {p.alone_seconds:.3f} -1 1 1 1 1 1 1 -1 -1 "
        f"{p.instructions:.0f} {p.ipc} {p.memory_volume:.0f}\n"
        for p in NPB.values()
    ]
    rate = load * cores_at_fastest(HOMOGENEOUS) / MEAN_SECONDS
    submit = 0.0
    with open(f"{path}.part", "w", encoding="ascii") as file:
        file.write("; ExtraFields: instructions ipc memory_volume\n")
        for number in range(1, jobs + 1):
            if rate:
                submit += generator.expovariate(rate)
            file.write(f"{number} {submit:.3f} -1 {generator.choice(rows)}")
    os.replace(f"{path}.part", path)
    return path


class Measured(Figures):
    """Figures of runs, with the CPU seconds of `simulate` alone, and how busy the cores were."""

    def __init__(self) -> None:
        super().__init__()
        self.simulating: list[float] = []
        self.used = 0.0

    def add(self, runner: Runner, trace: str, system: str) -> None:
        """Runs once in a fresh process and folder."""
        script = os.path.join(ROOT, "benchmarks", "run_schedlab.py")
        folder = os.path.join(runner.scratch, "platform-run")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        out = os.path.join(folder, "out")
        seconds, megabytes = run_process(
            [runner.python, script, trace, system, "fifo", out], folder
        )
        self.jobs = check(out)
        with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
            run = json.load(file)
        shutil.rmtree(folder)
        if run["counts"]["completed"] != self.jobs:
            raise BenchmarkError(f"{trace}: not all jobs completed")
        self.seconds.append(seconds)
        self.megabytes = max(self.megabytes, megabytes)
        self.simulating.append(run["simulator"]["cpu_seconds"])
        self.used = run["metrics"]["utilization"]["core"]


def speed(runner: Runner, system: str, repetitions: int) -> dict[str, Any]:
    """Prints and returns jobs per CPU second at 2,000 jobs."""
    trace, figures = workload(runner.scratch, SPEED_JOBS, 0.0), Measured()
    figures.add(runner, trace, system)  # not counted: byte code and file cache
    figures = Measured()
    for _ in range(repetitions):
        figures.add(runner, trace, system)
    seconds = {"simulate": min(figures.simulating), "whole process": figures.least}
    print(f"{SPEED_JOBS:,} jobs{'':19}{'CPU ms':>9}{'jobs/s':>11}{'beside 72':>11}")
    ratios = {}
    for name, spent in seconds.items():
        rate = SPEED_JOBS / spent
        ratios[name] = rate / PEER_JOBS_PER_SECOND
        print(f"{name:30}{1e3 * spent:>9.1f}{rate:>11,.0f}{ratios[name]:>10,.0f}x")
    met = ratios["simulate"] >= TIMES
    print(f"demanded: simulate at least {TIMES:,}x: {'PASS' if met else 'FAIL'}\n")
    return {"seconds": seconds, "ratios": ratios, "met": met}


def growth(runner: Runner, system: str, sizes: list[int], repetitions: int) -> dict[str, Any]:
    """Prints and returns the cost per job and the memory by number of jobs."""
    start = Measured()
    for _ in range(repetitions):
        start.add(runner, workload(runner.scratch, 1, 0.0), system)
    print(f"start-up, one job: {1e3 * start.least:.1f} CPU ms, {start.megabytes:.1f} MB")
    print(f"{'jobs':>10} {'':9}{'CPU s':>9}{'us/job':>9}{'less start-up':>15}{'MB':>8}{'cores':>8}")
    met, rows = True, []
    for name, load in LOADS.items():
        costs: list[float] = []
        for size in sizes:
            figures = Measured()
            for _ in range(min(3, repetitions) if size >= 200_000 else repetitions):
                figures.add(runner, workload(runner.scratch, size, load), system)
            net = 1e6 * (figures.least - start.least) / size
            shown = "-"  # where start-up is nearly all, the rest is noise
            if size >= 32_000:
                costs.append(figures.each)
                shown = f"{net:.2f}"
            rows.append(
                {"jobs": size, "load": load, "seconds": figures.least, "mb": figures.megabytes}
            )
            print(
                f"{size:>10,} {name:9}{figures.least:>9.3f}{figures.each:>9.2f}{shown:>15}"
                f"{figures.megabytes:>8.1f}{figures.used:>8.1%}",
                flush=True,
            )
        met = met and (not costs or costs[-1] <= GROWTH * min(costs))
    print(
        f"demanded: us/job of the largest at most {GROWTH} times the least from 32,000 jobs on: "
        f"{'PASS' if met else 'FAIL'}\n"
    )
    return {"start": start.least, "rows": rows, "met": met}


def per_job(runner: Runner, one: str, many: str, system: str, scheduler: str) -> float:
    """Returns instructions per job, less those of a run of the first job alone."""
    start, first = instructions(runner.python, one, system, scheduler)
    count, jobs = instructions(runner.python, many, system, scheduler)
    return (count - start) / (jobs - first)


def cost_in_instructions(
    runner: Runner, system: str, traces: str, sizes: list[int]
) -> dict[str, float]:
    """Prints and returns instructions per job: by number of jobs, and what processors add."""
    if shutil.which("valgrind") is None:
        print("instructions: skipped, valgrind is not installed")
        return {}
    found = {}
    print("instructions per job, the paper's cluster")
    for name, load in LOADS.items():
        cells = []
        for size in sizes:
            one, many = (workload(runner.scratch, count, load) for count in (1, size))
            found[f"{size}, {name}"] = per_job(runner, one, many, system, "fifo")
            cells.append(f"{size:,} jobs {found[f'{size}, {name}']:,.0f}")
        print(f"{name:10}{'   '.join(cells)}", flush=True)
    paths = Bench(runner, traces, 1, quick=True).trace("hpc2n")
    if paths is None:
        print(f"HPC2N: skipped, it is not in {traces}")
        return found
    trace = first_rows(paths[0], os.path.join(runner.scratch, "rows.swf"), ROWS)
    one = first_rows(paths[0], os.path.join(runner.scratch, "one-row.swf"), 1)
    typed = os.path.join(runner.scratch, "seth-processors.json")
    with open(typed, "w", encoding="utf-8") as file:
        json.dump(SETH_WITH_PROCESSORS, file)
    print(f"instructions per job, first {ROWS:,} rows of HPC2N")
    for scheduler in ("reject", "fifo", "easy"):
        plain, rich = (per_job(runner, one, trace, kind, scheduler) for kind in (paths[1], typed))
        found[f"hpc2n {scheduler}, groups"] = plain
        found[f"hpc2n {scheduler}, processors and power"] = rich
        print(
            f"{scheduler:8}groups {plain:>8,.0f}   processors and power {rich:>8,.0f}   "
            f"({rich / plain - 1:+.1%})",
            flush=True,
        )
    return found


def main() -> int:
    """Prints everything and returns the exit status."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    base = os.path.join(ROOT, ".bench")
    parser.add_argument("--quick", action="store_true", help="nothing above 32,000 jobs")
    parser.add_argument("--repetitions", type=int, default=7, help="of what is fast (7)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    parser.add_argument("--python", default=os.path.join(base, "schedlab", "bin", "python"))
    parser.add_argument("--scratch", default=os.path.join(base, "scratch"))
    parser.add_argument("--traces", default=os.path.join(os.path.dirname(ROOT), "shared", "traces"))
    given = parser.parse_args()
    python, scratch = os.path.abspath(given.python), os.path.abspath(given.scratch)
    if not os.path.exists(python):
        print(f"{python}: not there; `make bench` creates it", file=sys.stderr)
        return 2
    os.makedirs(scratch, exist_ok=True)
    runner = Runner(python, "", scratch)
    system = os.path.join(scratch, "irmasim.json")
    with open(system, "w", encoding="utf-8") as file:
        json.dump(platform(HOMOGENEOUS, 0.6), file)
    sizes = [size for size in SIZES if size <= 32_000 or not given.quick]
    try:
        figures = {
            "speed": speed(runner, system, given.repetitions),
            "growth": growth(runner, system, sizes, given.repetitions),
            "instructions": cost_in_instructions(
                runner, system, given.traces, [size for size in sizes if 125 < size < 1_000_000]
            ),
        }
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 2
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=2)
            file.write("\n")
    return 0 if figures["speed"]["met"] and figures["growth"]["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
