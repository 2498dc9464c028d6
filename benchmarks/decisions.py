"""What it costs to stop where the scheduler must decide: python benchmarks/decisions.py.

The same simulations run through, and stopped at each decision, both in C++ (`decide_all`), taken in
turns; the least CPU time of each counts. Last, decisions by a function in Python.
"""

from __future__ import annotations

import gzip
import os
from itertools import islice
from time import process_time

import schedlab as sl

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TRACE = os.path.join(os.path.dirname(ROOT), "shared", "traces", "HPC2N-2002-2.2-cln.swf.gz")
ROWS, TURNS = 50_000, 5
SYSTEM = {
    "start_time": 1027839845,
    "groups": {"g0": {"nodes": 120, "resources": {"core": 2}}},
}


def simulation(rows: list[str], scheduler: str) -> sl.Simulation:
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"decisions-{os.getpid()}.swf")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(rows)
    try:
        return sl.Simulation(path, system=SYSTEM, scheduler=scheduler)
    finally:
        os.unlink(path)


def seconds(rows: list[str], scheduler: str, way: str) -> tuple[float, int]:
    """Returns the CPU time of a simulation, and how many decisions it stopped at."""
    made, decisions = simulation(rows, scheduler), 0
    begin = process_time()
    if way == "through":
        made.run()
    elif way == "stopped":
        decisions = made.engine.decide_all()
    else:
        while made.next_decision():
            made.decide(first_ones)
            decisions += 1
    return process_time() - begin, decisions


def first_ones(state: sl.State):  # noqa: ANN201 - a generator of decisions
    for job in state.queue:
        if not state.machine.fits(job):
            return
        yield job


def main() -> None:
    with gzip.open(TRACE, "rt", encoding="utf-8") as file:
        rows = list(islice((line for line in file if not line.startswith(";")), ROWS))
    print(f"{ROWS:,} rows of HPC2N     decisions  through   stopped  more per decision")
    for scheduler in ("fifo", "easy", "conservative"):
        found: dict[str, float] = {}
        decisions = 0
        for _ in range(TURNS):
            for way in ("through", "stopped"):
                took, count = seconds(rows, scheduler, way)
                found[way] = min(took, found.get(way, took))
                decisions = count or decisions
        more = (found["stopped"] - found["through"]) / decisions * 1e9
        print(
            f"{scheduler:<22}{decisions:>12,}{found['through']:>8.3f}s{found['stopped']:>8.3f}s"
            f"{more:>12.0f} ns"
        )
    took, decisions = seconds(rows, "fifo", "python")
    print(f"fifo in Python        {decisions:>12,}{'':>9}{took:>8.3f}s")


if __name__ == "__main__":
    main()
