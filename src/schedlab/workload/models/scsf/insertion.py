"""Insertions: what a trigger and a pattern add to regular jobs, and ScSF's workflow policies."""

from __future__ import annotations

import copy
import heapq
import math
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from schedlab.durations import duration_of
from schedlab.errors import InputError
from schedlab.workload.models.scsf.inserted import Footprint, Inserted, footprint
from schedlab.workload.models.scsf.patterns import Member, Pattern, PlainJob, WeightedChoice
from schedlab.workload.models.scsf.triggers import (
    NEVER,
    Periodic,
    ShareOfWork,
    Submitted,
    Trigger,
    shares_are_all,
)
from schedlab.workload.random_numbers import generator
from schedlab.workload.workflow import Workflow

if TYPE_CHECKING:
    from collections.abc import Sequence

REPEATED = (Workflow.as_jobs, PlainJob.as_jobs)
"""What gives the same jobs each time, except for numbers and time: those of `job_rows`."""

MOST_AT_ONCE, MOST_IN_VAIN = 100_000, 100
"""Insertions at one moment, before a trigger counts as one that never stops; and those that bring
no work at all."""


@dataclass(frozen=True)
class Insertion:
    """Something that is submitted in the experiment phase beside regular jobs.

    Attributes:
        trigger: When.
        pattern: What.
        handling: How workflows become jobs: "chained", a job for each task with the jobs it waits
            for, or "pilot", one job for all (the paper's multi and single).
    """

    trigger: Trigger
    pattern: Pattern
    handling: str = "chained"

    def __post_init__(self) -> None:
        """Raises InputError where a part is of the wrong kind."""
        if self.handling not in ("chained", "pilot"):
            raise InputError(f"handling: must be chained or pilot, not {self.handling!r}")
        if not isinstance(self.trigger, Trigger) or not isinstance(self.pattern, Pattern):
            raise InputError("an insertion needs a Trigger and a Pattern")


def workflows(
    policy: str,
    manifests: Sequence[tuple[float, str | PathLike[str] | Member]],
    handling: str = "chained",
) -> tuple[Insertion, ...]:
    """Returns the insertions of a workflow policy (ScSF, table 1).

    Args:
        policy: "none"; "period:TIME" such as period:1h30m, a workflow that often, the first at the
            beginning of the experiment phase; "share:SHARE", of all core-hours. "share:1" leaves
            regular jobs out of the experiment phase.
        manifests: Pairs of weight and file (or Workflow), such as [(0.4, "Montage.json"), ...].
        handling: "chained" or "pilot".

    Raises:
        InputError: There is no such policy, no manifest, or a file is wrong.
    """
    name, _, text = policy.partition(":")
    if name == "none" and not text:
        return ()
    number = _seconds_or_share(name, text)
    if name not in ("period", "share") or math.isnan(number):
        raise InputError(
            f"workflows {policy!r}: must be none, period:TIME such as period:1h30m, or "
            "share:SHARE such as share:0.1"
        )
    if not manifests:
        raise InputError(f"workflows {policy!r}: needs at least one manifest (--manifest FILE)")
    trigger: Trigger = Periodic(number) if name == "period" else ShareOfWork(number)
    loaded: list[tuple[float, Member | Pattern]] = []
    for weight, one in manifests:
        if isinstance(one, (str, PathLike)):
            one = Workflow.load(one)
        loaded.append((weight, one))
    return (Insertion(trigger, WeightedChoice(loaded), handling),)


def _seconds_or_share(policy: str, text: str) -> float:
    """Returns the number of a policy; NaN where it is not one."""
    if policy == "period":
        seconds = duration_of(text)
        return math.nan if seconds is None else seconds
    try:
        return float(text)
    except ValueError:
        return math.nan


class _Waiting(NamedTuple):
    """A member whose time has come or will come; what comes first is first in order."""

    time: float
    order: int
    number: int  # of the insertion
    member: Member


class Inserter:
    """Inserts what is due into one workload, while its regular jobs are submitted.

    Times are seconds since regular submissions began.

    Args:
        insertions: What.
        seed: Of the workload.
        begin: When the experiment phase begins.
        end: When it ends; what were due later is left out.
        most_cores: Of the machine, where it is known.

    Attributes:
        alarm: When something may be due; before, nothing need be asked.
        count: How many members were inserted.
        withheld: Core-seconds of the regular jobs that gave way; None where they do not.
    """

    def __init__(
        self,
        insertions: Sequence[Insertion],
        seed: str,
        begin: float,
        end: float,
        most_cores: float | None,
    ) -> None:
        self._parts = copy.deepcopy(list(insertions))  # triggers remember
        self._random = []
        for number, part in enumerate(self._parts):
            part.trigger.begin(generator(seed, f"trigger {number}"))
            self._random.append(generator(seed, f"pattern {number}"))
        self._own = [0.0] * len(self._parts)
        self._footprints: dict[tuple[int, str], tuple[Member, Footprint]] = {}
        self._begin, self._end, self._most_cores = begin, end, most_cores
        self._waiting: list[_Waiting] = []
        self._watched = any(part.trigger.watches for part in self._parts)
        self._work_before: float | None = None
        self._fired = 0
        self.count = 0
        self.alarm = begin if self._parts else NEVER
        all_work = shares_are_all(part.trigger for part in self._parts)
        self.withheld: float | None = 0.0 if all_work else None

    def gives_way(self, time: float, core_seconds: float) -> bool:
        """Returns whether a regular job is left out; what it would have brought may now be due."""
        if self.withheld is None or not self._begin <= time < self._end:
            return False
        self.withheld += core_seconds
        return True

    def due(self, now: float, work: float, first_job: int) -> list[Inserted]:
        """Returns all that is due up to now, in order of submission.

        Args:
            now: The time of the regular submission that comes next.
            work: Core-seconds of all that was submitted so far.
            first_job: The number of the next job.
        """
        if self._work_before is None:
            self._work_before = work
        found: list[Inserted] = []
        last, at_once, work_then = -1.0, 0, work
        while True:
            time, number = self._next(min(now, self._end), work - self._work_before)
            if self._waiting and self._waiting[0].time <= min(time, now):
                if (one := heapq.heappop(self._waiting)).time < self._end:
                    inserted = self._inserted(one, first_job)
                    found.append(inserted)
                    first_job += inserted.footprint.jobs
                    self._own[one.number] += inserted.footprint.core_seconds
                    work += inserted.footprint.core_seconds
                continue
            if time > now or time >= self._end:
                break
            if time != last:
                last, at_once, work_then = time, 0, work
            at_once += 1
            if at_once > MOST_AT_ONCE or (at_once > MOST_IN_VAIN and work == work_then):
                raise InputError(
                    f"a trigger goes off for ever, {time - self._begin:g} s into the experiment "
                    "phase: what it inserts takes too little of the machine, or none"
                )
            self._fire(time, number)
        self.alarm = now if self._watched else min([time, *(one.time for one in self._waiting[:1])])
        if now >= self._end:
            self.alarm = NEVER
        return found

    def _next(self, now: float, work: float) -> tuple[float, int]:
        """Returns when the next trigger goes off, and which it is."""
        best, number = NEVER, -1
        for place, part in enumerate(self._parts):
            seen = Submitted(now - self._begin, work, self._own[place], self.withheld)
            time = max(0.0, part.trigger.next_time(seen)) + self._begin
            if time < best:
                best, number = time, place
        return best, number

    def _fire(self, time: float, number: int) -> None:
        part, since = self._parts[number], time - self._begin
        part.trigger.fired(since)
        for submit, member in part.pattern.members(since, self._random[number]):
            due = max(time, submit + self._begin)
            heapq.heappush(self._waiting, _Waiting(due, self._fired, number, member))
            self._fired += 1

    def _inserted(self, one: _Waiting, first_job: int) -> Inserted:
        self.count += 1
        made = self._footprint(one, first_job)
        if self._most_cores is not None and made.largest > self._most_cores:
            name = getattr(one.member, "name", type(one.member).__name__)
            raise InputError(
                f"{name}: one of its jobs asks for {made.largest:,.0f} processors; the machine has "
                f"{self._most_cores:,.0f}"
            )
        return Inserted(made, first_job, float(one.time), self.count)

    def _footprint(self, one: _Waiting, first_job: int) -> Footprint:
        member, handling = one.member, self._parts[one.number].handling
        if getattr(type(member), "as_jobs", None) not in REPEATED:
            return footprint(member.as_jobs(first_job, one.time, self.count, handling), False)
        assert isinstance(member, (Workflow, PlainJob))
        key = (id(member), handling)
        if key not in self._footprints:  # with the member, so that no other gets its id
            self._footprints[key] = member, footprint(member.job_rows(handling), True)
        return self._footprints[key][1]
