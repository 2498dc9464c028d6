"""Job factories: functions that see, change or leave out each job on its way to the engine."""

from __future__ import annotations

from schedlab.errors import InputError, SimulationError
from schedlab.naming import function
from schedlab.trust import PERSON

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from schedlab.trust import Origin
    from schedlab.workload.job import Job

    JobFactory = Callable[[Job], Job | None]


def job_factory(given: str | JobFactory) -> JobFactory:
    """Returns the factory that a person gives: a function, or what `package.module:name` names.

    A class is called first, with the arguments of the text: `package.module:Class(watts=300)`.

    Raises:
        InputError: There is no such thing, or it cannot be called.
    """
    return factory_named(given, PERSON)


def factory_named(given: str | JobFactory, origin: Origin) -> JobFactory:
    """Returns a factory, as `job_factory` takes it.

    Args:
        given: The function, or its name.
        origin: Where the name comes from.

    Raises:
        InputError: There is no such thing, or it cannot be called.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    found = function("job factory", given, (), origin) if isinstance(given, str) else given
    if not callable(found) or isinstance(found, type):
        raise InputError(f"job factory: must be a function of a job, not {given!r}")
    return found


def name_of(factory: JobFactory) -> str:
    """Returns `module:name` of a function, or of an object's class."""
    named: Any = factory if hasattr(factory, "__qualname__") else type(factory)
    return f"{named.__module__}:{named.__qualname__}"


def saved(factory: JobFactory) -> bytes:
    """Returns the state of a factory that is an object; functions have none.

    Raises:
        SimulationError: It is not plain data.
    """
    from schedlab.state_text import encode

    owner = _owner(factory)
    name = name_of(factory)
    if owner is None:
        return b""
    try:
        state = owner.get_state() if hasattr(owner, "get_state") else dict(vars(owner))
        return encode(state, name)
    except TypeError as error:
        raise SimulationError(
            f"the job factory {name} cannot be saved: {error}, which is not plain data; "
            "give it get_state() and set_state()"
        ) from None


def restore(factory: JobFactory, state: bytes) -> None:
    """Gives a factory the state that `saved` returned."""
    owner = _owner(factory)
    if owner is None or not state:
        return
    from schedlab.state_text import decode

    if hasattr(owner, "set_state"):
        owner.set_state(decode(state))
    else:
        vars(owner).clear()
        vars(owner).update(decode(state))


def _owner(factory: JobFactory) -> Any:
    """Returns the object whose attributes are the factory's state."""
    owner = getattr(factory, "__self__", None) or factory  # of a method, its object
    stateless = hasattr(owner, "__qualname__") or not hasattr(owner, "__dict__")
    return None if stateless or type(owner).__name__ == "module" else owner
