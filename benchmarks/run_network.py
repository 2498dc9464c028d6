"""The measured script: one application on a network: CASE OUT (both files of JSON).

The case says system, application, ranks, allocator and options. CPU seconds are those of making the
simulation (reading the system, building its network) and of running it. Two ranks run before, so
that Python has imported what it needs; that is in the CPU time of the process alone.
"""

import json
import sys
import time

import schedlab
from schedlab.workload import Job

with open(sys.argv[1], encoding="utf-8") as file:
    case = json.load(file)


def simulation_of(ranks: int) -> schedlab.Simulation:
    job = Job(1, 0, 1, ranks, tasks_per_node=1, application=case["application"])
    return schedlab.Simulation(
        [job], system=case["system"], allocator=case["allocator"], **case["options"]
    )


simulation_of(2).run()
start = time.process_time()
simulation = simulation_of(case["ranks"])
made = time.process_time()
simulation.run()
end = time.process_time()
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(
        {
            "making": made - start,
            "running": end - made,
            "completed": simulation.counts["completed"],
            "events": simulation.engine.application_events,
            "rank_ends": list(simulation.engine.rank_ends),
        },
        file,
    )
