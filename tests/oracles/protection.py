"""No backfilled job delays a reserved one: random cases, engine against oracle and promises.

    python -m oracles.protection 100000        # in the folder tests; prints how many cases held

Each case is a number: the machine, jobs, windows and dispatcher follow from it.
"""

import csv
import os
import random
import sys
import tempfile
from itertools import groupby
from typing import Any

from conftest import expand_nodes

import schedlab
from schedlab.system.windows import Window as EngineWindow

from .cases import total_room
from .checks import (
    Schedule,
    check_capacity,
    check_licenses,
    check_node_sets,
    check_promises,
    check_windows,
)
from .engine import ALLOCATORS, ORDERS, licenses_of, partition_of, partitions_of
from .model import Job, Machine, Record, Window
from .simulator import simulate

TYPES = ("core", "mem", "gpu")


def case(number: int) -> tuple[list[Job], Machine, tuple[Window, ...], dict[str, Any]]:
    """Returns jobs, machine, windows and dispatcher; estimates are at least the run times."""
    draw = random.Random(number)
    types = draw.choice((1, 2, 3))
    nodes = [
        tuple(draw.choice(a) for a in ((4, 3, 2, 1, 0), (6, 4, 3, 2, 1, 0), (2, 1, 1, 0))[:types])
        for _ in range(draw.randint(1, 5))
    ]
    nodes[0] = (max(1, nodes[0][0]), *nodes[0][1:])
    draw_licenses = random.Random(f"licenses {number}")
    machine = Machine(tuple(nodes), draw_licenses.choice(((), (), (2,), (3, 1))))
    plain = draw.random() < 0.2
    draw_sets = random.Random(f"sets of nodes {number}")
    with_sets = draw_sets.random() < 0.4
    jobs, submit = [], 0
    for number_of_job in range(1, draw.randint(4, 14)):
        submit += draw.choice((0, 0, 1, 3))
        estimate = draw.randint(0, 9)
        run = estimate if draw.random() < 0.5 else draw.randint(0, estimate)
        demand: dict[str, Any] = {"request": (1,)}
        if not plain:
            request = [draw.choice(a) for a in ((1, 2, 0), (0, 1, 2, 3), (0, 1))[:types]]
            demand = {
                "request": tuple(request) if any(request) else (1, *request[1:]),
                "tasks_per_node": draw.choice((None, None, None, 1, 2)),
                "whole_nodes": draw.random() < 0.15,
            }
            if with_sets and draw_sets.random() < 0.5:
                some = draw_sets.sample(range(len(nodes)), draw_sets.randint(1, len(nodes)))
                demand["nodes"] = frozenset(some)
                more = draw_sets.sample(range(len(nodes)), draw_sets.randint(1, len(nodes)))
                if draw_sets.random() < 0.5 and {*more} != {*some}:
                    demand["choices"] = (frozenset(some), frozenset(more))
        tasks = draw.randint(1, max(1, total_room(machine, **demand)))
        demand["licenses"] = tuple(draw_licenses.randint(0, most) for most in machine.licenses)
        jobs.append(Job(number_of_job, submit, run, estimate, tasks, **demand))
    windows = []
    for _ in range(draw.choice((0, 0, 1, 2, 3))):
        start = draw.randint(0, 25)
        closed = frozenset(draw.sample(range(len(nodes)), draw.randint(1, len(nodes))))
        admits = frozenset(draw.sample(range(1, len(jobs) + 1), draw.choice((0, 0, 1))))
        windows.append(Window(start, start + draw.randint(1, 12), closed, admits))
    discipline = draw.choice(("easy", "easy", "conservative"))
    choices: dict[str, Any] = {
        "discipline": discipline,
        "order": "fifo" if discipline == "easy" else draw.choice(sorted(ORDERS)),
        "allocator": draw.choice(ALLOCATORS),
        "depth": draw.choice((None, None, 1, 3)),
        "reservations": draw.choice((1, 1, 2, 3, None)) if discipline == "easy" else 1,
    }
    return jobs, machine, tuple(windows), choices


def engine_records(
    jobs: list[Job], machine: Machine, windows: tuple[Window, ...], choices: dict[str, Any]
) -> dict[int, Record]:
    """Returns what the engine makes of a case."""
    types = TYPES[: len(machine.capacity[0])]
    alike = [(amounts, len(list(nodes))) for amounts, nodes in groupby(machine.capacity)]
    groups = {
        f"n{i}": {"nodes": count, "resources": dict(zip(types, amounts, strict=True))}
        for i, (amounts, count) in enumerate(alike)
    }
    order = ORDERS[choices["order"]]
    scheduler: Any = schedlab.Conservative(order, choices["depth"])
    if choices["discipline"] == "easy":
        scheduler = schedlab.Easy(order, choices["depth"], choices["reservations"])
    simulation = schedlab.Simulation(
        [
            schedlab.Job(
                job.id,
                job.submit,
                job.run,
                job.tasks,
                job.estimate,
                resources=dict(zip(types, job.request, strict=False)),
                tasks_per_node=job.tasks_per_node,
                whole_nodes=job.whole_nodes,
                partition=partition_of(job),
                licenses=licenses_of(job),
            )
            for job in jobs
        ],
        system={
            "processor": {"core": 1},
            "groups": groups,
            "partitions": partitions_of(jobs),
            "licenses": {f"l{i}": amount for i, amount in enumerate(machine.licenses)},
        },
        scheduler=scheduler,
        allocator=choices["allocator"],
        windows=[
            EngineWindow(
                w.start,
                w.end,
                ",".join(map(str, sorted(w.nodes))),
                " or ".join(f"id == {job}" for job in sorted(w.admits)) or None,
            )
            for w in windows
        ],
    )
    records = {}
    with tempfile.NamedTemporaryFile(mode="r", newline="") as file:
        simulation.record_jobs(file.name)
        simulation.run()
        for row in csv.DictReader(file):
            ran = row["state"] != "rejected"
            records[int(row["job_id"])] = Record(
                int(row["start"]) if ran else None,
                int(row["end"]) if ran else None,
                row["state"],
                tuple(expand_nodes(row["nodes"])),
            )
    return records


def check(number: int) -> None:
    """Raises AssertionError unless the engine keeps every promise in the case of that number."""
    jobs, machine, windows, choices = case(number)
    promises: dict[int, list[tuple[int, int]]] = {}
    expected = simulate(jobs, machine, windows=windows, promises=promises, **choices)
    records = engine_records(jobs, machine, windows, choices)
    assert records == expected, number
    if choices["discipline"] == "easy" and choices["reservations"] != 1:
        # Only the first of several is kept from call to call; the others are made anew.
        promises = {}
    schedule = Schedule(jobs, machine, windows, records, promises)
    places = schedule.places()
    check_capacity(machine, places)
    check_windows(windows, places)
    check_node_sets(places)
    check_licenses(machine, places)
    check_promises(schedule)


def main() -> None:
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for number in range(first, first + count):
        check(number)
        if (number + 1) % 10_000 == 0:
            print(f"{number + 1 - first:,} cases held", flush=True)
    print(f"{count:,} cases held, {os.times().user:.0f} s of CPU")


if __name__ == "__main__":
    main()
