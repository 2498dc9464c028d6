"""Conformance of schedulers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.dispatch.allocators import ON_ANY_MACHINE
from schedlab.testing.processes import check_processes
from schedlab.testing.report import EVENTS, Report
from schedlab.testing.runs import Runs, limited
from schedlab.testing.scenarios import chosen
from schedlab.testing.subject import Subject
from schedlab.testing.time_limit import LIMIT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedlab.dispatch import Discipline, Scheduler
    from schedlab.dispatch.additional_data import AdditionalData
    from schedlab.testing.scenarios import Scenario


def check_scheduler(
    policy: str | Scheduler | Discipline | Callable[[], Scheduler | Discipline],
    *,
    scenarios: Iterable[Scenario] = (),
    skip: Iterable[str] = (),
    seed: int = 0,
    data: Callable[[], Iterable[AdditionalData]] | None = None,
    limit_seconds: float = LIMIT_SECONDS,
) -> Report:
    """Returns a report if a scheduler does what every scheduler must.

    Args:
        policy: A name, a class, a function that makes one, or an object, of which copies are used.
        scenarios: Scenarios of your own, beside the built-in ones.
        skip: Names of built-in scenarios that it is not made for.
        seed: Another one gives other workloads.
        data: Makes the additional data that it reads.
        limit_seconds: Longest time between two findings; code that takes longer never returns.

    Raises:
        ConformanceError: A rule is broken.
        InputError: There is no such scheduler, or no such scenario.
    """
    with limited("scheduler", policy, limit_seconds):
        return _checked(policy, scenarios, skip, seed, data)


def _checked(
    policy: str | Scheduler | Discipline | Callable[[], Scheduler | Discipline],
    scenarios: Iterable[Scenario],
    skip: Iterable[str],
    seed: int,
    data: Callable[[], Iterable[AdditionalData]] | None,
) -> Report:
    subject = Subject("scheduler", policy)
    report = Report(subject.label)
    others = {} if data is None else {"data": lambda: list(data())}
    tried: list[Runs] = []
    for scenario in chosen(scenarios, skip, seed, report):
        runs = Runs(subject, scenario, report, others)
        whole = runs.whole()
        runs.repeats(whole)
        runs.forks(whole)
        runs.saves(whole)
        runs.future(whole)
        Runs(subject, scenario, report, {**others, "dispatch_per": "event"}).whole(EVENTS)
        for allocator in ON_ANY_MACHINE[1:]:  # the first is the default
            others_too = {**others, "allocator": allocator}
            Runs(subject, scenario, report, others_too).whole(f"works with {allocator}")
        tried.append(runs)
    if subject.declares("may_starve", False):
        report.note("it may let jobs wait for ever (may_starve)")
    check_processes(tried)
    return report
