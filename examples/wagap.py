"""The wagap trace on its two kinds of nodes: what its three columns after SWF's 18 say, used.

    python examples/wagap.py wagap-2013.swf.gz

Three months of 2013 on the clusters zewura (80 cores a node) and zegox (12) of CERIT-SC, in the
Czech Republic. Each row has the nodes that the job ran on, its queue, and what it asked Torque for,
such as `2:ppn=8:cl_zegox`: two nodes, eight cores on each, of the cluster zegox. A plain SWF reader
sees sixteen processors anywhere. The script simulates both, beside the waits that were recorded.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
from collections.abc import Iterator
from typing import NamedTuple

import polars

import schedlab as sl

MIDNIGHT = 1_356_994_800
"""Unix time of 1 January 2013 in Brno: time 0 here. Submit times of the trace are Unix times."""

MEBIBYTE = 2**20

NODES = {
    "zegox": {"cores": 12, "mem": 90 * 1024, "all": 48, "seen": 26},
    "zewura": {"cores": 80, "mem": 512 * 1024, "all": 20, "seen": 18},
}
"""Of each cluster: cores and MiB of a node, nodes that it has, and that occur in the trace.

Small nodes come first, so that first fit keeps the large ones for jobs that need them.
Memory is what jobs on one node asked for at the same time: 89.5 GiB at most on zegox; on zewura 519
GiB at most, except for two nodes that had more. Field 10 of the trace must be bytes per node: only
then do the jobs of a node add up to such numbers.
"""

FIRST_OF_ZEGOX = 1255
"""Numbers of nodes in the trace: 1129 to 1248 are of zewura, 1255 to 1288 of zegox."""

ZEWURA_QUEUES = ("q_2w_plus", "priority_long")
"""Queues whose jobs ran on zewura alone. The jobs of all others ran on both clusters."""


class Request(NamedTuple):
    """What a job asks Torque for: N nodes with N cores each."""

    nodes: int
    cores: int
    cluster: str | None
    alone: bool


def parse(text: str) -> Request | None:
    """Returns what a request such as `2:ppn=8:cl_zegox#excl` says; None for a sum of several."""
    if "+" in text:
        return None
    text, alone, _ = text.partition("#excl")
    number, cores, cluster = 1, 1, None
    for item in text.split(":"):
        if item.isdigit():
            number = int(item)
        elif found := re.fullmatch(r"ppn=(\d*\.?\d+)", item):
            cores = max(1, int(float(found.group(1))))
        elif found := re.match(r"(?:cl_)?(zewura|zegox)", item):
            cluster = found.group(1)  # a cluster, or one of its nodes by name
        elif item == "^cl_zewura":
            cluster = "zegox"
        elif item.startswith("nodecpus"):
            cluster = "zewura" if item == "nodecpus80" else "zegox"
        # All else is true of both clusters (brno, x86_64, nfs4), names a node to avoid, or was not
        # heeded: three jobs with host=zewura10 ran on zegox.
    return Request(number, cores, cluster, bool(alone))


class Wagap(sl.Reader):
    """Jobs that ask for nodes: each task takes the cores and the memory of one, on one by itself.

    A job that must run on one cluster takes as many of a resource type that only its nodes have.
    """

    may_ask_beyond_processors = True

    def jobs(self) -> Iterator[sl.Job]:
        """Yields the jobs that ended after they began, and ask for nodes of one kind."""
        for line in self.lines():
            fields = line.split()
            if len(fields) != 21:
                self.skip("not 21 columns")
                continue
            try:
                number, submit, wait, run = (int(field) for field in fields[:4])
                requested_time, memory, user = (int(fields[place]) for place in (8, 9, 11))
            except ValueError:
                self.skip("not a number")
                continue
            queue, request = fields[19], parse(fields[20])
            if run < 0:
                self.skip("ends before it begins")
            elif request is None:
                self.skip("asks for nodes of several kinds")
            else:
                resources = {"core": request.cores, "mem": memory // MEBIBYTE}
                cluster = "zewura" if queue in ZEWURA_QUEUES else request.cluster
                if cluster is not None:
                    resources[cluster] = request.cores
                yield sl.Job(
                    id=number,
                    submit=submit - MIDNIGHT,
                    run=run,
                    processors=request.nodes,
                    requested_time=requested_time or None,
                    user=user,
                    resources=resources,
                    tasks_per_node=1,
                    whole_nodes=request.alone,
                    attributes={"recorded_wait": wait, "recorded_node": first_node(fields[18])},
                )


class AsProcessors(Wagap):
    """The same jobs as a plain SWF reader sees them: processors, wherever they are."""

    may_ask_beyond_processors = False

    def jobs(self) -> Iterator[sl.Job]:
        """Yields the jobs with nothing but processors."""
        for job in super().jobs():
            cores = job.processors * job.resources["core"]
            yield job.replace(
                processors=cores, resources=None, tasks_per_node=None, whole_nodes=False
            )


def first_node(text: str) -> int:
    """Returns the first number of a list of nodes."""
    return int(re.findall(r"\d+", text)[0])


def machine(nodes: str = "all") -> dict[str, object]:
    """Returns the system; `nodes` is "all", or "seen" for those that occur in the trace."""
    groups = {
        name: {
            "nodes": cluster[nodes],
            "resources": {"core": cluster["cores"], "mem": cluster["mem"], name: cluster["cores"]},
        }
        for name, cluster in NODES.items()
    }
    return {"name": f"wagap, {nodes} nodes", "start_time": MIDNIGHT, "groups": groups}


def main() -> None:
    """Simulates the trace and prints waits beside those that were recorded."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trace", help="wagap-2013.swf.gz")
    parser.add_argument("--out", default="wagap", help="folder for everything")
    chosen = parser.parse_args()
    try:
        compare(chosen.trace, chosen.out)
    except sl.InputError as error:
        sys.exit(f"error: {error}")


def compare(trace: str, out: str) -> None:
    """Simulates, prints a table, and leaves the runs and a plot in a folder."""
    reader = Wagap(trace)
    recorded = [job.attributes["recorded_wait"] for job in reader.jobs()]
    for reason, rows in reader.skipped.items():
        print(f"skipped {rows['rows']:,} rows: {reason} (first in line {rows['first_line']:,})")
    print(f"{len(recorded):,} jobs; waits in seconds; cluster: share of jobs on that of the log\n")
    print(f"{'':44}{'mean':>10}{'median':>9}{'95 %':>11}{'cluster':>9}")
    show("recorded", recorded, None)
    shown = {}
    for nodes in ("all", "seen"):
        for kind, jobs in (("processors", AsProcessors), ("nodes", Wagap)):
            for scheduler in ("fifo", "easy"):
                label = f"{scheduler}, {nodes} nodes, jobs ask for {kind}"
                result = sl.simulate(
                    jobs(trace),
                    system=machine(nodes),
                    scheduler=scheduler,
                    keep="recorded_wait,recorded_node",
                    out=os.path.join(out, label.replace(", ", "+").replace(" ", "-")),
                    force=True,
                )
                done = result.jobs.collect()
                show(label, done["wait"].to_list(), same_cluster(done, nodes))
                if nodes == "seen":
                    shown[f"{scheduler}, {kind}"] = result
    sl.plot("wait-cdf", shown, os.path.join(out, "wait-cdf.png"), title="Waits on the nodes seen")
    print(f"\nruns and plot: {out}")


def same_cluster(done: polars.DataFrame, nodes: str) -> float:
    """Returns the share of jobs whose first node is of the cluster that it was of in the log."""
    small = NODES["zegox"][nodes]
    first = [int(re.match(r"\d+", text).group()) < small for text in done["nodes"]]
    was = [node >= FIRST_OF_ZEGOX for node in done["recorded_node"]]
    return sum(a == b for a, b in zip(first, was, strict=True)) / len(was)


def show(label: str, waits: list[float], same: float | None) -> None:
    """Prints a row of the table."""
    waits = sorted(waits)
    numbers = (statistics.fmean(waits), statistics.median(waits), waits[int(0.95 * len(waits))])
    cells = "".join(
        f"{number:{width},.0f}" for number, width in zip(numbers, (10, 9, 11), strict=True)
    )
    print(f"{label:44}{cells}{'' if same is None else f'{same:9.0%}'}", flush=True)


if __name__ == "__main__":
    main()
