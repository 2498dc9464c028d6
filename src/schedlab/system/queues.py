"""Several queues with priorities and conditions of admission."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import Defined, expression, number, part, text, whole
from schedlab.system.load import load_objects
from schedlab.system.named_numbers import numbers_by_name, some
from schedlab.system.preemption import Preemption
from schedlab.system.preemption import number as number_of_preemption

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Any

MAX_QUEUES = 1_000
MAX_NUMBER = 2**53 - 1


class Queue(Defined):
    """A queue of jobs; those of a higher priority go first."""

    name: str = text(
        "no two have the same; where the workload names queues, that of those whose jobs it takes",
        example='"short"',
    )
    priority: float = number(
        "higher goes first; queues of the same priority are one to the scheduler",
        above=-1e300,
        below=1e300,
        as_written=True,
        values="number",
        default=0,
    )
    when: str | None = expression(
        "an expression over a job: the condition of admission",
        default=None,
        absent="every job is admitted",
    )
    number: int | None = whole(
        "by which jobs name the queue, where the workload has numbers alone; all queues have one, "
        "or none",
        minimum=-MAX_NUMBER,
        maximum=MAX_NUMBER,
        values="whole number",
        default=None,
        absent="jobs are taken by name or condition",
    )
    preempt: Preemption | None = part(
        Preemption,
        "how its jobs take room from running ones",
        default=None,
        absent="they take none",
    )


def load_queues(given: str | os.PathLike[str] | Iterable[Queue]) -> tuple[Queue, ...]:
    """Returns the queues of a file (.toml, .json, .yaml), or those given.

    A file has a list `queues` of tables with the arguments of `Queue`.

    Raises:
        InputError: One is wrong, or they do not fit together.
    """
    queues = load_objects(given, "queues", Queue)
    decode.refuse_more(len(queues), MAX_QUEUES, "queues")
    numbered = [queue.number for queue in queues if queue.number is not None]
    if numbered and len(numbered) < len(queues):
        raise InputError("queues: give all of them a number, or none")
    for values, label in ((numbered, "number"), ([queue.name for queue in queues], "name")):
        if len(set(values)) < len(values):
            raise InputError(f"queues: two have the same {label}")
    return queues


def by_field(queues: tuple[Queue, ...]) -> bool:
    """Returns whether jobs may say which queue they are in; else the queues' conditions do."""
    numbered = any(queue.number is not None for queue in queues)
    # Without numbers and conditions, nothing but the names can distinguish one from the other.
    return numbered or (len(queues) > 1 and all(queue.when is None for queue in queues))


def for_engine(
    queues: tuple[Queue, ...],
    named: dict[str, int],
    numbers_made: bool,
    preemption: tuple[Preemption, ...],
) -> tuple[list[Any], str | None, list[str]]:
    """Returns (rank, condition, number, preemption) of each, the field that names one, warnings.

    Args:
        queues: All of them.
        named: Numbers of the queues that the workload has names for.
        numbers_made: Whether these numbers stand for the names, and mean nothing by themselves.
        preemption: All there is.

    Raises:
        InputError: Jobs name queues, and none of these.
    """
    priorities = sorted({queue.priority for queue in queues}, reverse=True)
    chosen = by_field(queues)
    numbers, warnings = _numbers(queues, named, numbers_made) if chosen else ({}, [])
    rank = {priority: place for place, priority in enumerate(priorities)}
    rules = [
        (
            rank[q.priority],
            q.when,
            numbers.get(q.name),
            number_of_preemption(q.preempt, preemption),
        )
        for q in queues
    ]
    return rules, "queue" if chosen else None, warnings


def _numbers(
    queues: tuple[Queue, ...], named: dict[str, int], numbers_made: bool
) -> tuple[dict[str, int], list[str]]:
    """Returns by which number jobs name each queue, and warnings; a known name decides."""
    own = {queue.name: queue.number for queue in queues}
    numbered = any(number is not None for number in own.values())
    if (numbers_made or not numbered) and not own.keys() & named.keys():
        of_workload = f"it has {some([*named])}" if named else "it has no names of queues"
        raise InputError(
            f"queues: {', '.join(own)}: the workload names none of them; {of_workload}"
            + ("" if numbered else "; give them conditions, or numbers where it has numbers")
        )
    return numbers_by_name("queues", own, named, numbers_made)
