"""What dispatchers that know of power and failures gain on a trace, against plain EASY.

    python examples/dispatchers/study.py energy HPC2N-2002-2.2-cln.swf.gz
    python examples/dispatchers/study.py cap HPC2N-2002-2.2-cln.swf.gz --days 90
    python examples/dispatchers/study.py failures HPC2N-2002-2.2-cln.swf.gz --seeds 5

The machine is Seth of HPC2N, with assumed watts (seth.toml). The pages energy-aware, power-capped
and failure-aware of docs/tutorials say what one sees.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cheap_hours import CheapHours
from power_easy import PowerEasy
from settled_nodes import SettledNodes, daly_interval

import schedlab as sl
from schedlab.durations import DAY

HERE = os.path.dirname(os.path.abspath(__file__))
SYSTEM = os.path.join(HERE, "seth.toml")
CAP, IDLE, BUSY = 19000.0, 12000.0, 40.0
"""Watts: of the cap, of the idle machine, and what a busy processor adds."""
NODE_MEAN = 1.4e6 * 1.2658
"""Seconds between failures of a node: Weibull's scale times gamma(1 + 1 / shape), shape 0.7."""


class Case(NamedTuple):
    """A dispatcher under some conditions."""

    name: str
    scheduler: str | sl.Scheduler
    allocator: str | sl.Allocator
    conditions: dict[str, Any]


def energy_cases(seed: int) -> Iterator[Case]:
    """Yields what packing, resting and waiting for cheap or clean hours do."""
    tariff = sl.load_conditions(os.path.join(HERE, "tariff.toml")).to_dict()
    stay_on = {key: value for key, value in tariff.items() if key != "switch_off"}
    packed = "least-added-power"
    yield Case("nodes stay on", "easy", "first-fit", stay_on)
    yield Case("worst-fit, off", "easy", "worst-fit", tariff)
    yield Case("first-fit, off", "easy", "first-fit", tariff)
    yield Case("packed, off", "easy", packed, tariff)
    for by in ("price", "carbon"):
        for hours in (4, 8):
            waiting = CheapHours(tariff, by, patience=3600 * hours)
            yield Case(f"by {by}, {hours} h", waiting, packed, tariff)
    short_too = CheapHours(tariff, patience=8 * 3600, stretch=float("inf"))
    yield Case("by price, all 8 h", short_too, packed, tariff)


def cap_cases(seed: int) -> Iterator[Case]:
    """Yields three ways to live under a cap."""
    for name, scheduler, action in (
        ("no cap", "easy", None),
        ("easy, refuse", "easy", "refuse"),
        ("easy, slow", "easy", "slow"),
        ("PowerEasy, refuse", PowerEasy(BUSY), "refuse"),
    ):
        caps = {"caps": [{"watts": CAP, "action": action}]} if action else {}
        yield Case(name, scheduler, "first-fit", caps)


def failure_cases(seed: int) -> Iterator[Case]:
    """Yields restarts, checkpoints at several intervals, and nodes chosen by their age."""
    failing = sl.load_conditions(os.path.join(HERE, "failing.toml")).to_dict()
    failing["seed"] = seed
    restart = {key: value for key, value in failing.items() if key != "resubmission"}
    daly = round(daly_interval(failing["resubmission"]["cost"], NODE_MEAN / 8))

    def every(interval: float) -> dict[str, Any]:
        return {**failing, "resubmission": {**failing["resubmission"], "interval": interval}}

    yield Case("from the start", "easy", "first-fit", restart)
    yield Case("  settled nodes", "easy", SettledNodes(), restart)
    for name, interval in (("15 min", 900), ("1 h", 3600), ("Daly", daly), ("12 h", 43200)):
        yield Case(f"checkpoints, {name}", "easy", "first-fit", every(interval))
    yield Case("  Daly, settled", "easy", SettledNodes(), every(daly))


Columns = dict[str, Callable[[dict[str, Any]], float]]
SERVICE: Columns = {
    "wait (h)": lambda metrics: metrics["wait"]["mean"] / 3600,
    "longest (d)": lambda metrics: metrics["wait"]["max"] / DAY,
    "slowdown": lambda metrics: metrics["bounded_slowdown"]["mean"],
    "makespan (d)": lambda metrics: metrics["makespan"] / DAY,
}
COLUMNS: dict[str, Columns] = {
    "energy": {
        "kWh": lambda metrics: metrics["energy"]["total"] / 3.6e6,
        "cost": lambda metrics: metrics["energy"]["cost"],
        "CO2 (kg)": lambda metrics: metrics["energy"]["carbon"],
        **SERVICE,
    },
    "cap": {
        "kWh": lambda metrics: metrics["energy"]["total"] / 3.6e6,
        "peak (W)": lambda metrics: metrics["energy"]["peak_power"],
        "above (J)": lambda metrics: sum(
            cap["energy_above"] for cap in metrics["energy"].get("caps", ())
        ),
        **SERVICE,
    },
    "failures": {
        "hits": lambda metrics: metrics["failures"]["interruptions"],
        "lost (nh)": lambda metrics: metrics["node_hours"]["lost"],
        "written (nh)": lambda metrics: metrics["node_hours"]["checkpoint"],
        "effective": lambda metrics: 100 * metrics["effective_utilization"],
        **SERVICE,
    },
}
CASES = {"energy": energy_cases, "cap": cap_cases, "failures": failure_cases}
PLOTS = {"energy": "energy", "cap": "wait-cdf", "failures": "node-hours"}


def study(kind: str, trace: str, days: float, seeds: int, out: str) -> dict[str, list[float]]:
    """Simulates all cases, prints a table and draws a plot; returns the means by case."""
    widest = (CAP - IDLE) / BUSY if kind == "cap" else float("inf")
    left_out = []

    def part(job: sl.Job) -> sl.Job | None:
        if job.submit >= days * DAY:
            return None
        if job.processors > widest:
            left_out.append(job.id)
            return None
        return job

    rows: dict[str, list[list[float]]] = {}
    results: dict[str, sl.Result] = {}
    print(f"{'':20}" + "".join(f"{name:>13}" for name in COLUMNS[kind]))
    for seed in range(1, seeds + 1):
        for case in CASES[kind](seed):
            result = sl.simulate(
                trace,
                system=SYSTEM,
                scheduler=case.scheduler,
                allocator=case.allocator,
                conditions=case.conditions or None,
                job_factory=part,
                progress=_progress(f"{case.name.strip()}, seed {seed}"),
                out=os.path.join(out, f"{case.name.strip()}, {seed}".replace(", ", "+")),
                force=True,  # the study's own folder
            )
            results.setdefault(case.name.strip(), result)
            row = [column(result.metrics) for column in COLUMNS[kind].values()]
            rows.setdefault(case.name, []).append(row)
    means = {
        name: [statistics.fmean(values) for values in zip(*found, strict=True)]
        for name, found in rows.items()
    }
    for name, values in means.items():
        print(f"{name:20}" + "".join(f"{value:13,.{2 if value < 100 else 0}f}" for value in values))
    if left_out:
        print(f"\nleft out: {len({*left_out})} jobs of more than {widest:.0f} processors")
    path = os.path.join(out, f"{kind}.png")
    sl.plot(PLOTS[kind], results, path)
    print(f"\nruns and the plot {path}: {out}")
    return means


def _progress(name: str) -> Callable[[sl.Simulation], None]:
    def show(simulation: sl.Simulation) -> None:
        if sys.stderr.isatty():
            print(f"\r{name}: day {simulation.now / DAY:,.0f}   ", end="", file=sys.stderr)

    return show


def main() -> None:
    """Does what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", choices=CASES)
    parser.add_argument("trace", help="HPC2N-2002-2.2-cln.swf.gz, or another for 240 processors")
    parser.add_argument("--days", type=float, default=180, help="how much of it")
    parser.add_argument("--seeds", type=int, default=1, help="of failures; means are shown")
    parser.add_argument("--out", default="study", help="folder for everything")
    chosen = parser.parse_args()
    try:
        study(chosen.kind, chosen.trace, chosen.days, chosen.seeds, chosen.out)
    except sl.SchedlabError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
