"""Conformance of estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.testing.processes import check_processes
from schedlab.testing.report import Report
from schedlab.testing.runs import Runs, limited
from schedlab.testing.scenarios import chosen
from schedlab.testing.subject import Subject
from schedlab.testing.time_limit import LIMIT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedlab.dispatch.estimators import Estimator
    from schedlab.testing.scenarios import Scenario

SCHEDULERS = ("fifo", "easy", "conservative", "sjf")


def check_estimator(
    policy: str | Estimator | Callable[[], Estimator],
    *,
    scenarios: Iterable[Scenario] = (),
    skip: Iterable[str] = (),
    seed: int = 0,
    limit_seconds: float = LIMIT_SECONDS,
) -> Report:
    """Returns a report if an estimator does what every estimator must.

    Args:
        policy: A name, a class, a function that makes one, or an object, of which copies are used.
        scenarios: Scenarios of your own, beside the built-in ones.
        skip: Names of built-in scenarios that it is not made for.
        seed: Another one gives other workloads.
        limit_seconds: Longest time between two findings; code that takes longer never returns.

    Raises:
        ConformanceError: A rule is broken.
        InputError: There is no such estimator, or no such scenario.
    """
    with limited("estimator", policy, limit_seconds):
        return _checked(policy, scenarios, skip, seed)


def _checked(
    policy: str | Estimator | Callable[[], Estimator],
    scenarios: Iterable[Scenario],
    skip: Iterable[str],
    seed: int,
) -> Report:
    subject = Subject("estimator", policy)
    report = Report(subject.label)
    knows = policy == "exact" or subject.declares("knows_run_times", False)
    tried: list[Runs] = []
    for scenario in chosen(scenarios, skip, seed, report):
        for scheduler in SCHEDULERS:
            runs = Runs(subject, scenario, report, {"scheduler": scheduler})
            whole = runs.whole(f"works under {scheduler}")
            if scheduler in ("fifo", "easy"):
                runs.repeats(whole)
                runs.forks(whole)
                runs.saves(whole)
            if not knows:
                runs.future(whole)
        tried.append(runs)
    if knows:
        report.note("it is given run times, on purpose (exact, knows_run_times)")
    check_processes(tried)
    return report
