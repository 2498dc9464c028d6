"""What the jobs of a simulation take of the system's licenses, as numbers."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.workload.numbered_texts import ExplainedTexts

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedlab.system import System

EXAMPLE = "matlab:2, ansys"


def asked(text: str) -> dict[str, int]:
    """Returns the amounts that a text such as `matlab:2, ansys` asks for, as Slurm writes them.

    Raises:
        InputError: It is not such a text.
    """
    amounts: dict[str, int] = {}
    for item in text.split(","):
        name, colon, written = (part.strip() for part in item.partition(":"))
        if not name or any(sign in item for sign in "|;="):
            raise InputError(
                f"licenses {decode.shown(text)}: must be names with amounts, and commas between "
                f'them, such as "{EXAMPLE}"'
            )
        if colon and not (written.isascii() and written.isdigit()):
            raise InputError(
                f"licenses {decode.shown(text)}: the amount of {name} must be a whole number from "
                f"0 on, and is {decode.shown(written)}; use a smaller unit for what has fractions"
            )
        digits = written.lstrip("0")[:30]  # Python reads no more than 4,300
        amount = amounts.get(name, 0) + (int(digits or "0") if colon else 1)
        if amount > decode.MAX_AMOUNT:
            raise InputError(
                f"licenses {decode.shown(text)}: the amount of {name} must be at most "
                f"{decode.MAX_AMOUNT}; use a larger unit"
            )
        amounts[name] = amount
    return amounts


class Licenses(ExplainedTexts):
    """The licenses that jobs name, each text parsed once.

    Where the system has none they are not honoured, and not parsed.

    Args:
        system: The machine.
        texts: Of a state file.
    """

    field = "licenses"
    _nothing = "no text has; jobs name licenses"
    _unheeded = "jobs take {}; this is not heeded, because the system has none"
    _lacking = "which the system does not have; it has"

    def __init__(self, system: System, texts: Iterable[str] = ()) -> None:
        self._asked: list[dict[str, int]] = []
        super().__init__(system.licenses, texts)

    def _parse(self, text: str) -> None:
        self._asked.append(asked(text))

    def amounts(self, number: float) -> list[int]:
        """Returns the amount of each license of the system; none where it lacks one.

        Raises:
            InputError: There is no text of that number.
        """
        self.text(number)
        amounts = self._asked[int(number) - 1]
        known = all(name in self._there for name, amount in amounts.items() if amount)
        return [amounts.get(name, 0) for name in self._there] if known else []

    def _named(self) -> Iterable[str]:
        return (name for amounts in self._asked for name in amounts)
