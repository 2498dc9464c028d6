"""Conformance of allocators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.dispatch import Allocator
from schedlab.testing.processes import check_processes
from schedlab.testing.report import EVENTS, Report
from schedlab.testing.runs import Runs, limited
from schedlab.testing.scenarios import chosen
from schedlab.testing.subject import Subject
from schedlab.testing.time_limit import LIMIT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from schedlab._engine import JobView, MachineView
    from schedlab.dispatch import BuiltInAllocator
    from schedlab.testing.scenarios import Scenario

SCHEDULERS: tuple[str, ...] = (
    "fifo",
    "fcfs-bf",
    "easy",
    "easy(order=shortest, reservations=3)",
    "conservative",
)
"""One for each way in which the engine asks an allocator."""


def check_allocator(
    policy: str | Allocator | BuiltInAllocator | Callable[[], Allocator | BuiltInAllocator],
    *,
    scenarios: Iterable[Scenario] = (),
    skip: Iterable[str] = (),
    seed: int = 0,
    limit_seconds: float = LIMIT_SECONDS,
) -> Report:
    """Returns a report if an allocator does what every allocator must.

    Args:
        policy: A name, a class, a function that makes one, or an object, of which copies are used.
        scenarios: Scenarios of your own, beside the built-in ones.
        skip: Names of built-in scenarios that it is not made for.
        seed: Another one gives other workloads.
        limit_seconds: Longest time between two findings; code that takes longer never returns.

    Raises:
        ConformanceError: A rule is broken.
        InputError: There is no such allocator, or no such scenario.
    """
    with limited("allocator", policy, limit_seconds):
        return _checked(policy, scenarios, skip, seed)


def _checked(
    policy: str | Allocator | BuiltInAllocator | Callable[[], Allocator | BuiltInAllocator],
    scenarios: Iterable[Scenario],
    skip: Iterable[str],
    seed: int,
) -> Report:
    subject = Subject("allocator", policy)
    report = Report(subject.label)
    schedulers = SCHEDULERS
    if not subject.declares("places_whatever_fits", True):
        schedulers = tuple(name for name in SCHEDULERS if name != "conservative")
        report.note("not tried under conservative, which needs places_whatever_fits")
    refused = calls = 0
    tried: list[Runs] = []
    for scenario in chosen(scenarios, skip, seed, report):
        for scheduler in schedulers:
            runs = Runs(subject, scenario, report, {"scheduler": scheduler})
            runs.repeats(runs.whole(f"works under {scheduler}"))
        for scheduler in ("fifo", "easy"):
            runs = Runs(subject, scenario, report, {"scheduler": scheduler})
            whole = runs.whole()
            runs.forks(whole)
            runs.saves(whole)
        others = {"scheduler": "easy", "dispatch_per": "event"}
        Runs(subject, scenario, report, others).whole(EVENTS)
        tried.append(runs)
        if subject.own:
            counting = _Counting(subject.fresh())
            runs.finish(scenario.simulation(scheduler="fcfs-bf", allocator=counting))
            refused, calls = refused + counting.refused, calls + counting.calls
    if subject.own:
        report.note(f"under fcfs-bf it refused a job with room in {refused:,} of {calls:,} calls")
    check_processes(tried)
    return report


class _Counting(Allocator):
    """An allocator, and how often it refuses a job that has room."""

    def __init__(self, other: Allocator) -> None:
        self.other = other
        self.calls = 0
        self.refused = 0

    def place(self, job: JobView, machine: MachineView) -> Iterable[int] | Mapping[int, int] | None:
        nodes = self.other.place(job, machine)
        self.calls += machine.fits(job)
        self.refused += nodes is None and machine.fits(job)
        return nodes
