"""The machines and the jobs of IRMaSim's paper, by its tables III and IV.

A. Herrera, M. Ibanez, E. Stafford, J. L. Bosque, "A Simulator for Intelligent Workload Managers in
Heterogeneous Clusters", CCGrid 2021. examples/irmasim_platforms.py makes the paper's figures with
them, benchmarks/platforms.py measures with them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import schedlab as sl


class Program(NamedTuple):
    """What one run of a benchmark does on its core (table IV)."""

    instructions: float
    ipc: float
    memory_volume: float  # MB

    @property
    def alone_seconds(self) -> float:
        """How long it takes alone on a core of the fastest clock."""
        return self.instructions / (self.ipc * FASTEST * 1e9)

    def scaled(self, work: float = 1.0, traffic: float = 1.0) -> Program:
        """Returns a program with a share of the work, and a share of the traffic for its work."""
        return Program(self.instructions * work, self.ipc, self.memory_volume * work * traffic)


FASTEST = 3.4
"""GHz."""

CORES = 4
BANDWIDTH = 38_400
"""MB/s of a node: two channels of DDR4-2400."""

NPB = {
    "bt.C": Program(633.50e10, 3.06, 5.17e6),
    "cg.C": Program(60.31e10, 1.10, 7.30e6),
    "ep.C": Program(80.94e10, 1.16, 0.21e6),
    "is.C": Program(6.43e10, 0.95, 0.07e6),
    "lu.C": Program(370.25e10, 2.20, 8.70e6),
    "sp.C": Program(356.10e10, 2.74, 9.60e6),
    "ua.C": Program(312.57e10, 2.30, 4.32e6),
}
"""NAS parallel benchmarks, class C, with 1 TB as 10^6 MB. Volumes are used as printed, which are
probably terabits: cg.C alone would need 45 GB/s, more than a node has. With an eighth of them
(`TERABITS`) nobody slows down anyone, and what the paper saw does not come about."""

TERABITS = 1 / 8

MEAN_SECONDS = sum(program.alone_seconds for program in NPB.values()) / len(NPB)

CONTENTION = {"b": -1.85e-5, "c": 32_000, "da": 1.75, "db": 3_500, "dc": 45_000, "dd": 3_000}
"""Table III; the same for all clocks."""

WATTS = {3.4: (6.14, 5.59), 2.5: (3.51, 3.20), 1.7: (2.31, 1.59)}
"""Of a core at work and of what the cores of a processor share, by clock (table III)."""

IDLE_SHARE = 0.05
"""Of the shared watts, that an idle processor takes: from the public code, not in the paper."""

HOMOGENEOUS = {3.4: 15}
HETEROGENEOUS = {3.4: 8, 2.5: 4, 1.7: 3}
"""Nodes by clock."""


def platform(nodes: dict[float, int], k: float | None, hierarchy: bool = True) -> dict[str, Any]:
    """Returns the content of a system file: nodes of one processor with four cores.

    Args:
        nodes: How many of each clock.
        k: Depth of contention; None: no contention.
        hierarchy: Whether the cores of a processor share power. If not, each active core takes a
            fixed amount, its part of a processor at full load, and an idle one takes nothing.
    """
    system: dict[str, Any] = {"name": "i5-7500", "processors": {}, "node_types": {}, "groups": {}}
    for clock, count in nodes.items():
        name = f"{clock:g}GHz"
        core, shared = WATTS[clock]
        power = {"core": core, "shared": shared, "idle": IDLE_SHARE * shared}
        if not hierarchy:
            power = {"core": core + shared / CORES, "shared": 0, "idle": 0}
        processor = {
            "cores": CORES,
            "clock": clock,
            "memory_channels": 2,
            "memory_bandwidth": BANDWIDTH,
            "power": power,
        }
        if k is not None:
            processor["contention"] = {**CONTENTION, "k": k}
        system["processors"][name] = processor
        system["node_types"][name] = {
            "processors": {name: 1},
            "resources": {"mem": 8 * 1024**2},  # KB
        }
        system["groups"][name] = {"nodes": count, "type": name}
    return system


def cores_at_fastest(nodes: dict[float, int]) -> float:
    """Returns how many cores of the fastest clock do as much as all cores of a machine."""
    return sum(CORES * count * clock / FASTEST for clock, count in nodes.items())


def drawn(count: int, seed: int) -> Iterator[Program]:
    """Yields benchmarks, each as likely as any other."""
    generator = random.Random(seed)
    programs = list(NPB.values())
    for _ in range(count):
        yield generator.choice(programs)


def jobs_of(
    programs: Iterable[Program], seed: int = 0, seconds_between: float = 0.0
) -> Iterator[sl.Job]:
    """Yields a job of one core for each program.

    Args:
        programs: What they run.
        seed: Of the gaps between them.
        seconds_between: Mean of the gaps, which are exponential; 0: all are submitted at 0.
    """
    import schedlab as sl  # here: benchmarks take the tables alone

    generator = random.Random(f"gaps {seed}")
    submit = 0.0
    for number, program in enumerate(programs):
        if seconds_between:
            submit += generator.expovariate(1 / seconds_between)
        yield sl.Job(
            number,
            submit=submit,
            run=program.alone_seconds,
            processors=1,
            attributes={
                "instructions": program.instructions,
                "ipc": program.ipc,
                "memory_volume": program.memory_volume,
            },
        )
