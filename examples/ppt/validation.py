"""Section 3.1 of the PPT paper: our schedule beside that of PySS, the simulator it compares with.

    python examples/ppt/validation.py SDSC-SP2-1998-5Ksample.swf.gz sdsc-sp2-5k_FCFS.csv.gz

The second file is the schedule that PySS gave, with columns job_id, start, end and procs. Free
nodes and running jobs over time follow from both schedules; they are compared at all times at which
a job starts or ends in either of them, and a window of time is drawn, as in figure 2.

M. A. Obaida, J. Liu, "Simulation of HPC job scheduling and large-scale parallel workloads", WSC
2017. The tutorial docs/tutorials/ppt-experiments.md says what one sees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars
from paper_runs import parser, run_script, save

import schedlab as sl
from schedlab.analysis.style import look, styled
from schedlab.durations import DAY

NODES = 128
WINDOW = (32.0, 34.0)
"""Days of the trace that are drawn."""


class Levels(NamedTuple):
    """What is free and what runs, from each time on."""

    times: np.ndarray
    free: np.ndarray
    running: np.ndarray


def levels(schedule: polars.DataFrame, nodes: int) -> Levels:
    """Returns free nodes and running jobs over time of a schedule."""
    moments = np.concatenate([schedule["start"], schedule["end"]])
    taken = np.concatenate([schedule["nodes"], -schedule["nodes"]])
    jobs = np.repeat([1, -1], schedule.height)
    times, places = np.unique(moments, return_inverse=True)
    used = np.bincount(places, weights=taken).cumsum()
    running = np.bincount(places, weights=jobs).cumsum()
    return Levels(times, nodes - used, running)


def at(found: Levels, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns free nodes and running jobs at these times; before the first all is idle."""
    places = np.searchsorted(found.times, times, side="right")
    idle = found.free.max()
    free = np.concatenate([[idle], found.free])[places]
    return free, np.concatenate([[0], found.running])[places]


def simulate(trace: str, nodes: int) -> polars.DataFrame:
    """Returns our schedule, first come first served, with the trace read as PySS reads it."""
    system = {"groups": {"all": {"nodes": nodes, "resources": {"core": 1}}}}
    result = sl.simulate(trace, system=system, scheduler="fifo", rules="pyss")
    columns = [polars.col("job_id"), polars.col("start", "end"), polars.col("tasks").alias("nodes")]
    return result.jobs.select(*columns).collect()


def compare(ours: Levels, theirs: Levels) -> dict[str, int]:
    """Returns at how many times there are, and at how many the two differ."""
    times = np.union1d(ours.times, theirs.times)
    (our_free, our_running), (free, running) = at(ours, times), at(theirs, times)
    return {
        "times": len(times),
        "free differs": int((our_free != free).sum()),
        "running differs": int((our_running != running).sum()),
    }


def draw(ours: Levels, theirs: Levels, out: str) -> str:
    """Draws both schedules in the window, one on top of the other."""
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 4), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True)
        for number, (name, found) in enumerate({"PySS": theirs, "schedlab": ours}.items()):
            shown = (found.times >= WINDOW[0] * DAY) & (found.times <= WINDOW[1] * DAY)
            look_of = {"color": look(number).colour, "linestyle": look(number).line}
            width = {"linewidth": 4 - 2.6 * number, "alpha": 0.45 + 0.55 * number}
            days = found.times[shown] / DAY
            left.step(days, found.free[shown], where="post", label=name, **look_of, **width)
            right.step(days, found.running[shown], where="post", **look_of, **width)
        left.set(ylabel="free nodes", xlabel="day of the trace", xlim=WINDOW, ylim=(0, None))
        right.set(ylabel="running jobs", xlabel="day of the trace", ylim=(0, None))
        figure.legend(loc="outside lower center", ncols=2)
        figure.suptitle(f"SDSC SP2, {NODES} nodes, first come first served: two of its days")
        return save(figure, out, "validation")


def main(arguments: list[str] | None = None) -> dict[str, int]:
    """Simulates, compares, prints and draws; returns the counts."""
    taken = parser(__doc__)
    taken.add_argument("trace", help="the first 5,000 jobs of SDSC-SP2-1998")
    taken.add_argument("schedule", help="what PySS made of it: CSV, perhaps compressed")
    chosen = taken.parse_args(arguments)
    theirs = polars.read_csv(chosen.schedule).rename({"procs": "nodes"})
    ours = simulate(chosen.trace, NODES)
    both = ours.join(theirs, on="job_id", suffix="_pyss")
    same = both.filter(
        (polars.col("start") == polars.col("start_pyss"))
        & (polars.col("end") == polars.col("end_pyss"))
    )
    our_levels, their_levels = levels(ours, NODES), levels(theirs, NODES)
    found = {
        "jobs": theirs.height,
        "same start and end": same.height,
        **compare(our_levels, their_levels),
    }
    for name, count in found.items():
        print(f"{name:20}{count:>8,}")
    print(f"\nthe picture: {draw(our_levels, their_levels, chosen.out)}")
    return found


if __name__ == "__main__":
    run_script(main)
