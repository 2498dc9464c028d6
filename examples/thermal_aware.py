"""Where jobs go, and how hot it gets there: five allocators on a trace, on nodes that throttle.

    python examples/thermal_aware.py HPC2N-2002-2.2-cln.swf.gz --out thermal-aware

The machine is that of HPC2N's trace: Seth, 120 nodes with two Athlon MP of 1.667 GHz. Its power,
racks and frequency steps are not known; those here are assumed, in the order of magnitude of such
nodes. The page docs/tutorials/thermal-aware.md says what one sees.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import polars

import schedlab as sl
from schedlab.analysis.style import look, styled
from schedlab.durations import DAY, HOUR

RACK = 20
CORE_WATTS = 52.0  # that a core of an otherwise idle node adds
SETH: dict[str, Any] = {
    "name": "Seth",
    "processors": {
        "athlon": {
            "cores": 1,
            "clock": 1.667,
            "power": {"core": 50, "shared": 10, "idle": 8},
            "steps": [{"clock": 1.0, "core": 15, "shared": 6, "idle": 5}],
        }
    },
    "node_types": {"seth": {"processors": {"athlon": 2}, "power": {"base": 40}}},
    "groups": {"seth": {"nodes": 120, "type": "seth", "rack": RACK}},
}
MODEL: dict[str, Any] = {
    "resistance": 0.12,
    "recirculation": 0.005,
    "neighbour": 0.02,
    "time_constant": 600,
    "limit": 57,
    "release": 54,
}
"""A busy node among idle ones of its rack gets to 45 degC, one in a full rack to 59."""


class LeastHeat(sl.Allocator):
    """Takes the nodes where racks and neighbours give off the least heat, by what they draw now.

    The heat that a node gets from others is, in this model, the heat that it gives to them. So this
    is also where a job makes others least hot. What the job itself will draw counts from node to
    node, which spreads its tasks.

    Args:
        rack: Nodes in a rack.
        recirculation: As in the model of temperatures.
        neighbour: Likewise.
        core_watts: What a core that begins to work adds to the power of its node.
    """

    def __init__(
        self,
        rack: int = RACK,
        recirculation: float = MODEL["recirculation"],
        neighbour: float = MODEL["neighbour"],
        core_watts: float = CORE_WATTS,
    ) -> None:
        self.rack = rack
        self.recirculation = recirculation
        self.neighbour = neighbour
        self.core_watts = core_watts

    def place(self, job: sl.JobView, machine: sl.MachineView) -> dict[int, int] | None:
        """Returns the number of tasks by node."""
        return machine.fill(job, self.best_first(job, machine))

    def best_first(self, job: sl.JobView, machine: sl.MachineView) -> Iterator[int]:
        """Yields nodes with room; each is the best once those before it are full."""
        watts = [machine.power(node) for node in range(machine.nodes)]
        racks = [sum(watts[first : first + self.rack]) for first in range(0, len(watts), self.rack)]

        def heat(node: int) -> float:
            place = node % self.rack
            before = watts[node - 1] if place else 0.0
            behind = watts[node + 1] if place < self.rack - 1 and node + 1 < len(watts) else 0.0
            others = racks[node // self.rack] - watts[node]
            return self.recirculation * others + self.neighbour * (before + behind)

        left = machine.nodes_with_room(job)
        while left:
            best = min(left, key=heat)  # the first of equal ones
            left.remove(best)
            yield best
            added = self.core_watts * machine.node_free(best)["core"]
            watts[best] += added
            racks[best // self.rack] += added


class Run(NamedTuple):
    """What came of a trace under one allocator."""

    allocator: str
    metrics: dict[str, Any]
    nodes: polars.DataFrame
    lost_hours: float  # of cores, because they went at a lower clock


def allocators() -> dict[str, str | sl.Allocator]:
    """Returns the allocators by the names they have in tables."""
    named: dict[str, str | sl.Allocator] = {
        name: name for name in ("first-fit", "worst-fit", "random", "coolest")
    }
    return {**named, "least-heat": LeastHeat()}


def seth(nodes: int) -> dict[str, Any]:
    """Returns the content of a system file for the machine with N nodes."""
    return {**SETH, "groups": {"seth": {**SETH["groups"]["seth"], "nodes": nodes}}}


def simulate(trace: str, name: str, nodes: int, days: float, limit: float, out: str) -> Run:
    """Simulates the jobs of a trace's first days and returns how hot it got."""

    def early(job: sl.Job) -> sl.Job | None:
        return job if job.submit < days * DAY else None

    def show(simulation: sl.Simulation) -> None:
        if sys.stderr.isatty():
            print(f"\r{name}: day {simulation.now / DAY:,.0f} ", end="", file=sys.stderr)

    result = sl.simulate(
        trace,
        system=seth(nodes),
        scheduler="easy",
        allocator=allocators()[name],
        conditions={"thermal": {**MODEL, "limit": limit, "release": limit - 3}},
        job_factory=early,
        progress=show,
        out=os.path.join(out, name),
        force=True,
    )
    table = polars.read_csv(os.path.join(out, name, "nodes.csv"))
    return Run(name, result.metrics, table, _lost_hours(result))


def _lost_hours(result: sl.Result) -> float:
    """Returns the core-hours that jobs took beyond those at their nominal clock."""
    jobs = result.jobs.filter(polars.col("state") == "completed")
    taken = (polars.col("end") - polars.col("start")) * polars.col("tasks")
    lost = (taken * (1 - polars.col("speed"))).sum()
    return float(jobs.select(lost).collect().item() or 0.0) / HOUR


def print_table(runs: list[Run]) -> None:
    """Prints a row for each run."""
    head = ("allocator", "hottest", "mean", "throttled", "lost", "cooling", "wait", "slowdown")
    units = ("", "degC", "degC", "node-h", "core-h", "MWh", "h", "mean")
    for row in (head, units):
        print(f"{row[0]:11}" + "".join(f"{text:>11}" for text in row[1:]))
    for run in runs:
        thermal = run.metrics["thermal"]
        numbers = (
            f"{thermal['hottest']:11.1f}{thermal['mean']:11.1f}"
            f"{thermal['throttled_node_seconds'] / HOUR:11,.0f}{run.lost_hours:11,.0f}"
            f"{thermal['cooling_energy'] / 3.6e9:11.2f}{run.metrics['wait']['mean'] / HOUR:11.2f}"
            f"{run.metrics['bounded_slowdown']['mean']:11.1f}"
        )
        print(f"{run.allocator:11}{numbers}")


def draw(runs: list[Run], path: str) -> None:
    """Draws mean temperature and throttled hours of each node."""
    import matplotlib.figure

    with styled():
        figure = matplotlib.figure.Figure(figsize=(8, 5.6), layout="constrained")
        top, bottom = figure.subplots(2, 1, sharex=True)
        for number, run in enumerate(runs):
            style = look(number)
            line = {"color": style.colour, "linestyle": style.line, "linewidth": 1.4}
            nodes = run.nodes["node"]
            top.plot(nodes, run.nodes["mean_temperature"], label=run.allocator, **line)
            bottom.plot(nodes, run.nodes["throttled_seconds"] / HOUR, **line)
        for axes in (top, bottom):
            for first in range(RACK, runs[0].nodes.height, RACK):
                axes.axvline(first - 0.5, color="#B0B0B0", linewidth=0.8)
        top.set(
            ylabel="mean temperature (degC)",
            title="Nodes in the order of their numbers; grey lines separate racks",
        )
        bottom.set(xlabel="node", ylabel="throttled (h)", ylim=(0, None))
        figure.legend(*top.get_legend_handles_labels(), loc="outside upper center", ncols=5)
        figure.savefig(path, dpi=140)


def main() -> None:
    """Simulates the allocators, prints a table and draws a figure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trace", help="HPC2N-2002-2.2-cln.swf.gz, or another for 240 processors")
    parser.add_argument("--nodes", type=int, default=120, help="of the machine")
    parser.add_argument("--days", type=float, default=180, help="how much of it")
    parser.add_argument("--limit", type=float, default=MODEL["limit"], help="degC of throttling")
    parser.add_argument("--out", default="thermal-aware", help="folder for everything")
    chosen = parser.parse_args()
    os.makedirs(chosen.out, exist_ok=True)
    try:
        runs = [
            simulate(chosen.trace, name, chosen.nodes, chosen.days, chosen.limit, chosen.out)
            for name in allocators()
        ]
    except sl.SchedlabError as error:
        sys.exit(f"error: {error}")
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print_table(runs)
    path = os.path.join(chosen.out, "nodes.png")
    draw(runs, path)
    print(f"\nruns and the figure: {chosen.out}")


if __name__ == "__main__":
    main()
