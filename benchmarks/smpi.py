"""SimGrid's SMPI as a peer: its platform of a torus, its program, and measured runs.

Packages of Debian are unpacked into a folder of their own (`make bench-networks`), or installed on
the machine. SimGrid's torus has one host at each router, one link in each direction, and the same
bandwidth in all dimensions. So the two nodes of a Gemini router become a dimension of extent 2 in
front of the others, and the doubled links come from the two planes of routers this makes: as in
Cielo in x and z, twice as many in y. Latencies of host links are left out. That matters for the
times that it finds, which are not compared here, and hardly for how long it takes to find them.
"""

from __future__ import annotations

import glob
import os
import random
import subprocess
from typing import TYPE_CHECKING

from measure import BenchmarkError, Figures, run_process

if TYPE_CHECKING:
    from schedlab.system.network.torus import Torus

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION_PATTERN = "libsimgrid.so.*"
BINOMIAL = (
    "--cfg=smpi/allreduce:redbcast",
    "--cfg=smpi/reduce:binomial",
    "--cfg=smpi/bcast:binomial_tree",
)
"""The algorithms of the reference points: reduce and bcast in binomial trees."""

FAST = (
    "--cfg=smpi/privatization:no",  # the program has no variables of its own
    "--cfg=smpi/simulate-computation:no",
    "--log=root.thres:warning",
)


class Smpi:
    """Runs programs under SMPI.

    Args:
        prefix: Folder whose `usr` holds SimGrid's packages; where there is none, the machine's.
        scratch: Folder for files.
        torus: The network that its platform is made of.

    Raises:
        BenchmarkError: SimGrid is neither in the folder nor on the machine, or does not compile.
    """

    def __init__(self, prefix: str, scratch: str, torus: Torus) -> None:
        found = [
            main
            for root in (prefix, "/")
            for main in glob.glob(os.path.join(root, "usr/lib/*/simgrid/smpimain"))
        ]
        if not found:
            raise BenchmarkError(f"SimGrid is neither in {prefix} nor installed")
        self.scratch = scratch
        self.main = os.path.abspath(found[0])
        self.libraries = os.path.dirname(os.path.dirname(self.main))
        versions = [name.rpartition(".so.")[2] for name in self._libraries_named(VERSION_PATTERN)]
        self.version = max(versions)
        self.nodes = torus.nodes
        self.platform = self._write_platform(torus)
        self.program = self._compile()

    def _libraries_named(self, pattern: str) -> list[str]:
        return glob.glob(os.path.join(self.libraries, pattern))

    def _write_platform(self, torus: Torus) -> str:
        if len(set(torus.bandwidth)) > 1 or len(set(torus.delay)) > 1:
            raise BenchmarkError("SimGrid's torus has one bandwidth and one delay for all links")
        extents = ",".join(str(n) for n in (torus.nodes_per_router, *torus.dimensions))
        path = os.path.join(self.scratch, "torus.xml")
        with open(path, "w", encoding="ascii") as file:
            file.write(
                "<?xml version='1.0'?>\n"
                '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                '<platform version="4.1">\n'
                f'  <cluster id="torus" prefix="node-" suffix="" radical="0-{torus.nodes - 1}" '
                f'speed="1Gf" bw="{torus.bandwidth[0] / 8:.9g}Bps" lat="{torus.delay[0]:.9g}s" '
                f'topology="TORUS" topo_parameters="{extents}" sharing_policy="SPLITDUPLEX"/>\n'
                "</platform>\n"
            )
        return path

    def _compile(self) -> str:
        include = os.path.join(os.path.dirname(os.path.dirname(self.libraries)), "include")
        program = os.path.join(self.scratch, "exchanges.so")
        command = [
            *("cc", "-O2", "-fPIC", "-shared", "-o", program),
            *("-include", os.path.join(include, "smpi", "smpi_helpers.h")),
            *("-I", include, "-I", os.path.join(include, "smpi")),
            os.path.join(HERE, "simgrid", "exchanges.c"),
            *("-L", self.libraries, "-lsimgrid", f"-Wl,-rpath-link,{self.libraries}"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BenchmarkError(f"{' '.join(command)} failed:\n{done.stderr}")
        return program

    def run(
        self,
        arguments: str,
        ranks: int,
        placement: str = "first-fit",
        configuration: tuple[str, ...] = (),
        most_seconds: int | None = None,
        into: Figures | None = None,
    ) -> Figures:
        """Measures one run, one rank on each node; adds to earlier figures if given.

        Args:
            arguments: Of simgrid/exchanges.c.
            ranks: How many.
            placement: "first-fit" or "random" (always the same nodes).
            configuration: Options of SimGrid.
            most_seconds: CPU seconds after which it is ended.
            into: Earlier figures.

        Raises:
            NotFinishedError: It was ended.
            BenchmarkError: It failed.
        """
        figures = into or Figures()
        nodes = list(range(self.nodes))
        if placement == "random":
            random.Random(1).shuffle(nodes)
        hosts = os.path.join(self.scratch, "hosts")
        with open(hosts, "w", encoding="ascii") as file:
            file.writelines(f"node-{node}\n" for node in nodes[:ranks])
        command = [
            *(self.main, self.program, f"--cfg=smpi/np:{ranks}", f"--cfg=smpi/hostfile:{hosts}"),
            *(f"--cfg=smpi/tmpdir:{self.scratch}", *FAST, *configuration),
            *(self.platform, *arguments.split()),
        ]
        more = {"LD_LIBRARY_PATH": self.libraries}
        seconds, megabytes = run_process(command, self.scratch, most_seconds, more)
        figures.seconds.append(seconds)
        figures.megabytes = max(figures.megabytes, megabytes)
        return figures
