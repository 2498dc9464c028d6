"""What a conformance check reports: the rules that hold, or the one that is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.testing.time_limit import NOT_LIMITED, can_limit, restart, time_limit

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from schedlab.testing.scenarios import Scenario

# The rules, as reports and errors name them.
NO_ERROR = "raises no error"
MADE = "can be made and copied"
RETURNS = "what it returns is valid"
VIEWS = "views are used during the call only"
ENDS = "every job ends or is rejected"
ROOM = "every task has room on its node"
ORDER = "no job starts before its submission, or before its predecessors ended"
LENGTH = "every job runs for its time"
WINDOWS = "windows are kept, by the estimates"
DOWN = "nothing runs on a node that is down"
FUTURE = "the future is not known"
REPEATS = "the same inputs give the same bytes"
PROCESSES = "another process gives the same bytes"
FORKS = "a fork continues alike, and leaves the original alone"
EVENTS = "may be called after every event"
SAVES = "a saved simulation continues alike"
RETURNS_IN_TIME = "every call returns"


def name_of(given: object) -> str:
    """Returns what reports call what is checked: a class, a function, or an object."""
    while hasattr(given, "func"):  # functools.partial
        given = given.func
    return getattr(given, "__qualname__", None) or type(given).__qualname__


class ConformanceError(AssertionError):
    """A rule is broken; the message says which, where, and how to see it again.

    Attributes:
        rule: The rule, as reports name it.
        scenario: Name of the scenario; None where it was on none of them.
        seed: Seed of the scenario.
        found: What was found.
    """

    def __init__(
        self, subject: str, rule: str, found: str, scenario: Scenario | None = None, code: str = ""
    ) -> None:
        self.rule = rule
        self.found = found
        self.scenario = scenario.name if scenario else None
        self.seed = scenario.seed if scenario else None
        lines = [f"{subject}: broken rule: {rule}"]
        if scenario is not None:
            seed = "" if scenario.seed is None else f", seed {scenario.seed}"
            lines.append(f"on scenario {scenario.name}{seed}")
        lines += ["found:", *_indented(found)]
        if code:
            lines += ["to see it again:", *_indented(code)]
        super().__init__("\n".join(lines))


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.strip().splitlines()]


def limited(label: str, seconds: float) -> AbstractContextManager[None]:
    """Returns a time limit for a check that is called so."""
    return time_limit(seconds, lambda found, _: ConformanceError(label, RETURNS_IN_TIME, found))


class Report:
    """What was checked; printed as a list.

    Attributes:
        subject: What was checked.
        passed: For each rule that holds, on how many simulations it was tried.
        notes: What else there is to know: what was not checked, and why.
    """

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.passed: dict[str, int] = {}
        self.notes: list[str] = [] if can_limit() else [NOT_LIMITED]

    def add(self, *rules: str) -> None:
        """Counts rules that were found to hold once more."""
        restart()
        for rule in rules:
            self.passed[rule] = self.passed.get(rule, 0) + 1

    def note(self, text: str) -> None:
        """Adds a note, unless it is there already."""
        if text not in self.notes:
            self.notes.append(text)

    def __str__(self) -> str:
        lines = [f"{self.subject}: {len(self.passed)} rules hold"]
        lines += [f"  {rule} ({times:,} x)" for rule, times in self.passed.items()]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    __repr__ = __str__
