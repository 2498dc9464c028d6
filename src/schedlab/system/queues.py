"""Several queues with priorities and conditions of admission."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.frozen import Frozen
from schedlab.system.load import load_objects

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Any


class Queue(Frozen):
    """A queue of jobs; those of a higher priority go first.

    Args:
        name: For people.
        priority: Higher goes first; equal ones are one queue to the scheduler.
        when: An expression over a job: its condition of admission. None: every job.
        number: By which jobs name it in their field `queue`. None: the queue takes jobs by its
            condition.
    """

    __slots__ = _fields = ("name", "priority", "when", "number")
    name: str
    priority: float
    when: str | None
    number: int | None

    def __init__(
        self, name: str, priority: float = 0, when: str | None = None, number: int | None = None
    ) -> None:
        if not isinstance(name, str) or not name:
            raise InputError(f"queue: name must be a text, not {name!r}")
        number_given = isinstance(priority, (int, float)) and not isinstance(priority, bool)
        if not number_given or not -1e300 < priority < 1e300:
            raise InputError(f"queue {name!r}: priority must be a number, not {priority!r}")
        if when is not None and not isinstance(when, str):
            raise InputError(f"queue {name!r}: when must be an expression, not {when!r}")
        whole = isinstance(number, int) and not isinstance(number, bool)
        if number is not None and not (whole and abs(number) < 2**53):
            raise InputError(f"queue {name!r}: number must be a whole number, not {number!r}")
        self._set(name=name, priority=priority, when=when, number=number)


def load_queues(given: str | os.PathLike[str] | Iterable[Queue]) -> tuple[Queue, ...]:
    """Returns the queues of a file (.toml, .json, .yaml), or those given.

    A file has a list `queues` of tables with the arguments of `Queue`.

    Raises:
        InputError: One is wrong, or they do not go together.
    """
    queues = load_objects(given, "queues", Queue)
    numbered = [queue.number for queue in queues if queue.number is not None]
    if numbered and len(numbered) < len(queues):
        raise InputError("queues: give all of them a number, or none")
    for values, label in ((numbered, "number"), ([queue.name for queue in queues], "name")):
        if len(set(values)) < len(values):
            raise InputError(f"queues: two have the same {label}")
    return queues


def for_engine(queues: tuple[Queue, ...]) -> tuple[list[Any], str | None]:
    """Returns (rank, condition, number) of each, and the field by which jobs name one."""
    priorities = sorted({queue.priority for queue in queues}, reverse=True)
    rules = [(priorities.index(q.priority), q.when, q.number) for q in queues]
    by_field = any(queue.number is not None for queue in queues)
    return rules, "queue" if by_field else None
