"""Instructions per job, by callgrind: python benchmarks/instructions.py [--json FILE].

Seconds differ from run to run; instructions hardly do. Each case replays the first 20,000 rows of
HPC2N (of stream-570k where that trace is absent) under `valgrind --tool=callgrind`: six schedulers
on counts, EASY on nodes with memory that binds, on sockets, and in Python. What the same script
needs for a workload of one job (start-up, imports, run.json) is subtracted. With `--before FILE`,
written by --json for another version, each figure is compared with that one's.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import workloads
from bench import HERE, ROOT
from cases import Bench
from measure import Runner, check, first_rows
from open_engine import memory_bound

SCHEDULERS = ("reject", "fifo", "sjf", "ljf", "easy", "conservative")
ROWS = 20_000
SOCKETS = {
    "start_time": 1027839845,
    "processors": {"p": {"cores": 2, "clock": 2.0}},
    "node_types": {"n": {"processors": {"p": 1}}},
    "groups": {"g0": {"nodes": 120, "type": "n"}},
}


def instructions(
    python: str, trace: str, system: str, scheduler: str, *options: str
) -> tuple[int, int]:
    """Returns how many instructions the measured script executes, and for how many jobs."""
    # The same seed for string hashes, and nothing else from outside, or the figures wander.
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", "PYTHONPATH": HERE}
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", python]
        script = os.path.join(HERE, "run_schedlab.py")
        done = subprocess.run(
            [*valgrind, script, trace, system, scheduler, out, *options],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
        if done.returncode or not found:
            sys.exit(f"{scheduler} failed:\n{done.stderr}")
        return int(found[1]), check(out)


def main() -> int:
    """Prints the table and returns the exit status."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    base = os.path.join(ROOT, ".bench")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    parser.add_argument("--before", metavar="FILE", help="what --json wrote for another version")
    parser.add_argument("--python", default=os.path.join(base, "schedlab", "bin", "python"))
    parser.add_argument("--scratch", default=os.path.join(base, "scratch"))
    parser.add_argument("--traces", default=os.path.join(os.path.dirname(ROOT), "shared", "traces"))
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return 0
    os.makedirs(given.scratch, exist_ok=True)
    python, scratch = os.path.abspath(given.python), os.path.abspath(given.scratch)
    paths = Bench(Runner(python, "", scratch), given.traces, 1, quick=True).trace("hpc2n")
    name = f"first {ROWS:,} rows of {'HPC2N' if paths else 'stream-570k'}"
    whole, system = paths or workloads.prepare("stream-570k", scratch)
    sockets = os.path.join(scratch, "sockets.json")
    with open(sockets, "w", encoding="utf-8") as file:
        json.dump(SOCKETS, file)
    plain = {name: (whole, system, name) for name in SCHEDULERS}
    more = {
        "easy on nodes": (*memory_bound(whole, system, scratch), "easy", "memory=requested"),
        "easy on sockets": (whole, sockets, "easy"),
        "easy in Python": (whole, system, "own_policies:Easy"),
    }
    # Modules that the script imports are compiled by the first run, or one version pays for both.
    subprocess.run([python, "-m", "compileall", "-q", HERE], check=True)
    before = {}
    if given.before:
        with open(given.before, encoding="utf-8") as file:
            before = json.load(file)["instructions_per_job"]

    figures: dict[str, float] = {}
    print(f"instructions per job, {name}")
    for case, (rows, machine, *words) in {**plain, **more}.items():
        trace = first_rows(rows, os.path.join(scratch, "rows.swf"), ROWS)
        alone = first_rows(rows, os.path.join(scratch, "one-row.swf"), 1)
        start, one = instructions(python, alone, machine, *words)
        count, jobs = instructions(python, trace, machine, *words)
        figures[case] = (count - start) / (jobs - one)
        ratio = f"   {figures[case] / before[case]:.4f}x" if case in before else ""
        print(
            f"{case:<18}{figures[case]:>10,.0f}{ratio}   (start-up {start / 1e6:,.1f} million)",
            flush=True,
        )
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"workload": name, "instructions_per_job": figures}, file, indent=2)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
