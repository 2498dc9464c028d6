"""The cases of the benchmark: what is run, what figure comes out, and what is demanded of it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field

import workloads
from measure import Figures, Runner, decompress, first_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SETH = {
    "system_name": "Seth - HPC2N",
    "start_time": 1027839845,
    "equivalence": {"processor": {"core": 2}},
    "groups": {"g0": {"core": 4, "mem": 1000000}},
    "resources": {"g0": 120},
}
RICC = {
    "system_name": "RICC",
    "start_time": 1272639895,
    "equivalence": {"processor": {"core": 1}},
    "groups": {"g0": {"core": 8}},
    "resources": {"g0": 1024},
}
TRACES = {
    "hpc2n": ("HPC2N-2002-2.2-cln.swf.gz", SETH),
    "ricc": ("RICC-2010-2.swf.gz", RICC),
}
SPEED = {"reject": 100, "fifo": 500, "sjf": 500, "ljf": 500, "easy": 400}
"""How many times faster than AccaSim's rejecting dispatcher (reject) or its FIFO (the others)."""


@dataclass
class Row:
    """A line of the table.

    Attributes:
        case: What was run.
        ours: Figures of schedlab.
        peer: Figures of AccaSim.
        value: The figure that is judged.
        figure: The same in words.
        demanded: The demand in words.
        met: Whether it is met; None where nothing is demanded.
    """

    case: str
    ours: Figures | None = None
    peer: Figures | None = None
    value: float | None = None
    figure: str = ""
    demanded: str = ""
    met: bool | None = None


@dataclass
class Bench:
    """What the cases work with, and the rows they leave.

    Attributes:
        runner: Starts measured runs.
        traces: Folder of the real traces.
        repetitions: Runs of a fast case.
        quick: Smaller workloads, nothing that takes long.
        rows: Results so far.
        skipped: Why something was not run.
    """

    runner: Runner
    traces: str
    repetitions: int
    quick: bool
    rows: list[Row] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def trace(self, name: str) -> tuple[str, str] | None:
        """Returns the paths of a plain trace and its system; None, noted, where it is absent."""
        file, system = TRACES[name]
        packed = os.path.join(self.traces, file)
        if not os.path.exists(packed):
            self.skipped.append(f"{name}: {packed} is not there")
            return None
        base = os.path.join(self.runner.scratch, name)
        with open(f"{base}.json", "w", encoding="utf-8") as text:
            json.dump(system, text)
        return decompress(packed, f"{base}.swf"), f"{base}.json"

    def few(self, full: int) -> int:
        """Returns the repetitions of a case that takes seconds."""
        return 1 if self.quick else min(full, self.repetitions)


def speed(bench: Bench) -> None:
    """HPC2N beside AccaSim: half of our runs before the peer's, half after."""
    paths = bench.trace("hpc2n")
    if paths is None:
        return
    runner, (trace, system) = bench.runner, paths
    peer = os.path.exists(runner.peer_python)
    if not peer:
        bench.skipped.append(f"speed: {runner.peer_python} is not there; no ratios")
    peer_trace = trace
    if bench.quick:  # a tenth of the trace; the ratio is an estimate, so nothing is judged
        peer_trace = first_rows(trace, os.path.join(runner.scratch, "hpc2n-20k.swf"), 20_287)
    ours: dict[str, Figures] = {name: Figures() for name in SPEED}
    theirs: dict[str, Figures] = {"reject": Figures(), "fifo": Figures()}

    def measure_ours(repetitions: int) -> None:
        for _ in range(repetitions):
            for name, figures in ours.items():
                runner.ours(trace, system, name, 1, figures)

    runner.ours(trace, system, "easy", 1)  # not counted: byte code and file cache
    half = (bench.repetitions + 1) // 2
    measure_ours(half)
    if peer:
        runner.peer(peer_trace, system, "reject", bench.few(2), theirs["reject"])
        runner.peer(peer_trace, system, "fifo", 1, theirs["fifo"])
        runner.peer(peer_trace, system, "reject", bench.few(2) - 1, theirs["reject"])
    measure_ours(bench.repetitions - half)
    for name, times in SPEED.items():
        limit = 20 if name == "reject" else 25
        row = Row(f"hpc2n {name}", ours[name], demanded=f"<= {limit} MB")
        row.met = ours[name].megabytes <= limit
        bench.rows.append(row)
        if peer:
            row.peer = theirs["reject" if name == "reject" else "fifo"]
            factor = 10 if bench.quick else 1
            row.value = factor * row.peer.least / ours[name].least
            middle = factor * row.peer.middle / ours[name].middle
            row.figure = f"{row.value:.0f}x (medians {middle:.0f}x)"
            if bench.quick:
                row.figure = f"about {row.figure}"
            else:
                row.demanded = f">= {times}x, {row.demanded}"
                row.met = row.met and row.value >= times


def limited(bench: Bench, name: str, scheduler: str, seconds: float) -> None:
    """A real trace below a number of CPU seconds."""
    paths = bench.trace(name)
    if paths is not None:
        ours = bench.runner.ours(*paths, scheduler, bench.few(3))
        row = Row(f"{name} {scheduler}", ours, value=ours.least, demanded=f"< {seconds:g} s")
        row.figure = f"{ours.each:.2f} us/job"
        row.met = ours.least < seconds
        bench.rows.append(row)


def pair(bench: Bench, small: str, large: str, demand: float | None) -> None:
    """EASY on two workloads: the cost per job on the large one as a multiple of the small one's."""
    runner = bench.runner
    paths = {name: workloads.prepare(name, runner.scratch) for name in (small, large)}
    easy = {name: Figures() for name in paths}
    reject = {name: Figures() for name in paths}
    for _ in range(bench.few(3)):
        for name, (trace, system) in paths.items():
            runner.ours(trace, system, "easy", 1, easy[name])
            runner.ours(trace, system, "reject", 1, reject[name])
    for name in paths:
        net = easy[name].each - reject[name].each
        figure = f"{easy[name].each:.2f} us/job; less rejecting {net:.2f}"
        bench.rows.append(Row(f"{name} easy", easy[name], value=easy[name].each, figure=figure))
    ratio = easy[large].each / easy[small].each
    net = (easy[large].each - reject[large].each) / (easy[small].each - reject[small].each)
    row = Row(f"{large} / {small}", value=ratio, figure=f"{ratio:.2f}x; less rejecting {net:.2f}x")
    if demand is not None:
        row.demanded, row.met = f"<= {demand:g}x", ratio <= demand
    bench.rows.append(row)


def stream(bench: Bench) -> None:
    """A long stream through FIFO and EASY: memory and time."""
    name = "stream-570k" if bench.quick else "stream-5.7m"
    paths = workloads.prepare(name, bench.runner.scratch)
    for scheduler in ("fifo", "easy"):
        ours = bench.runner.ours(*paths, scheduler, 1)
        row = Row(f"{name} {scheduler}", ours, value=ours.least, demanded="<= 60 s, <= 30 MB")
        row.figure = f"{ours.each:.2f} us/job"
        row.met = ours.least <= 60 and ours.megabytes <= 30
        bench.rows.append(row)


CASES: dict[str, Callable[[Bench], None]] = {
    "speed": speed,
    "ricc": lambda bench: limited(bench, "ricc", "easy", 1),
    "conservative": lambda bench: limited(bench, "hpc2n", "conservative", 5),
    "queue": lambda bench: pair(bench, "queue-13k", "queue-66k", 3),
    "nodes": lambda bench: pair(bench, "nodes-1k", "nodes-100k", 3),
    "backlog": lambda bench: pair(bench, "backlog-1k", "backlog-100k", None),
    "stream": stream,
}
"""Every case by its name, in the order in which they are run."""
