"""Random platforms and jobs for them: strategies of hypothesis.

Few cores and sockets, so that jobs meet, and rates around those at which contention begins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

from . import contention
from .platform_simulator import SECOND, PlatformJob


class Case(NamedTuple):
    """What the simulator takes: the platform, how many nodes its groups have, jobs, the step."""

    platform: dict[str, Any]
    nodes: list[int]
    jobs: list[PlatformJob]
    step: int


def i5_7500(k: float = 1.0, clock: float = 3.4) -> dict[str, Any]:
    """The paper's processor at a clock, without frequency steps."""
    core, shared = contention.I5_7500_POWER[clock]
    return {
        "cores": 4,
        "clock": clock,
        "operations_per_second": clock * 1e9,
        "bandwidth": 38400.0,
        "contention": tuple(contention.I5_7500._replace(k=k)),
        "steps": [(clock, core, shared, 0.05 * shared)],
    }


def platform_of(*processors: dict[str, Any], sockets: list[list[int]], base: float = 0.0):
    """A platform whose groups have these sockets."""
    groups = [
        {"sockets": indices, "base": base, "rack": 0, "sleeping": None, "off": None}
        for indices in sockets
    ]
    return {"processors": list(processors), "groups": groups, "power": True}


@st.composite
def constants(draw: st.DrawFn, cores: int) -> tuple[float, ...]:
    """Constants in their valid range for N cores."""
    dd = draw(st.floats(0, 4000))
    return tuple(
        contention.Constants(
            b=-draw(st.floats(1e-6, 1e-4)),
            c=draw(st.floats(1000, 40000)),
            da=draw(st.floats(0, 4)),
            db=draw(st.floats(0, 5000)),
            dc=(cores - 1) * dd + draw(st.floats(1000, 50000)),
            dd=dd,
            k=draw(st.sampled_from((1.0, 0.6)) | st.floats(0.1, 2)),
        )
    )


@st.composite
def processors(draw: st.DrawFn, contending: bool) -> dict[str, Any]:
    """A processor type with one to six cores and two frequency steps."""
    cores = draw(st.integers(1, 6))
    clock = draw(st.sampled_from((3.4, 2.0, 1.0)))
    power = st.tuples(st.floats(0, 10), st.floats(0, 10), st.floats(0, 2))
    return {
        "cores": cores,
        "clock": clock,
        "operations_per_second": clock * 1e9 * draw(st.sampled_from((1, 2))),
        "bandwidth": 0.0,
        "contention": draw(constants(cores)) if contending else None,
        "steps": [(clock, *draw(power)), (clock * 0.7, *draw(power))],
    }


@st.composite
def jobs_for(draw: st.DrawFn, node_cores: list[int], contending: bool) -> list[PlatformJob]:
    """Up to a dozen jobs that fit nodes of N cores."""
    found: list[PlatformJob] = []
    submit = 0
    seconds = st.integers(0, 20) if not contending else st.floats(0.5, 20)
    for number in range(1, draw(st.integers(1, 12)) + 1):
        submit += draw(st.sampled_from((0, 0, 1, 5))) * SECOND
        cores = draw(st.integers(1, max(node_cores)))
        room = sum(have // cores for have in node_cores)
        run = draw(seconds)
        rate = draw(st.just(0.0) | st.floats(0, 30000))
        attributes: dict[str, Any] = {"run": round(run * SECOND), "memory_volume": rate * run}
        if contending and draw(st.booleans()):
            ipc = draw(st.floats(0.5, 3))
            attributes.update(instructions=float(round(run * 2e9 * ipc)), ipc=ipc)
        tasks = draw(st.integers(1, min(room, 4)))
        attributes["whole_nodes"] = draw(st.sampled_from((False, False, False, True)))
        found.append(PlatformJob(number, submit, tasks=tasks, cores=cores, **attributes))
    return found


@st.composite
def cases(draw: st.DrawFn, contending: bool = True) -> Case:
    """A machine of one or two groups and jobs; without contention all times are whole seconds."""
    kinds = draw(st.lists(processors(contending), min_size=1, max_size=2))
    # Sockets of a type are side by side, as in system files.
    order = draw(st.permutations(range(len(kinds))))
    counts = st.lists(st.sampled_from((1, 1, 2, 0)), min_size=len(kinds), max_size=len(kinds))
    sockets = [
        [index for index, count in zip(order, some, strict=True) for _ in range(count)]
        for some in draw(st.lists(counts.filter(any), min_size=1, max_size=2))
    ]
    base = draw(st.just(0.0) | st.floats(0, 50))
    nodes = [draw(st.integers(1, 3)) for _ in sockets]
    node_cores = [
        sum(kinds[index]["cores"] for index in indices)
        for indices, count in zip(sockets, nodes, strict=True)
        for _ in range(count)
    ]
    jobs = draw(jobs_for(node_cores, contending))
    step = draw(st.integers(0, 1)) if contending else 0
    return Case(platform_of(*kinds, sockets=sockets, base=base), nodes, jobs, step)
