"""What the jobs of a simulation need of nodes, as numbers, and which nodes have it."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.system.features import Constraint, group_features, nodes_that_have
from schedlab.workload.numbered_texts import NumberedTexts

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schedlab.system import System

SHOWN = 5
HEADER = "Needs"
"""The field of the header that explains the numbers of rows."""


def needs_by_number(header: Mapping[str, str]) -> dict[int, str]:
    """Returns what the numbers of rows stand for, by what the header says."""
    from schedlab.workload.formats.accounting.log_names import names_by_number

    return names_by_number(header.get(HEADER, ""))


class Needs(NumberedTexts):
    """The constraints that jobs name, each parsed once.

    Where no node of the system has features they are not honoured, and not parsed.

    Args:
        system: The machine.
        texts: Of a state file.
    """

    def __init__(self, system: System, texts: Iterable[str] = ()) -> None:
        self._system = system
        self._known = frozenset().union(*group_features(system))
        self._constraints: list[Constraint] = []
        super().__init__(texts)

    @property
    def honoured(self) -> bool:
        """Whether nodes have features at all."""
        return bool(self._known)

    def _added(self, text: str) -> int:
        if self.honoured:
            self._constraints.append(Constraint(text))
        return super()._added(text)

    def take_header(self, header: Mapping[str, str], path: str) -> None:
        """Takes over the constraints that a header numbers, a line for each: `1 a100 & !ib`.

        Args:
            header: Of the workload.
            path: Of its file, for messages.

        Raises:
            InputError: They are not numbered from 1 on, or one is wrong.
        """
        for number, text in needs_by_number(header).items():
            try:
                found = self.number(text)
            except InputError as error:
                raise InputError(f"{path}: {error}") from None
            if found != number:
                raise InputError(
                    f"{path}: the header's lines {HEADER} must be numbered from 1 on, each text "
                    f'once: "{text}" has number {number}, and should have {found}'
                )

    def text(self, number: float) -> str:
        """Returns the constraint that a number stands for.

        Raises:
            InputError: There is none of that number.
        """
        text = self._at(number)
        if text is None:
            raise InputError(
                f"needs {number:g}: is a number that no constraint has; jobs say what they need by "
                "texts, and the attribute of that name is not for other things"
            )
        return text

    def ranges(self, number: float) -> list[tuple[int, int]]:
        """Returns the nodes that have what a number stands for, as (first, count).

        Raises:
            InputError: There is no constraint of that number.
        """
        self.text(number)
        return nodes_that_have(self._constraints[int(number) - 1], self._system)

    def warnings(self) -> list[str]:
        """Returns what constraints name that no node has, and that they are not honoured."""
        if not len(self):
            return []
        if not self.honoured:
            first = self.texts()[0]
            return [
                f'needs: jobs need "{first}"'
                + (f" and {len(self) - 1:,} other things" if len(self) > 1 else "")
                + " of their nodes; this is not heeded, because no group of the system has features"
            ]
        named = dict.fromkeys(name for one in self._constraints for name in one.features)
        unknown = [name for name in named if name not in self._known]
        if not unknown:
            return []
        more = f" and {len(unknown) - SHOWN:,} more" if len(unknown) > SHOWN else ""
        return [
            f"needs: jobs name {', '.join(unknown[:SHOWN])}{more}, which no node has; the features "
            f"of the system are {', '.join(sorted(self._known))}"
        ]
