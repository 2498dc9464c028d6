"""Simulations of one policy on one scenario, and the rules that every kind of policy keeps."""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Any

from schedlab.policy import Policy
from schedlab.simulation import Simulation
from schedlab.testing import records
from schedlab.testing.recording import (
    TIME_POINTS,
    Outcome,
    folder,
    published_in,
    record,
    rule_of,
    text_of,
)
from schedlab.testing.report import (
    DOWN,
    ENDS,
    FORKS,
    FUTURE,
    NO_ERROR,
    REPEATS,
    RETURNS,
    RETURNS_IN_TIME,
    SAVES,
    VIEWS,
    ConformanceError,
)
from schedlab.testing.subject import label_of
from schedlab.testing.time_limit import local_of, time_limit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from schedlab.testing.report import Report
    from schedlab.testing.scenarios import Scenario
    from schedlab.testing.subject import Subject


def limited(kind: str, policy: object, seconds: float) -> AbstractContextManager[None]:
    """Returns a time limit for the check of a policy."""

    def broken(found: str, error: BaseException) -> ConformanceError:
        runs = local_of(error, Runs)
        if runs is not None:
            return runs.broken(RETURNS_IN_TIME, found)  # type: ignore[no-any-return]
        return ConformanceError(label_of(kind, policy), RETURNS_IN_TIME, found)

    return time_limit(seconds, broken)


class Runs:
    """Simulations of a policy on a scenario, each with policies of its own.

    Args:
        subject: The policy.
        scenario: The machine and the workload.
        report: Where rules that hold are counted.
        others: Further arguments of `Simulation`; what can be called is, for each simulation.
    """

    def __init__(
        self, subject: Subject, scenario: Scenario, report: Report, others: Mapping[str, Any]
    ) -> None:
        self.subject = subject
        self.scenario = scenario
        self.report = report
        self._others = dict(others)
        self._may_starve = subject.declares("may_starve", False)
        self._random = Random(f"{scenario.name} {scenario.seed}")
        self._time_points = 0

    # -------------------------------------------------------------------------------- simulations

    def parts(self) -> dict[str, Any]:
        """Returns the arguments of a simulation, with fresh policies."""
        others = {
            name: value() if callable(value) else value for name, value in self._others.items()
        }
        parts = self.subject.given_as(self.subject.fresh())
        if "data" in others and "data" in parts:
            parts["data"] += others.pop("data")
        return {**others, **parts}

    def simulation(self, scenario: Scenario | None = None) -> Simulation:
        return (scenario or self.scenario).simulation(**self.parts())

    def finish(self, simulation: Simulation, before: str = "") -> Outcome:
        """Runs a simulation to its end; raises ConformanceError where that fails."""
        with folder() as place:
            path = os.path.join(place, "jobs.csv")
            rows = self._record(simulation, path, TIME_POINTS)
        waiting = (*simulation.jobs_in("held"), *simulation.jobs_in("queued"))
        if waiting and not self._may_starve:
            raise self.broken(
                ENDS,
                f"jobs that never start: {list(waiting[:10])}, after {simulation.now:g} s\n"
                "(a policy that means it says so in its class: may_starve = True)",
            )
        return Outcome(before + rows, waiting, published_in(simulation))

    def _record(self, simulation: Simulation, path: str, time_points: int) -> str:
        try:
            return record(simulation, path, time_points)
        except Exception as error:
            raise self.broken(rule_of(error), text_of(error)) from error

    # -------------------------------------------------------------------------------- rules

    def whole(self, *rules: str) -> Outcome:
        """Runs the scenario, checks its schedule from the rows alone, and returns the outcome.

        Args:
            *rules: Further rules that hold if all goes well.
        """
        simulation = self.simulation()
        outcome = self.finish(simulation)
        self._time_points = simulation.engine.time_points
        try:
            records.check_schedule(self.scenario, records.read_rows(outcome.rows), outcome.waiting)
        except records.BrokenRule as broken:
            raise self.broken(broken.rule, broken.found) from None
        self.report.add(NO_ERROR, RETURNS, VIEWS, *records.RULES, *rules)
        if "conditions" in self.scenario.options:
            self.report.add(DOWN)
        return outcome

    def repeats(self, whole: Outcome) -> None:
        """A fresh policy does the same again."""
        self._same(REPEATS, whole, self.finish(self.simulation()), "another fresh one")

    def forks(self, whole: Outcome) -> None:
        """A fork continues as the original would have; the original, as if there were no fork."""
        moment = self._moment()
        with folder() as place:
            original = self.simulation()
            before = self._record(original, os.path.join(place, "jobs.csv"), moment)
            fork = self._attempt(FORKS, moment, original.fork)
        code = self._code(f"for _ in range({moment}):\n    simulation.step()\nsimulation.fork()")
        self._same(FORKS, whole, self.finish(fork, before), "the fork", code)
        self._same(FORKS, whole, self.finish(original, before), "the original", code)

    def saves(self, whole: Outcome) -> None:
        """A simulation that was saved and loaded continues as if it had never stopped."""
        moment = self._moment()
        with folder() as place:
            original = self.simulation()
            before = self._record(original, os.path.join(place, "jobs.csv"), moment)
            path = os.path.join(place, "state")
            self._attempt(SAVES, moment, lambda: original.fork().save(path))  # forks can be saved
            self.finish(original, before)  # so that what is hidden anywhere else is another
            loaded = self._attempt(SAVES, moment, lambda: self._load(path))
        steps = f"for _ in range({moment}):\n    simulation.step()\n"
        code = 'simulation.fork().save("state")\nSimulation.load("state", workload=..., ...)'
        code = self._code(steps + code)
        self._same(SAVES, whole, self.finish(loaded, before), "the loaded one", code)

    def _load(self, path: str) -> Simulation:
        names = ("scheduler", "allocator", "estimate")
        parts = self.parts()
        own = {name: parts[name] for name in names if isinstance(parts.get(name), Policy)}
        return Simulation.load(
            path, workload=list(self.scenario.jobs), data=parts.get("data"), **own
        )

    def stops(self, rule: str) -> None:
        """A simulation can be ended early."""
        moment = self._moment()
        with folder() as place:
            simulation = self.simulation()
            self._record(simulation, os.path.join(place, "jobs.csv"), moment)
            self._attempt(rule, moment, simulation.stop)
        self.report.add(rule)

    def future(self, whole: Outcome) -> None:
        """Workloads that differ in the future only give the same starts and estimates so far."""
        rows = records.read_rows(whole.rows)
        ran = sorted(row.end for row in rows if row.end is not None)
        if not ran or any(job.requested_time is None for job in self.scenario.jobs):
            return
        if "conditions" in self.scenario.options or self.subject.declares("interrupts_jobs", False):
            return  # rows have last attempts only, and which that is depends on the future
        until = ran[len(ran) // 2]
        over = {row.id for row in rows if row.end is not None and row.end <= until}
        jobs = [
            job if job.id in over else job.replace(run=job.run + 5 + 3 * (job.id % 7))
            for job in self.scenario.jobs
        ]
        parts = {name: getattr(self.scenario, name) for name in self.scenario.__annotations__}
        scenario = type(self.scenario)(**{**parts, "jobs": jobs})
        other = records.read_rows(self.finish(self.simulation(scenario)).rows)
        known = {job.id for job in jobs if records.nanoseconds(job.submit) <= until}
        views = [
            {
                row.id: (row.estimate, (row.start, row.nodes) if _by(row.start, until) else None)
                for row in one
                if row.id in known
            }
            for one in (rows, other)
        ]
        different = [job for job in views[0] if views[0][job] != views[1].get(job)]
        if different:
            first = different[0]
            raise self.broken(
                FUTURE,
                f"until {until / 1e9:g} s both workloads are equal, and run times differ later; "
                f"but (estimate, (start, nodes)) of job {first} are\n"
                f"{views[0][first]} and {views[1].get(first)}",
            )
        self.report.add(FUTURE)

    # -------------------------------------------------------------------------------- messages

    def broken(self, rule: str, found: str, code: str = "") -> ConformanceError:
        """Returns the error for a rule that does not hold here."""
        code = code or self._code("simulation.run()")
        return ConformanceError(self.subject.label, rule, found, self.scenario, code)

    def _code(self, then: str) -> str:
        policy = self.subject.code
        argument = f"[{policy}]" if self.subject.argument == "data" else policy
        others = "".join(
            f", {name}={'...' if callable(value) else repr(value)}"
            for name, value in self._others.items()
            if name != self.subject.argument
        )
        call = f"simulation({self.subject.argument}={argument}{others})"
        head = "from schedlab.testing import scenario\n"
        return f"{head}simulation = {self.scenario.code}.{call}\n{then}"

    def _moment(self) -> int:
        """Returns a number of time points, enough that there is a state, and much to come."""
        return self._random.randint(self._time_points // 10, self._time_points // 2)

    def _attempt(self, rule: str, moment: int, action: Any) -> Any:
        try:
            return action()
        except Exception as error:
            found = f"after {moment} time points: {text_of(error)}"
            raise self.broken(rule, found) from error

    def _same(self, rule: str, whole: Outcome, other: Outcome, what: str, code: str = "") -> None:
        if whole == other:
            self.report.add(rule)
            return
        found = f"{what} leaves {len(other.waiting)} jobs waiting, not {len(whole.waiting)}"
        if whole.published != other.published:
            found = f"{what} publishes other values"
        for one, two in zip(whole.rows.splitlines(), other.rows.splitlines(), strict=False):
            if one != two:
                found = f"the first row of jobs.csv that differs, undisturbed and of {what}:\n"
                found += f"{one}\n{two}"
                break
        raise self.broken(rule, found, code)


def _by(time: int | None, until: int) -> bool:
    return time is not None and time <= until
