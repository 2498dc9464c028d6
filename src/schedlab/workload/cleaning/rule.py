"""What finds jobs that do not belong in a workload: the base of all rules."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, NamedTuple

import polars

from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Log(NamedTuple):
    """A workload as a whole, as a rule may need to know it.

    Attributes:
        rows: How many jobs it has.
        header: What its file says of it, by the names of SWF's header.
        processors: How many the machine has; None where nobody says.
        given: Jobs that have a value, by column. A column that no job has is not recorded.
    """

    rows: int
    header: Mapping[str, str]
    processors: int | None
    given: Mapping[str, int]


class Finding(NamedTuple):
    """Jobs of a table that a rule takes out, for one reason.

    Attributes:
        reason: What is wrong with them, in a few words; jobs are counted by it.
        when: Which jobs: true or false for each row.
        evidence: A text for each row: the numbers that show it.
    """

    reason: str
    when: polars.Expr | polars.Series
    evidence: polars.Expr | polars.Series | str = ""


class CleaningRule:
    """Base of a rule of your own. It defines `find`, and `survey` if it must see all jobs first.

    A cleaning works on a copy of the rule, so what it keeps on `self` is that of one cleaning.
    Arguments of `__init__` that are kept under their own names appear in the rule's description.

    Attributes:
        name: What the rule is called in tables and files; by default its class.
        notes: What people should know, such as why the rule could not be applied.
    """

    name: str = ""
    notes: tuple[str, ...] = ()

    def survey(self, jobs: polars.DataFrame) -> None:
        """Looks at some jobs of the workload; it is called for all of them before `settle`."""

    def settle(self, log: Log) -> None:
        """Takes what is known of the whole workload, before the first `find`."""

    def find(self, jobs: polars.DataFrame) -> Iterable[Finding]:
        """Returns what goes; called once for each part of the workload, in its order.

        Args:
            jobs: A job table with all columns of SWF; -1 is a missing value.
        """
        raise NotImplementedError(f"{type(self).__name__} must define find()")

    def __str__(self) -> str:
        given = [
            f"{name}={getattr(self, name)}"
            for name in inspect.signature(type(self)).parameters
            if getattr(self, name, None) is not None
        ]
        return self.title + (f"({', '.join(given)})" if given else "")

    @property
    def title(self) -> str:
        """What the rule is called."""
        return self.name or type(self).__name__


def size() -> polars.Expr:
    """Returns the processors of each job: those it had, else those it asked for."""
    had, requested = polars.col("allocated_processors"), polars.col("requested_processors")
    return polars.when(had > 0).then(had).otherwise(requested)


def number_text(column: str) -> polars.Expr:
    """Returns the numbers of a column as texts: whole ones without a decimal point."""
    value = polars.col(column)
    whole = value.is_finite() & (value.abs() < 2**53) & (value == value.floor())
    return (
        polars.when(whole)
        .then(value.cast(polars.Int64, strict=False).cast(polars.String))
        .otherwise(value.cast(polars.String))
    )


def within(rule: str, name: str, value: object, least: float, most: float) -> None:
    """Checks a parameter of a rule.

    Raises:
        InputError: It is not a number, or not from `least` to `most`.
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not least <= value <= most:  # type: ignore[operator]
        raise InputError(
            f"rule {rule}: {name} must be a number from {least:g} to {most:g}, not {value!r}"
        )
