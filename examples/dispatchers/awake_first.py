"""Jobs go where they add the least power: `least-added-power` in Python, to change as you like.

    schedlab run TRACE --system seth.toml --conditions tariff.toml
        --allocator awake_first:AwakeFirst

in the folder of this file. The page docs/tutorials/energy-aware.md says more.
"""

from __future__ import annotations

import schedlab as sl


class AwakeFirst(sl.Allocator):
    """Packs jobs on nodes that work, then on those that are on, and wakes others last.

    What a job adds to a node's power is least where sockets are at work already, more where they
    are idle, and most where the node is off. So nodes that have nothing to do stay without work,
    and the rule `switch_off` sends them to rest.
    """

    sockets = "fullest"

    def place(self, job: sl.JobView, machine: sl.MachineView) -> dict[int, int] | None:
        """Returns the number of tasks by node."""

        def watts_for_each_task(node: int) -> float:
            tasks = machine.room(node, job)
            return round(machine.added_power(node, job, tasks) / tasks, 6)  # equal ones by number

        return machine.fill(job, sorted(machine.nodes_with_room(job), key=watts_for_each_task))
