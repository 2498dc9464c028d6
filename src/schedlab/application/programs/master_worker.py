"""One rank gives tasks to all others, as they get ready for one."""

from __future__ import annotations

from functools import lru_cache
from math import log

from schedlab.application.marks import checked, iterative
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.application.communicator import Communicator, Program

DISTRIBUTIONS = ("constant", "uniform", "exponential")


def _fits(ranks: int | None, tasks: int, distribution: str, **_: object) -> None:
    if tasks < 1:
        raise InputError(f"tasks must be a whole number from 1 up, not {tasks}")
    if distribution not in DISTRIBUTIONS:
        raise InputError(
            f"distribution must be one of {', '.join(DISTRIBUTIONS)}, not {distribution}"
        )
    if ranks == 1:
        raise InputError("a master needs a worker: give the job 2 ranks or more")


@checked(_fits)
@iterative
def master_worker(
    mpi: Communicator,
    tasks: int = 100,
    bytes: int = 1024,
    result_bytes: int = 1024,
    distribution: str = "exponential",
    seed: int = 0,
    iterations: int = 1,
    compute: float = 0.01,
) -> Program:
    """Lets rank 0 hand out tasks of different lengths to the other ranks.

    Rank 0 sends a task to each worker, and then another one to whoever sends a result, with a
    receive from any rank. A task is a Python value: its number and its length. In the end each
    worker is sent a message that there are no more.

    On the wire, per iteration: `tasks` messages of `bytes` from rank 0, and as many of
    `result_bytes` to it. At the end of all of them, one message of 0 bytes to each worker.

    Args:
        mpi: The ranks; 2 or more.
        tasks: In each iteration; the master waits for all of their results before the next one.
        bytes: Of a task.
        result_bytes: Of a result.
        distribution: Of the lengths of tasks: "constant", "uniform" from 0 to twice the mean, or
            "exponential".
        seed: Of the lengths.
        iterations: How often.
        compute: Seconds of a task on average.

    Returns:
        On rank 0, which worker did which task: for each iteration, workers by task. On the others,
        how many tasks they did.
    """
    if mpi.rank:
        done = 0
        while True:
            task = (yield mpi.recv(0)).value
            if task is None:
                return done
            number, seconds = task
            yield mpi.compute(seconds)
            yield mpi.send(0, result_bytes, value=number)
            done += 1
    lengths = task_seconds(tasks, compute, distribution, seed)
    did = []
    for _ in range(iterations):
        workers = [0] * tasks
        given = min(tasks, mpi.size - 1)
        for number in range(given):
            yield mpi.send(number + 1, bytes, value=(number, lengths[number]))
        for _ in range(tasks):
            result = yield mpi.recv(mpi.ANY)
            workers[result.value] = result.source
            if given < tasks:
                yield mpi.send(result.source, bytes, value=(given, lengths[given]))
                given += 1
        did.append(workers)
    for worker in range(1, mpi.size):
        yield mpi.send(worker, 0)
    return did


@lru_cache(maxsize=16)
def task_seconds(tasks: int, mean: float, distribution: str, seed: int) -> tuple[float, ...]:
    """Returns the lengths of tasks."""
    from random import Random

    draw = Random(seed).random
    if distribution == "constant":
        return (mean,) * tasks
    if distribution == "uniform":
        return tuple(2 * mean * draw() for _ in range(tasks))
    return tuple(-mean * log(1 - draw()) for _ in range(tasks))
