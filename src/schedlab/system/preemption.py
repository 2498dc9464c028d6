"""Preemption: jobs of a queue or a partition take room from running jobs of lower priority."""

from __future__ import annotations

from schedlab.decode import MAX_SECONDS, child
from schedlab.errors import InputError
from schedlab.fields import Defined, seconds, whole, word

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.fields import Taking
    from schedlab.system.definition import System
    from schedlab.system.queues import Queue

MAX_PRIORITY = 2**31 - 1


class Preemption(Defined):
    """Jobs of the queue or partition take room from running jobs of lower priority."""

    priority: int = whole(
        "jobs take room from running jobs of a lower one; that of jobs of queues and partitions "
        "without `preempt` is 0",
        minimum=1,
        maximum=MAX_PRIORITY,
        example="1",
    )
    victims: str = word(
        ("requeue", "cancel"),
        "what becomes of those jobs: they join the queue again, and begin at their start or their "
        "last checkpoint; or they are over",
        default="requeue",
    )
    grace: Taking[float, float | str] = seconds(
        "for how long those jobs run on before they are ended", maximum=MAX_SECONDS, default=0
    )
    exempt: Taking[float, float | str] = seconds(
        "a job that has run for less is left alone", maximum=MAX_SECONDS, default=0
    )


def of_machine(system: System, queues: tuple[Queue, ...]) -> tuple[Preemption, ...]:
    """Returns all preemption there is, each once, as the engine numbers it from 1 on.

    Raises:
        InputError: Both queues and partitions have it.
    """
    of_queues = {queue.name: queue.preempt for queue in queues if queue.preempt is not None}
    of_partitions = {one.name: one.preempt for one in system.partitions if one.preempt is not None}
    if of_queues and of_partitions:
        raise InputError(
            f"queues: {child('queues', next(iter(of_queues)))}.preempt and "
            f"{child('partitions', next(iter(of_partitions)))}.preempt: a job would have two "
            "priorities; let either queues or partitions preempt"
        )
    return tuple(dict.fromkeys((*of_queues.values(), *of_partitions.values())))


def number(preemption: Preemption | None, every: tuple[Preemption, ...]) -> int:
    """Returns the number by which the engine knows it; 0: there is none."""
    return 0 if preemption is None else 1 + every.index(preemption)
