"""Generators side by side: python benchmarks/generators.py [--jobs N] [--json FILE].

Learns from HPC2N and writes that many jobs as SWF (500,000 by default): with schedlab by AccaSim's
method, and with AccaSim 1.1.3's own generator, on the same machine with the same performance and
request limits; and with schedlab by ScSF's, from a saved model, under pressure, of which there is
no package. CPU
seconds and peak memory are those of whole fresh processes (benchmarks/README.md, "How it is
measured"). Exit status: 0 all demands met, 1 one is not, 2 something could not be run.

The peer needs some minutes for 500,000 jobs. With --peer-jobs fewer of them are measured, and the
ratio is that of CPU time per job; no fair one, as learning alone takes the peer most of a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TRACE = "HPC2N-2002-2.2-cln.swf"
SYSTEM = {
    "system_name": "Seth - HPC2N",
    "start_time": 1027839845,
    "equivalence": {"processor": {"core": 2}},
    "groups": {"g0": {"core": 4, "mem": 1000000}},
    "resources": {"g0": 120},
}
PEER_SYSTEM = {
    **SYSTEM,
    "groups": {"g0": {"core": 2, "mem": 500000}},
    "resources": {"g0": 240},
}
"""The same machine by processors: the peer takes each processor of a job for a node, and refuses
jobs of as many nodes as there are."""

PERFORMANCE = {"core": 1.667}
LIMITS = {"min": {"core": 1, "mem": 1024}, "max": {"core": 4, "mem": 131072}}
SECONDS, MEGABYTES, RATIO = 5.0, 100.0, 20.0
"""Demanded of 500,000 jobs."""


def generate_schedlab(trace: str, system: str, jobs: int, out: str) -> None:
    """Runs in the environment that has schedlab."""
    import schedlab

    schedlab.WorkloadGenerator(trace, system, PERFORMANCE, LIMITS).generate(jobs, out)


def fit_model(trace: str, _system: str, _jobs: int, out: str) -> None:
    """Runs in the environment that has schedlab: fits ScSF's model and saves it."""
    import schedlab

    schedlab.WorkloadModel.fit(trace, cores_per_node=2).save(out)


def generate_model(model_file: str, _system: str, jobs: int, out: str) -> None:
    """Runs in the environment that has schedlab: generates under pressure from a saved model."""
    import schedlab

    model = schedlab.WorkloadModel.load(model_file)
    made = model.generate("1", jobs=jobs, processors=240, pressure_low=1.0, pressure_high=1.1)
    schedlab.write_tables(out, made.tables(), made.header)


def generate_accasim(trace: str, system: str, jobs: int, out: str) -> None:
    """Runs in the environment that has AccaSim."""
    import collections
    import collections.abc
    import random

    collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]  # gone since 3.10
    import numpy
    from accasim.base.resource_manager_class import Resources
    from accasim.experimentation import workload_generator as peer

    # Its generator was left behind: it calls two things by names that the package gave up.
    Resources.definition = property(lambda resources: resources._definition)
    Resources.total_resources = lambda resources: resources.system_capacity()
    # And it takes an array of one number for a number, which numpy did until 2.4.
    peer.ArriveGenerator.dist_rand = lambda *given, **named: float(
        peer.Generator.dist_rand(*given, **named)[0]
    )
    random.seed(1)
    numpy.random.seed(1)
    made = peer.WorkloadGenerator(trace, system, PERFORMANCE, LIMITS)
    made.generate_jobs(jobs, out)


MEASURED = {
    "schedlab": generate_schedlab,
    "fit": fit_model,
    "model": generate_model,
    "accasim": generate_accasim,
}


def arguments() -> argparse.Namespace:
    """Returns the parsed command line."""
    bench = os.path.join(ROOT, ".bench")
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=500_000)
    parser.add_argument("--peer-jobs", type=int, help="fewer for the peer (all)")
    parser.add_argument("--repetitions", type=int, default=5, help="runs of schedlab (5)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    parser.add_argument("--python", default=os.path.join(bench, "schedlab", "bin", "python"))
    parser.add_argument("--peer-python", default=os.path.join(bench, "accasim", "bin", "python"))
    parser.add_argument("--scratch", default=os.path.join(bench, "scratch"))
    shared = os.path.join(os.path.dirname(ROOT), "shared", "traces")
    parser.add_argument("--traces", default=shared, metavar="FOLDER")
    return parser.parse_args()


def measure(python: str, kind: str, trace: str, jobs: int, scratch: str) -> tuple[float, float]:
    """Returns CPU seconds and peak memory in MB of one generation, having looked at its rows."""
    from measure import BenchmarkError, run_process

    with tempfile.TemporaryDirectory(prefix="run-", dir=scratch) as folder:
        system, out = os.path.join(folder, "system.json"), os.path.join(folder, "new.swf")
        with open(system, "w", encoding="utf-8") as file:
            json.dump(PEER_SYSTEM if kind == "accasim" else SYSTEM, file)
        command = [python, os.path.abspath(__file__), kind, trace, system, str(jobs), out]
        figures = run_process(command, folder)
        with open(out, "rb") as lines:
            rows = sum(not line.startswith(b";") for line in lines)
        if rows != jobs:
            raise BenchmarkError(f"{kind}: wrote {rows} jobs, not {jobs}")
        return figures


def least_and_most(runs: list[tuple[float, float]]) -> tuple[float, float]:
    """Returns the least CPU time and the most memory of some runs."""
    return min(seconds for seconds, _ in runs), max(megabytes for _, megabytes in runs)


def with_memory(source: str, target: str) -> str:
    """Copies a trace; rows that say nothing of memory say 0, because the peer refuses them."""
    with open(source, encoding="latin-1") as lines, open(target, "w", encoding="latin-1") as copy:
        for line in lines:
            fields = line.split()
            if len(fields) == 18 and fields[6] == fields[9] == "-1":
                fields[9] = "0"
                line = " ".join(fields) + "\n"
            copy.write(line)
    return target


def main() -> int:
    """Runs both generators, prints a table and returns the exit status."""
    from measure import BenchmarkError, decompress, run_process

    given = arguments()
    packed = os.path.join(given.traces, f"{TRACE}.gz")
    pythons = {
        "schedlab": os.path.abspath(given.python),
        "model": os.path.abspath(given.python),
        "accasim": os.path.abspath(given.peer_python),
    }
    for path in (packed, *pythons.values()):
        if not os.path.exists(path):
            print(f"{path}: not there; see benchmarks/README.md", file=sys.stderr)
            return 2
    scratch = os.path.abspath(given.scratch)
    os.makedirs(scratch, exist_ok=True)
    plain = decompress(packed, os.path.join(scratch, TRACE))
    trace = with_memory(plain, os.path.join(scratch, f"memory-{TRACE}"))
    peer_jobs = given.peer_jobs or given.jobs
    try:
        measure(pythons["schedlab"], "schedlab", trace, 1000, scratch)  # fills caches
        fitted = os.path.join(scratch, "hpc2n.model.json")
        fit = [pythons["model"], os.path.abspath(__file__), "fit", trace, "", "0", fitted]
        fit_seconds, fit_megabytes = run_process(fit, scratch)
        ours, model = (
            [
                measure(pythons[kind], kind, learned, given.jobs, scratch)
                for _ in range(given.repetitions)
            ]
            for kind, learned in (("schedlab", trace), ("model", fitted))
        )
        peer = measure(pythons["accasim"], "accasim", trace, peer_jobs, scratch)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 2
    seconds, megabytes = (at(run[i] for run in ours) for i, at in enumerate((min, max)))
    model_seconds, model_megabytes = (
        at(run[i] for run in model) for i, at in enumerate((min, max))
    )
    ratio = peer[0] / peer_jobs / (seconds / given.jobs)
    print(f"{'generator':30} {'jobs':>9} {'CPU s':>9} {'MB':>7}")
    for label, jobs, cpu, memory in (
        ("schedlab, AccaSim's method", given.jobs, seconds, megabytes),
        ("schedlab, ScSF's model fitted", 0, fit_seconds, fit_megabytes),
        ("schedlab, ScSF's method", given.jobs, model_seconds, model_megabytes),
        ("AccaSim", peer_jobs, *peer),
    ):
        print(f"{label:30} {jobs:>9,} {cpu:>9.2f} {memory:>7.1f}")
    met = (
        max(seconds, model_seconds) < SECONDS
        and max(megabytes, model_megabytes) < MEGABYTES
        and ratio >= RATIO
    )
    judged = given.jobs >= 500_000
    print(
        f"{ratio:.0f} times faster per job; demanded for 500,000: {RATIO:.0f} times, "
        f"{SECONDS:.0f} s, {MEGABYTES:.0f} MB"
        + ("" if not judged else ": PASS" if met else ": FAIL")
    )
    if given.json:
        rows = {
            "schedlab": {"jobs": given.jobs, "seconds": [s for s, _ in ours], "mb": megabytes},
            "model": {
                "jobs": given.jobs,
                "seconds": [s for s, _ in model],
                "mb": model_megabytes,
            },
            "accasim": {"jobs": peer_jobs, "seconds": [peer[0]], "mb": peer[1]},
            "ratio": ratio,
        }
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
            file.write("\n")
    return 1 if judged and not met else 0


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[1] in MEASURED:
        MEASURED[sys.argv[1]](sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(main())
