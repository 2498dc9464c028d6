"""Doors: places of data that hold names. Each takes a gadget, and tries to go through it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars

import schedlab as sl
from schedlab.results.json_text import to_json
from schedlab.simulation import state_file
from schedlab.toml_text import toml_value
from schedlab.workload.assignment import HOLDING
from schedlab.workload.formats import open_reader, write_tables

SYSTEM = {"name": "m", "groups": {"node": {"nodes": 4, "resources": {"core": 2}}}}
NETWORK = {
    **SYSTEM,
    "network": {
        "topology": "torus",
        "dimensions": [2, 2],
        "bandwidth": 1e9,
        "delay": 1e-6,
        "host_bandwidth": 1e9,
        "host_delay": 1e-6,
    },
}
ROWS = [(i, 10 * i, -1, 25, 1, -1, -1, 1, 30) + (-1,) * 9 for i in range(1, 31)]

LINK_USE = "schedlab.dispatch.link_use"

Door = Callable[[Path, str, bool], Any]
"""Called with the folder, the gadget and `trust_code`; raises InputError where it is shut."""

DOORS: dict[str, Door] = {}


def door(name: str) -> Callable[[Door], Door]:
    """Lists a door."""

    def listed(function: Door) -> Door:
        DOORS[name] = function
        return function

    return listed


_SAVED: dict[str, tuple[dict[str, Any], bytes]] = {}
"""States before they are forged, so that each is simulated once."""


def saved(
    folder: Path,
    system: dict[str, Any],
    scheduler_: str = "fifo",
    job_factory_: str | None = None,
    code: dict[str, Any] | None = None,
    **spec: Any,
) -> Path:
    """Returns a state file with a forged description.

    Args:
        folder: Where it is written.
        system: The machine.
        scheduler_: What is simulated before.
        job_factory_: Likewise.
        code: Names of classes and functions in it.
        **spec: Fields of the run in it.
    """
    path = folder / "forged.state"
    workload = folder / "w.swf"
    if not workload.exists():
        sl.write_swf(workload, ROWS)
    given = {"scheduler": scheduler_, "job_factory": job_factory_}
    kept = repr((system, given))
    if kept not in _SAVED:
        simulation = sl.Simulation(str(workload), system=system, **given)
        simulation.run(until=100)
        simulation.save(path)
        _SAVED[kept] = state_file.read(str(path))
    description, engine = copy.deepcopy(_SAVED[kept])
    description["spec"] |= {"workload": str(workload), **spec}
    description["code"] |= code or {}
    state_file.write(str(path), description, engine)
    return path


def _state(name: str, change: Callable[[str], dict[str, Any]], system: Any = SYSTEM) -> None:
    @door(f"state file: {name}")
    def through(folder: Path, gadget: str, trust_code: bool) -> Any:
        path = saved(folder, system, **change(gadget))
        return sl.Simulation.load(path, trust_code=trust_code)


_state("scheduler", lambda it: {"scheduler": it})
_state("allocator", lambda it: {"allocator": it})
_state("estimate", lambda it: {"estimate": it})
_state("job factory", lambda it: {"job_factory": it})
_state("reader", lambda it: {"reader": it})
_state("mapping", lambda it: {"mapping": it}, NETWORK)
_state("order of a scheduler", lambda it: {"scheduler": f"easy(depth=5, order='{plain(it)}')"})
_state("order of an allocator", lambda it: {"allocator": f"first-fit(order={plain(it)})"})
_state("order of ends", lambda it: {"allocator": f"dual-end(partitions=2, order={plain(it)})"})
_state("order of runs", lambda it: {"allocator": f"contiguous(order={plain(it)})"})
for kind in ("scheduler", "allocator", "estimator", "job_factory"):
    _state(f"code: {kind}", lambda it, kind=kind: {"code": {kind: it}})
_state(
    "code: data",
    lambda it: {"data": ["link-use"] * 2, "code": {"data": [f"{LINK_USE}:LinkUse", it]}},
    NETWORK,
)
_state("code: order", lambda it: {"code": {"scheduler": f"easy(order='{plain(it)}')"}})


def _spec(name: str, change: Callable[[str], dict[str, Any]], system: Any = SYSTEM) -> None:
    """A file that says what to run, and run.json of a run, with a name in one of its fields."""

    def data(folder: Path, gadget: str) -> dict[str, Any]:
        if not (folder / "w.swf").exists():
            sl.write_swf(folder / "w.swf", ROWS)
        return {"workload": str(folder / "w.swf"), "system": system, **change(gadget)}

    @door(f"spec file: {name}")
    def by_toml(folder: Path, gadget: str, trust_code: bool) -> Any:
        lines = [f"{key} = {toml_value(it)}" for key, it in data(folder, gadget).items()]
        (folder / "spec.toml").write_text("\n".join(lines) + "\n")
        spec = sl.RunSpec.from_file(folder / "spec.toml", trust_code)
        return spec.simulate(trust_code=trust_code)

    @door(f"run.json: {name}")
    def by_run(folder: Path, gadget: str, trust_code: bool) -> Any:
        if not _RUN:
            jobs = [sl.Job(1, 0, 5)]
            _RUN.append(sl.simulate(jobs, system=SYSTEM, out=folder / "run").run)
        (folder / "run.json").write_text(to_json({**_RUN[0], "spec": data(folder, gadget)}))
        spec = sl.RunSpec.from_file(folder / "run.json", trust_code)
        return spec.simulate(trust_code=trust_code)


_RUN: list[dict[str, Any]] = []
"""What run.json holds before it is forged."""

_spec("scheduler", lambda it: {"scheduler": it})
_spec("allocator", lambda it: {"allocator": it})
_spec("estimate", lambda it: {"estimate": it})
_spec("data", lambda it: {"data": ["link-use", it]}, NETWORK)
_spec("job factory", lambda it: {"job_factory": it})
_spec("reader", lambda it: {"reader": it})
_spec("mapping", lambda it: {"mapping": it}, NETWORK)
_spec("order of a scheduler", lambda it: {"scheduler": f"easy(depth=5, order='{plain(it)}')"})
_spec("order of an allocator", lambda it: {"allocator": f"first-fit(order={plain(it)})"})
_spec("order of ends", lambda it: {"allocator": f"dual-end(partitions=2, order={plain(it)})"})
_spec("order of runs", lambda it: {"allocator": f"contiguous(order={plain(it)})"})


_EXPERIMENT: list[dict[str, Any]] = []
"""What experiment.json holds before it is forged."""


def _experiment(name: str, change: Callable[[str], dict[str, Any]], system: Any = SYSTEM) -> None:
    """experiment.json, which makes the same experiment again."""

    @door(f"experiment.json: {name}")
    def through(folder: Path, gadget: str, trust_code: bool) -> Any:
        sl.write_swf(folder / "w.swf", ROWS)
        if not _EXPERIMENT:
            given = {"workloads": str(folder / "w.swf"), "systems": system, "schedulers": "fifo"}
            made = sl.Experiment(folder / "x", **given, timeline="none")
            _EXPERIMENT.append(made.run().description)
        description = copy.deepcopy(_EXPERIMENT[0])
        description["workloads"][0]["path"] = str(folder / "w.swf")
        description["systems"][0]["identity"] = system
        for key, value in change(gadget).items():
            place = description["dispatchers"][0] if key in ("scheduler", "allocator") else None
            (description["spec"] if place is None else place)[key] = value
        (folder / "experiment.json").write_text(to_json(description))
        made = sl.Experiment.from_file(folder / "experiment.json", folder / "y", 1, trust_code)
        made._check(made.runs())
        return made


_experiment("scheduler", lambda it: {"scheduler": it})
_experiment("allocator", lambda it: {"allocator": it})
_experiment("order of an allocator", lambda it: {"allocator": f"first-fit(order={plain(it)})"})
_experiment("estimate", lambda it: {"estimate": it})
_experiment("data", lambda it: {"data": ["link-use", it]}, NETWORK)
_experiment("job factory", lambda it: {"job_factory": it})
_experiment("reader", lambda it: {"reader": it})
_experiment("mapping", lambda it: {"mapping": it}, NETWORK)


def plain(gadget: str) -> str:
    """Returns a gadget without arguments: what stands where a function is named."""
    return gadget.partition("(")[0]


@door("state file: applications")
def applications_of_state(folder: Path, gadget: str, trust_code: bool) -> Any:
    """A job that runs when the state is saved; its application is changed in the file."""
    path = folder / "forged.state"
    (folder / "apps.csv").write_text(
        "job,submit,run,requested_processors,application\n1,0,9,2,even-odd(iterations=9)\n2,50,9,2,\n"
    )
    simulation = sl.Simulation(str(folder / "apps.csv"), system=NETWORK)
    simulation.step()
    simulation.save(path)
    description, engine = state_file.read(str(path))
    description["applications"] = [gadget]
    state_file.write(str(path), description, engine)
    loaded = sl.Simulation.load(path, trust_code=trust_code)
    loaded.run()
    return loaded


def _workload(format_: str) -> None:
    @door(f"workload: {format_}")
    def through(folder: Path, gadget: str, trust_code: bool) -> Any:
        ends = {"batsim": "json", "irmasim": "json", "ppt": "csv"}
        path = folder / f"jobs.{ends.get(format_, format_)}"
        table = polars.DataFrame(
            {
                "job": [1.0, 2.0],
                "submit": [0.0, 1.0],
                "run": [10.0, 10.0],
                "requested_processors": [2.0, 2.0],
                "requested_time": [20.0, 20.0],
                "application": ["barrier", gadget],
            }
        )
        write_tables(path, [table], name=format_)
        reader = open_reader(path, "csv" if format_ == "ppt" else format_)
        return sl.simulate(reader, system=NETWORK, trust_code=trust_code)


for known in sorted(HOLDING):
    _workload(known)


@door("workload: frame")
def frame(folder: Path, gadget: str, trust_code: bool) -> Any:
    """A table in memory, which a user read from a file."""
    table = polars.DataFrame(
        {
            "job": [1],
            "submit": [0],
            "run": [5],
            "requested_processors": [2],
            "application": [gadget],
        }
    )
    return sl.simulate(table, system=NETWORK, trust_code=trust_code)


@door("workload: through a job factory")
def factory(folder: Path, gadget: str, trust_code: bool) -> Any:
    """A factory that changes something else hands the name on, and makes it no better."""
    (folder / "w.csv").write_text(
        f'job,submit,run,requested_processors,application\n1,0,10,2,"{gadget}"\n'
    )
    return sl.simulate(
        str(folder / "w.csv"),
        system=NETWORK,
        job_factory=lambda job: job.replace(user=3),
        trust_code=trust_code,
    )


@door("workload: reader of your own")
def own_reader(folder: Path, gadget: str, trust_code: bool) -> Any:
    """The reader is the person's; what it reads is not."""

    class Mine(sl.Reader):
        def jobs(self):
            yield sl.Job(1, 0, 10, 2, application=gadget)

    return sl.simulate(Mine(str(folder / "any")), system=NETWORK, trust_code=trust_code)


def _definition(name: str, text: Callable[[str], str]) -> None:
    @door(f"definition: {name}")
    def through(folder: Path, gadget: str, trust_code: bool) -> Any:
        (folder / "d.toml").write_text(
            'interarrival = 60\nrun = 10\nprocessors = 1\nrequested = "run"\n'.replace(
                f"{name} =", f"{name} = {json.dumps(text(gadget))} #"
            )
            + ("" if name != "column" else f"[columns]\ntask_gpu = {json.dumps(text(gadget))}\n")
        )
        return sl.PlainWorkload.from_file(folder / "d.toml", trust_code=trust_code)


_definition("interarrival", lambda it: it)
_definition("run", lambda it: f"exp(of=exp(of='{plain(it)}'))")
_definition("processors", lambda it: f"exp({plain(it)})")
_definition("requested", lambda it: f"run*{it}")
_definition("column", lambda it: f"run*{it}")
