"""Additional data: values worked out while a simulation runs, for policies and for the results."""

from __future__ import annotations

from schedlab.policy import Policy, default

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab._engine import JobView, State


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

    def update(self, state: State) -> dict[str, Any]:
        """Returns values by name; a name that is left out keeps its value."""
        raise NotImplementedError(f"{type(self).__name__} must define update(state)")

    @default
    def started(self, job: JobView) -> None:
        """Told of every job that starts."""

    @default
    def ended(self, job: JobView) -> None:
        """Told of every job that ran, at its end; `job.elapsed` is how long."""
