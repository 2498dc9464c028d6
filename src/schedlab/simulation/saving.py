"""Saving a simulation to a file, and making one of such a file again."""

from __future__ import annotations

import os

from schedlab.dispatch.orders import Order
from schedlab.errors import InputError, SimulationError, UntrustedCodeError
from schedlab.policy import Policy
from schedlab.simulation.description import definition
from schedlab.simulation.spec import RunSpec
from schedlab.system.table import as_table
from schedlab.trust import PERSON, data

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.simulation.core import Simulation
    from schedlab.trust import Origin


def save(simulation: Simulation, path: str, **more: Any) -> None:
    """Writes the simulation's state to a file, with whatever else shall be known at its loading."""
    from schedlab.simulation import state_file

    engine = simulation.engine.save()
    state_file.write(path, {**_description(simulation), **more}, engine)


def load(path: str, *, trust_code: bool, **given: Any) -> tuple[Simulation, dict[str, Any]]:
    """Returns the simulation of a state file, and the file's description.

    Args:
        path: The file.
        trust_code: Whether code runs that the file names.
        **given: Parts, instead of those that the description names, as `Simulation.load` takes
            them, and all of them; None: not given.

    Raises:
        InputError: The file is damaged or of another version, or a part is missing or another one;
            or it names code that is not trusted.
    """
    from schedlab.simulation import state_file
    from schedlab.simulation.core import Simulation

    if given["data"] is not None:
        from schedlab.dispatch.additional_data import check

        given["data"] = check(given["data"], PERSON)
    origin = data("", trust_code)  # the messages begin with the path anyway
    description, engine = state_file.read(path)
    try:
        parts = _parts(description, given, origin)
        simulation = Simulation(
            **parts,
            trust_code=trust_code,
            _spec=_spec(description),
            _saved=description,
            _origin=origin,
        )
        simulation.engine.load(engine)
        simulation.names = description["names"]
    except InputError as error:
        raise type(error)(f"{path}: {error}") from None
    except SimulationError as error:
        raise InputError(f"{path}: cannot be loaded: {error}") from None
    return simulation, description


def _description(simulation: Simulation) -> dict[str, Any]:
    source = simulation.input
    reader = simulation.reader
    path = source.path if source else None
    if reader is not None:
        path = reader.path if reader._text else None
    return {
        "workload": os.path.abspath(path) if path else None,
        "reader": reader._text if reader else None,
        "job_factory": simulation.job_factory_name,
        "swf_attributes": simulation.swf_attributes,
        "applications": simulation.applications.texts(),
        "system": as_table(simulation.system),
        "system_path": simulation.system_path,
        "scheduler": _name(simulation.scheduler),
        "fixed_order": isinstance(simulation.scheduler.order, Order)
        and simulation.scheduler.order.fixed,
        "allocator": _name(simulation.allocator),
        "estimator": None if simulation.estimator is None else _name(simulation.estimator),
        "data": [_class_name(data) for data in simulation.data],
        "windows": [definition(window) for window in simulation.windows],
        "queues": [definition(queue) for queue in simulation.queues],
        "conditions": simulation.conditions.to_dict() if simulation.conditions else None,
        "names": simulation.names,
        "now": simulation.now,
        "rules": simulation.rules,
        "options": simulation.options,
        "spec": simulation.spec.to_data(),
    }


def _spec(description: dict[str, Any]) -> RunSpec | None:
    """Returns what the run was asked for, which its run.json repeats; None: not known.

    It is not what is simulated: parts are made of their own fields, or are given again.
    """
    if "spec" not in description:  # of an earlier version
        return None
    return RunSpec.from_data(description["spec"], place="spec")


def _name(policy: object) -> str:
    """Returns the name by which a policy can be made again, whatever its own class prints."""
    return _class_name(policy) if isinstance(policy, Policy) else str(policy)


def _class_name(policy: object) -> str:
    return f"{type(policy).__module__}:{type(policy).__qualname__}"


def _parts(description: dict[str, Any], given: dict[str, Any], origin: Origin) -> dict[str, Any]:
    """Returns the arguments of Simulation."""
    from schedlab.system import load_system
    from schedlab.system.queues import Queue
    from schedlab.system.windows import Window

    workload = given["workload"] if given["workload"] is not None else description["workload"]
    if given["workload"] is None and description["reader"] is not None:
        from schedlab.workload.formats import reader_named

        workload = reader_named(description["workload"], description["reader"], origin)
    if workload is None:
        raise InputError(
            "the jobs came from Python code; give them again: Simulation.load(path, workload=jobs)"
        )
    data = given["data"]
    if data is None:
        named = description["data"]
        data = [_made("additional data", name, "data=[...]", origin) for name in named]
    if [_class_name(item) for item in data] != description["data"]:
        raise InputError(f"was saved with other additional data: {description['data']}")
    return {
        "workload": workload,
        "system": load_system(description["system"]),
        "scheduler": _policy("scheduler", description, given["scheduler"], origin),
        "allocator": _policy("allocator", description, given["allocator"], origin),
        "estimate": _policy("estimator", description, given["estimate"], origin),
        "windows": [Window(**window) for window in description["windows"]],
        "queues": [Queue(**queue) for queue in description["queues"]],
        "conditions": description.get("conditions"),
        "data": data,
        "job_factory": _job_factory(description["job_factory"], given["job_factory"], origin),
        "rules": description["rules"],
    }


def _policy(kind: str, description: dict[str, Any], policy: Any, origin: Origin) -> Any:
    """Returns the policy that was given, if it is the saved one, or one made of its name."""
    from schedlab.dispatch.allocators import allocator_named
    from schedlab.dispatch.schedulers import scheduler_named
    from schedlab.simulation.parts import own_estimator

    name = description[kind]
    if policy is not None:
        named = {
            "scheduler": scheduler_named,
            "allocator": allocator_named,
            "estimator": own_estimator,
        }
        made: Any = named[kind](policy, PERSON)
        if (None if made is None else _name(made)) != name:
            other = policy if made is None else made
            raise InputError(
                f"was saved with {kind} {name}, not {other}; load it as it was, and give the other "
                f"one to fork()"
            )
        return made
    if name is None or kind == "estimator":
        return None if name is None else _made(kind, name, "estimate=...", origin)
    if description["fixed_order"] and kind == "scheduler":
        raise InputError(f"the order of {name} is a Python function; give scheduler=... again")
    return _made(kind, name, f"{kind}=...", origin) if _is_class(name) else name


def _job_factory(name: str | None, given: Any, origin: Origin) -> Any:
    """Returns the factory that was given, if it is the saved one, or what its name stands for."""
    if name is None and given is None:
        return None
    from schedlab.workload.job_factory import factory_named, name_of

    if given is not None:
        made = factory_named(given, PERSON)
        if name is None or name_of(made) != name.partition("(")[0]:
            raise InputError(f"was saved with job factory {name}, not {name_of(made)}")
        return made
    try:
        factory_named(name or "", origin)
    except UntrustedCodeError as error:
        raise _or_given(error, "job_factory=...") from None
    except InputError as error:
        raise InputError(f"{error}; give job_factory=... again") from None
    return name


def _or_given(error: UntrustedCodeError, argument: str) -> UntrustedCodeError:
    """Returns the error with the other way out: whoever gives the part itself trusts it."""
    return UntrustedCodeError(f"{str(error).removesuffix(')')}, or give {argument} again)")


def _base(kind: str) -> type:
    """Returns what a policy of that kind is derived from."""
    from schedlab.dispatch import Allocator, Scheduler
    from schedlab.dispatch.additional_data import AdditionalData
    from schedlab.dispatch.estimators import Estimator

    bases = (Scheduler, Allocator, Estimator, AdditionalData)
    kinds = ("scheduler", "allocator", "estimator", "additional data")
    return dict(zip(kinds, bases, strict=True))[kind]


def _is_class(name: str) -> bool:
    return ":" in name and "(" not in name and not name.startswith("score:")


def _made(kind: str, name: str, argument: str, origin: Origin) -> Any:
    """Returns a policy of that class, still without its state."""
    from schedlab.dispatch.additional_data import BUILT_IN
    from schedlab.naming import part_class

    try:
        found: Any = part_class(kind, name, _base(kind), BUILT_IN, origin)
        made: Any = found() if getattr(found, "get_state", None) is not Policy.get_state else None
    except UntrustedCodeError as error:
        raise _or_given(error, argument) from None
    except Exception as error:
        raise InputError(f"{kind} {name} cannot be made again ({error}); give {argument}") from None
    return found.__new__(found) if made is None else made
