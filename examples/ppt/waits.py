"""Section 3.2 of the PPT paper: waits under three schedulers on machines of three sizes.

    python examples/ppt/waits.py LLNL-Atlas-2006-2.1-cln.swf.gz RICC-2010-2.swf.gz

The paper has the log of Intrepid, which is not at hand. Here sizes of jobs of other logs are
multiplied by what their own machine lacks to Intrepid's 163,840 cores, so that the three machines
are as small against the log as in the paper: 90, 45 and 22.5 % of its own machine. Jobs take whole
nodes. Those that are larger than a machine are discarded and counted.

M. A. Obaida, J. Liu, "Simulation of HPC job scheduling and large-scale parallel workloads", WSC
2017. The tutorial docs/tutorials/ppt-experiments.md says what one sees.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars
from paper_runs import CIELO_CORES, Progress, parser, run_script, save

import schedlab as sl
from schedlab.analysis.style import look, styled
from schedlab.durations import HOUR, duration_text
from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.table import complete

INTREPID_CORES = 163_840
MACHINES = {"small": 2304, "medium": 4608, "large": 9216}
"""Nodes of 16 cores each."""
SCHEDULERS = {"FCFS/BF": "fcfs-bf", "SJF": "sjf-nodehours", "LJF": "ljf-nodehours"}
QUICK_JOBS = 1500


class Case(NamedTuple):
    """One scheduler on one machine."""

    waits: np.ndarray  # seconds, in order
    discarded: int
    load: float  # node-seconds of the jobs that were not discarded, against the machine's


def scaled(trace: str, jobs: int | None, out: str) -> tuple[str, float]:
    """Writes a log for a machine of Intrepid's size; returns the file and the factor."""
    reader = open_reader(trace)
    rows: list[polars.DataFrame] = []
    for table in reader.tables():
        rows.append(table)
        if jobs is not None and sum(table.height for table in rows) >= jobs:
            break
    own = reader.header.get("MaxProcs")
    if own is None:
        raise sl.InputError(f"{trace}: its header has no MaxProcs")
    factor = INTREPID_CORES / int(own)
    table = polars.concat(rows).head(jobs or 10**9)
    sizes = [
        polars.when(polars.col(name) > 0)
        .then((polars.col(name) * factor).ceil().cast(table.schema[name]))
        .otherwise(polars.col(name))
        .alias(name)
        for name in ("requested_processors", "allocated_processors")
    ]
    path = os.path.join(out, "scaled.swf")
    write_tables(path, [complete(table.with_columns(sizes))], name="swf(exact=true)")
    return path, factor


def simulate(workload: str, nodes: int, scheduler: str) -> Case:
    """Returns what jobs wait."""
    system = sl.System("torus", groups=[sl.Group("node", nodes, {"core": CIELO_CORES})])
    result = sl.simulate(workload, system=system, scheduler=scheduler, whole_nodes=True)
    jobs = result.jobs.filter(polars.col("state") != "rejected")
    ran = jobs.select("submit", "start", "end", "wait", "tasks").collect()
    span = ran["submit"].max() - ran["submit"].min()  # type: ignore[operator]
    nodes_taken = -(-ran["tasks"] // CIELO_CORES)
    work = float((nodes_taken * (ran["end"] - ran["start"])).sum())
    return Case(np.sort(ran["wait"].to_numpy()), result.counts["rejected"], work / (nodes * span))


def measure(
    trace: str, jobs: int | None, out: str, progress: Progress
) -> dict[str, dict[str, Case]]:
    """Returns all cases of a log, by machine and scheduler."""
    os.makedirs(out, exist_ok=True)
    progress.case(f"reading {Path(trace).name}")
    workload, factor = scaled(trace, jobs, out)
    found: dict[str, dict[str, Case]] = {machine: {} for machine in MACHINES}
    for machine, nodes in MACHINES.items():
        for name, scheduler in SCHEDULERS.items():
            progress.case(f"{name} on the {machine} machine")
            found[machine][name] = simulate(workload, nodes, scheduler)
    os.unlink(workload)
    progress.end()
    print(f"\n{Path(trace).name}: sizes times {factor:.4g}")
    print_table(found)
    return found


def print_table(found: dict[str, dict[str, Case]]) -> None:
    """Prints a row for each case."""
    heads = ("jobs", "discarded", "load", "at once", "median wait", "mean wait", "95 %")
    print(f"{'machine':9}{'scheduler':11}" + "".join(f"{head:>14}" for head in heads))
    for machine, cases in found.items():
        for name, case in cases.items():
            waits = case.waits
            times = (np.median(waits), waits.mean(), np.quantile(waits, 0.95))
            print(
                f"{machine:9}{name:11}{len(waits):>14,}{case.discarded:>14,}{case.load:>14.2f}"
                f"{(waits == 0).mean():>14.1%}"
                + "".join(f"{duration_text(round(time)):>14}" for time in times)
            )


def draw(found: dict[str, dict[str, Case]], trace: str, out: str) -> str:
    """Draws the distributions: whole, and the top left corner."""
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10, 4.6), layout="constrained")
        whole, corner = figure.subplots(1, 2)
        for size, (machine, cases) in enumerate(found.items()):
            for number, (name, case) in enumerate(cases.items()):
                shares = np.arange(1, len(case.waits) + 1) / len(case.waits)
                style = {"color": look(number).colour, "linestyle": look(size).line}
                for axes in (whole, corner):
                    axes.step(
                        np.concatenate([[0.0], case.waits / HOUR]),
                        np.concatenate([[0.0], shares]),
                        where="post",
                        label=f"{name}, {machine}" if axes is whole else None,
                        linewidth=1.3,
                        **style,
                    )
        longest = max(case.waits[-1] for cases in found.values() for case in cases.values())
        edge = longest / HOUR / 50
        low = min((case.waits <= 0).mean() for cases in found.values() for case in cases.values())
        whole.set(xlim=(0, longest / HOUR), ylim=(0, 1.01), title="whole")
        corner.set(xlim=(0, edge), ylim=(max(0.0, low - 0.05), 1.005), title="top left corner")
        for axes in (whole, corner):
            axes.set(xlabel="wait (h)", ylabel="share of jobs that wait at most so long")
        figure.legend(loc="outside lower center", ncols=3)
        cores = ", ".join(f"{name} {n * CIELO_CORES:,}" for name, n in MACHINES.items())
        ran = [len(case.waits) for cases in found.values() for case in cases.values()]
        jobs = f"{min(ran):,}" if min(ran) == max(ran) else f"{min(ran):,} to {max(ran):,}"
        name = Path(trace).name.partition(".swf")[0]
        figure.suptitle(f"Waits of {jobs} jobs of {name}, scaled; cores: {cores}")
        return save(figure, out, f"waits-{Path(trace).name.partition('-2')[0].lower()}")


def main(arguments: list[str] | None = None) -> dict[str, dict[str, dict[str, Case]]]:
    """Simulates all logs; returns what was found by log, machine and scheduler."""
    taken = parser(__doc__)
    taken.add_argument("traces", nargs="+", help="logs of the Parallel Workloads Archive")
    chosen = taken.parse_args(arguments)
    progress = Progress(len(chosen.traces) * (1 + len(MACHINES) * len(SCHEDULERS)))
    every = {}
    for trace in chosen.traces:
        jobs = QUICK_JOBS if chosen.quick else None
        every[trace] = measure(trace, jobs, chosen.out, progress)
        print(f"the picture: {draw(every[trace], trace, chosen.out)}")
    return every


if __name__ == "__main__":
    run_script(main)
