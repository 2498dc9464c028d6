"""Texts of jobs as numbers: the engine carries numbers alone. Of some it asks what they mean."""

from __future__ import annotations

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars

SHOWN = 5

EXPLAINED = {"needs": "Needs", "licenses": "Licenses"}
"""Fields of jobs that are such texts, and the field of the header that has them by number."""


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


def texts_by_number(field: str, header: Mapping[str, str]) -> dict[int, str]:
    """Returns what the numbers of rows stand for, by what the header says."""
    from schedlab.workload.formats.accounting.log_names import names_by_number

    return names_by_number(header.get(EXPLAINED[field], ""))


class ExplainedTexts(NumberedTexts):
    """Texts of one kind, each parsed once, where the system has what they are about."""

    field = ""
    _nothing = ""  # why a number stands for none
    _unheeded = ""  # what is said where the system has no such thing
    _lacking = ""  # what is said of names that it does not have; then come those that it has

    def __init__(self, there: Iterable[str], texts: Iterable[str] = ()) -> None:
        """Begins with the names that the system has, and texts of a state file."""
        self._there = dict.fromkeys(there)
        super().__init__(texts)

    @property
    def honoured(self) -> bool:
        """Whether the system has what the texts are about."""
        return bool(self._there)

    def _parse(self, text: str) -> None:
        """Keeps what a text means; raises InputError where it means nothing."""
        raise NotImplementedError

    def _named(self) -> Iterable[str]:
        """Returns the names in all texts that were parsed."""
        raise NotImplementedError

    def _added(self, text: str) -> int:
        if self.honoured:
            self._parse(text)
        return super()._added(text)

    def take_header(self, header: Mapping[str, str], path: str) -> None:
        """Takes over the texts that a header numbers, a line for each: `1 a100 & !ib`.

        Args:
            header: Of the workload.
            path: Of its file, for messages.

        Raises:
            InputError: They are not numbered from 1 on, or one is wrong.
        """
        for number, text in texts_by_number(self.field, header).items():
            try:
                found = self.number(text)
            except InputError as error:
                raise InputError(f"{path}: {error}") from None
            if found != number:
                raise InputError(
                    f"{path}: the header's lines {EXPLAINED[self.field]} must be numbered from 1 "
                    f'on, each text once: "{text}" has number {number}, and should have {found}'
                )

    def text(self, number: float) -> str:
        """Returns the text that a number stands for.

        Raises:
            InputError: There is none of that number.
        """
        text = self._at(number)
        if text is None:
            raise InputError(
                f"{self.field} {number:g}: is a number that {self._nothing} by texts, and the "
                "attribute of that name is not for other things"
            )
        return text

    def warnings(self) -> list[str]:
        """Returns what texts name that the system does not have, and that they are not honoured."""
        if not len(self):
            return []
        if self.honoured:
            return self._unknown()
        more = f" and {len(self) - 1:,} other things" if len(self) > 1 else ""
        said = self._unheeded.format(f'"{self.texts()[0]}"{more}')
        return [f"{self.field}: {said}"]

    def _unknown(self) -> list[str]:
        """Returns what is said of names that the system does not have."""
        unknown = [name for name in dict.fromkeys(self._named()) if name not in self._there]
        if not unknown:
            return []
        more = f" and {len(unknown) - SHOWN:,} more" if len(unknown) > SHOWN else ""
        return [
            f"{self.field}: jobs name {', '.join(unknown[:SHOWN])}{more}, {self._lacking} "
            f"{', '.join(self._there)}"
        ]
