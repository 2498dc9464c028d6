"""The policies of IRMaSim's experiment: its table II, and our own resource selections.

examples/irmasim_platforms.py compares them.
"""

from __future__ import annotations

from typing import Any

from irmasim_machines import BANDWIDTH, CONTENTION

import schedlab as sl


class WithinBandwidth(sl.Allocator):
    """Groups jobs on a processor as long as its memory serves them all at full speed.

    Of the nodes where the job's traffic still fits, the fullest; where there is none, the node
    with the most bandwidth left.
    """

    spare = BANDWIDTH - CONTENTION["c"]
    """MB/s that must stay free: from c on, tasks slow each other down."""

    def place(self, job: Any, machine: Any) -> list[int] | None:
        """Returns the node for a job of one core."""
        nodes = machine.nodes_with_room(job)
        if not nodes:
            return None
        rate = job["memory_volume"] / job.estimate
        left = {node: machine.bandwidth(node) - self.spare for node in nodes}
        fitting = [node for node in nodes if left[node] >= rate]
        if fitting:
            return [min(fitting, key=lambda node: machine.node_free(node)["core"])]
        return [max(nodes, key=left.__getitem__)]


POLICIES: dict[str, tuple[str, str | sl.Allocator]] = {
    "first-fit": ("groups", "first-fit"),
    "best-fit": ("groups", "best-fit"),
    "least-added-power": ("groups", "least-added-power"),
    "high-mem": ("groups", "high-mem"),
    "high-gflops": ("groups while nobody slows down", "high-gflops"),
    "within-bandwidth": ("groups while nobody slows down", WithinBandwidth()),
    "random": ("random", "random"),
    "high-core": ("spreads", "high-core"),
    "high-mem-bw": ("spreads", "high-mem-bw"),
    "low-power": ("spreads", "low-power"),
    "worst-fit": ("spreads", "worst-fit"),
}
"""All resource selections of table II, and ours. What a name does here:

high-mem groups because the jobs say nothing of memory, so that all nodes are alike and go by
number. high-gflops looks at the current speed: an idle core on a processor where nobody is slowed
down is as good as one on an idle processor, and nodes of equal speed go by number. low-power, read
literally, takes the processor that draws least now, which is an idle one."""

GROUPING = [name for name, (kind, _) in POLICIES.items() if kind.startswith("groups")]
CAREFUL = [name for name, (kind, _) in POLICIES.items() if "while" in kind]
SPREADING = [name for name, (kind, _) in POLICIES.items() if kind == "spreads"]


JOB_SELECTIONS = {
    "first": "submit",
    "random": "random",
    "shortest": "shortest",
    "low_mem_bw": "low-mem-bw",
}
"""Of table II; smallest and low_mem are left out, which are first among jobs of one core and no
memory."""

RESOURCE_SELECTIONS = (
    *("random", "high-gflops", "high-core"),
    *("high-mem", "high-mem-bw", "low-power"),
)
"""All of table II."""
