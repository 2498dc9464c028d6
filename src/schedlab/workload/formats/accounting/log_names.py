"""Numbers for the names of an accounting log: users, groups, queues, jobs and parts of arrays."""

from __future__ import annotations

from collections.abc import Iterable

ARRAY_BASE = 100_000_000
"""Numbers of jobs are below it; above it, (task + 1) * ARRAY_BASE + job is a task of an array."""

LARGEST_NUMBER = 2**53
"""Up to it, a job table holds every whole number exactly."""


class Names:
    """Numbers by name, for one kind of name.

    Names get the numbers 1, 2, 3 ... in the order in which they are met. A name that is the kind
    and a number, such as `user7`, keeps its number: that is how anonymised and generated logs name
    things, so two logs that were anonymised alike get the same numbers. So the others wait for
    `number`, when all names have been met.

    Args:
        kind: What is named: `user`, `group` ...
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.numbers: dict[str, float] = {"": -1.0}
        self._others: dict[str, None] = {}

    def meet(self, name: str) -> None:
        """Takes note of a name."""
        if name in self.numbers or name in self._others:
            return
        own = own_number(self.kind, name)
        if own is None:
            self._others[name] = None
        else:
            self.numbers[name] = float(own)

    def number(self) -> dict[str, float]:
        """Returns the number of every name that was met; no name is -1."""
        taken = set(self.numbers.values())
        following = 1
        for name in self._others:
            while following in taken:
                following += 1
            self.numbers[name] = float(following)
            following += 1
        self._others = {}
        return self.numbers

    def lines(self) -> str:
        """Returns a line `number name` for each, as the header of an SWF file has them."""
        named = sorted((number, name) for name, number in self.numbers.items() if name)
        return "\n".join(f"{number:.0f} {name}" for number, name in named)


def own_number(kind: str, name: str) -> int | None:
    """Returns 7 for `user7` where `user` is the kind; None where a name is not such a thing."""
    digits = name[len(kind) :]
    if not name.startswith(kind) or not (digits.isascii() and digits.isdigit()):
        return None
    if len(digits) > 15 or (digits[0] == "0" and digits != "0"):
        return None
    return int(digits)


def names_by_number(lines: str) -> dict[int, str]:
    """Returns the names of a header that `Names.lines` made."""
    found = {}
    for line in lines.split("\n"):
        number, _, name = line.strip().partition(" ")
        if number.isascii() and number.isdigit() and len(number) < 17 and name.strip():
            found[int(number)] = name.strip()
    return found


def whole_number(text: str) -> int | None:
    """Returns a whole number from 0 that a job table can hold; None for any other text."""
    if text.isascii() and text.isdigit() and len(text) < 17 and int(text) < LARGEST_NUMBER:
        return int(text)
    return None


def array_number(job: int, task: int) -> int | None:
    """Returns the number of a task of an array, made of both numbers; None if they are too large.

    Task 4 of job 123 is 500000123: the last eight digits are the job, those before them the task,
    counted from 1.
    """
    number = (task + 1) * ARRAY_BASE + job
    return number if job < ARRAY_BASE and number < LARGEST_NUMBER else None


def name_text(kind: str, number: float, known: dict[int, str]) -> str:
    """Returns the name of a number: the known one, else kind and number; none for -1."""
    return "" if number < 0 else known.get(int(number)) or f"{kind}{int(number)}"


def one_line(text: str, forbidden: Iterable[str]) -> str:
    """Returns a text without line breaks and without what separates the fields of a log."""
    text = " ".join(text.split())
    for separator in forbidden:
        text = text.replace(separator, "_")
    return text
