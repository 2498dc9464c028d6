"""Seeded workloads of the benchmarks, written to disk as a stream.

Every draw is a 16-bit number from `random.Random(seed).randbytes`, looked up in a table of
quantiles, so that a name stands for the same bytes on every machine and Python.

Common to all: run times are log-normal (median 30 min, sigma 1.2, from 30 s to 24 h; mean 61 min);
estimates are the run time times 1, 1.5, 2, 3, 5 or 10, rounded up to a quarter of an hour and cut
at 48 h; gaps between arrivals are exponential. One core is one processor.

python benchmarks/workloads.py NAME [FILE] writes one of them.
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
from array import array
from dataclasses import dataclass, replace
from itertools import accumulate
from statistics import NormalDist
from typing import BinaryIO

DRAWS = 1 << 16
BLOCK = 1_000
"""Jobs per block: the arrival rate follows the time of day from block to block."""

LINE = b"%8d %10d -1 %6d %6d -1 -1 %6d %6d -1 1 %4d 1 1 1 1 -1 -1\n"

QUEUE_SIZES = {1: 30, 2: 12, 4: 14, 8: 14, 16: 12, 32: 9, 64: 5, 128: 3, 256: 1}
STANDING_SIZES = {7: 32, 13: 27, 29: 20, 61: 11, 125: 7, 250: 3}
NODE_SIZES = {1: 30, 2: 15, 4: 20, 8: 15, 16: 12, 32: 6, 64: 2}
WIDE_SIZES = {1: 30, 4: 15, 16: 15, 64: 15, 256: 12, 1024: 9, 4096: 4}
STREAM_SIZES = {1: 55, 2: 14, 4: 12, 8: 9, 16: 6, 32: 3, 64: 1}
"""Processors of a job, and how many in a hundred jobs ask for them.

STANDING_SIZES are about QUEUE_SIZES from 8 up: what EASY leaves waiting of them, as small jobs
overtake. A queue that starts with them keeps its length: with QUEUE_SIZES it would halve, and with
powers of two alone it would double first, because they leave no holes for the small ones."""


@dataclass(frozen=True)
class Workload:
    """What a generated workload is made of.

    Attributes:
        nodes: Nodes of the machine it is meant for.
        cores: Cores per node.
        jobs: Number of jobs.
        at_once: How many of them are submitted in second 0.
        load: Work that arrives per second afterwards, as a share of the machine.
        swing: The load rises and falls by this share over a day.
        sizes: Processors of a job, and how many in a hundred ask for them.
        seed: Of the random draws.
        first_sizes: Sizes of the jobs submitted in second 0, where they differ.
    """

    nodes: int
    cores: int
    jobs: int
    at_once: int
    load: float
    sizes: dict[int, int]
    seed: int
    swing: float = 0.0
    first_sizes: dict[int, int] | None = None

    @property
    def system(self) -> dict[str, object]:
        """The machine, as the content of a system file."""
        return {
            "system_name": f"{self.nodes} nodes x {self.cores}",
            "start_time": 0,
            "equivalence": {"processor": {"core": 1}},
            "groups": {"node": {"core": self.cores}},
            "resources": {"node": self.nodes},
        }


_QUEUE = Workload(1_024, 1, 600_000, 14_100, 1.0, QUEUE_SIZES, 13, first_sizes=STANDING_SIZES)
_NODES = Workload(1_000, 1, 1_500_000, 117, 0.9, NODE_SIZES, 1)
_STREAM = Workload(1_024, 16, 5_700_000, 0, 0.85, STREAM_SIZES, 57, swing=0.3)

WORKLOADS = {
    "queue-13k": _QUEUE,
    "queue-66k": replace(_QUEUE, at_once=76_000),
    "nodes-1k": _NODES,
    "nodes-100k": replace(_NODES, nodes=100_000, at_once=11_700),
    "backlog-1k": replace(_NODES, at_once=1_117, load=1.0),
    "backlog-100k": replace(_NODES, nodes=100_000, at_once=27_000, load=1.0),
    "cores-93k": Workload(5_832, 16, 312_807, 60_000, 1.0, WIDE_SIZES, 3),
    "stream-5.7m": _STREAM,
    "stream-570k": replace(_STREAM, jobs=570_000),
}


def run_times() -> list[int]:
    """Returns the quantiles of the run time, in seconds."""
    normal = NormalDist(math.log(1_800), 1.2)
    draws = ((i + 0.5) / 4_096 for i in range(4_096))
    return [min(86_400, max(30, round(math.exp(normal.inv_cdf(u))))) for u in draws]


def sizes_of(shares: dict[int, int]) -> list[int]:
    """Returns a hundred sizes with the given shares."""
    return [size for size, share in shares.items() for _ in range(share)]


def gaps(mean_ms: float) -> list[int]:
    """Returns the quantiles of an exponential gap, in milliseconds."""
    return [round(-mean_ms * math.log(1 - (i + 0.5) / 4_096)) for i in range(4_096)]


def spread(table: list[int]) -> list[int]:
    """Returns the table stretched to one entry per 16-bit draw."""
    return [table[draw * len(table) // DRAWS] for draw in range(DRAWS)]


def write(workload: Workload, file: BinaryIO) -> None:
    """Writes the workload in Standard Workload Format, block by block."""
    rng = random.Random(workload.seed)
    run_table, size_table = run_times(), sizes_of(workload.sizes)
    area = (sum(run_table) / len(run_table)) * (sum(size_table) / len(size_table))
    gap_ms = 1_000 * area / (workload.load * workload.nodes * workload.cores)
    by_hour = [
        spread(gaps(gap_ms / (1 + workload.swing * math.sin(2 * math.pi * (hour + 0.5) / 24))))
        for hour in (range(24) if workload.swing else range(1))
    ]
    runs, sizes = spread(run_table), spread(size_table)
    first_sizes = spread(sizes_of(workload.first_sizes or workload.sizes))
    factors = spread([2, 3, 4, 6, 10, 20])  # halves
    file.write(f"; MaxJobs: {workload.jobs}\n; MaxNodes: {workload.nodes}\n".encode())
    file.write(f"; MaxProcs: {workload.nodes * workload.cores}\n".encode())

    def draws(count: int) -> array[int]:
        numbers = array("H", rng.randbytes(2 * count))
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers

    now_ms = 0
    for first in range(0, workload.jobs, BLOCK):
        count = min(BLOCK, workload.jobs - first)
        gap_table = by_hour[now_ms // 3_600_000 % len(by_hour)]
        steps = [gap_table[draw] for draw in draws(count)]
        at_once = min(count, max(0, workload.at_once - first))
        steps[:at_once] = [0] * at_once
        times = list(accumulate(steps, initial=now_ms))[1:]
        now_ms = times[-1]
        run = [runs[draw] for draw in draws(count)]
        drawn = draws(count)
        size = [first_sizes[draw] for draw in drawn[:at_once]]
        size += [sizes[draw] for draw in drawn[at_once:]]
        estimate = [
            min(172_800, -(-seconds * factors[draw] // 1_800) * 900)
            for seconds, draw in zip(run, draws(count), strict=True)
        ]
        rows = zip(range(first + 1, first + count + 1), times, run, size, estimate, strict=True)
        file.write(
            b"".join([LINE % (j, t // 1_000, r, p, p, e, j % 211) for j, t, r, p, e in rows])
        )


def prepare(name: str, folder: str) -> tuple[str, str]:
    """Writes the named workload and its system into a folder, once; returns their paths."""
    workload = WORKLOADS[name]
    path, system = os.path.join(folder, f"{name}.swf"), os.path.join(folder, f"{name}.json")
    recipe = f"{path}.recipe"
    with open(__file__, encoding="utf-8") as source:
        current = source.read()
    if os.path.exists(path) and os.path.exists(recipe):
        with open(recipe, encoding="utf-8") as written:
            if written.read() == current:
                return path, system
    with open(path + ".part", "wb") as file:
        write(workload, file)
    with open(system, "w", encoding="utf-8") as text:
        json.dump(workload.system, text)
    os.replace(path + ".part", path)
    with open(recipe, "w", encoding="utf-8") as text:
        text.write(current)
    return path, system


def main() -> None:
    """Writes the workload named first to the file named second, or to the standard output."""
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in WORKLOADS:
        sys.exit(f"usage: workloads.py {'|'.join(WORKLOADS)} [FILE]")
    if len(sys.argv) == 2:
        write(WORKLOADS[sys.argv[1]], sys.stdout.buffer)
        return
    with open(sys.argv[2], "wb") as file:
        write(WORKLOADS[sys.argv[1]], file)


if __name__ == "__main__":
    main()
