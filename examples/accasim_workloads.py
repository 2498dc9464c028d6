"""AccaSim's synthetic workloads again: eight of them, and figures 14 to 17.

    python examples/accasim_workloads.py HPC2N-2002-2.2-cln.swf.gz RICC-2010-2.swf.gz --out study

C. Galleguillos, Z. Kiziltan, A. Netti, R. Soto, "AccaSim: a customizable workload management
simulator for job dispatching research in HPC systems", Cluster Computing 23 (2020), section 7.3.
From each trace four workloads are generated: 50,000 jobs with cores 1.5 times as fast, 100,000 for
twice the nodes, 200,000 with two GPUs of 933 GFLOPS in a quarter of the nodes, 500,000 with them in
half of the nodes and cores 1.5 times as fast. The page docs/tutorials/generate-like-a-trace.md says
what one sees.
"""

from __future__ import annotations

import argparse
import os
import sys
from time import perf_counter
from typing import Any, NamedTuple

import numpy

import schedlab as sl
from schedlab.analysis.style import look, styled
from schedlab.durations import DAY
from schedlab.workload.formats import open_reader
from schedlab.workload.header import leading_number, time_zone, unix_start
from schedlab.workload.models.accasim import LublinSize, PaperSlotWeights
from schedlab.workload.models.accasim.calendar import Counts


class Machine(NamedTuple):
    """A machine of equal nodes."""

    name: str
    nodes: int
    cores: int
    processor_cores: int
    core_gflops: float
    figures: tuple[int, int]  # numbers of the paper's, of submissions and of FLOPs

    def system(self, nodes: int, gpu_nodes: int) -> dict[str, Any]:
        """Returns the content of a system file, with GPUs in some of the nodes."""
        groups = {"plain": {"nodes": nodes - gpu_nodes, "resources": {"core": self.cores}}}
        if gpu_nodes:
            resources = {"core": self.cores, "gpu": 2}
            groups["gpu"] = {"nodes": gpu_nodes, "resources": resources}
        return {"name": self.name, "processor": {"core": self.processor_cores}, "groups": groups}


MACHINES = {
    "HPC2N": Machine("Seth", 120, 4, 2, 1.667, (14, 16)),
    "RICC": Machine("RICC", 1024, 8, 1, 11.72, (15, 17)),
}
"""Seth as in the paper's figure 6 and 7. RICC: Xeon X5570, 2.93 GHz, 4 operations per cycle."""


class Wish(NamedTuple):
    """What a generated workload is to be, relative to the machine of its trace."""

    jobs: int
    faster: float
    nodes: int
    gpu_share: float


WISHES = (
    Wish(50_000, 1.5, 1, 0.0),
    Wish(100_000, 1.0, 2, 0.0),
    Wish(200_000, 1.0, 1, 0.25),
    Wish(500_000, 1.5, 1, 0.5),
)


class Jobs:
    """What is drawn of a workload: submissions in the calendar, and GFLOP of jobs."""

    def __init__(self, label: str, path: str, gflops: dict[str, float], processor: int) -> None:
        self.label = label
        reader = open_reader(path)
        work: list[Any] = []
        submit: list[Any] = []
        for table in reader.tables():
            submit.append(table["submit"].to_numpy())
            if "tasks" in table.columns:
                power = sum(
                    table[f"task_{kind}"].to_numpy() * value
                    for kind, value in gflops.items()
                    if f"task_{kind}" in table.columns
                )
                work.append(table["run"].to_numpy() * table["tasks"].to_numpy() * power)
            else:
                requested, allocated = (
                    table[f"{which}_processors"].to_numpy() for which in ("requested", "allocated")
                )
                cores = numpy.where(requested > 0, requested, allocated) * processor
                work.append(table["run"].to_numpy() * cores * gflops["core"])
        self.counts = Counts(time_zone(reader.header)[0])
        self.counts.add(numpy.concatenate(submit) + (unix_start(reader.header) or 0))
        self.work = numpy.sort(numpy.concatenate(work))
        self.shares = self.counts.shares()


def main() -> None:
    """Generates everything, draws the figures and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("traces", nargs="+", help="HPC2N or RICC of the Parallel Workloads Archive")
    parser.add_argument("--out", default="accasim-workloads", help="folder for everything")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of jobs, to try")
    parser.add_argument("--machine", choices=MACHINES, help="of the traces; else by their names")
    parser.add_argument(
        "--literal", action="store_true", help="submissions word by word as in the paper"
    )
    chosen = parser.parse_args()
    try:
        os.makedirs(chosen.out, exist_ok=True)
        for trace in chosen.traces:
            study(trace, chosen)
    except (sl.InputError, OSError) as error:
        sys.exit(f"error: {error}")


def study(trace: str, chosen: argparse.Namespace) -> None:
    """Generates four workloads of a trace and compares them with it."""
    machine = machine_of(trace, chosen.machine)
    workloads = [Jobs("original", trace, {"core": machine.core_gflops}, machine.processor_cores)]
    print(f"{machine.name}: {workloads[0].counts.jobs:,} jobs", flush=True)
    for wish in WISHES:
        began = perf_counter()
        jobs = max(1, round(wish.jobs * chosen.scale))
        label = f"{jobs // 1000}k" if jobs % 1000 == 0 else str(jobs)
        path = os.path.join(chosen.out, f"{machine.name.lower()}-{label}.swf")
        gflops = {"core": machine.core_gflops * wish.faster}
        limits = {"min": {"core": 1}, "max": {"core": machine.cores}}
        if wish.gpu_share:
            gflops["gpu"] = 933.0
            limits["min"]["gpu"], limits["max"]["gpu"] = 0, 2
        nodes = machine.nodes * wish.nodes
        made = sl.WorkloadGenerator(
            trace,
            machine.system(nodes, round(nodes * wish.gpu_share)),
            gflops,
            limits,
            seed=chosen.seed,
            original_system=machine.system(machine.nodes, 0),
            original_performance={"core": machine.core_gflops},
            submission=PaperSlotWeights() if chosen.literal else None,
            size=LublinSize(),  # as in the paper; the default has the sizes of the trace
        )
        facts = made.generate(jobs, path, writer="swf(exact=true)")
        workloads.append(Jobs(label, path, gflops, machine.processor_cores))
        print(
            f"{perf_counter() - began:6.1f} s  {path}: {facts.span_seconds / DAY:,.0f} days, "
            f"{facts.rate:.2f} times the trace's jobs a day, {facts.serial_share:.1%} serial",
            flush=True,
        )
    draw(machine, workloads, chosen.out)
    print()
    print(table(workloads))


def machine_of(trace: str, name: str | None) -> Machine:
    """Returns the machine of a trace, by its name or by what its header says."""
    if name is None:
        found = [key for key in MACHINES if key in os.path.basename(trace).upper()]
        name = found[0] if found else None
    if name is not None:
        return MACHINES[name]
    reader = open_reader(trace)
    next(iter(reader.tables()))
    processors = leading_number(reader.header.get("MaxProcs")) or 128
    return Machine("other", processors, 1, 1, 1.0, (14, 16))


def table(workloads: list[Jobs]) -> str:
    """Returns largest differences of shares, in percentage points, and distances of GFLOP."""
    original = workloads[0]
    whole_year = bool(original.counts.months.all())
    lines = [f"{'':10}{'hour':>8}{'weekday':>9}{'month':>8}{'GFLOP KS':>10}"]
    for jobs in workloads[1:]:
        cells = [
            100 * float(numpy.abs(jobs.shares[name] - original.shares[name]).max())
            for name in ("hour", "weekday", "month")
        ]
        month = f"{cells[2]:8.2f}" if whole_year else f"{'-':>8}"
        distance = kolmogorov_smirnov(original.work, jobs.work)
        lines.append(f"{jobs.label:10}{cells[0]:8.2f}{cells[1]:9.2f}{month}{distance:10.4f}")
    return "\n".join([*lines, ""])


def kolmogorov_smirnov(first: Any, second: Any) -> float:
    """Returns the largest distance of two cumulative distributions; the samples are sorted.

    Run times are rounded, GFLOP so by half a per cent: looked at are points that much above the
    values of the first.
    """
    points = numpy.unique(first) * 1.006
    shares = [numpy.searchsorted(values, points) / len(values) for values in (first, second)]
    return float(numpy.abs(shares[0] - shares[1]).max())


HOURS = [str(hour) for hour in range(24)]
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def draw(machine: Machine, workloads: list[Jobs], out: str) -> None:
    """Draws the two figures of a machine: submissions in the calendar, and GFLOP."""
    with styled():
        for number, kind, figure in (
            (machine.figures[0], "submissions", _submissions(machine, workloads)),
            (machine.figures[1], "gflop", _work(machine, workloads)),
        ):
            name = f"figure-{number}-{machine.name.lower()}-{kind}"
            for end in ("svg", "png"):
                figure.savefig(os.path.join(out, f"{name}.{end}"), dpi=110)


def _submissions(machine: Machine, workloads: list[Jobs]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 9.2), layout="constrained")
    figure.suptitle(f"Submissions by hour, weekday and month: {machine.name} and generated from it")
    for axes, name, labels, title in zip(
        figure.subplots(3, 1),
        ("hour", "weekday", "month"),
        (HOURS, WEEKDAYS, MONTHS),
        ("hour of the day (local time)", "weekday", "month"),
        strict=True,
    ):
        width = 0.84 / len(workloads)
        places = numpy.arange(len(labels))
        for index, jobs in enumerate(workloads):
            shown = look(index)
            axes.bar(
                places + (index - (len(workloads) - 1) / 2) * width,
                100 * jobs.shares[name],
                width,
                label=jobs.label,
                color="white" if index else "#3A3A3A",
                edgecolor=shown.colour if index else "#3A3A3A",
                hatch=2 * shown.hatch,
                linewidth=0.9,
            )
        axes.set_xticks(places, labels)
        axes.set_xlim(-0.6, len(labels) - 0.4)
        axes.grid(axis="x", visible=False)
        partial = name == "month" and not workloads[0].counts.months.all()
        axes.set_xlabel(title + (" (not followed: the trace has no whole year)" if partial else ""))
        axes.set_ylabel("% of jobs")
    figure.legend(
        *figure.axes[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=len(workloads),
        handlelength=2.5,
        handleheight=1.2,
    )
    return figure


def _work(machine: Machine, workloads: list[Jobs]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.8), layout="constrained")
    figure.suptitle(f"GFLOP of jobs: {machine.name} and generated from it")
    histogram, cumulative = figure.subplots(1, 2)
    most = max(float(jobs.work[-1]) for jobs in workloads)
    edges = numpy.linspace(0, most, 61)
    for index, jobs in enumerate(workloads):
        shown = look(index)
        colour = shown.colour if index else "#3A3A3A"
        style: dict[str, Any] = {"color": colour, "linestyle": shown.line, "label": jobs.label}
        style["linewidth"] = 6.4 - 1.3 * index  # lines that coincide are seen one within the other
        thin = {**style, "linewidth": 0.9}
        shares = 100 * numpy.histogram(jobs.work, edges)[0] / len(jobs.work)
        middles = (edges[:-1] + edges[1:]) / 2
        shares[shares == 0] = numpy.nan  # a range without jobs: a gap in the line
        histogram.plot(middles, shares, marker=shown.marker, markersize=4, **thin)
        positive = numpy.maximum(jobs.work, 0.1)
        points = numpy.linspace(0, len(positive) - 1, 400).astype(int)
        cumulative.plot(positive[points], 100 * (points + 1) / len(positive), **style)
    histogram.set_yscale("log")
    histogram.set_xlabel("GFLOP, 60 equal ranges")
    histogram.set_ylabel("% of jobs")
    cumulative.set_xscale("log")
    cumulative.set_xlabel("GFLOP")
    cumulative.set_ylabel("% of jobs with at most N")
    cumulative.set_ylim(0, 100)
    figure.legend(
        *histogram.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=len(workloads),
        handlelength=3,
    )
    return figure


if __name__ == "__main__":
    main()
