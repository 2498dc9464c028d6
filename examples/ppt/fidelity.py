"""How far the levels of fidelity are apart: fluid from packet, and analytic from packet.

    python examples/ppt/fidelity.py

Each application runs alone on Cielo, one rank per node, with the same placement at both levels. The
time of a phase is that until its last rank ends; those of all ranks are compared too. Packet level
takes minutes for long messages: an allreduce of 1 MB of 1,024 ranks is a thousand million events.

The page docs/reference/fidelity.md has the tables.
"""

from __future__ import annotations

from statistics import mean
from typing import NamedTuple

from latencies import ping_pong
from paper_runs import KILO, Progress, parser, run_script, size_text

import schedlab as sl
from schedlab.system import load_system


class Case(NamedTuple):
    """An application and how many ranks it has."""

    application: str
    ranks: int
    size: int


CASES = (
    Case("allreduce", 1024, 1 * KILO),
    Case("stencil-3d", 1000, 64 * KILO),
    Case("even-odd", 1024, 64 * KILO),
    Case("alltoall", 128, 16 * KILO),
    Case("random-pairs", 1024, 64 * KILO),
    Case("allreduce", 1024, KILO * KILO),  # last: a thousand million packets pass a router
)
QUICK_CASES = (Case("allreduce", 1024, 1 * KILO), Case("even-odd", 256, 4 * KILO))
PLACEMENTS = {"block": "first-fit", "random": "random"}

SIZES = (8, 1 * KILO, 4 * KILO, 64 * KILO, KILO * KILO)
MACHINES = ("cielo", "hopper", "edison")


class Difference(NamedTuple):
    """Of two levels, as shares of the second one's times."""

    whole: float  # of the time until the last rank ends
    mean: float  # of the times of all ranks, without sign
    most: float


def run(case: Case, allocator: str, fidelity: str) -> sl.ApplicationRun:
    """Runs a case alone."""
    return sl.run_application(
        f"{case.application}(bytes={case.size})",
        ranks=case.ranks,
        ranks_per_node=1,
        system="cielo",
        allocator=allocator,
        fidelity=fidelity,
        accuracy=0.02 if fidelity == "fluid" else None,
    )


def difference(ours: sl.ApplicationRun, exact: sl.ApplicationRun) -> Difference:
    """Returns how far the times of two runs of the same are apart."""
    pairs = zip(ours.rank_seconds, exact.rank_seconds, strict=True)
    shares = [abs(a - b) / b for a, b in pairs]
    return Difference(ours.seconds / exact.seconds - 1, mean(shares), max(shares))


def fluid_table(cases: tuple[Case, ...], progress: Progress) -> dict[tuple[Case, str], Difference]:
    """Prints fluid beside packet; returns the differences."""
    print(
        f"{'application':13}{'ranks x bytes':>15} {'placement':10}{'hops':>6}{'packet, us':>12}"
        f"{'fluid, us':>12}{'phase':>9}{'ranks: mean':>13}{'most':>8}"
    )
    found = {}
    for case in cases:
        for placement, allocator in PLACEMENTS.items():
            name = f"{case.ranks:,} x {size_text(case.size)}"
            progress.case(f"{case.application}, {name}, {placement}")
            packet, fluid = run(case, allocator, "packet"), run(case, allocator, "fluid")
            apart = found[case, placement] = difference(fluid, packet)
            progress.end()
            print(
                f"{case.application:13}{name:>15} {placement:10}{packet.mean_hops or 0:>6.1f}"
                f"{packet.seconds * 1e6:>12.1f}{fluid.seconds * 1e6:>12.1f}{apart.whole:>+9.1%}"
                f"{apart.mean:>13.1%}{apart.most:>8.1%}",
                flush=True,
            )
    return found


def analytic_table(machines: tuple[str, ...], progress: Progress) -> dict[str, list[float]]:
    """Prints analytic beside packet on empty machines; returns the differences by machine."""
    heads = f"{'packet, us':>12}{'analytic, us':>14}{'differs':>9}"
    print(f"\n{'machine':9}{'to':10}{'message':>8}{heads}")
    found: dict[str, list[float]] = {machine: [] for machine in machines}
    for machine in machines:
        for where in ("nearest", "farthest"):
            for size in SIZES:
                progress.case(f"{machine}, {where}, {size_text(size)}")
                packet, _ = ping_pong(machine, where, size, "packet")
                analytic, _ = ping_pong(machine, where, size, "analytic")
                found[machine].append(analytic / packet - 1)
                progress.end()
                print(
                    f"{machine:9}{where:10}{size_text(size):>8}{packet * 1e6:>12.3f}"
                    f"{analytic * 1e6:>14.3f}{found[machine][-1]:>+9.2%}"
                )
    return found


def main(arguments: list[str] | None = None) -> tuple[list[Difference], dict[str, list[float]]]:
    """Prints both tables; returns the differences of each."""
    chosen = parser(__doc__).parse_args(arguments)
    cases = QUICK_CASES if chosen.quick else CASES
    machines = MACHINES[:1] if chosen.quick else MACHINES
    progress = Progress(len(cases) * len(PLACEMENTS) + 2 * len(SIZES) * len(machines))
    fluid = list(fluid_table(cases, progress).values())
    for what, shares in (
        ("times of phases", [abs(apart.whole) for apart in fluid]),
        ("times of ranks", [apart.mean for apart in fluid]),
    ):
        average, most = f"{mean(shares):.1%} on average", f"{max(shares):.1%} at most"
        print(f"fluid against packet, {what}: {average}, {most}")
    analytic = analytic_table(machines, progress)
    for machine, shares in analytic.items():
        network = load_system(machine).network
        routing = network.routing if network is not None else ""
        print(f"analytic against packet, {machine}, {routing}: at most {max(map(abs, shares)):.2%}")
    return fluid, analytic


if __name__ == "__main__":
    run_script(main)
