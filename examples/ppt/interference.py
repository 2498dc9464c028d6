"""Figure 6 of the PPT paper: how jobs slow each other down on the wires.

    python examples/ppt/interference.py

One to nine jobs at once, each an even-odd exchange of 1,024 ranks, one rank per node, on the 9,216
nodes of Cielo's torus under random placement. The paper does not say how long messages are; here
they are from 1 KB to 1 MB. All sizes are run with links shared as flows, the small ones also packet
by packet.

M. A. Obaida, J. Liu, "Simulation of HPC job scheduling and large-scale parallel workloads", WSC
2017. The tutorial docs/tutorials/ppt-experiments.md says what one sees.
"""

from __future__ import annotations

from statistics import mean
from typing import NamedTuple

import polars
from paper_runs import KILO, Progress, curve, parser, run_script, save, size_text

import schedlab as sl
from schedlab.analysis.style import INK, styled

RANKS = 1024
PAPER = 2.5
"""Times as long with nine jobs, in the paper."""


class Plan(NamedTuple):
    """What is run."""

    jobs: tuple[int, ...]
    sizes: dict[str, dict[int, int]]  # seeds by fidelity and bytes of a message


FULL = Plan(
    (1, 2, 3, 4, 5, 6, 7, 8, 9),
    {
        "fluid": {size * KILO: 3 for size in (1, 4, 16, 64, 256, 1024)},
        "packet": {1 * KILO: 3, 4 * KILO: 1, 16 * KILO: 1},
    },
)
QUICK = Plan((1, 9), {"fluid": {64 * KILO: 1}, "packet": {256: 1}})

Slowdowns = dict[tuple[str, int], dict[int, float]]
"""Against one job alone; by fidelity and bytes, then by number of jobs."""


def run(jobs: int, size: int, fidelity: str, seed: int) -> list[float]:
    """Returns the seconds that each of some jobs takes, all of which begin at once."""
    application = f"even-odd(bytes={size})"
    every = [
        sl.Job(
            id=number, submit=0, run=0, processors=RANKS, tasks_per_node=1, whole_nodes=True,
            application=application,
        )
        for number in range(1, jobs + 1)
    ]  # fmt: skip
    result = sl.simulate(
        every,
        system="cielo",
        allocator="random",
        fidelity=fidelity,
        accuracy=0.02 if fidelity == "fluid" else None,
        seed=seed,
    )
    times = result.jobs.select(polars.col("end") - polars.col("start")).collect()
    return list(times.to_series())


def measure(plan: Plan, progress: Progress) -> tuple[Slowdowns, dict[tuple[str, int], float]]:
    """Returns slowdowns, and seconds of a job alone; means over jobs and seeds."""
    slowdowns: Slowdowns = {}
    alone: dict[tuple[str, int], float] = {}
    for fidelity, sizes in plan.sizes.items():
        for size, seeds in sizes.items():
            times: dict[int, float] = {}
            for jobs in plan.jobs:
                progress.case(f"{jobs} jobs, {size_text(size)}, {fidelity}")
                ran = [run(jobs, size, fidelity, seed) for seed in range(seeds)]
                times[jobs] = mean(second for seconds in ran for second in seconds)
            alone[fidelity, size] = times[plan.jobs[0]]
            slowdowns[fidelity, size] = {
                jobs: time / alone[fidelity, size] for jobs, time in times.items()
            }
    return slowdowns, alone


def nearest(slowdowns: Slowdowns) -> tuple[str, int]:
    """Returns the fidelity and size at which the most jobs come nearest to the paper's slowdown."""
    return min(slowdowns, key=lambda key: abs(slowdowns[key][max(slowdowns[key])] - PAPER))


def print_table(slowdowns: Slowdowns, alone: dict[tuple[str, int], float]) -> None:
    """Prints a row for each size and fidelity."""
    jobs = list(next(iter(slowdowns.values())))
    print(f"{'':16}{'one job':>12}   time of a job against one alone, by number of jobs")
    heads = "".join(f"{count:>7}" for count in jobs)
    print(f"{'fidelity':8}{'message':>8}{'us':>12}   {heads}")
    for (fidelity, size), row in slowdowns.items():
        values = "".join(f"{row[count]:>7.2f}" for count in jobs)
        print(f"{fidelity:8}{size_text(size):>8}{alone[fidelity, size] * 1e6:>12.1f}   {values}")
    fidelity, size = nearest(slowdowns)
    found = slowdowns[fidelity, size][max(jobs)]
    print(
        f"nearest to the paper's {PAPER} with {max(jobs)} jobs: {found:.2f} with messages of "
        f"{size_text(size)}, {fidelity}"
    )


def draw(slowdowns: Slowdowns, out: str) -> str:
    """Draws slowdowns against the number of jobs; packet level dashed in the colour of its size."""
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        sizes = sorted({size for _, size in slowdowns})
        for (fidelity, size), row in slowdowns.items():
            packet = {"linestyle": ":", "markerfacecolor": "white"} if fidelity == "packet" else {}
            label = f"{size_text(size)}, {fidelity}"
            curve(axes, list(row), list(row.values()), sizes.index(size), label, **packet)
        axes.axhline(PAPER, color=INK, linewidth=0.9, linestyle="--")
        axes.annotate(
            f"the paper with nine jobs: {PAPER}", (1, PAPER), (0, 4), textcoords="offset points"
        )
        axes.set(xlabel="jobs at once, of 1,024 ranks each", ylim=(0.9, None))
        axes.set_ylabel("time of a job against one alone")
        figure.legend(loc="outside lower center", ncols=4)
        figure.suptitle("Even-odd exchange on the 9,216 nodes of Cielo, random placement")
        return save(figure, out, "figure-6")


def main(arguments: list[str] | None = None) -> Slowdowns:
    """Runs all cases; returns the slowdowns."""
    chosen = parser(__doc__).parse_args(arguments)
    plan = QUICK if chosen.quick else FULL
    progress = Progress(len(plan.jobs) * sum(map(len, plan.sizes.values())))
    slowdowns, alone = measure(plan, progress)
    progress.end()
    print_table(slowdowns, alone)
    print(f"\nthe picture: {draw(slowdowns, chosen.out)}")
    return slowdowns


if __name__ == "__main__":
    run_script(main)
