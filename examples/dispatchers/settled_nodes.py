"""Nodes that have been up for long go to long jobs, those that were just repaired to short ones.

    schedlab run TRACE --system seth.toml --conditions failing.toml
        --allocator settled_nodes:SettledNodes

in the folder of this file. The page docs/tutorials/failure-aware.md says more.
"""

from __future__ import annotations

import math

import schedlab as sl


class SettledNodes(sl.Allocator):
    """Keeps nodes that were repaired lately for jobs that lose little there.

    Where failures follow a Weibull distribution with a shape below 1, as in the logs of many
    clusters, a node is most likely to fail soon after its repair. Long jobs take the nodes that
    have been up longest, short jobs those that have been up for the shortest time.

    Args:
        long: Seconds of a job's estimate from which on it is a long one.
    """

    def __init__(self, long: float = 3600.0) -> None:
        self.long = long

    def place(self, job: sl.JobView, machine: sl.MachineView) -> dict[int, int] | None:
        """Returns the number of tasks by node."""
        nodes = machine.nodes_with_room(job)  # nodes that are down have none
        nodes.sort(key=machine.up_since, reverse=job.estimate < self.long)
        return machine.fill(job, nodes)


def daly_interval(cost: float, between_failures: float) -> float:
    """Returns the seconds of work between checkpoints that lose the least time.

    Young (1974) has sqrt(2 cost M). Daly (2006) adds the next terms, for a cost below 2 M; from
    there on, M.

    Args:
        cost: Seconds that writing a checkpoint takes.
        between_failures: Mean seconds M between failures of any of the job's nodes: that of one
            node, divided by how many the job has.
    """
    if cost >= 2 * between_failures:
        return between_failures
    ratio = cost / (2 * between_failures)
    young = math.sqrt(2 * cost * between_failures)
    return young * (1 + math.sqrt(ratio) / 3 + ratio / 9) - cost
