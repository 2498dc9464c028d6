"""An experiment again, from its experiment.json; and whether a command line says the same."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError
from schedlab.experiment.arguments import default_name
from schedlab.experiment.folder import DESCRIPTION, read_description
from schedlab.experiment.names import input_name, split_dispatcher, unique_names
from schedlab.simulation import RunSpec
from schedlab.simulation.spec.data import names_code
from schedlab.trust import data, handed_over
from schedlab.workload.formats import reader_named

if TYPE_CHECKING:
    from schedlab.experiment.experiment import Experiment
    from schedlab.trust import Origin
    from schedlab.workload import Reader


def is_experiment(path: str) -> bool:
    """Returns whether a path is that of an experiment.json, by its name."""
    return os.path.basename(path) == DESCRIPTION


def repeated(path: str, out: str, processes: int | None, trust_code: bool) -> Experiment:
    """Returns the experiment that an experiment.json describes; see `Experiment.from_file`."""
    from schedlab.experiment.experiment import Experiment

    description = read_description(os.path.dirname(path) or ".")
    if "spec" not in description:
        raise InputError(
            f"{path}: is of an earlier version, and does not hold the whole experiment"
        )
    if objects := objects_in(description):
        name, text = next(iter(objects.items()))
        raise InputError(
            f"{path}: {name}: was a Python object ({text}), which no file holds; make the "
            "experiment in Python again"
        )
    shared = shared_spec(description, trust_code, path).given()
    for name in ("workload", "system", "scheduler", "allocator", "seed"):
        if name in shared:
            raise InputError(f"{path}: spec: {name}: is not what all runs share; remove it")
    origin = data(path, trust_code)
    made = Experiment(
        out,
        workloads={one["name"]: _workload(one, origin) for one in description["workloads"]},
        systems={one["name"]: one["path"] or one["identity"] for one in description["systems"]},
        repeat=description["repeat"],
        seed=description["seed"],
        processes=processes,
        jobs=description["jobs"],
        timeline=description["timeline"],
        baseline=description["baseline"],
        trust_code=trust_code,
        **shared,
    )
    for one in description["dispatchers"]:
        scheduler, allocator = (
            handed_over(one[name], origin) for name in ("scheduler", "allocator")
        )
        made.add(scheduler, allocator, name=one["name"])
    return made


def _workload(one: dict[str, Any], origin: Origin) -> str | Reader:
    """Returns the path of a workload, or what reads it, where it has a reader of its own."""
    path: str = one["path"]
    return reader_named(path, one["reader"], origin) if "reader" in one else path


def shared_spec(
    description: dict[str, Any], trust_code: bool = False, place: str = DESCRIPTION
) -> RunSpec:
    """Returns what all runs of an experiment have in common, as it was asked for.

    Args:
        description: What experiment.json holds; that of an earlier version has no spec.
        trust_code: Whether code may run that it names.
        place: What messages call it.
    """
    if "spec" in description:
        return RunSpec.from_data(description["spec"], trust_code, f"{place}: spec")
    others = {name: it for name, it in description["options"].items() if it is not None}
    rules = {"rules": description["rules"]} if description["rules"] else {}
    return RunSpec.from_data({**others, **rules}, trust_code, f"{place}: options")


def objects_in(description: dict[str, Any]) -> dict[str, str]:
    """Returns what no file holds of an experiment: Python objects, each with a description."""
    found: dict[str, str] = {}
    for one in description["workloads"]:
        if one["path"] is None:
            found[f"workload {one['name']}"] = one["name"]
    for one in description["systems"]:
        if one["path"] is None and not isinstance(one.get("identity"), dict):
            found[f"system {one['name']}"] = one["name"]
    for one in description["dispatchers"]:
        found |= {f"{kind} of {one['name']}": one[kind] for kind in one.get("objects", ())}
    found |= shared_spec(description).to_data().get("objects", {})
    return found


def only_in_file(description: dict[str, Any]) -> list[str]:
    """Returns what experiment.json holds and no command line can say, a text each."""
    found = [*tables_in(description)]
    for kind in ("workloads", "systems"):
        paths = [one["path"] for one in description[kind] if one["path"] is not None]
        named = [one["name"] for one in description[kind] if one["path"] is not None]
        usual = unique_names(map(input_name, paths))
        found += [f"the name {name}" for name in named if name not in usual]
    found += [f"the reader of {one['name']}" for one in _with_own_reader(description)]
    for one in description["dispatchers"]:
        pair = (one["scheduler"], one["allocator"])
        if one["name"] != default_name(*pair):
            found.append(f"the name {one['name']}")
        elif split_dispatcher("+".join(pair)) != pair:
            found.append(f"the dispatcher {one['name']}")
    return found


def tables_in(description: dict[str, Any]) -> list[str]:
    """Returns the parts that experiment.json describes, and that have no file of their own."""
    spec = shared_spec(description)
    objects = spec.to_data().get("objects", {})
    systems = [one for one in description["systems"] if one["path"] is None]
    return [
        *(name for name in spec.unnamed() if name not in objects),
        *(f"system {one['name']}" for one in systems if isinstance(one.get("identity"), dict)),
    ]


def file_names_code(description: dict[str, Any]) -> bool:
    """Returns whether experiment.json names code of a user's, as needs trust."""
    spec = shared_spec(description)
    names = ("scheduler", "allocator")
    runs = [
        spec.replace(**{name: one[name] for name in names}) for one in description["dispatchers"]
    ]
    runs += [spec.replace(reader=one["reader"]) for one in _with_own_reader(description)]
    return any(map(names_code, runs))


def _with_own_reader(description: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the workloads that have a reader of their own."""
    return [one for one in description["workloads"] if "reader" in one]
