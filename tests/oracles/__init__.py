"""Naive, obviously right versions of every scheduling discipline.

They are the oracles of the differential tests: the fast engine must give the same
records. `test_oracles_golden.py` proves the oracles themselves against the schedules of
other simulators.

- `model`: jobs, machine, windows, records.
- `placement`: room on nodes and the allocators; `node_lists`: those by an order of the nodes.
- `disciplines`: orders, and which waiting jobs start now; backfilling counts processors.
- `plan`: who is on which node when.
- `planning`: backfilling on planned nodes, for any requests and around windows.
- `simulator`: the event loop, `simulate`.
- `checks`: what any right schedule fulfils, whoever made it.
- `cases`: random workloads (needs hypothesis).
- `contention`: how tasks on a socket slow each other down, and what the socket draws.
- `platform_simulator`: an event loop of its own for jobs on sockets; `platform_cases` (needs
  hypothesis): random platforms and jobs for it.
- `swf`: traces read with the rules of other simulators.

Example:
    Two jobs that cannot run side by side::

        jobs = [
            Job(id=1, submit=0, run=10, estimate=20, tasks=2),
            Job(id=2, submit=1, run=10, estimate=20, tasks=1),
        ]
        records = simulate(
            jobs,
            Machine(capacity=((1,), (1,))),
            order="fifo",
            discipline="blocking",
            allocator="first-fit",
        )
        records[2]  # Record(start=10, end=20, state="completed", nodes=((0, 1),))
"""

from .disciplines import ORDERS
from .model import Job, Machine, Record, Window
from .placement import ALLOCATORS
from .simulator import DISCIPLINES, simulate

__all__ = [
    "ALLOCATORS",
    "DISCIPLINES",
    "ORDERS",
    "Job",
    "Machine",
    "Record",
    "Window",
    "simulate",
]
