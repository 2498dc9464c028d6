"""Latencies and bandwidths of the machines known by name, beside published ones.

    python examples/ppt/latencies.py

Each figure is half the time of a ping-pong between two nodes, packet by packet, on an otherwise
empty machine. Before them come the reference points of the simulator PPT: an allreduce on Cielo.

The page docs/reference/fidelity.md has the tables, and says where the published figures come from.
"""

from __future__ import annotations

from typing import NamedTuple

from paper_runs import Progress, parser, run_script, size_text

import schedlab as sl
from schedlab._engine import Topology
from schedlab.dispatch import FirstFit
from schedlab.system import load_system
from schedlab.system.network import for_engine

MEGABYTE = 1024 * 1024


class Reference(NamedTuple):
    """A run of the simulator PPT: an allreduce on Cielo, one rank per node, in microseconds."""

    ranks: int
    size: int
    events: int
    last_rank: float
    all_ranks: float | None = None


REFERENCES = (
    Reference(64, 128, 2940, 19.627),
    Reference(64, 1024, 23072, 23.223),
    Reference(1024, 128, 58940, 34.192, 50.198),
)


class Published(NamedTuple):
    """What was measured between two nodes: microseconds, or GB/s of a long message."""

    machine: str
    where: str  # "nearest", "farthest", or the dimension in which the next router is
    size: int  # bytes of a message
    least: float
    most: float

    @property
    def is_bandwidth(self) -> bool:
        return self.size >= MEGABYTE

    @property
    def published(self) -> str:
        return f"{self.least:g}" if self.least == self.most else f"{self.least:g}-{self.most:g}"


PUBLISHED = (
    Published("hopper", "nearest", 8, 1.27, 1.27),
    Published("hopper", "farthest", 8, 3.88, 3.88),
    Published("hopper", "x", 4 * MEGABYTE, 2.9, 5.8),
    Published("hopper", "y", 4 * MEGABYTE, 2.9, 5.8),
    Published("titan", "x", 0, 1.5, 1.5),
    Published("titan", "y", 0, 1.7, 1.7),
    Published("titan", "z", 0, 1.55, 1.55),
    Published("titan", "farthest", 0, 3.96, 3.96),
    Published("titan", "x", 4 * MEGABYTE, 5.87, 5.87),
    Published("titan", "y", 4 * MEGABYTE, 3.47, 3.47),
    Published("titan", "z", 4 * MEGABYTE, 6.09, 6.09),
    Published("edison", "nearest", 8, 1.498, 1.498),
    Published("edison", "farthest", 8, 1.920, 1.920),
    Published("edison", "nearest", 4 * MEGABYTE, 10.2, 10.2),
    Published("intrepid", "x", 8, 3.5, 3.5),
    Published("intrepid", "farthest", 8, 10.0, 10.0),
)


def partner(system: sl.System, where: str) -> tuple[int, int]:
    """Returns a node at that distance from node 0, and its hops."""
    topology = Topology(for_engine(system))
    if where in topology.dimension_names:
        dimension = topology.dimension_names.index(where)
        origin = topology.coordinates(0)
        for node in range(topology.nodes):
            steps = [a - b for a, b in zip(topology.coordinates(node), origin, strict=True)]
            if steps[dimension] == 1 and topology.hops(0, node) == 1:
                return node, 1
    usable = range(1, system.groups[0].nodes)  # nodes for services have no cores
    distance = {node: topology.hops(0, node) for node in usable}
    chosen = (min if where == "nearest" else max)(usable, key=distance.__getitem__)
    return chosen, distance[chosen]


def ping_pong(machine: str, where: str, size: int, fidelity: str) -> tuple[float, int]:
    """Returns the seconds of a message between two nodes, and its hops."""
    system = load_system(machine)
    node, hops = partner(system, where)
    others = (other for other in range(1, system.nodes) if other != node)
    ran = sl.run_application(
        f"ping-pong(bytes={size})",
        ranks=2,
        ranks_per_node=1,
        system=system,
        allocator=FirstFit(order=[0, node, *others]),
        fidelity=fidelity,
    )
    return ran.rank_seconds[0] / 2, hops  # rank 0 ends when the answer is there


def print_references() -> list[tuple[int, float, float]]:
    """Prints the reference points beside what we find; returns what we find."""
    print(f"{'allreduce':16}{'events':>16}{'last rank, us':>20}{'all ranks, us':>20}")
    print(f"{'':16}{'PPT':>8}{'ours':>8}{'PPT':>10}{'ours':>10}{'PPT':>10}{'ours':>10}")
    found = []
    for point in REFERENCES:
        ran = sl.run_application(
            f"allreduce(bytes={point.size})",
            ranks=point.ranks,
            ranks_per_node=1,
            system="cielo",
            fidelity="packet",
        )
        last, every = ran.rank_seconds[-1] * 1e6, ran.seconds * 1e6
        known = f"{point.all_ranks:>10.3f}" if point.all_ranks else f"{'-':>10}"
        print(
            f"{f'{point.ranks:,} x {point.size:,} B':16}{point.events:>8,}{ran.events:>8,}"
            f"{point.last_rank:>10.3f}{last:>10.3f}{known}{every:>10.3f}"
        )
        found.append((ran.events, last, every))
    return found


def print_published(points: tuple[Published, ...], progress: Progress) -> list[float]:
    """Prints what was measured beside what we find; returns the errors."""
    print(
        f"\n{'machine':9}{'to':10}{'message':>8}{'hops':>6}{'published':>11}{'ours':>9}"
        f"{'':6}{'error':>8}{'fluid':>9}"
    )
    errors = []
    hop_times: dict[str, list[tuple[int, float]]] = {}
    for point in points:
        progress.case(f"{point.machine}, {point.where}, {size_text(point.size)}")
        seconds, hops = ping_pong(point.machine, point.where, point.size, "packet")
        fluid, _ = ping_pong(point.machine, point.where, point.size, "fluid")
        scale = (lambda s, p=point: p.size / s / 1e9) if point.is_bandwidth else (lambda s: s * 1e6)
        value, unit = scale(seconds), "GB/s" if point.is_bandwidth else "us"
        errors.append(value / min(max(value, point.least), point.most) - 1)
        if not point.is_bandwidth:
            hop_times.setdefault(point.machine, []).append((hops, value))
        progress.end()
        print(
            f"{point.machine:9}{point.where:10}{size_text(point.size):>8}{hops:>6}"
            f"{point.published:>11}{value:>9.3f} {unit:5}{errors[-1]:>+8.1%}{scale(fluid):>9.3f}"
        )
    for machine, times in hop_times.items():
        (fewest, least), (most, longest) = min(times), max(times)
        each = (longest - least) / (most - fewest)
        print(f"{machine}: {each * 1000:.0f} ns for each hop from {fewest} to {most}")
    return errors


def main(arguments: list[str] | None = None) -> tuple[list[tuple[int, float, float]], list[float]]:
    """Prints both tables; returns the reference points and the errors."""
    chosen = parser(__doc__).parse_args(arguments)
    points = tuple(p for p in PUBLISHED if not (chosen.quick and p.is_bandwidth))
    return print_references(), print_published(points, Progress(len(points)))


if __name__ == "__main__":
    run_script(main)
