"""Applications of jobs as numbers: the engine carries numbers alone."""

from __future__ import annotations

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars


class Texts:
    """The applications that the jobs of a simulation name, numbered as they first appear, from 1.

    A simulation has one, which its forks share and its state file holds, so that a text has the
    same number however often the workload is read.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Begins with texts that have numbers already, in their order."""
        self._texts = list(texts)
        self._numbers = {text: number for number, text in enumerate(self._texts, 1)}

    def number(self, text: str) -> int:
        """Returns the number of a text; one that is new gets the next."""
        number = self._numbers.get(text)
        if number is None:
            self._texts.append(text)
            self._numbers[text] = number = len(self._texts)
        return number

    def text(self, number: float) -> str:
        """Returns the text that a number stands for.

        Raises:
            InputError: There is none.
        """
        place = int(number)
        if place != number or not 1 <= place <= len(self._texts):
            raise InputError(
                f"application {number:g}: is a number that no application has; jobs name "
                "applications by texts, and the attribute of that name is not for other things"
            )
        return self._texts[place - 1]

    def texts(self) -> list[str]:
        """Returns all of them; number 1 comes first."""
        return list(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def numbered(self, column: polars.Series) -> polars.Series:
        """Returns a column of texts as numbers, -1 for jobs without application."""
        import polars

        named = column.unique(maintain_order=True).to_list()
        numbers = {text: self.number(text) if text else -1 for text in named}
        if not numbers:
            return column.cast(polars.Float64)
        return column.replace_strict(numbers, return_dtype=polars.Float64)
