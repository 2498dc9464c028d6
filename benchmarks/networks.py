"""Applications on networks, beside the peers: python benchmarks/networks.py [--quick].

Cielo (3D torus, 9,216 nodes), one rank on each node. Our CPU seconds are those of making and
running the simulation (`simulate`) and of the whole process with imports of Python; those of
SimGrid are of the whole process, its network and messages as SMPI has them by default, its
collectives with the same algorithm. Where SimGrid is not installed, a given figure stands in for it
and the table says so. PPT runs on Python 2 alone and cannot be installed; its figure is a given one
of a machine like ours.

Exit status: 0 all demands met, 1 one is not, 2 something could not be run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any

from application_trace import application_trace
from bench import ROOT
from measure import BenchmarkError, Figures, NotFinishedError, check, run_process
from smpi import BINOMIAL, Smpi

HERE = os.path.dirname(os.path.abspath(__file__))
PPT_SECONDS, PPT_TIMES = 21.0, 1_000.0
SIMGRID_SECONDS, SIMGRID_TIMES = 1.94, 5.0
"""Given figures, and how many times as fast is demanded."""

PACKET_SECONDS, PACKET_MEGABYTES = 3.0, 300.0
STENCIL_SECONDS = 1.0
TRACE_JOBS, TRACE_SECONDS = 100_000, 300.0
PEER_MOST_SECONDS = 30
"""CPU seconds that SimGrid is given for what it is not compared in."""

LARGE_RANKS = 100_000
LARGE = {
    "name": "A torus as Cielo's with 102,400 nodes",
    "groups": {"compute": {"nodes": 102_400, "resources": {"core": 16}}},
    "network": {"preset": "cielo", "dimensions": [32, 40, 40]},
}


@dataclass
class Run(Figures):
    """Figures of runs of one case, and what the last one found.

    Attributes:
        simulating: CPU seconds of making and running the simulation.
        events: As the reference simulator counts them.
        ends: Picoseconds at which ranks end.
    """

    simulating: list[float] = field(default_factory=list)
    events: int = 0
    ends: list[int] = field(default_factory=list)

    @property
    def simulate(self) -> float:
        """Least CPU seconds of a simulation."""
        return min(self.simulating)

    def difference(self, other: Run) -> tuple[float, float]:
        """Returns by how much ends of ranks differ from another run's: the mean, the last."""
        mean = sum(abs(a / b - 1) for a, b in zip(self.ends, other.ends, strict=True))
        return mean / len(self.ends), max(self.ends) / max(other.ends) - 1


class Networks:
    """Runs the cases and prints a table.

    Args:
        python: Interpreter that has schedlab.
        scratch: Folder for files.
        smpi: The peer; None where it is not there.
        repetitions: Of what is fast.
    """

    def __init__(self, python: str, scratch: str, smpi: Smpi | None, repetitions: int) -> None:
        self.python, self.scratch, self.smpi = python, scratch, smpi
        self.repetitions = repetitions
        self.met = True
        self.rows: list[dict[str, Any]] = []

    def ours(
        self,
        application: str,
        ranks: int,
        fidelity: str,
        allocator: str = "first-fit",
        system: object = "cielo",
        repetitions: int | None = None,
        **options: Any,
    ) -> Run:
        """Measures an application in fresh processes."""
        run = Run()
        for _ in range(repetitions or self.repetitions):
            with tempfile.TemporaryDirectory(prefix="run-", dir=self.scratch) as folder:
                case, out = os.path.join(folder, "case.json"), os.path.join(folder, "out.json")
                with open(case, "w", encoding="utf-8") as file:
                    case_data = {"application": application, "ranks": ranks, "allocator": allocator}
                    options = {"fidelity": fidelity, **options}
                    json.dump({**case_data, "system": system, "options": options}, file)
                script = os.path.join(HERE, "run_network.py")
                seconds, megabytes = run_process([self.python, script, case, out], folder)
                with open(out, encoding="utf-8") as file:
                    found = json.load(file)
            if found["completed"] != 1 or len(found["rank_ends"]) != ranks:
                raise BenchmarkError(f"{application} on {ranks} ranks: it did not end")
            run.seconds.append(seconds)
            run.megabytes = max(run.megabytes, megabytes)
            run.simulating.append(found["making"] + found["running"])
            run.events, run.ends = found["events"], found["rank_ends"]
        return run

    def row(self, case: str, run: Run | None, peer: str, figure: str, met: bool | None) -> None:
        """Prints a line, and keeps it."""
        verdict = "" if met is None else "PASS" if met else "FAIL"
        ours = (
            f"{run.simulate:>9.3f}{run.least:>9.3f}{run.megabytes:>8.0f}{run.events:>13,}"
            f"{max(run.ends, default=0) / 1e6:>12,.3f}"
            if run
            else " " * 51
        )
        print(f"{case:38}{ours}  {peer:34}{figure:44}{verdict}".rstrip(), flush=True)
        self.met = self.met and met is not False
        figures = vars(run) if run else None
        if figures:
            figures = {name: value for name, value in figures.items() if name != "ends"}
        self.rows.append(
            {"case": case, "ours": figures, "peer": peer, "figure": figure, "met": met}
        )

    def peer(
        self, arguments: str, ranks: int, placement: str = "first-fit", most: int | None = None
    ) -> tuple[float | None, str]:
        """Measures SimGrid; returns its CPU seconds, if it ended, and a text of them."""
        if self.smpi is None:
            return None, "SimGrid: not installed"
        name = f"SimGrid {self.smpi.version}: "
        figures = Figures()
        try:
            for _ in range(self.repetitions if most is None else 1):
                self.smpi.run(arguments, ranks, placement, BINOMIAL, most, figures)
        except NotFinishedError:
            return None, f"{name}not done in {most} s"
        return figures.least, f"{name}{figures.least:.2f} s, {figures.megabytes:.0f} MB"

    # ------------------------------------------------------------------------------------ cases

    def allreduce(self) -> None:
        """Reduce and bcast in binomial trees, as in the reference points."""
        run = self.ours("allreduce(bytes=128)", 1_024, "packet")
        times = PPT_SECONDS / run.simulate
        self.row(
            "allreduce 1,024 x 128 B, packet",
            run,
            f"PPT: {PPT_SECONDS:g} s (given)",
            f"{times:,.0f}x of >= {PPT_TIMES:,.0f}x",
            times >= PPT_TIMES,
        )
        _, peer = self.peer("allreduce 128", 1_024)
        self.row(
            "allreduce 1,024 x 128 B, fluid",
            self.ours("allreduce(bytes=128)", 1_024, "fluid"),
            peer,
            "",
            None,
        )

        run = self.ours("allreduce(bytes=1k)", 8_192, "packet")
        self.row(
            "allreduce 8,192 x 1 KB, packet",
            run,
            "",
            f"of < {PACKET_SECONDS:g} s and < {PACKET_MEGABYTES:g} MB",
            run.simulate < PACKET_SECONDS and run.megabytes < PACKET_MEGABYTES,
        )
        run = self.ours("allreduce(bytes=1k)", 8_192, "fluid")
        seconds, peer = self.peer("allreduce 1024", 8_192)
        if seconds is None:
            peer += f"; {SIMGRID_SECONDS} s (given)"
        whole = (seconds or SIMGRID_SECONDS) / run.least
        times = (seconds or SIMGRID_SECONDS) / run.simulate
        self.row(
            "allreduce 8,192 x 1 KB, fluid",
            run,
            peer,
            f"{times:.1f}x of >= {SIMGRID_TIMES:g}x (whole processes {whole:.1f}x)",
            times >= SIMGRID_TIMES,
        )

    def stencil(self, quick: bool) -> None:
        """One exchange with six neighbours, at random places."""
        application, ranks = "stencil-3d(bytes=64k)", 2_048
        run = self.ours(application, ranks, "fluid", "random")
        _, peer = self.peer("stencil 65536 16 16 8", ranks, "random", PEER_MOST_SECONDS)
        name = "stencil-3d 2,048 x 64 KB, random"
        self.row(
            f"{name}, fluid",
            run,
            peer,
            f"of < {STENCIL_SECONDS:g} s",
            run.simulate < STENCIL_SECONDS,
        )
        others = {} if quick else {"exact fluid": ("fluid", 0.0), "packet": ("packet", 0.02)}
        for other, (fidelity, accuracy) in others.items():
            figures = self.ours(
                application, ranks, fidelity, "random", repetitions=1, accuracy=accuracy
            )
            mean, last = run.difference(figures)
            text = f"the default is off by {mean:.2%} on average, last rank {last:+.2%}"
            self.row(f"{name}, {other}", figures, "", text, None)
        _, peer = self.peer("even-odd 65536", 1_024, "random", PEER_MOST_SECONDS)
        run = self.ours("even-odd(bytes=64k)", 1_024, "fluid", "random")
        self.row("even-odd 1,024 x 64 KB, random, fluid", run, peer, "", None)

    def large(self) -> None:
        """A stencil of many ranks on a torus of Cielo's links that has room for them."""
        run = self.ours("stencil-3d(bytes=64k)", LARGE_RANKS, "fluid", system=LARGE, repetitions=1)
        self.row(f"stencil-3d {LARGE_RANKS:,} x 64 KB, fluid", run, "", "runs", True)

    def trace(self, jobs: int) -> None:
        """Jobs with applications through the phase model, EASY."""
        path = application_trace(self.scratch, jobs)
        script = os.path.join(HERE, "run_schedlab.py")
        run = Run()
        with tempfile.TemporaryDirectory(prefix="run-", dir=self.scratch) as folder:
            out = os.path.join(folder, "out")
            command = [self.python, script, path, "cielo", "easy", out, "fidelity=phase"]
            seconds, megabytes = run_process(command, folder)
            check(out)
            with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
                found = json.load(file)
        if found["counts"]["completed"] != jobs:
            raise BenchmarkError(f"{path}: not all jobs completed")
        run.seconds, run.megabytes = [seconds], megabytes
        run.simulating = [found["simulator"]["cpu_seconds"]]
        most = TRACE_SECONDS * jobs / TRACE_JOBS
        self.row(
            f"{jobs:,} jobs, phase model, EASY",
            run,
            "",
            f"of < {most:g} s",
            run.simulate < most,
        )


def arguments() -> argparse.Namespace:
    """Returns the parsed command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    base = os.path.join(ROOT, ".bench")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the trace, the stencil at one accuracy"
    )
    parser.add_argument("--repetitions", type=int, default=5, help="of what is fast (5)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    parser.add_argument("--python", default=os.path.join(base, "schedlab", "bin", "python"))
    parser.add_argument("--simgrid", default=os.path.join(base, "simgrid"), metavar="FOLDER")
    parser.add_argument("--scratch", default=os.path.join(base, "scratch"))
    return parser.parse_args()


def main() -> int:
    """Prints everything and returns the exit status."""
    given = arguments()
    python, scratch = os.path.abspath(given.python), os.path.abspath(given.scratch)
    if not os.path.exists(python):
        print(f"{python}: not there; `make bench` creates it", file=sys.stderr)
        return 2
    os.makedirs(scratch, exist_ok=True)
    from schedlab.system import load_system

    try:
        torus: Any = load_system("cielo").network
        smpi = Smpi(os.path.abspath(given.simgrid), scratch, torus)
    except BenchmarkError as error:
        print(f"without SimGrid: {error}", file=sys.stderr)
        smpi = None
    networks = Networks(python, scratch, smpi, given.repetitions)
    heading = ("simulate", "process", "MB", "events", "us")
    print(f"{'':38}{{:>9}}{{:>9}}{{:>8}}{{:>13}}{{:>12}}".format(*heading))
    try:
        networks.allreduce()
        networks.stencil(given.quick)
        networks.large()
        networks.trace(TRACE_JOBS // 10 if given.quick else TRACE_JOBS)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 2
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"quick": given.quick, "rows": networks.rows}, file, indent=2)
            file.write("\n")
    return 0 if networks.met else 1


if __name__ == "__main__":
    sys.exit(main())
