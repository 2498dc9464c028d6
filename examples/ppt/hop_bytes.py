"""Figure 7 of the PPT paper: hop-bytes of one application among others on a busy machine.

    python examples/ppt/hop_bytes.py

Ten stencil-3d jobs of 2,048 ranks come at random points among 300 jobs of a workload like that of
Intrepid, which do an allreduce or a stencil-2d. All run on Cielo, 16 ranks to a node, one after the
other or at the same time as the scheduler says. Nodes are taken in the order of boxes of the torus,
of five shapes. Hop-bytes follow from where the nodes are: the phase model is enough.

M. A. Obaida, J. Liu, "Simulation of HPC job scheduling and large-scale parallel workloads", WSC
2017. The tutorial docs/tutorials/ppt-experiments.md says what one sees.
"""

from __future__ import annotations

from math import exp
from random import Random
from statistics import mean

import polars
from paper_runs import Progress, parser, run_script, save, spread

import schedlab as sl
from schedlab.analysis.style import look, styled

BACKGROUND, FOREGROUND = 300, 10
TARGET = "stencil-3d(bytes=64k, iterations=100, compute=18)"
TARGET_RANKS, TARGET_SECONDS = 2048, 1800
OTHERS = (
    "allreduce(bytes=1k, iterations=run, compute=1)",
    "stencil-2d(bytes=64k, iterations=run, compute=1)",
)

BOXES = {
    "1x1x1": (1, 1, 1),
    "2x1x2": (2, 1, 2),
    "2x2x2": (2, 2, 2),
    "4x3x4": (4, 3, 4),
    "8x6x8": (8, 6, 8),
}
"""The first four are those of figure 4; the paper does not say which five it took."""

# A workload in the manner of Intrepid's. That machine gave out partitions of powers of two, so
# sizes are 256 to 32,768 ranks. 68,936 jobs came in about eight months, one in five minutes. The
# shares of the sizes, run times and what users ask for are plain guesses that keep about two thirds
# of the machine busy: log-normal around an hour, at most 12; asked for is 1.5 to 4 times as long,
# in whole half hours.
SIZES = {
    256: 0.12,
    512: 0.12,
    1024: 0.18,
    2048: 0.20,
    4096: 0.14,
    8192: 0.12,
    16384: 0.08,
    32768: 0.04,
}
SECONDS_BETWEEN = 300
MEDIAN_SECONDS, SIGMA, LONGEST = 3600, 1.1, 43_200
HALF_HOUR = 1800


def workload(seed: int, background: int, foreground: int, largest: int) -> list[sl.Job]:
    """Returns the jobs in the order of their submission; the target's are those of user 1."""
    draw = Random(seed)
    shares = {ranks: share for ranks, share in SIZES.items() if ranks <= largest}
    targets = set(draw.sample(range(background + foreground), foreground))
    now, jobs = 0.0, []
    for number in range(background + foreground):
        now += draw.expovariate(1 / SECONDS_BETWEEN)
        ranks = draw.choices(list(shares), list(shares.values()))[0]
        seconds = min(LONGEST, MEDIAN_SECONDS * exp(draw.gauss(0, SIGMA)))
        application, target = draw.choice(OTHERS), number in targets
        if target:
            ranks, seconds, application = TARGET_RANKS, TARGET_SECONDS, TARGET
        limit = (seconds * draw.uniform(1.5, 4) // HALF_HOUR + 1) * HALF_HOUR
        jobs.append(
            sl.Job(
                id=number + 1, submit=round(now), run=round(seconds), processors=ranks,
                requested_time=limit, whole_nodes=True, user=int(target), application=application,
            )
        )  # fmt: skip
    return jobs


def simulate(jobs: list[sl.Job], box: tuple[int, int, int]) -> polars.DataFrame:
    """Returns the target's jobs, with their hop-bytes."""
    result = sl.simulate(
        jobs,
        system="cielo",
        scheduler="fcfs-bf",
        allocator=f"first-fit(order=boxes({','.join(map(str, box))}))",
        fidelity="phase",
    )
    return result.jobs.filter(polars.col("user") == 1).sort("job_id").collect()


def measure(jobs: list[sl.Job], boxes: list[str], progress: Progress) -> dict[str, list[float]]:
    """Returns the hop-bytes of each of the target's jobs, by box."""
    found = {}
    for name in boxes:
        progress.case(f"boxes of {name}")
        found[name] = simulate(jobs, BOXES[name])["hop_bytes"].to_list()
    return found


def print_table(found: dict[str, list[float]]) -> None:
    """Prints how much hop-bytes vary among runs and among boxes."""
    print(f"{'':10}{'hop-bytes of a job, GB':^40}{'deviation':>10}{'most /':>8}")
    print(f"{'box':10}{'least':>10}{'mean':>10}{'most':>10}{'':10}{'of mean':>10}{'least':>8}")
    for name, values in found.items():
        numbers = "".join(
            f"{value / 1e9:>10.2f}" for value in (min(values), mean(values), max(values))
        )
        print(f"{name:10}{numbers}{'':10}{spread(values):>10.1%}{max(values) / min(values):>8.2f}")
    means = {name: mean(values) for name, values in found.items()}
    best, worst = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    every = [value for values in found.values() for value in values]
    print(f"means of boxes: {worst} is {means[worst] / means[best]:.2f} times {best}")
    print(f"all runs: the most is {max(every) / min(every):.2f} times the least")


def described(jobs: list[sl.Job]) -> str:
    """Returns what is simulated, counted: a quick run has fewer jobs than the full one."""
    targets = sum(job.user == 1 for job in jobs)
    others = len(jobs) - targets
    return f"{targets} stencil-3d jobs of {TARGET_RANKS:,} ranks among {others} others on Cielo"


def draw(found: dict[str, list[float]], title: str, out: str) -> str:
    """Draws the distribution of hop-bytes for each box."""
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        for number, (name, values) in enumerate(found.items()):
            ordered, style = sorted(value / 1e9 for value in values), look(number)
            shares = [(place + 1) / len(ordered) for place in range(len(ordered))]
            axes.step(
                [ordered[0], *ordered], [0, *shares], where="post", label=name,
                color=style.colour, linestyle=style.line,
            )  # fmt: skip
            axes.plot(ordered, shares, style.marker, color=style.colour)
        axes.set(xlabel="hop-bytes of a job (GB)", ylabel="share of the runs", ylim=(0, 1.03))
        axes.set_xlim(0, None)
        figure.legend(
            loc="outside lower center", ncols=len(found), title="box (routers in x, y, z)"
        )
        figure.suptitle(title)
        return save(figure, out, "figure-7")


def main(arguments: list[str] | None = None) -> dict[str, list[float]]:
    """Simulates all boxes; returns the hop-bytes by box."""
    taken = parser(__doc__)
    taken.add_argument("--seed", type=int, default=0, help="of the workload")
    chosen = taken.parse_args(arguments)
    boxes = ["1x1x1", "2x2x2"] if chosen.quick else list(BOXES)
    size = (BACKGROUND // 10, 2048) if chosen.quick else (BACKGROUND, max(SIZES))
    jobs = workload(chosen.seed, size[0], FOREGROUND, size[1])
    progress = Progress(len(boxes))
    found = measure(jobs, boxes, progress)
    progress.end()
    print(described(jobs))
    print_table(found)
    print(f"\nthe picture: {draw(found, described(jobs), chosen.out)}")
    return found


if __name__ == "__main__":
    run_script(main)
