"""What the smallest things cost: a command on one job, and a run of an experiment beside itself.

    python benchmarks/floor.py [--jobs 10000] [--runs 24] [--scratch .bench/scratch]

Needs schedlab in the Python that runs it. CPU is user + system time of all processes, the start of
Python included; of commands the least of seven. What a run costs is CPU of the experiment and its
processes less what the simulations say of themselves (`cpu_seconds`). Two processes are judged by
wall time, which says something only on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import resource
import shutil
import subprocess
import sys
import sysconfig
from time import perf_counter

import schedlab as sl
from schedlab.workload.models.synthetic import synthetic_rows

SYSTEM = {"groups": {"node": {"core": 4}}, "resources": {"node": 120}}
COMMAND_SECONDS, RUN_SECONDS = 0.060, 0.025
REPEAT = 7
ONE_JOB = "1 0 -1 5 1 -1 -1 1 9" + 9 * " -1" + "\n"
IN_PYTHON = "import sys, schedlab; schedlab.simulate(sys.argv[1], system=sys.argv[2])"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scratch", default=os.path.join(".bench", "scratch"))
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=24)
    given = parser.parse_args()
    folder = os.path.abspath(os.path.join(given.scratch, "floor"))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    met = commands(folder)
    met = runs(folder, given.jobs, given.runs) and met
    print(
        f"demanded: {'met' if met else 'NOT MET'} (load of the machine: {os.getloadavg()[0]:.1f})"
    )
    shutil.rmtree(folder)
    return 0 if met else 1


def commands(folder: str) -> bool:
    """Prints what commands on one job take; returns whether `schedlab run` takes little enough."""
    trace, machine = os.path.join(folder, "one.swf"), os.path.join(folder, "m.json")
    with open(trace, "w") as file:
        file.write(f"; MaxProcs: 480\n{ONE_JOB}")
    with open(machine, "w") as file:
        json.dump(SYSTEM, file)
    schedlab = os.path.join(sysconfig.get_path("scripts"), "schedlab")
    run = [schedlab, "run", trace, "--system", machine]
    demanded = {
        "schedlab run, in a pipe": (run, False),
        "schedlab run, on a terminal": (run, True),
        "schedlab run --json": ([*run, "--json"], False),
        "schedlab run --out": ([*run, "--force", "--out", os.path.join(folder, "run")], False),
    }
    others = {
        "simulate() from Python": ([sys.executable, "-c", IN_PYTHON, trace, machine], False),
        "schedlab status": ([schedlab, "status", os.path.join(folder, "run")], False),
        "schedlab doctor": ([schedlab, "doctor"], False),
        "schedlab workload inspect": ([schedlab, "workload", "inspect", trace], False),
        "schedlab run --help": ([schedlab, "run", "--help"], False),
    }
    taken = {}
    for name, (command, on_terminal) in (demanded | others).items():
        taken[name] = min(cpu_of(command, on_terminal) for _ in range(REPEAT))
        print(f"{name:42}{taken[name] * 1000:8.1f} ms CPU")
    return all(taken[name] <= COMMAND_SECONDS for name in demanded)


def cpu_of(command: list[str], on_terminal: bool) -> float:
    read, write = pty.openpty() if on_terminal else os.pipe()
    environment = {name: one for name, one in os.environ.items() if not name.startswith("PYTHON")}
    with open(os.devnull, "w") as nowhere:
        errors = write if on_terminal else nowhere
        process = subprocess.Popen(command, stdout=write, stderr=errors, env=environment)
    os.close(write)
    try:
        while os.read(read, 1 << 16):
            pass
    except OSError:  # a terminal ends so
        pass
    os.close(read)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return usage.ru_utime + usage.ru_stime


def runs(folder: str, jobs: int, number: int) -> bool:
    """Prints what a run costs beside its simulation, by format; returns whether it is little."""
    trace = os.path.join(folder, "many.swf")
    sl.write_swf(trace, synthetic_rows(jobs, seed=1))
    least = []
    for kept in ("none", "csv", "parquet"):
        walls = []
        for processes in (1, 2):
            out = os.path.join(folder, f"{kept}-{processes}")
            experiment = sl.Experiment(
                out,
                workloads=trace,
                systems=SYSTEM,
                schedulers=["fifo", "easy"],
                repeat=number // 2,
                jobs=kept,
                timeline=kept,
                processes=processes,
            )
            before, began = cpu_seconds(), perf_counter()
            comparison = experiment.run()
            walls.append(perf_counter() - began)
            simulating = comparison.timing["cpu_seconds"].sum() / number
            beside = (cpu_seconds() - before) / number - simulating
            least.append(beside)
            name = f"run kept as {kept}, processes={processes}"
            print(
                f"{name:42}{beside * 1000:8.1f} ms CPU beside {simulating * 1000:.1f} of simulating"
            )
        print(f"{'  two processes against one':42}{walls[0] / walls[1]:8.2f} x wall")
    return all(beside <= RUN_SECONDS for beside in least)


def cpu_seconds() -> float:
    """Returns user and system time of this process and of its children that ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    sys.exit(main())
