"""GPU pods of an Alibaba cluster on its heterogeneous nodes: a reader of your own, end to end.

    python examples/alibaba_gpu.py openb_pod_list_default.csv openb_node_list_all_node.csv

Q. Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation
Gradient Descent", USENIX ATC 2023, published both files (cluster-trace-gpu-v2023). A pod takes CPU,
memory and GPUs, or part of one GPU; some name the models they can use. The tutorial
docs/tutorials/alibaba-gpu.md shows how the reader came about, and what one sees.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator

import schedlab as sl

QOS = ("LS", "BE", "Burstable", "Guaranteed")
"""Classes of service; a job's attribute `qos` is the place of its class in here."""

GPU = 1000
"""What one GPU is: the trace counts thousandths."""


class AlibabaPods(sl.Reader):
    """Pods as jobs of one task: thousandths of a core and of a GPU, MiB of memory.

    A pod that names models takes as much of a resource type that only nodes of these models have,
    see `machine`. Run times are known, requested ones are not: schedulers are given the former.

    Args:
        path: The list of pods.
        whole_gpus: Whether part of a GPU counts as a whole one. The engine adds up what is in use
            on a node, and does not know single GPUs: by the sum, free halves of two GPUs make room
            for a pod that needs a whole one. So shares give a node too much room, whole ones too
            little, and the truth lies between.
    """

    may_ask_beyond_processors = True

    def __init__(self, path: str | os.PathLike[str], whole_gpus: bool = False) -> None:
        super().__init__(path)
        self.whole_gpus = whole_gpus

    def jobs(self) -> Iterator[sl.Job]:
        """Yields a job for each pod that was scheduled."""
        for number, row in enumerate(rows_of(self, POD_COLUMNS)):
            try:
                cores, memory = int(row["cpu_milli"]), int(row["memory_mib"])
                gpus, share = int(row["num_gpu"]), int(row["gpu_milli"])
                created, deleted = int(row["creation_time"]), row["deletion_time"]
                scheduled = row["scheduled_time"]
                start = int(scheduled) if scheduled else None
                end = int(deleted) if deleted else None
            except ValueError:
                self.skip("not a number")
                continue
            if start is None:
                self.skip("never scheduled")
            elif end is None:
                self.skip("not deleted before the trace ends")
            elif not created <= start <= end:
                self.skip("scheduled before it was created, or deleted before it was scheduled")
            else:
                taken = gpus * (GPU if self.whole_gpus else share)
                resources = {"cpu": cores, "mem": memory, "gpu": taken}
                if taken and row["gpu_spec"]:
                    resources[models_type(row["gpu_spec"])] = taken
                yield sl.Job(
                    id=number,
                    submit=created,
                    run=end - start,
                    resources=resources,
                    attributes={
                        "qos": QOS.index(row["qos"]) if row["qos"] in QOS else -1,
                        "recorded_wait": start - created,
                    },
                )


POD_COLUMNS = (
    "cpu_milli",
    "memory_mib",
    "num_gpu",
    "gpu_milli",
    "gpu_spec",
    "qos",
    "creation_time",
    "deletion_time",
    "scheduled_time",
)
NODE_COLUMNS = ("cpu_milli", "memory_mib", "gpu", "model")


def rows_of(reader: sl.Reader, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yields the rows of a CSV file as dicts, if it has these columns.

    Raises:
        InputError: It has not.
    """
    table = csv.DictReader(reader.lines())
    lacking = [name for name in columns if name not in (table.fieldnames or ())]
    if lacking:
        raise sl.InputError(f"{reader.path}: has no column {', '.join(lacking)}")
    for row in table:
        yield {name: row[name] or "" for name in columns}


def models_type(spec: str) -> str:
    """Returns the resource type for pods of a gpu_spec: "V100M16|V100M32" names either model."""
    return "gpu_" + "_or_".join(sorted(spec.split("|")))


def machine(nodes: str, pods: str, scale: float = 1.0) -> dict[str, object]:
    """Returns the system: a group of nodes for each combination of cores, memory, GPUs and model.

    For each gpu_spec in the list of pods there is a resource type. Nodes whose model it names have
    as much of it as of `gpu`, all others none. So a pod that takes of both runs on such a node
    only, and still leaves there what a pod without a spec sees as free.

    Args:
        nodes: The list of nodes.
        pods: The list of pods, for the specs.
        scale: Share of the nodes of each group, at least one.
    """
    counts = Counter(
        (int(row["cpu_milli"]), int(row["memory_mib"]), int(row["gpu"]), row["model"])
        for row in rows_of(sl.Reader(nodes), NODE_COLUMNS)
    )
    specs = {row["gpu_spec"] for row in rows_of(sl.Reader(pods), POD_COLUMNS)} - {""}
    groups = {}
    for (cores, memory, gpus, model), count in counts.items():
        resources = {"cpu": cores, "mem": memory, "gpu": GPU * gpus}
        for spec in specs:
            resources[models_type(spec)] = GPU * gpus if model in spec.split("|") else 0
        name = f"{gpus}x{model or 'none'}-{cores // 1000}cores-{memory // 1024}GiB"
        groups[name] = {"nodes": max(1, round(scale * count)), "resources": resources}
    return {"name": f"openb x {scale:g}", "processor": {"cpu": 1000}, "groups": groups}


def main() -> None:
    """Simulates some dispatchers and draws what they did."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pods", help="openb_pod_list_default.csv, or another list of pods")
    parser.add_argument("nodes", help="openb_node_list_all_node.csv")
    parser.add_argument("--scale", type=float, default=0.01, help="share of the nodes to have")
    parser.add_argument("--out", default="alibaba-gpu", help="folder for everything")
    chosen = parser.parse_args()
    try:
        simulate(chosen.pods, chosen.nodes, chosen.scale, chosen.out)
    except sl.InputError as error:
        sys.exit(f"error: {error}")


def simulate(pods: str, nodes: str, scale: float, out: str) -> None:
    """Simulates, prints a table, and leaves the runs and plots in a folder."""
    whole, part = machine(nodes, pods), machine(nodes, pods, scale)
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "system.json"), "w", encoding="utf-8") as file:
        json.dump(part, file, indent=1)
    first = sl.simulate(AlibabaPods(pods), system=whole, scheduler="fifo")
    longest = first.metrics["wait"]["max"]
    print(f"on all nodes {f'jobs wait {longest:,.0f} s at most' if longest else 'nobody waits'}\n")
    print(first.summary)
    print(f"\non {scale:.3g} of the nodes, waits in hours:")
    print(f"{'scheduler':10}{'allocator':11}{'GPUs':7}{'waited':>8}{'mean':>9}{'most':>9}")
    shown = {}
    for scheduler in ("fifo", "fcfs-bf", "easy"):
        for allocator in ("first-fit", "best-fit", "worst-fit"):
            for whole_gpus in (False, True):
                counted = "whole" if whole_gpus else "shared"
                run = os.path.join(out, f"{scheduler}+{allocator}+{counted}")
                result = sl.simulate(
                    AlibabaPods(pods, whole_gpus),
                    system=part,
                    scheduler=scheduler,
                    allocator=allocator,
                    timeline="csv",
                    out=run,
                    force=True,
                )
                wait, waited = result.metrics["wait"], share_that_waited(result)
                numbers = f"{waited:8.1%}{wait['mean'] / 3600:9,.1f}{wait['max'] / 3600:9,.0f}"
                print(f"{scheduler:10}{allocator:11}{counted:7}{numbers}")
                if not whole_gpus and scheduler != "fcfs-bf" and allocator != "best-fit":
                    shown[f"{scheduler}, {allocator}"] = result
    for name in ("utilization(resource=gpu)", "free-nodes"):
        sl.plot(name, shown, os.path.join(out, f"{name.partition('(')[0]}.png"))
    print(f"\nruns and plots: {out}; the machine: {os.path.join(out, 'system.json')}")


def share_that_waited(result: sl.Result) -> float:
    """Returns the share of jobs that did not start at once."""
    waits = result.jobs.collect()["wait"]
    return float((waits > 0).mean() or 0)


if __name__ == "__main__":
    main()
