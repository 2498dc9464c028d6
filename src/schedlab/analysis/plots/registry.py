"""The registry of plots: all that are built in, by what they are drawn of and by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from schedlab.naming import build

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedlab.analysis.plots.base import Picture

_HOME = "schedlab.analysis.plots"

RUNS = {
    "slowdown": f"{_HOME}.runs.slowdown:Slowdown",
    "bounded-slowdown": f"{_HOME}.runs.slowdown:BoundedSlowdown",
    "slowdown-by-size": f"{_HOME}.runs.slowdown:SlowdownBySize",
    "wait-cdf": f"{_HOME}.runs.waits:WaitCdf",
    "wait-heatmap": f"{_HOME}.runs.waits:WaitHeatmap",
    "queue-size": f"{_HOME}.runs.queue_size:QueueSize",
    "utilization": f"{_HOME}.runs.over_time:Utilization",
    "free-nodes": f"{_HOME}.runs.over_time:FreeNodes",
    "jobs-over-time": f"{_HOME}.runs.over_time:JobsOverTime",
    "load-per-minute": f"{_HOME}.runs.day:LoadPerMinute",
    "throughput": f"{_HOME}.runs.throughput:Throughput",
    "gantt": f"{_HOME}.runs.gantt:Gantt",
    "power": f"{_HOME}.runs.power:PowerPlot",
    "energy": f"{_HOME}.runs.energy:Energy",
    "clock": f"{_HOME}.runs.power:ClockPlot",
    "speed": f"{_HOME}.runs.speed:Speed",
    "speed-map": f"{_HOME}.runs.speed:SpeedMap",
    "failures": f"{_HOME}.runs.failures:FailuresPlot",
    "node-hours": f"{_HOME}.runs.energy:NodeHours",
    "temperature": f"{_HOME}.runs.temperature:Temperature",
    "links": f"{_HOME}.runs.links:LinkHeatMap",
    "link-use": f"{_HOME}.runs.links:LinkUseOverTime",
    "placement": f"{_HOME}.runs.placement:PlacementMap",
    "traffic": f"{_HOME}.runs.traffic:Traffic",
    "network-slowdown": f"{_HOME}.runs.network_slowdown:NetworkSlowdown",
    "cpu-time": f"{_HOME}.runs.cost:CpuTime",
    "scalability": f"{_HOME}.runs.cost:Scalability",
    "memory": f"{_HOME}.runs.cost:Memory",
}
"""Plots of runs, in the order of a report."""

WORKLOADS = {
    "distances": f"{_HOME}.workloads.distributions:Distances",
    "distributions": f"{_HOME}.workloads.distributions:Distributions",
    "calendar": f"{_HOME}.workloads.calendar:Calendar",
    "load": f"{_HOME}.workloads.load:Load",
    "autocorrelation": f"{_HOME}.workloads.autocorrelation:Autocorrelation",
    "users": f"{_HOME}.workloads.users:UserActivity",
    "size-and-run-time": f"{_HOME}.workloads.shapes:SizeAndRunTime",
    "simulated": f"{_HOME}.workloads.simulated:Simulated",
}
"""Plots of workloads, in the order of an overview."""

NETWORKS = {
    "network": f"{_HOME}.networks.topology:NetworkPicture",
    "application-links": f"{_HOME}.networks.application:ApplicationLinks",
    "application-placement": f"{_HOME}.networks.application:ApplicationPlacement",
    "application-traffic": f"{_HOME}.networks.application:ApplicationTraffic",
}
"""Plots of networks, and of one application alone on them."""

PLATFORMS = {"processor-fit": f"{_HOME}.platforms.processor_fit:FittedProcessor"}
"""Plots of processors."""

PLOTS_OF: Mapping[str, dict[str, str]] = {
    "runs": RUNS,
    "workloads": WORKLOADS,
    "networks": NETWORKS,
    "platforms": PLATFORMS,
}
"""The registry. No name is in it twice, so that a name alone says what a plot is drawn of."""

DRAWN_BY = {
    "runs": "schedlab plot",
    "workloads": "schedlab workload compare and schedlab workload inspect --out",
    "networks": "schedlab system show --picture and schedlab app run --picture-...",
    "platforms": "schedlab system fit --plot",
}
"""The commands that draw them."""


def drawn_of(name: object) -> str | None:
    """Returns what the built-in plot of a name is drawn of; None where there is none."""
    return next((kind for kind, homes in PLOTS_OF.items() if name in homes), None)


def picture_named(drawn_of: str, name: str) -> Picture[Any]:
    """Returns the built-in plot of a name.

    Args:
        drawn_of: What it is drawn of: a key of PLOTS_OF.
        name: One of the names there.

    Raises:
        InputError: There is no such plot.
    """
    made = build(f"plot of {drawn_of}", name, object, PLOTS_OF[drawn_of], origin=None)
    return cast("Picture[Any]", made)
