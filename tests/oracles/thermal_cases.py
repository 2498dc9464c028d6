"""A machine that gets hot, models of its temperature, and jobs for it: strategies of hypothesis."""

from __future__ import annotations

import csv
from dataclasses import replace

from hypothesis import strategies as st

import schedlab as sl
from schedlab.conditions import machine as conditions_on
from schedlab.system import load_system

from . import contention
from .irmasim_policies import AskingJob
from .platform_simulator import SECOND

NODES = [4, 3]
PLATFORM = {
    "processors": {
        "fast": {
            "cores": 4,
            "clock": 3.4,
            "power": {"core": 6.14, "shared": 5.59, "idle": 0.28},
            "contention": {
                **{"b": -1.85e-5, "c": 32000, "da": 1.75},
                **{"db": 3500, "dc": 45000, "dd": 3000, "k": 0.6},
            },
            "steps": [
                {"clock": 2.5, "core": 3.51, "shared": 3.20, "idle": 0.16},
                {"clock": 1.7, "core": 2.31, "shared": 1.59, "idle": 0.08},
            ],
        },
        "slow": {
            "cores": 2,
            "clock": 2.0,
            "power": {"core": 5, "shared": 3, "idle": 1},
            "steps": [{"clock": 1.0, "core": 2, "shared": 2, "idle": 0.5}],
        },
    },
    "node_types": {
        "two": {
            "processors": {"fast": 2},
            "power": {"base": 3, "off": 1},
            "transitions": {
                "off": {"down_seconds": 4, "down_power": 30, "up_seconds": 20, "up_power": 50}
            },
        },
        "mixed": {
            "processors": {"slow": 1, "fast": 1},
            "power": {"base": 2, "off": 1},
            "transitions": {
                "off": {"down_seconds": 4, "down_power": 30, "up_seconds": 20, "up_power": 50}
            },
        },
    },
    "groups": {
        "a": {"nodes": 4, "type": "two", "rack": 3},
        "b": {"nodes": 3, "type": "mixed", "rack": 3},
    },
}
SYSTEM = load_system(PLATFORM)
CORES = [8] * 4 + [6] * 3
NPB = [*contention.NPB.values()]
BUSY = [sl.Job(number, 0, 4000, 8) for number in (1, 2, 3)]  # fill nodes 0 to 2
MODEL = {
    "resistance": 0.8,
    "time_constant": 300,
    "recirculation": 0.05,
    "neighbour": 0.1,
    "supply": 20,
}


def simulation(jobs, given_thermal, allocator="first-fit", **more):
    conditions = {"thermal": given_thermal, **more.pop("conditions", {})}
    return sl.Simulation(
        jobs,
        system=more.pop("system", SYSTEM),
        conditions=conditions,
        allocator=allocator,
        **more,
    )


def simulate_all(jobs, model, **more):
    return sl.simulate(jobs, system=SYSTEM, conditions={"thermal": model}, timeline="csv", **more)


def timeline(result):
    with open(f"{result.path}/timeline.csv", newline="") as file:
        return [{k: float(v) for k, v in row.items() if v} for row in csv.DictReader(file)]


def degrees(made):
    return [row[1] for row in made.engine.temperatures()]


def engine_model(model):
    return conditions_on.for_engine(sl.Conditions(thermal=sl.Thermal(**model)), SYSTEM, 0)[
        "thermal"
    ]


@st.composite
def models(draw):
    """Models in which jobs of some minutes get nodes hot, most of them with a limit."""
    model = {
        "resistance": draw(st.floats(0.2, 1.5)),
        "time_constant": draw(st.floats(30, 600)),
        "supply": draw(st.floats(10, 30)),
        "recirculation": draw(st.just(0.0) | st.floats(0, 0.2)),
        "neighbour": draw(st.just(0.0) | st.floats(0, 0.2)),
        "every": draw(st.sampled_from((10, 60, 45.5, 300))),
    }
    if draw(st.sampled_from((True, True, True, False))):
        floor, _ = conditions_on.hottest_idle(sl.Thermal(**model), SYSTEM)
        model["release"] = floor + draw(st.floats(0.5, 20))
        model["limit"] = model["release"] + draw(st.floats(0.1, 15))
        model["throttle_step"] = draw(st.sampled_from((None, 1)))
    return model


@st.composite
def some_jobs(draw):
    """Up to a dozen jobs; some of known work and traffic, some of a known time."""
    jobs, submit = [], draw(st.integers(0, 100)) * SECOND
    for number in range(1, draw(st.integers(2, 12))):
        submit += draw(st.sampled_from((0, 0, 60, 400))) * SECOND
        cores = draw(st.sampled_from((1, 2, 3, 6)))
        room = sum(have // cores for have in CORES)
        job = AskingJob(
            number,
            submit,
            run=draw(st.integers(20, 1500)) * SECOND,
            tasks=min(room, draw(st.sampled_from((1, 2, 4, 9)))),
            cores=cores,
            memory_volume=draw(st.sampled_from((0, 6e6))),
        )
        if draw(st.booleans()):
            instructions, ipc, volume = draw(st.sampled_from(NPB))
            job = replace(job, instructions=instructions, ipc=ipc, memory_volume=volume)
        jobs.append(job)
    return jobs


def for_engine(job):
    attributes = {"memory_volume": job.memory_volume}
    if job.instructions is not None:
        attributes |= {"instructions": job.instructions, "ipc": job.ipc}
    return sl.Job(
        job.id,
        job.submit / SECOND,
        job.run / SECOND,
        job.tasks,
        resources={"core": job.cores},
        attributes=attributes,
    )
