"""Texts of jobs as numbers: the engine carries numbers alone."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars


class NumberedTexts:
    """Texts, numbered as they first appear, from 1.

    A simulation has one of each kind, which its forks share and its state file holds, so that a
    text has the same number however often the workload is read.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Begins with texts of a state file, which have numbers already, in their order."""
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}
        for text in texts:
            self.number(text)

    def number(self, text: str) -> int:
        """Returns the number of a text; one that is new gets the next."""
        return self._numbers.get(text) or self._added(text)

    def _added(self, text: str) -> int:
        self._texts.append(text)
        self._numbers[text] = number = len(self._texts)
        return number

    def text(self, number: float) -> str:
        """Returns the text that a number stands for; raises InputError if it is none's."""
        raise NotImplementedError

    def text_of_job(self, number: float) -> str:
        """Returns the text of a job whose attribute has that number: 0 and less stand for none."""
        return self.text(number) if number > 0 else ""

    def _at(self, number: float) -> str | None:
        """Returns the text of a number; None where it is none's."""
        place = int(number)
        return self._texts[place - 1] if place == number and 1 <= place <= len(self) else None

    def texts(self) -> list[str]:
        """Returns all of them; number 1 comes first."""
        return list(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def numbered(self, column: polars.Series) -> polars.Series:
        """Returns a column of texts as numbers, -1 for jobs without one."""
        import polars

        named = column.unique(maintain_order=True).to_list()
        numbers = {text: self.number(text) if text else -1 for text in named}
        if not numbers:
            return column.cast(polars.Float64)
        return column.replace_strict(numbers, return_dtype=polars.Float64)
