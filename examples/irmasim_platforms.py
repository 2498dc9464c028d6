"""IRMaSim's experiment: what neighbours on a processor cost. Its figures 1, 7, 8 and 9.

    python examples/irmasim_platforms.py --out irmasim

A. Herrera, M. Ibanez, E. Stafford, J. L. Bosque, "A Simulator for Intelligent Workload Managers in
Heterogeneous Clusters", CCGrid 2021, sections II, VI and VII. The paper submits the jobs of a batch
in the first minutes; here all are submitted at 0 in figures 7 and 8, and in the first five minutes
in figure 9. Its real cluster is not at hand: its numbers stand beside ours. The tutorial
docs/tutorials/irmasim-experiment.md says what one sees.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from statistics import mean, stdev
from time import perf_counter
from typing import Any, NamedTuple

import irmasim_figures as figures
from irmasim_machines import (
    HETEROGENEOUS,
    HOMOGENEOUS,
    MEAN_SECONDS,
    NPB,
    TERABITS,
    cores_at_fastest,
    drawn,
    jobs_of,
    platform,
)
from irmasim_policies import (
    CAREFUL,
    GROUPING,
    JOB_SELECTIONS,
    POLICIES,
    RESOURCE_SELECTIONS,
    SPREADING,
)

import schedlab as sl

BATCHES = (200, 400, 800, 1600, 3200)
LOADS = (0.1, 0.2, 0.3, 0.4)
ARRIVALS = 1000
"""Jobs of each run of figure 9 at a load."""

BURST_SECONDS = 300
"""In which the jobs of a burst are submitted: the paper's "first minutes"."""

BURST = 400
"""Jobs of the burst that is drawn. The paper does not say how many its figure 9 has."""

CLASS_A = 1 / 16
"""Work of class A beside class C: ep has 2^28 pairs of numbers instead of 2^32, lu 64^3 points
instead of 162^3. The paper prints class C only."""

BATSIM_SHARE = 320 / 452.25
"""Power of the cluster by the paper's baseline beside table III's at full load."""


class Machine(NamedTuple):
    """One of the paper's clusters, and what the paper says of it."""

    name: str
    figure: int
    nodes: dict[float, int]
    makespan_ratio: float  # real / baseline
    energy_too_low: float  # baseline, against the real cluster


MACHINES = (
    Machine("homogeneous", 7, HOMOGENEOUS, 1.59, 0.47),
    Machine("heterogeneous", 8, HETEROGENEOUS, 1.43, 0.45),
)

MODELS = {"no contention": None, "k = 0.6": 0.6, "k = 1": 1.0}
"""The baseline, contention as in the public code, and as in the paper's equation 3."""


BURST_MODELS = {"baseline: cores on their own": None, "processors, k = 0.6": 0.6}


class View(NamedTuple):
    """How much of a processor a simulation sees, at a load."""

    label: str
    k: float | None
    hierarchy: bool
    traffic: float
    grouping: list[str]  # that must use less energy than those that spread


VIEWS = (
    View("cores on their own", None, False, 1.0, []),
    View("processors, volumes as terabits", 0.6, True, TERABITS, GROUPING),
    View("processors, volumes as printed", 0.6, True, 1.0, CAREFUL),
)


def main() -> None:
    """Makes everything and writes it to a folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", default="irmasim", help="folder for everything")
    parser.add_argument("--seeds", type=int, default=10, help="batches of each size")
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES, help="numbers of jobs")
    parser.add_argument("--load", type=float, default=0.2, help="of figure 9 at a load, below 0.5")
    chosen = parser.parse_args()
    if chosen.seeds < 1 or min(chosen.batches) < 1 or not 0 < chosen.load < 0.5:
        parser.error("seeds and batches must be at least 1, the load between 0 and 0.5")
    study = Study(chosen.out, chosen.seeds)
    try:
        os.makedirs(chosen.out, exist_ok=True)
        study.two_nodes()
        for machine in MACHINES:
            study.batches(machine, sorted(set(chosen.batches)))
        study.bursts(sorted({*chosen.batches, BURST}))
        study.policies(chosen.load)
    except (sl.InputError, OSError) as error:
        sys.exit(f"error: {error}")


class Study:
    """The figures and tables of the experiment."""

    def __init__(self, out: str, seeds: int) -> None:
        self.out, self.seeds = out, range(1, seeds + 1)
        self.began = perf_counter()

    def print_done(self, what: str) -> None:
        """Prints what is done, and when."""
        print(f"\n{perf_counter() - self.began:6.1f} s  {what}", flush=True)

    def path(self, name: str) -> str:
        """Returns where a file of the study goes."""
        return os.path.join(self.out, name)

    def saved(self, name: str, system: dict[str, Any]) -> dict[str, Any]:
        """Leaves a system file in the folder, for runs of your own."""
        with open(self.path(f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump(system, file, indent=1)
        return system

    def two_nodes(self) -> None:
        """Draws figure 1: ten ep.A and ten lu.A on a fast and a slow node."""
        nodes = {3.4: 1, 1.7: 1}
        names = ["ep"] * 10 + ["lu"] * 10
        programs = [NPB[f"{name}.C"].scaled(work=CLASS_A) for name in names]
        runs = {
            "cores on their own": platform(nodes, None),
            "sharing memory, k = 0.6": self.saved("fast-slow", platform(nodes, 0.6)),
        }
        tables = {
            label: sl.simulate(list(jobs_of(programs)), system=system).jobs.collect()
            for label, system in runs.items()
        }
        figures.draw_two_nodes(tables, names, self.path("figure-1-two-nodes.png"))
        self.print_done("figure 1: mean run times (s) on the fast and the slow node")
        for label, table in tables.items():
            times: dict[tuple[str, str], list[float]] = {}
            for row in table.iter_rows(named=True):
                key = (names[row["job_id"]], "fast" if row["nodes"] == "0" else "slow")
                times.setdefault(key, []).append(row["end"] - row["start"])
            cells = (f"{name}.A {node} {mean(times[name, node]):6.1f}" for name, node in times)
            print(f"{label:26}{'   '.join(cells)}")

    def batches(self, machine: Machine, sizes: list[int]) -> None:
        """Draws makespan and energy by the size of the batch, and prints them beside the paper's.

        Args:
            machine: The cluster.
            sizes: Numbers of jobs, ascending.
        """
        systems = {
            label: platform(machine.nodes, k, hierarchy=k is not None)
            for label, k in MODELS.items()
        }
        self.saved(machine.name, systems["k = 0.6"])
        makespan, energy = ({label: [] for label in MODELS} for _ in range(2))
        peak = 0.0
        for size in sizes:
            for label, system in systems.items():
                runs = [
                    sl.simulate(jobs_of(drawn(size, seed)), system=system, jobs="none").metrics
                    for seed in self.seeds
                ]
                makespan[label].append([run["makespan"] for run in runs])
                energy[label].append([run["energy"]["total"] for run in runs])
                peak = max(peak, *(run["energy"]["peak_power"] for run in runs))
            progress(f"{machine.name}: batches of {size:,} jobs")
        file = self.path(f"figure-{machine.figure}-{machine.name}.png")
        figures.draw_batches(machine, sizes, makespan, energy, BATSIM_SHARE, file)
        title = f"figure {machine.figure}: {machine.name}, {len(self.seeds)} seeds"
        self.print_done(f"{title}, {sizes[-1]:,} jobs; full load {peak:.1f} W")
        base, time = (of["no contention"][-1] for of in (energy, makespan))
        print(f"{'':38}{'mean':>8}{'std':>8}{'range':>16}   the paper's real cluster")
        for label in ("k = 0.6", "k = 1"):
            ratios = [a / b for a, b in zip(makespan[label][-1], time, strict=True)]
            print(f"{f'makespan, {label} / none':38}{spread(ratios)}   {machine.makespan_ratio}")
        for share, watts in ((1.0, "as much at full load"), (BATSIM_SHARE, "Batsim's 320 W")):
            low = [1 - share * b / a for a, b in zip(energy["k = 0.6"][-1], base, strict=True)]
            called = f"energy too low, {watts}"
            print(f"{called:38}{spread(low)}   {machine.energy_too_low}")

    def bursts(self, sizes: list[int]) -> None:
        """Draws figure 9: the energy of table II's policies in a burst, and prints how it varies.

        Args:
            sizes: Numbers of jobs, ascending; `BURST` is drawn.
        """
        lines = []
        for size in sizes:
            found = self.burst_energies(size)
            if size == BURST:
                file = self.path("figure-9-burst.png")
                figures.draw_burst(found, list(JOB_SELECTIONS), RESOURCE_SELECTIONS, size, file)
            for label, energy in found.items():
                means = {pair: mean(values) for pair, values in energy.items()}
                by_job = [
                    apart([means[job, resource] for resource in RESOURCE_SELECTIONS])
                    for job in JOB_SELECTIONS
                ]
                by_resource = apart(
                    [mean(means[job, r] for r in RESOURCE_SELECTIONS) for job in JOB_SELECTIONS]
                )
                lines.append(
                    f"{size:>6,}  {label:30}{apart(list(means.values())):>8.2%}"
                    f"{max(by_job):>22.2%}{by_resource:>20.2%}"
                )
            progress(f"figure 9: burst of {size:,} jobs")
        self.print_done(f"figure 9: bursts on the heterogeneous cluster, {len(self.seeds)} seeds")
        print(
            f"{'highest mean energy over lowest':38}{'all 36':>8}{'one job selection':>22}", end=""
        )
        print(f"{'job selections':>20}")
        print("\n".join(lines))

    def burst_energies(self, size: int) -> dict[str, dict[tuple[str, str], list[float]]]:
        """Returns joules by model and by job and resource selection, a list over seeds."""
        nodes, gap = MACHINES[1].nodes, BURST_SECONDS / size
        return {
            label: {
                (job, resource): [
                    sl.simulate(
                        jobs_of(drawn(size, seed), seed, gap),
                        system=platform(nodes, k, hierarchy=k is not None),
                        scheduler=f"blocking(order={order})",
                        allocator=resource,
                        jobs="none",
                        seed=seed,
                    ).metrics["energy"]["total"]
                    for seed in self.seeds
                ]
                for job, order in JOB_SELECTIONS.items()
                for resource in RESOURCE_SELECTIONS
            }
            for label, k in BURST_MODELS.items()
        }

    def policies(self, load: float) -> None:
        """Draws the energy of policies that group jobs on processors or spread them, at a load."""
        by_load = {}
        loads = sorted({load, *LOADS})
        for number, other in enumerate(loads, 1):
            by_load[other] = self.energies(MACHINES[0], other)
            progress(f"figure 9: load {number} of {len(loads)}")
        kinds = {name: kind for name, (kind, _) in POLICIES.items()}
        labels = [view.label for view in VIEWS]
        file = self.path("figure-9-policies.png")
        figures.draw_policies(labels, kinds, by_load[load], load, file)
        file = self.path("figure-9-by-load.png")
        figures.draw_by_load(labels[1:], kinds, by_load, file)
        self.print_done(f"figure 9 at a load: energy (MJ) of {ARRIVALS:,} jobs, load {load:.0%}")
        for machine in MACHINES:
            found = by_load[load] if machine is MACHINES[0] else self.energies(machine, load)
            print(f"{machine.name:20}" + "".join(f"{label:>33}" for label in labels))
            for name, (kind, _) in POLICIES.items():
                cells = (
                    f"{mean(found[label][name]['energy']) / 1e6:19.3f}, "
                    f"cores {mean(found[label][name]['used']):6.1%}"
                    for label in labels
                )
                print(f"{name:20}" + "".join(cells) + f"   {kind}")
            alone = [mean(of["energy"]) for of in found[labels[0]].values()]
            print(f"{machine.name}, {labels[0]}: all within {apart(alone):.4%}\n")
        print(f"{MACHINES[0].name}, the worst that groups beside the best that spreads:")
        for view in VIEWS:
            found_means = {n: mean(of["energy"]) for n, of in by_load[load][view.label].items()}
            if view.grouping:
                worst = max(found_means[name] for name in view.grouping)
                best = min(found_means[name] for name in SPREADING)
                print(f"{view.label}: {1 - worst / best:.1%} less ({', '.join(view.grouping)})")

    def energies(self, machine: Machine, load: float) -> dict[str, dict[str, Any]]:
        """Returns joules and the share of cores in use, by view and policy, a list over seeds."""
        gap = MEAN_SECONDS / (load * cores_at_fastest(machine.nodes))
        found: dict[str, dict[str, Any]] = {view.label: {} for view in VIEWS}
        for view in VIEWS:
            system = platform(machine.nodes, view.k, view.hierarchy)
            for name, (_, allocator) in POLICIES.items():
                runs = [
                    sl.simulate(
                        jobs_of(
                            (p.scaled(traffic=view.traffic) for p in drawn(ARRIVALS, seed)),
                            seed,
                            gap,
                        ),
                        system=system,
                        allocator=allocator,
                        jobs="none",
                        seed=seed,
                    ).metrics
                    for seed in self.seeds
                ]
                found[view.label][name] = {
                    "energy": [run["energy"]["total"] for run in runs],
                    "used": [run["utilization"]["core"] for run in runs],
                }
        return found


def apart(values: list[float]) -> float:
    """Returns by what share the highest exceeds the lowest."""
    return max(values) / min(values) - 1


def progress(what: str) -> None:
    """Says on a terminal how far it is."""
    if sys.stderr.isatty():
        print(f"\r{what:<60}", end="\r", file=sys.stderr, flush=True)


def spread(values: list[float]) -> str:
    """Returns mean, standard deviation and range as columns of a table."""
    deviation = stdev(values) if len(values) > 1 else 0.0
    ends = f"{min(values):.3f}-{max(values):.3f}"
    return f"{mean(values):8.3f}{deviation:8.3f}{ends:>16}"


if __name__ == "__main__":
    main()
