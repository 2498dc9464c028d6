"""The parts of a simulation as they are given: by name, or as objects."""

from __future__ import annotations

import os

from schedlab.dispatch import BuiltInAllocator, Discipline
from schedlab.dispatch.orders import read_by
from schedlab.dispatch.schedulers import for_engine
from schedlab.errors import InputError
from schedlab.options import CHOICES, DEFAULTS, refuse_without_network
from schedlab.policy import Policy
from schedlab.trust import data
from schedlab.workload.numbered_texts import EXPLAINED
from schedlab.workload.source import SWF_ATTRIBUTES, attributes_named

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from schedlab import _engine
    from schedlab.conditions import Conditions
    from schedlab.dispatch import Allocator
    from schedlab.dispatch.additional_data import AdditionalData
    from schedlab.dispatch.estimators import Estimator
    from schedlab.simulation.core import ConditionsSource, Simulation
    from schedlab.system import System
    from schedlab.system.preemption import Preemption
    from schedlab.system.queues import Queue
    from schedlab.system.windows import Window
    from schedlab.trust import Origin
    from schedlab.workload.applications import Texts
    from schedlab.workload.job_factory import JobFactory

MANY_RESERVATIONS = 10_000
"""Jobs with reservations at once, of which a run says what more of them cost."""


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


def names_of_parts(
    simulation: Simulation, scheduler: object, allocator: object, estimate: object
) -> dict[str, Any]:
    """Returns how results name the parts of a simulation, given what they were made of."""
    made = simulation.estimator
    return {
        "scheduler": label(scheduler, simulation.scheduler),
        "allocator": label(allocator, simulation.allocator),
        "data": [label(one, one) for one in simulation.data],
        "estimator": None if made is None else label(estimate, made),
    }


def checked_data(
    given: Iterable[AdditionalData | str], system: System, origin: Origin
) -> tuple[AdditionalData, ...]:
    """Returns the additional data as objects, which know the machine."""
    if given == ():
        return ()
    from schedlab.dispatch.additional_data import check

    return check(given, origin, system)


def origin_of_jobs(workload: Any, trust_code: bool) -> Origin:
    """Returns where applications of jobs come from that the person did not name."""
    path = workload if isinstance(workload, (str, os.PathLike)) else getattr(workload, "path", "")
    return data(os.fsdecode(path or ""), trust_code)


def platform_for_engine(system: System) -> dict[str, Any] | None:
    """Returns what the engine gets of processors, if the system has node types."""
    if not system.platform:
        return None
    from schedlab.system import platform

    return platform.for_engine(system)


def network_for_engine(
    system: System, options: dict[str, Any], texts: Texts, names: Origin, of_jobs: Origin
) -> dict[str, Any] | None:
    """Returns what the engine gets of the network and of what runs on it.

    Raises:
        InputError: An option is given that has no meaning there.
    """
    if system.network is None:
        refuse_without_network(options)
        ignored = {"network": None, "fidelity": "none", "mapping": None}
        return ignored if options["fidelity"] == "none" else None
    if options["fidelity"] != "fluid" and options["accuracy"] != DEFAULTS["accuracy"]:
        raise InputError(
            f"accuracy: is of fidelity fluid alone, and has no meaning for {options['fidelity']}"
        )
    from schedlab.simulation import applications

    return applications.for_engine(system, options, texts, names, of_jobs)


def checked_windows(
    given: str | os.PathLike[str] | Iterable[Window], system: System
) -> tuple[tuple[Window, ...], tuple[list[Any], list[list[tuple[int, int]]], list[str]]]:
    """Returns the windows, and what the engine gets of them."""
    if given == ():
        return (), ([], [], [])
    from schedlab.system import windows

    checked = windows.load_windows(given)
    return checked, windows.for_engine(checked, system)


def checked_queues(given: str | os.PathLike[str] | Iterable[Queue]) -> tuple[Queue, ...]:
    """Returns the queues."""
    if given == ():
        return ()
    from schedlab.system import queues

    return queues.load_queues(given)


def checked_preemption(
    system: System, queues: tuple[Queue, ...], allocator: Allocator | BuiltInAllocator
) -> tuple[Preemption, ...]:
    """Returns how jobs take room from running ones; nothing where they do not.

    Raises:
        InputError: It does not go together with the allocator.
    """
    given = [queue.preempt for queue in queues] + [one.preempt for one in system.partitions]
    if not any(given):
        return ()
    from schedlab.system import preemption

    found = preemption.of_machine(system, queues)
    refuse_own_allocator(allocator)
    return found


def preemption_for_engine(every: tuple[Preemption, ...]) -> list[tuple[Any, ...]]:
    """Returns priority, whether jobs are cancelled, grace and exemption of each."""
    return [(one.priority, one.victims == "cancel", one.grace, one.exempt) for one in every]


def refuse_own_allocator(allocator: Allocator | BuiltInAllocator) -> None:
    """Raises InputError for an allocator that cannot be asked about nodes that are not free yet."""
    if not isinstance(allocator, BuiltInAllocator):
        raise InputError(
            f"allocator: {label(allocator, allocator)} is of Python, and queues or partitions "
            "preempt; they need a built-in allocator, such as first-fit"
        )


def checked_conditions(
    given: ConditionsSource | None,
    system: System,
    seed: int,
    interrupts_jobs: bool,
    preemption: tuple[Preemption, ...],
) -> tuple[Conditions | None, dict[str, Any] | None]:
    """Returns what happens to the machine, and what the engine gets of it.

    Args:
        given: What the user gave.
        system: The machine.
        seed: Of the run.
        interrupts_jobs: Whether the scheduler may end running jobs.
        preemption: How queues and partitions do.
    """
    if given is None and not interrupts_jobs and not preemption:
        return None, None
    from schedlab.conditions import Conditions, load_conditions, machine

    conditions = None if given is None else load_conditions(given)
    if preemption and conditions is not None and conditions.caps:
        # A start that a cap refuses would have cost others in vain.
        raise InputError(
            f"{conditions.source or 'conditions'}: caps: do not go together with queues or "
            "partitions that preempt; remove the caps or preempt"
        )
    ends = interrupts_jobs or bool(preemption)
    return conditions, machine.for_engine(
        conditions or Conditions(), system, seed, interrupts_jobs=ends
    )


def own_estimator(given: str | Estimator | None, origin: Origin) -> Estimator | None:
    """Returns the estimator, where it is not one of the built-in words."""
    if given is None or given in CHOICES["estimate"]:
        return None
    from schedlab.dispatch.estimators import estimator_named

    return estimator_named(given, origin)


def own_factory(
    given: str | JobFactory | None, origin: Origin
) -> tuple[JobFactory | None, str | None]:
    """Returns the job factory and what results call it."""
    if given is None:
        return None, None
    from schedlab.workload import job_factory

    made = job_factory.factory_named(given, origin)
    return made, given if isinstance(given, str) else job_factory.name_of(given)


TRAFFIC = (
    *("application", "compute", "communication", "file_access"),
    *("messages", "bytes", "mean_hops", "hop_bytes"),
)
"""What is known of a job that ran an application."""


def engine_facts(
    system: System, conditions: dict[str, Any] | None, options: dict[str, Any]
) -> list[str]:
    """Returns the columns of jobs.csv that only some simulations have."""
    facts = ["speed"] if system.platform else []
    if system.network is not None and options["fidelity"] != "none":
        facts += TRAFFIC
        if options["alone"] or options["fidelity"] == "phase":
            facts.append("network_slowdown")
    if system.power:
        facts.append("energy")
    if conditions is not None and conditions["failures"] is not None:
        facts += ["interruptions", "lost_seconds"]
    return facts


OWN_COLUMNS = (
    *("job_id", "user", "submit", "start", "end", "state", "tasks", "estimate", "nodes", "wait"),
    *("slowdown", "bounded_slowdown", "amounts", "reason"),
)
"""Of every jobs.csv."""


def kept_attributes(simulation: Simulation, source: _engine.Source) -> list[str]:
    """Returns the attributes that jobs.csv has columns for."""
    keep = simulation.options["keep"]
    if keep is None:  # what a workload has beyond the fields of SWF is there to be looked at
        others = (*SWF_ATTRIBUTES, *OWN_COLUMNS, *EXPLAINED)  # numbers of texts mean nothing there
        return [name for name in source.attribute_names if name not in others]
    names = [name.strip() for name in keep.split(",") if name.strip()]
    known = source.attribute_names
    for name in names:
        if name in OWN_COLUMNS:
            raise InputError(f'keep: jobs.csv has its own column "{name}"; rename the attribute')
        if simulation.input is not None and simulation.job_factory is None and name not in known:
            raise InputError(
                f'keep: the workload has no "{name}"; it has '
                f"{', '.join(dict.fromkeys((*SWF_ATTRIBUTES, *known)))}"
            )
    return names


def needed_attributes(simulation: Simulation) -> list[str]:
    """Returns the fields of rows that a user may ask for: they cost time, so not all."""
    order = for_engine(simulation.scheduler, simulation.origin)["order"]
    built_in = (
        isinstance(simulation.scheduler, Discipline)
        and isinstance(simulation.allocator, BuiltInAllocator)
        and isinstance(order, str)
        and simulation.estimator is None
    )
    if not built_in or simulation.data or simulation.job_factory is not None:
        return [*SWF_ATTRIBUTES]  # Python code may look at any
    expressions = [read_by(order)]
    expressions += [window.when or "" for window in simulation.windows]
    expressions += [queue.when or "" for queue in simulation.queues]
    if simulation.queues:
        from schedlab.system.queues import by_field

        expressions += ["queue"] if by_field(simulation.queues) else []
    expressions += ["partition"] if simulation.system.partitions else []
    expressions.append(simulation.options["keep"] or "")
    return attributes_named(expressions)


def empty_text(report: dict[str, Any]) -> str:
    """Returns what is said of a workload without jobs, of which rows may have been skipped."""
    reasons = [
        f"{rows['rows']:,} x {reason}"
        + (f" (first in line {rows['first_line']:,})" if rows["first_line"] else "")
        for reason, rows in report["skipped"].items()
    ]
    skipped = f"; rows skipped: {', '.join(reasons)}" if reasons else ": the file has no rows"
    return f"no job to simulate{skipped}"


def long_queue_warnings(simulation: Simulation) -> list[str]:
    """Returns what reservations for a long queue cost, and what bounds that."""
    reserved = simulation.engine.most_reserved
    if reserved <= MANY_RESERVATIONS:
        return []
    return [
        f"{simulation.names['scheduler']}: {reserved:,} waiting jobs had reservations at once, and "
        "each is tried again whenever a job ends, so that the time grows with the square of the "
        "queue; conservative(depth=100) gives reservations to the first 100 alone, which is "
        "another schedule"
    ]
