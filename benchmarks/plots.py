"""How long plots take: 80 runs of HPC2N in every plot, and a Gantt chart of a million jobs.

    python benchmarks/plots.py --traces ../shared/traces --scratch .bench/plots

Runs on one core, in a fresh process for each part. CPU seconds include imports, reading the run
folders and writing PNG files. The exit status is 1 when a demand is not met.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETH = {
    "name": "Seth - HPC2N",
    "start_time": 1027839845,
    "processor": {"core": 2},
    "groups": {"g0": {"nodes": 120, "resources": {"core": 4, "mem": 1000000}}},
}
SCHEDULERS, ALLOCATORS, REPETITIONS = ("fifo", "sjf", "ljf", "easy"), ("first-fit", "best-fit"), 10
JOBS, NODES = 1_000_000, 5_000
DEMANDS = {"every plot of HPC2N, 8 x 10 runs": 25.0, "gantt, 1,000,000 jobs, 5,000 nodes": 5.0}


def simulate_hpc2n(trace: Path, folder: Path) -> None:
    """Writes the run folders that are not there yet."""
    from schedlab import simulate

    for scheduler in SCHEDULERS:
        for allocator in ALLOCATORS:
            for repetition in range(REPETITIONS):
                out = folder / f"{scheduler}-{allocator}-{repetition}"
                if not (out / "run.json").exists():
                    simulate(
                        trace,
                        system=SETH,
                        scheduler=scheduler,
                        allocator=allocator,
                        out=out,
                        force=True,
                        jobs="parquet",
                        timeline="parquet",
                    )


def write_million(folder: Path) -> None:
    """Writes a run folder of jobs that fill blocks of neighbouring nodes, one after the other."""
    import numpy as np
    import polars

    from schedlab import Job, simulate

    if (folder / "run.json").exists():
        return
    random = np.random.default_rng(1)
    sizes = np.minimum(random.geometric(0.2, NODES), 512)
    last = np.cumsum(sizes) - 1
    blocks = int(np.searchsorted(last, NODES - 1))
    first, last = (last - sizes + 1)[:blocks], last[:blocks]
    each = -(-JOBS // blocks)
    gaps = random.exponential(600.0, (blocks, each))
    runs = random.lognormal(7.5, 1.5, (blocks, each))
    starts = np.cumsum(gaps + runs, axis=1) - runs
    table = polars.DataFrame(
        {
            "start": starts.ravel(),
            "end": (starts + runs).ravel(),
            "first": np.repeat(first, each),
            "last": np.repeat(last, each),
        }
    )
    table = table.sort("end").head(JOBS).with_row_index("job_id", 1)
    frame = table.select(
        polars.col("job_id").cast(polars.Int64),
        polars.col("start").alias("submit"),
        "start",
        "end",
        polars.format("{}-{}*4", "first", "last").alias("nodes"),
    )
    system = {"name": "large", "groups": {"node": {"nodes": NODES, "resources": {"core": 4}}}}
    simulate([Job(1, 0, 1)], system=system, out=folder, jobs="none", force=True)
    run = json.loads((folder / "run.json").read_text())
    run["counts"]["submitted"] = JOBS
    run["time"].update(first_submit=0, last_end=float(frame["end"].max()))  # type: ignore[arg-type]
    frame.write_parquet(folder / "jobs.parquet")
    (folder / "run.json").write_text(json.dumps(run))


def draw(names: list[str], runs: list[str], out: Path) -> None:
    """Draws plots in this process and prints the seconds of each as JSON."""
    from schedlab.analysis import PLOTS, groups_of, plot

    seconds = {}
    groups = groups_of(runs)
    for name in names or PLOTS:
        began = time.process_time()
        plot(name, groups, out / f"{name}.png")
        seconds[name] = time.process_time() - began
    seconds["start and folders"] = time.process_time() - sum(seconds.values())
    print(json.dumps(seconds))


def measure(names: list[str], runs: list[Path], out: Path) -> dict[str, float]:
    """Returns the CPU seconds of each part, drawn by a fresh process on one core."""
    command = [sys.executable, __file__, "--draw", ",".join(names), "--scratch", str(out)]
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, *map(str, runs)], capture_output=True, text=True, check=True, env=environment
    )
    return dict(json.loads(done.stdout))


def main() -> int:
    """Measures, prints a table and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, default=Path("../shared/traces"))
    parser.add_argument("--scratch", type=Path, default=Path(".bench/plots"))
    parser.add_argument("--draw", help=argparse.SUPPRESS)
    parser.add_argument("runs", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.draw is not None:
        draw([name for name in given.draw.split(",") if name], given.runs, given.scratch)
        return 0
    given.scratch.mkdir(parents=True, exist_ok=True)
    totals = {}
    with tempfile.TemporaryDirectory() as out:
        trace = given.traces / "HPC2N-2002-2.2-cln.swf.gz"
        if trace.exists():
            simulate_hpc2n(trace, given.scratch / "hpc2n")
            seconds = measure([], sorted((given.scratch / "hpc2n").iterdir()), Path(out))
            for name, value in seconds.items():
                print(f"{name:36} {value:7.2f} s")
            totals["every plot of HPC2N, 8 x 10 runs"] = sum(seconds.values())
        else:
            print(f"skipped: {trace} is not there")
        write_million(given.scratch / "million")
        seconds = measure(["gantt"], [given.scratch / "million"], Path(out))
        totals["gantt, 1,000,000 jobs, 5,000 nodes"] = sum(seconds.values())
    print()
    for name, value in totals.items():
        verdict = "met" if value < DEMANDS[name] else "NOT MET"
        print(f"{name:36} {value:7.2f} s   below {DEMANDS[name]:g} s: {verdict}")
    return int(any(value >= DEMANDS[name] for name, value in totals.items()))


if __name__ == "__main__":
    sys.exit(main())
