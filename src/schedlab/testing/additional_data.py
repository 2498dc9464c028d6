"""Conformance of additional data."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from schedlab.dispatch.additional_data import AdditionalData, check
from schedlab.testing.processes import check_processes
from schedlab.testing.report import Report
from schedlab.testing.runs import Runs, limited
from schedlab.testing.scenarios import chosen
from schedlab.testing.subject import Subject
from schedlab.testing.time_limit import LIMIT_SECONDS
from schedlab.trust import PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedlab._engine import JobView, State
    from schedlab.testing.scenarios import Scenario

SCHEDULERS = ("fifo", "easy", "conservative")

FINITE = "what it publishes are finite numbers"
SCHEDULE = "schedulers that do not read it decide as without it"
DECLARED = "publishes, every and when stay as they were"
CALLED = "update is called every N seconds"
STOPS = "may be stopped at any moment"


def check_additional_data(
    policy: str | AdditionalData | Callable[[], AdditionalData],
    *,
    scenarios: Iterable[Scenario] = (),
    skip: Iterable[str] = (),
    seed: int = 0,
    limit_seconds: float = LIMIT_SECONDS,
) -> Report:
    """Returns a report if additional data does what all additional data must.

    Args:
        policy: A name, a class, a function that makes one, or an object, of which copies are used.
        scenarios: Scenarios of your own, beside the built-in ones.
        skip: Names of built-in scenarios that it is not made for.
        seed: Another one gives other workloads.
        limit_seconds: Longest time between two findings; code that takes longer never returns.

    Raises:
        ConformanceError: A rule is broken.
        InputError: There is no such data or scenario, or what it declares is wrong.
    """
    with limited("additional_data", policy, limit_seconds):
        return _checked(policy, scenarios, skip, seed)


def _checked(
    policy: str | AdditionalData | Callable[[], AdditionalData],
    scenarios: Iterable[Scenario],
    skip: Iterable[str],
    seed: int,
) -> Report:
    subject = Subject("additional_data", policy)
    example = subject.fresh()
    check((example,), PERSON)
    report = Report(subject.label)
    tried: list[Runs] = []
    for scenario in chosen(scenarios, skip, seed, report):
        for scheduler in SCHEDULERS:
            others = {"scheduler": scheduler, "data": lambda: [_Observer(example)]}
            runs = Runs(subject, scenario, report, others)
            whole = runs.whole()
            _check_values(runs, whole.published)
            if scheduler == "easy":
                runs.repeats(whole)
                runs.forks(whole)
                runs.saves(whole)
            silent = scenario.simulation(scheduler=scheduler, data=[_Silent(example)])
            if runs.finish(silent).rows != whole.rows:
                raise runs.broken(SCHEDULE, f"{scheduler} gives another jobs.csv")
            report.add(SCHEDULE)
        _check_calls(runs, subject.fresh())
        runs.stops(STOPS)
        tried.append(runs)
    check_processes(tried)
    return report


def _check_values(runs: Runs, published: list[Any]) -> None:
    for time, name, value in published:
        for number in value.values() if isinstance(value, dict) else (value,):
            if not isfinite(number):
                raise runs.broken(FINITE, f"at {time:g} s {name} is {value}")
    runs.report.add(FINITE)


def _check_calls(runs: Runs, data: AdditionalData) -> None:
    """Looks at when `update` is called, and at what the data says of itself afterwards."""
    declared = _declared(data)
    watched = _Watched(data)
    simulation = runs.scenario.simulation(scheduler="easy", data=[watched])
    runs.finish(simulation)
    if _declared(data) != declared:
        raise runs.broken(DECLARED, f"{declared} became {_declared(data)}")
    runs.report.add(DECLARED)
    every = data.every
    if every is None or not watched.times:
        return
    for number, time in enumerate(watched.times):
        if abs(time - (watched.times[0] + number * every)) > 1e-6:
            raise runs.broken(CALLED, f"every is {every}, and calls were at {watched.times[:10]}")
    runs.report.add(CALLED)


def _declared(data: AdditionalData) -> tuple[object, ...]:
    return (data.publishes, data.publishes_tables, data.every, data.when)


class _Observer(AdditionalData):
    """Publishes nothing, and keeps what the data before it published, for every time point."""

    when = "after"

    def __init__(self, data: AdditionalData) -> None:
        self.names = (*data.publishes, *data.publishes_tables)
        self.observed_by_schedlab: list[tuple[float, str, object]] = []

    def update(self, state: State) -> dict[str, Any]:
        for name in self.names:
            self.observed_by_schedlab.append((state.now, name, state.data(name)))
        return {}


class _Silent(AdditionalData):
    """Is called when the data is, which may call the scheduler more often, and says nothing."""

    def __init__(self, data: AdditionalData) -> None:
        self.every = data.every
        self.when = data.when

    def update(self, state: State) -> dict[str, Any]:
        return {}


class _Watched(AdditionalData):
    """The data itself, and the times at which it was called."""

    def __init__(self, data: AdditionalData) -> None:
        self.data = data
        self.publishes, self.publishes_tables, self.every, self.when = _declared(data)  # type: ignore[assignment]
        self.times: list[float] = []

    def update(self, state: State) -> dict[str, Any]:
        self.times.append(state.now)
        return self.data.update(state)

    def before_submission(self, job: JobView) -> Any:
        return self.data.before_submission(job)

    def after_submission(self, job: JobView) -> Any:
        return self.data.after_submission(job)

    def started(self, job: JobView) -> None:
        self.data.started(job)

    def ended(self, job: JobView) -> None:
        self.data.ended(job)

    def stop(self, state: State) -> None:
        self.data.stop(state)
