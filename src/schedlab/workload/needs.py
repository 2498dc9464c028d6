"""What the jobs of a simulation need of nodes, as numbers, and which nodes have it."""

from __future__ import annotations

from schedlab.system.features import Constraint, group_features, nodes_that_have
from schedlab.workload.numbered_texts import ExplainedTexts

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedlab.system import System


class Needs(ExplainedTexts):
    """The constraints that jobs name, each parsed once.

    Where no node of the system has features they are not honoured, and not parsed.

    Args:
        system: The machine.
        texts: Of a state file.
    """

    field = "needs"
    _nothing = "no constraint has; jobs say what they need"
    _unheeded = (
        "jobs need {} of their nodes; this is not heeded, because no group of the system has "
        "features"
    )
    _lacking = "which no node has; the features of the system are"

    def __init__(self, system: System, texts: Iterable[str] = ()) -> None:
        self._system = system
        self._constraints: list[Constraint] = []
        super().__init__(sorted(frozenset().union(*group_features(system))), texts)

    def _parse(self, text: str) -> None:
        self._constraints.append(Constraint(text))

    def ranges(self, number: float) -> list[tuple[int, int]]:
        """Returns the nodes that have what a number stands for, as (first, count).

        Raises:
            InputError: There is no constraint of that number.
        """
        self.text(number)
        return nodes_that_have(self._constraints[int(number) - 1], self._system)

    def _named(self) -> Iterable[str]:
        return (name for one in self._constraints for name in one.features)
