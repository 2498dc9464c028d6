"""The workload of the bundled example: made up by us, after what logs of real machines show.

Most jobs are small and their sizes powers of two; run times spread over orders of magnitude and
grow with size; people submit by day, in bursts of like jobs; a few of them submit most; and they
ask for far more time than they use, in round numbers. (Feitelson, "Workload Modeling for Computer
Systems Performance Evaluation", 2015, chapters 2 and 9, shows these in the archive's logs.)

Python's own generator draws everything, so a seed gives the same workload on every machine.
"""

from __future__ import annotations

import math
from random import Random

from schedlab.durations import HOUR
from schedlab.errors import InputError
from schedlab.workload.swf import SwfRow

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterator

NODES = 64
CORES_PER_NODE = 16
PROCESSORS = NODES * CORES_PER_NODE
OFFERED_LOAD = 0.87
"""Processor seconds that the jobs take, over those that pass until the last is submitted; about."""

START = 1_704_067_200
"""Unix time of the workload's time 0: Monday 2024-01-01 00:00 UTC."""

USERS = 48
COMMON_REQUESTS = tuple(
    round(hours * HOUR)
    for hours in (1 / 12, 1 / 6, 0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48)
)
"""What people type as the limit of a job, in seconds."""

_LONGEST = COMMON_REQUESTS[-1]
_POWERS_OF_TWO = tuple(1 << exponent for exponent in range(10))
_POWER_WEIGHTS = (22, 9, 11, 13, 17, 11, 8, 5, 2.5, 1)
_BY_HOUR = (
    *(0.35, 0.28, 0.24, 0.22, 0.22, 0.25, 0.35, 0.55, 0.95, 1.45, 1.75, 1.75),
    *(1.55, 1.65, 1.80, 1.85, 1.75, 1.50, 1.15, 0.95, 0.85, 0.75, 0.60, 0.45),
)
"""Jobs submitted by hour of the day, in any unit."""

_RATE_BY_HOUR = tuple(jobs * len(_BY_HOUR) / sum(_BY_HOUR) for jobs in _BY_HOUR)
_WEEKEND_RATE = 0.45
_WEEKDAY_RATE = (7 - 2 * _WEEKEND_RATE) / 5
_SAME_AGAIN = 0.45
"""Share of jobs that repeat the one before, seconds to minutes later."""


class _User:
    """How one person works: on what sizes and lengths, and how carefully they ask for time."""

    def __init__(self, number: int, random: Random) -> None:
        self.number = number
        self.group = 1 + number % 9
        self.typical_seconds = math.exp(random.gauss(math.log(1000), 0.9))
        self.padding = 1 + random.expovariate(1 / 1.5)
        careless = random.random() < 0.3
        self.asks_for = random.choice(COMMON_REQUESTS[6:]) if careless else None


def synthetic_rows(jobs: int, seed: int = 1) -> Iterator[SwfRow]:
    """Yields the rows of a workload for the example's machine, in order of submission.

    Args:
        jobs: How many.
        seed: Another one gives another workload of the same kind.

    Raises:
        InputError: `jobs` is not above 0.
    """
    if jobs < 1:
        raise InputError(f"jobs: must be a whole number from 1 up, not {jobs!r}")
    # The jobs are drawn twice, rather than kept: first to learn how much work they are, which
    # says how far apart they must be submitted to load the machine as intended.
    work = pauses = 0.0
    for row, pause in _draw(jobs, seed):
        work += row.run * row.allocated_processors
        pauses += pause
    seconds_per_pause = work / (PROCESSORS * OFFERED_LOAD) / pauses
    submit = 0.0
    for row, pause in _draw(jobs, seed):
        submit = _later(submit, pause * seconds_per_pause)
        yield row._replace(submit=round(submit))


def header_lines(jobs: int, seed: int) -> list[str]:
    """Returns the header of the file, without the semicolons."""
    fields = {
        "Version": "2.2",
        "Computer": "schedlab demo machine",
        "Installation": "none: this workload is synthetic",
        "Information": f"written by schedlab demo --jobs {jobs} --seed {seed}",
        "MaxJobs": jobs,
        "MaxRecords": jobs,
        "Preemption": "No",
        "UnixStartTime": START,
        "TimeZone": 0,
        "TimeZoneString": "UTC",
        "StartTime": "Mon Jan  1 00:00:00 UTC 2024",
        "MaxNodes": NODES,
        "MaxProcs": PROCESSORS,
        "MaxRuntime": _LONGEST,
        "MaxQueues": 1,
        "MaxPartitions": 1,
    }
    return [f" {key}: {value}" for key, value in fields.items()]


def _draw(jobs: int, seed: int) -> Iterator[tuple[SwfRow, float]]:
    """Yields jobs without their submit time, and the pause before each (its unit is open)."""
    random = Random(seed)
    users = [_User(number, random) for number in range(1, USERS + 1)]
    shares = [1 / rank**1.1 for rank in range(1, USERS + 1)]  # Zipf: a few submit most
    user, processors, typical = users[0], 1, 0.0
    for number in range(1, jobs + 1):
        repeated = typical > 0 and random.random() < _SAME_AGAIN
        if not repeated:
            user = random.choices(users, shares)[0]
            processors = _size(random)
            typical = user.typical_seconds * math.exp(random.gauss(0, 1.4)) * processors**0.25
        failed = random.random() < 0.07  # a typing mistake in the script shows within seconds
        drawn = random.uniform(1, 45) if failed else typical * math.exp(random.gauss(0, 0.25))
        run = max(1, min(_LONGEST, round(drawn)))
        row = SwfRow(
            job=number,
            submit=0,
            run=run,
            allocated_processors=processors,
            requested_processors=processors,
            requested_time=_request(run if not failed else round(typical), run, user),
            status=0 if failed else 1,
            user=user.number,
            group=user.group,
            queue=1,
            partition=1,
        )
        yield row, random.expovariate(1) * (0.08 if repeated else 1)


def _size(random: Random) -> int:
    """Returns a number of processors: mostly a power of two, else one nearby."""
    size = random.choices(_POWERS_OF_TWO, _POWER_WEIGHTS)[0]
    if size > 2 and random.random() < 0.2:
        size = round(size * random.uniform(0.6, 1.5))
    return min(size, PROCESSORS)


def _request(expected: int, run: int, user: _User) -> int:
    """Returns the limit that a user asks for: padded, then the next common value."""
    if user.asks_for is not None and user.asks_for >= run:
        return user.asks_for
    wanted = max(run, expected * user.padding)
    return next((request for request in COMMON_REQUESTS if request >= wanted), _LONGEST)


def _later(moment: float, pause: float) -> float:
    """Returns the moment after a pause that passes quickly by day and slowly by night."""
    while True:
        hour = int(moment // HOUR)
        rate = _RATE_BY_HOUR[hour % 24] * (_WEEKEND_RATE if hour // 24 % 7 >= 5 else _WEEKDAY_RATE)
        rest = (hour + 1) * HOUR - moment
        if pause <= rest * rate:
            return moment + pause / rate
        pause -= rest * rate
        moment = float((hour + 1) * HOUR)
