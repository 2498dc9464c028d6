"""What watching a run costs: instructions of a million-job run, unwatched and watched.

A run publishes at most five moments per second of real time. Under `valgrind --tool=callgrind` it
takes some fifty times as long, so it publishes fifty times as many as in reality. Hence:

- the plain run is counted, and timed without valgrind: that gives instructions per second;
- a run that is watched at the full rate is counted too, and its moments with it: the difference
  by the number of moments is what a moment costs;
- what watching adds in reality is five such moments per second of the plain run.

What a run costs that could be watched but is not is counted against one that cannot be. It looks
for watchers some thirty times per second of real time, so that share is scaled down likewise.
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
from time import perf_counter, sleep

from bench import ROOT
from measure import HERE, check, run_process

MOMENTS_PER_SECOND = 5
MOST_PERCENT = 5.0
SECONDS_BETWEEN_LOOKS = 0.05

MAKE = """
import sys
from schedlab.workload import write_swf
from schedlab.workload.models import synthetic
jobs = int(sys.argv[2])
write_swf(sys.argv[1], synthetic.synthetic_rows(jobs, 1), synthetic.header_lines(jobs, 1))
"""
SYSTEM = 'name = "watching"\n[groups.node]\nnodes = 64\nresources = { core = 16 }\n'

MEASURED = """
import runpy, sys
from schedlab.simulation import live
if sys.argv[1] == "deaf":  # to whoever wants to watch
    live.Live = lambda *given: lambda simulation: None
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def watch(process: subprocess.Popen[str], out: str) -> int:
    """Asks a run for moments as long as it lasts; returns how many it published."""
    request, live, moments = (*(os.path.join(out, n) for n in ("watch.json", "live.json")), 0)
    while process.poll() is None:
        if os.path.exists(os.path.join(out, "jobs.csv.part")):
            with open(request + ".part", "w", encoding="utf-8") as file:
                json.dump({"format": 1}, file)
            os.replace(request + ".part", request)
        try:
            with open(live, encoding="utf-8") as file:
                moments = json.load(file)["moment"]
        except (OSError, ValueError):
            pass  # not yet
        sleep(SECONDS_BETWEEN_LOOKS)
    return moments


def instructions(command: list[str], out: str, watched: bool) -> tuple[int, int, float]:
    """Returns instructions of a run, the moments it published, and how long it took."""
    # The same seed for string hashes, and nothing else from outside, or the figures wander.
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0"}
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    with tempfile.TemporaryFile("w+") as log:
        begin = perf_counter()
        process = subprocess.Popen([*valgrind, *command], env=environment, stderr=log, text=True)
        moments = watch(process, out) if watched else 0
        process.wait()
        elapsed = perf_counter() - begin
        log.seek(0)
        text = log.read()
    found = re.search(r"Collected\s*:\s*(\d+)", text)
    if process.returncode or not found:
        sys.exit(f"{' '.join(command)} failed:\n{text}")
    check(out)
    return int(found[1]), moments, elapsed


def main() -> int:
    """Prints the figures and returns the exit status: 1 if watching costs too much."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    base = os.path.join(ROOT, ".bench")
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--scheduler", default="easy")
    parser.add_argument("--python", default=os.path.join(base, "schedlab", "bin", "python"))
    parser.add_argument("--scratch", default=os.path.join(base, "scratch"))
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return 0
    os.makedirs(given.scratch, exist_ok=True)
    python = os.path.abspath(given.python)
    trace = os.path.join(os.path.abspath(given.scratch), f"watching-{given.jobs}.swf")
    system = os.path.join(os.path.abspath(given.scratch), "watching.toml")
    with open(system, "w", encoding="utf-8") as file:
        file.write(SYSTEM)
    if not os.path.exists(trace):
        subprocess.run([python, "-c", MAKE, trace + ".part", str(given.jobs)], check=True)
        os.replace(trace + ".part", trace)

    with tempfile.TemporaryDirectory(prefix="run-", dir=given.scratch) as folder:
        out = os.path.join(folder, "out")
        script = os.path.join(HERE, "run_schedlab.py")
        rest = [script, trace, system, given.scheduler, out, "timeline=csv"]
        run, deaf = ([python, "-c", MEASURED, how, *rest] for how in ("plain", "deaf"))
        seconds = min(run_process(run, folder)[0] for _ in range(3))
        impossible, _, _ = instructions(deaf, out, False)
        plain, _, elapsed = instructions(run, out, False)
        watched, moments, _ = instructions(run, out, True)

    each = (watched - plain) / moments
    added = 100 * each * MOMENTS_PER_SECOND * seconds / plain
    idle = 100 * (plain - impossible) / impossible * seconds / elapsed
    print(f"{given.jobs:,} jobs, {given.scheduler}, jobs.csv and timeline.csv")
    print(f"unwatched          {plain / 1e6:>10,.1f} million instructions, {seconds:.2f} s CPU")
    print(f"cannot be watched  {impossible / 1e6:>10,.1f} million")
    print(f"watched            {watched / 1e6:>10,.1f} million with {moments:,} moments")
    print(f"a moment           {each / 1e6:>10,.3f} million")
    print(f"in reality, not being watched adds {idle:.4f} %, being watched {added:.2f} %")
    print(f"(demanded: below {MOST_PERCENT} %)")
    return 0 if added < MOST_PERCENT else 1


if __name__ == "__main__":
    sys.exit(main())
