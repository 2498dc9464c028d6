"""The parts of a simulation as they are given: by name, or as objects."""

from __future__ import annotations

from schedlab.dispatch import BuiltInAllocator, Discipline
from schedlab.dispatch.schedulers import for_engine
from schedlab.errors import InputError
from schedlab.options import CHOICES
from schedlab.policy import Policy
from schedlab.workload.source import SWF_ATTRIBUTES, attributes_named

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedlab import _engine
    from schedlab.dispatch.additional_data import AdditionalData
    from schedlab.dispatch.estimators import Estimator
    from schedlab.simulation.core import Simulation


def label(given: object, made: object) -> str:
    """Returns how results name a part: as it was named, or its class with its plain attributes."""
    if isinstance(given, str):
        return given if isinstance(made, Policy) else str(made)
    if not isinstance(made, Policy):
        return str(made)
    plain = {k: v for k, v in vars(made).items() if isinstance(v, (bool, int, float, str))}
    arguments = ", ".join(f"{name}={value!r}" for name, value in plain.items())
    name = f"{type(made).__module__}:{type(made).__qualname__}"
    return f"{name}({arguments})" if arguments else name


def checked_data(given: Iterable[AdditionalData | str]) -> tuple[AdditionalData, ...]:
    """Returns the additional data as objects."""
    if given == ():
        return ()
    from schedlab.dispatch.additional_data import check

    return check(given)


def own_estimator(given: str | Estimator | None) -> Estimator | None:
    """Returns the estimator, where it is not one of the built-in words."""
    if given is None or given in CHOICES["estimate"]:
        return None
    from schedlab.dispatch.estimators import estimator

    return estimator(given)


def kept_attributes(simulation: Simulation, source: _engine.Source) -> list[str]:
    """Returns the attributes that jobs.csv has columns for."""
    keep = simulation.options["keep"]
    if keep is None:  # what a workload has beyond the fields of SWF is there to be looked at
        return [name for name in source.attribute_names if name not in SWF_ATTRIBUTES]
    names = [name.strip() for name in keep.split(",") if name.strip()]
    known = source.attribute_names
    for name in names:
        if simulation.input is not None and simulation.job_factory is None and name not in known:
            raise InputError(
                f'keep: the workload has no "{name}"; it has '
                f"{', '.join(dict.fromkeys((*SWF_ATTRIBUTES, *known)))}"
            )
    return names


def needed_attributes(simulation: Simulation) -> list[str]:
    """Returns the fields of rows that somebody may ask for: they cost time, so not all."""
    order = for_engine(simulation.scheduler)["order"]
    built_in = (
        isinstance(simulation.scheduler, Discipline)
        and isinstance(simulation.allocator, BuiltInAllocator)
        and isinstance(order, str)
        and simulation.estimator is None
    )
    if not built_in or simulation.data or simulation.job_factory is not None:
        return [*SWF_ATTRIBUTES]  # Python code may look at any
    expressions = [str(order).removeprefix("score:")]
    expressions += [window.when or "" for window in simulation.windows]
    expressions += [queue.when or "" for queue in simulation.queues]
    if any(queue.number is not None for queue in simulation.queues):
        expressions.append("queue")
    expressions.append(simulation.options["keep"] or "")
    return attributes_named(expressions)
