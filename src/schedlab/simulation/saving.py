"""Saving a simulation to a file, and making one of such a file again."""

from __future__ import annotations

import os

from schedlab.dispatch.orders import Order
from schedlab.errors import InputError, SimulationError, UntrustedCodeError
from schedlab.policy import Policy
from schedlab.simulation.spec import RunSpec, Unnamed
from schedlab.trust import PERSON, data, handed_over

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.simulation.core import Simulation
    from schedlab.trust import Origin


def save(simulation: Simulation, path: str, **more: Any) -> None:
    """Writes the simulation's state to a file, with whatever else must be known at its loading."""
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
        spec, requested = (
            RunSpec.from_data(description[name], trust_code, "")
            for name in ("spec", "requested_spec")
        )
        simulation = Simulation(
            **spec.replace(**_parts(spec, description, given, origin)).arguments(),
            trust_code=trust_code,
            _spec=requested,
            _saved=description,
            _origin=origin,
        )
        simulation.engine.load(engine)
        simulation.call_parts(description["names"])
    except InputError as error:
        raise type(error)(f"{path}: {error}") from None
    except SimulationError as error:
        raise InputError(f"{path}: cannot be loaded: {error}") from None
    return simulation, description


def _description(simulation: Simulation) -> dict[str, Any]:
    requested = simulation.spec
    spec = requested.replace(
        system=simulation.system,
        windows=simulation.windows,
        queues=simulation.queues,
        conditions=simulation.conditions,
    )
    if isinstance(spec.workload, str):
        spec = spec.replace(workload=os.path.abspath(spec.workload))
    return {
        "spec": spec.to_data(),
        "requested_spec": requested.to_data(),
        "code": _code(simulation),
        "names": simulation.names,
        "now": simulation.now,
        "applications": simulation.applications.texts(),
        "partition_lists": simulation.partitions.lists(),
        "needs": simulation.needs.texts(),
        "licenses": simulation.licenses.texts(),
        "swf_attributes": simulation.swf_attributes,
    }


def _code(simulation: Simulation) -> dict[str, Any]:
    """Returns the names of the classes whose states the engine saves, and of functions."""
    found: dict[str, Any] = {"data": [_class_name(one) for one in simulation.data]}
    objects = simulation.spec.to_data().get("objects", {})
    for kind in ("scheduler", "allocator", "estimator"):
        made = getattr(simulation, kind)
        order = getattr(made, "order", None)
        if isinstance(made, Policy):
            found[kind] = _class_name(made)
        elif kind in objects and not (isinstance(order, Order) and order.fixed):
            found[kind] = str(made)  # built in, with a function
    if "job_factory" in objects:
        found["job_factory"] = simulation.job_factory_name
    return found


def _name(policy: object) -> str:
    """Returns the name by which a policy can be made again, whatever its own class prints."""
    return _class_name(policy) if isinstance(policy, Policy) else str(policy)


def _class_name(policy: object) -> str:
    return f"{type(policy).__module__}:{type(policy).__qualname__}"


def _parts(
    spec: RunSpec, description: dict[str, Any], given: dict[str, Any], origin: Origin
) -> dict[str, Any]:
    """Returns the parts of the spec that are given again, or whose class or function has a name."""
    code: dict[str, Any] = description["code"]
    found: dict[str, Any] = {}
    if given["workload"] is not None:
        found |= {"workload": given["workload"], "reader": None}
    elif isinstance(spec.workload, Unnamed):
        raise InputError(
            "the jobs came from Python code; give them again: Simulation.load(path, workload=jobs)"
        )
    found["data"] = given["data"]
    if given["data"] is None:
        found["data"] = [_made("additional data", it, "data=[...]", origin) for it in code["data"]]
    if [_class_name(item) for item in found["data"]] != code["data"]:
        raise InputError(f"was saved with other additional data: {code['data']}")
    for kind in ("scheduler", "allocator"):
        found[kind] = _policy(kind, code.get(kind), description["names"][kind], given[kind], origin)
    word = spec.resolved_options()["estimate"]
    found["estimate"] = _policy("estimator", code.get("estimator"), word, given["estimate"], origin)
    found["job_factory"] = _job_factory(spec, code.get("job_factory"), given["job_factory"], origin)
    return {name: one for name, one in found.items() if one is not None or name == "reader"}


def _policy(kind: str, code: str | None, called: str, policy: Any, origin: Origin) -> Any:
    """Returns the policy that was given, if it is the saved one, or one made of its name.

    Args:
        kind: What it is.
        code: The name of its class, or of a built-in policy with a function; None: the spec has it.
        called: What results call it.
        policy: The one that was given; None: none was.
        origin: Of the name.
    """
    argument = "estimate=..." if kind == "estimator" else f"{kind}=..."
    if policy is None:
        if code is None or not _is_class(code):
            return code and handed_over(code, origin)
        return _made(kind, code, argument, origin)
    from schedlab.dispatch.allocators import allocator_named
    from schedlab.dispatch.schedulers import scheduler_named
    from schedlab.simulation.parts import own_estimator

    named: dict[str, Any] = {
        "scheduler": scheduler_named,
        "allocator": allocator_named,
        "estimator": lambda given, origin: own_estimator(given, origin) or given,
    }
    made: Any = named[kind](policy, PERSON)
    if _name(made) != (code or called):
        raise InputError(
            f"was saved with {kind} {code or called}, not {made}; load it as it was, and give the "
            "other one to fork()"
        )
    return made


def _job_factory(spec: RunSpec, code: str | None, given: Any, origin: Origin) -> Any:
    """Returns the factory that was given, if it is the saved one, or what its name stands for."""
    name: str | None = code or (spec.job_factory if isinstance(spec.job_factory, str) else None)
    if given is None and name is None:
        return None
    from schedlab.workload.job_factory import factory_named, name_of

    if given is not None or name is None:
        made = factory_named(given, PERSON)
        if name is None or name_of(made) != name.partition("(")[0]:
            raise InputError(f"was saved with job factory {name}, not {name_of(made)}")
        return made
    try:
        factory_named(name, origin)
    except UntrustedCodeError as error:
        raise _or_given(error, "job_factory=...") from None
    except InputError as error:
        raise InputError(f"{error}; give job_factory=... again") from None
    return handed_over(name, origin)


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
