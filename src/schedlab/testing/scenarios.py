"""Machines and workloads on which policies are tried: small, seeded, each with one difficulty."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError
from schedlab.simulation import Simulation
from schedlab.system.queues import Queue
from schedlab.system.windows import Window
from schedlab.workload import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from schedlab.system import System
    from schedlab.testing.report import Report

EQUAL_NODES: dict[str, Any] = {"groups": {"node": {"nodes": 4, "resources": {"core": 4}}}}
MIXED_NODES: dict[str, Any] = {
    "groups": {
        "thin": {"nodes": 3, "resources": {"core": 4, "mem": 8}},
        "fat": {"nodes": 2, "resources": {"core": 4, "mem": 32, "gpu": 2}},
    }
}
DIVIDED_NODES: dict[str, Any] = {
    "groups": {
        "a": {"nodes": 2, "resources": {"core": 4}, "features": ["ib"]},
        "b": {"nodes": 2, "resources": {"core": 4}, "features": ["gpu", "ib"]},
    },
    "partitions": {"left": {"nodes": "0-2"}, "right": {"nodes": "1-3", "max_time": 200}},
}


@dataclass(frozen=True)
class Scenario:
    """A machine and a workload.

    Attributes:
        name: What reports call it.
        system: As for `Simulation`, like windows and queues.
        jobs: The workload, in submit order.
        windows: Maintenance and advance reservations.
        queues: Queues with priorities.
        options: Options of the simulation by name.
        seed: Of what was drawn at random; None: nothing was.
    """

    name: str
    system: dict[str, Any] | System
    jobs: Sequence[Job]
    windows: Sequence[Window] = ()
    queues: Sequence[Queue] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def simulation(self, **parts: Any) -> Simulation:
        """Returns a simulation of it; `parts` are further arguments of `Simulation`."""
        return Simulation(
            list(self.jobs),
            system=self.system,
            windows=self.windows,
            queues=self.queues,
            **{**self.options, **parts},
        )

    @property
    def code(self) -> str:
        """An expression for it, for messages."""
        known = self.seed is not None and self.name in _MAKERS
        return f'scenario("{self.name}", seed={self.seed})' if known else f"<your {self.name}>"


def _jobs(
    draw: Random,
    count: int = 80,
    *,
    gaps: Sequence[float] = (0, 0, 0.5, 1, 7),
    runs: Sequence[float] = (1, 2.5, 20, 60),
    request_factors: Sequence[float] = (1, 1, 1.5, 4),
    most: int = 8,
    change: Callable[[int], dict[str, Any]] = lambda _: {},
) -> list[Job]:
    """Returns jobs: `asked` are requested times over run times, `change(id)` further attributes."""
    made, submit = [], 0.0
    for number in range(1, count + 1):
        submit += draw.choice(gaps)
        run = draw.choice(runs)
        given: dict[str, Any] = {
            "processors": draw.randint(1, most),
            "requested_time": run * draw.choice(request_factors),
            "user": draw.randint(1, 5),
        }
        made.append(Job(number, submit, run, **{**given, **change(number)}))
    return made


def _resources(draw: Random) -> dict[str, Any]:
    if draw.random() < 0.4:
        return {}
    request = {"core": draw.randint(1, 2), "mem": draw.randint(0, 8)}
    if draw.random() < 0.3:
        return {"resources": {**request, "gpu": 1}, "processors": draw.randint(1, 4)}
    limit = draw.choice((None, None, 1, 2))
    return {"resources": request, "processors": draw.randint(1, 5), "tasks_per_node": limit}


def _whole_nodes(draw: Random) -> dict[str, Any]:
    whole = draw.random() < 0.3
    return {"whole_nodes": whole, "processors": draw.randint(1, 16 if whole else 8)}


def _restriction(draw: Random) -> dict[str, Any]:
    """Returns the nodes that a job may be on; some are none, others are a single one."""
    return {
        "partition": draw.choice((None, "left", "right", "right,left")),
        "needs": draw.choice((None, None, "gpu", "ib & !gpu", "!ib | fast")),
    }


def _licenses(draw: Random) -> dict[str, Any]:
    return {"licenses": draw.choice((None, "matlab", "matlab:2", "scratch:3, matlab", "scratch:5"))}


def _predecessors(draw: Random, number: int) -> dict[str, Any]:
    earlier = [number - draw.randint(1, 6) for _ in range(draw.choice((0, 0, 1, 2)))]
    return {
        "predecessors": sorted({other for other in earlier if other > 0}),
        "think": draw.choice((0, 0, 3)),
    }


def _failures(draw: Random) -> dict[str, Any]:
    """Returns outages of single nodes, some of which overlap, and of the whole machine."""
    outages: list[list[float]] = [[node, 200, 215] for node in range(4)]
    for _ in range(12):
        start = draw.uniform(0, 400)
        outages.append([draw.randrange(4), start, start + draw.choice((0.5, 5, 40))])
    return {"failure_trace": {"outages": outages}}


_WINDOWS = (
    Window(30, 60, "0-1", name="maintenance of two nodes"),
    Window(90, 110, name="maintenance of the machine"),
    Window(150, 230, "2-3", when="user == 2", name="reserved for a user"),
    Window(260, 270, "0", every=40, times=3, name="again and again"),
)
_QUEUES = (
    Queue("small", 2, "processors <= 2"),
    Queue("long", 0, "requested_time > 50"),
    Queue("rest", 1),
)

_MAKERS: dict[str, Callable[[Random], dict[str, Any]]] = {
    "empty": lambda draw: {"jobs": []},
    "one-node": lambda draw: {
        "system": {"groups": {"node": {"nodes": 1, "resources": {"core": 4}}}},
        "jobs": _jobs(draw, 40, most=4),
    },
    "same-time": lambda draw: {"jobs": _jobs(draw, 60, gaps=(0,), most=16)},
    "zero-length": lambda draw: {
        "jobs": _jobs(draw, 60, runs=(0, 0, 5), request_factors=(1, 2), gaps=(0, 0, 1))
    },
    "short-estimates": lambda draw: {"jobs": _jobs(draw, request_factors=(0, 0.1, 0.5, 1))},
    "long-estimates": lambda draw: {"jobs": _jobs(draw, request_factors=(5, 20, 100))},
    "limits": lambda draw: {
        "jobs": _jobs(draw, 60, request_factors=(0.5, 1, 2)),
        "options": {"enforce_limits": True},
    },
    "too-large": lambda draw: {"jobs": _jobs(draw, 40, most=24)},
    "dependencies": lambda draw: {"jobs": _jobs(draw, change=lambda n: _predecessors(draw, n))},
    "resources": lambda draw: {
        "system": MIXED_NODES,
        "jobs": _jobs(draw, change=lambda _: _resources(draw)),
    },
    "whole-nodes": lambda draw: {"jobs": _jobs(draw, 60, change=lambda _: _whole_nodes(draw))},
    "partitions": lambda draw: {
        "system": DIVIDED_NODES,
        "jobs": _jobs(draw, most=4, change=lambda _: _restriction(draw)),
    },
    "licenses": lambda draw: {
        "system": {**EQUAL_NODES, "licenses": {"matlab": 3, "scratch": 7}},
        "jobs": _jobs(draw, most=4, change=lambda _: _licenses(draw)),
    },
    "windows": lambda draw: {"jobs": _jobs(draw), "windows": _WINDOWS},
    "queues": lambda draw: {"jobs": _jobs(draw, 60), "queues": _QUEUES},
    "failures": lambda draw: {"jobs": _jobs(draw), "options": {"conditions": _failures(draw)}},
    "long-queue": lambda draw: {"jobs": _jobs(draw, 300, gaps=(0, 0, 0, 1), runs=(5, 20, 60))},
}

SCENARIOS = tuple(_MAKERS)
"""Names of the scenarios that every policy is tried on."""


def scenario(name: str, seed: int = 0) -> Scenario:
    """Returns the scenario of that name, one of SCENARIOS; the seed changes its jobs.

    Raises:
        InputError: There is no such scenario.
    """
    if name not in _MAKERS:
        raise InputError(f"unknown scenario {name!r}; known: {', '.join(SCENARIOS)}")
    parts = _MAKERS[name](Random(f"{name} {seed}"))
    return Scenario(name, parts.pop("system", EQUAL_NODES), seed=seed, **parts)


def chosen(
    more: Iterable[Scenario], skip: Iterable[str], seed: int, report: Report
) -> list[Scenario]:
    """Returns all scenarios but those that are skipped, and those that a user gave."""
    left_out = [scenario(name, seed).name for name in skip]
    if left_out:
        report.note(f"skipped scenarios: {', '.join(left_out)}")
    return [*(scenario(name, seed) for name in SCENARIOS if name not in left_out), *more]
