"""Additional data: values worked out while a simulation runs, for policies and for the results."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.policy import Policy, default

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from schedlab._engine import JobView, State
    from schedlab.system import System
    from schedlab.trust import Origin

BUILT_IN = {"link-use": "schedlab.dispatch.link_use:LinkUse"}
"""Additional data that is found by name."""


class AdditionalData(Policy):
    """Base of additional data of your own.

    Attributes:
        publishes: Names of the numbers that `update` returns. Policies read them as
            `state.data(name)`, expressions as `data.name`; timeline files have a column for each.
        publishes_tables: Names of tables (dicts from whole numbers to numbers); expressions read
            them as `data.name[user]`.
        every: Seconds between updates; None: at every time point.
        when: "before" the scheduler's decision, or "after" it.
    """

    publishes: tuple[str, ...] = ()
    publishes_tables: tuple[str, ...] = ()
    every: float | None = None
    when: str = "before"

    @default
    def prepare(self, system: System) -> None:
        """Called with the machine before anything begins; may set `publishes` by it.

        Raises: InputError: The machine is not suitable.
        """

    def update(self, state: State) -> dict[str, Any]:
        """Returns values by name; a name that is left out keeps its value."""
        raise NotImplementedError(f"{type(self).__name__} must define update(state)")

    @default
    def before_submission(self, job: JobView) -> dict[str, Any] | None:
        """Called with every job that arrives, before its estimate and its queue are found.

        Returns:
            Values by name, as `update` does, or None. They hold from now on: conditions of queues
            and windows, and the scheduler's order, read them for this job.
        """

    @default
    def after_submission(self, job: JobView) -> dict[str, Any] | None:
        """Called with every job that arrived; `job.state` is "queued", "held" or "rejected".

        Returns:
            Values by name, as `update` does, or None.
        """

    @default
    def started(self, job: JobView) -> None:
        """Called with every job that starts."""

    @default
    def ended(self, job: JobView) -> None:
        """Called with every job that ran, at its end; `job.elapsed` is how long."""

    @default
    def stop(self, state: State) -> None:
        """Called once when the simulation is over: nothing is left to happen, or it was stopped."""


def _made(given: AdditionalData | str, origin: Origin) -> AdditionalData:
    """Returns what `package.module:Class` or an entry point names, where a name is given."""
    if not isinstance(given, str):
        return given
    from schedlab.naming import build

    made = build("additional data", given, AdditionalData, BUILT_IN, origin=origin)
    assert isinstance(made, AdditionalData)
    return made


def _is_column(name: str, system: System | None) -> bool:
    columns = ("time", "queued", "running", "dispatch_nanoseconds", "other_nanoseconds")
    licenses = () if system is None else (f"license_{one}" for one in system.licenses)
    return name in (*columns, "memory_bytes", *licenses) or name.endswith("_used")


def check(
    given: Iterable[AdditionalData | str], origin: Origin, system: System | None = None
) -> tuple[AdditionalData, ...]:
    """Returns the objects, which are given the system, if there is one.

    Args:
        given: Objects, or their names.
        origin: Where names come from.
        system: The machine.

    Raises:
        InputError: One does not say properly what it publishes, or the system is not suitable.
        UntrustedCodeError: One names code, and comes from data that is not trusted.
    """
    if isinstance(given, (AdditionalData, str)) or not hasattr(given, "__iter__"):
        raise InputError(f"data: must be a list of AdditionalData objects, not {given!r}")
    checked = tuple(_made(one, origin) for one in given)
    seen: set[str] = set()
    for data in checked:
        if not isinstance(data, AdditionalData):
            raise InputError(f"data: must be objects of AdditionalData classes, not {data!r}")
        label = type(data).__name__
        if system is not None:
            data.prepare(system)
        for names in (data.publishes, data.publishes_tables):
            listed = isinstance(names, (tuple, list))
            if not listed or not all(isinstance(name, str) for name in names):
                raise InputError(f"{label}: what it publishes must be a tuple of names")
            for name in names:
                is_column = _is_column(name, system)
                if not name.isidentifier() or name in seen or is_column:
                    wrong = "is published twice" if name in seen else "is not a name for a value"
                    if is_column:
                        wrong = "is a column that timelines have anyway"
                    raise InputError(f"{label}: {name!r} {wrong}")
                seen.add(name)
        every = data.every
        if every is not None and not (isinstance(every, (int, float)) and every > 0):
            raise InputError(f"{label}: every must be seconds above 0 or None, not {every!r}")
        if data.when not in ("before", "after"):
            raise InputError(f'{label}: when must be "before" or "after", not {data.when!r}')
    return checked
