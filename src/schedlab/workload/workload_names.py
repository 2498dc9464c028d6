"""Names in workloads: jobs carry numbers, and the header says which name has which number."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.workload.formats.accounting.log_names import names_by_number

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from schedlab.workload.applications import Texts

KEYS = {
    "queue": "Queue",
    "partition": "Partition",
    "user": "User",
    "group": "Group",
    "account": "Account",
}
"""Fields of the header that have the names, by column; a line for each: `1 express`."""

PEOPLE = ("user", "group", "account")
"""Whose names readers put into the header only where that is asked for."""

SHOWN = 12


class WorkloadNames:
    """Numbers of the names that a workload has.

    Args:
        header: Of the workload.
        numbered_here: Columns whose numbers a reader made of names. Others have numbers of the
            workload's own, which the header may explain.
        applications: What jobs run, by number.
    """

    def __init__(
        self, header: Mapping[str, str], numbered_here: Collection[str], applications: Texts
    ) -> None:
        self._numbers = {
            column: _numbers(header[key]) for column, key in KEYS.items() if key in header
        }
        self._numbered_here = numbered_here
        self._applications = applications

    def of(self, column: str) -> dict[str, int]:
        """Returns the numbers of the names of a column; none where the workload has no names."""
        return self._numbers.get(column, {})

    def are_made(self, column: str) -> bool:
        """Whether the numbers of a column stand for names, and mean nothing by themselves."""
        return column in self._numbered_here

    def compared_with_numbers(self, expression: str) -> list[str]:
        """Returns warnings for columns with names that an expression compares with a number."""
        import re

        warnings = []
        for column in filter(self.are_made, KEYS):
            found = re.search(rf"(?<![\w.]){column}\s*[=!<>]=?\s*(\d+)", expression)
            if found:
                warnings.append(
                    f"expression {expression}: the workload has names of {column}s, and number "
                    f'{found.group(1)} is only the place of one; write {column} == "name"'
                )
        return warnings

    def numbered(self, expression: str) -> str:
        """Returns an expression with numbers in place of the names in quotes.

        Raises:
            InputError: A name is not compared with a column that has names, or the workload has no
                such name.
        """
        if '"' not in expression and "'" not in expression:
            return expression
        import re

        text = r"""("[^"]*"|'[^']*')"""
        word = r"([A-Za-z_]\w*)(?![\w.\[(])"

        def replace(found: re.Match[str]) -> str:
            left, sign, right = found.group(1, 2, 3)
            name, column = (left, right) if left[0] in "\"'" else (right, left)
            return f"{column} {sign} {self._number(column, name[1:-1], expression)}"

        for pattern in (rf"(?<![\w.]){word}\s*(==|!=)\s*{text}", rf"{text}\s*(==|!=)\s*{word}"):
            expression = re.sub(pattern, replace, expression)
        if '"' in expression or "'" in expression:
            raise InputError(
                f"expression {expression}: a name in quotes must stand beside == or != and one of "
                f"{', '.join((*KEYS, 'application'))}"
            )
        return expression

    def _number(self, column: str, name: str, expression: str) -> int:
        if column == "application":
            return self._applications.number(name)
        if column not in KEYS:
            raise InputError(
                f"expression {expression}: {column} has numbers, not names; names are those of "
                f"{', '.join((*KEYS, 'application'))}"
            )
        known = self.of(column)
        if not known:
            hint = "compare with its numbers"
            if column in self._numbered_here:
                hint = "its reader gives them with the argument names=True, where it has that"
            raise InputError(
                f'expression {expression}: the workload does not name its {column}s, so "{name}" '
                f"cannot be found; {hint}"
            )
        if name not in known:
            raise InputError(
                f'expression {expression}: the workload has no {column} "{name}"; it has '
                f"{names_text(known)}"
            )
        return known[name]


def names_text(names: Collection[str]) -> str:
    """Returns names for a message, not more than people read."""
    shown = ", ".join([*names][:SHOWN])
    return f"{shown} and {len(names) - SHOWN:,} more" if len(names) > SHOWN else shown


def _numbers(lines: str) -> dict[str, int]:
    """Returns numbers by name, also without details in brackets after it, as SWF allows them.

    The short name stands for a number only where no other name has it.
    """
    names = names_by_number(lines)
    found: dict[str, int] = {}
    for number, name in names.items():
        found.setdefault(name, number)
    short = [(name.partition(" (")[0].strip(), number) for number, name in names.items()]
    for name, number in short:
        if name and [other for other, _ in short].count(name) == 1:
            found.setdefault(name, number)
    return found
