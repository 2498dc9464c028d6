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
    same number however often the workload is read. It also knows who named the programs: data, the
    person in jobs of their own, or the person's job factory, through which those of data pass, too.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Begins with texts of a state file, which have numbers already, in their order."""
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self._of_person: set[str] = set()
        self._of_data: set[str] = set()
        for text in texts:
            self.number(text)

    def number(self, text: str) -> int:
        """Returns the number of a text of data; one that is new gets the next."""
        number = self._numbers.get(text)
        if number is None:
            number = self._added(text)
            self._of_data.add(_program(text))
        return number

    def of_person(self) -> TextsOfPerson:
        """Returns what numbers texts of jobs that the person gives."""
        return TextsOfPerson(self, passes_data=False)

    def of_factory(self) -> TextsOfPerson:
        """Returns what numbers texts of jobs that come out of the person's job factory."""
        return TextsOfPerson(self, passes_data=True)

    def is_of_person(self, text: str) -> bool:
        """Returns whether the person named that program, and not data alone."""
        return _program(text) in self._of_person

    def number_for_person(self, text: str, passes_data: bool) -> int:
        """Returns the number of a text that a job of the person's has; see TextsOfPerson."""
        program = _program(text)
        if not (passes_data and program in self._of_data):
            self._of_person.add(program)
        return self._numbers.get(text) or self._added(text)

    def _added(self, text: str) -> int:
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


class TextsOfPerson:
    """Numbers texts of jobs that the person's own code makes.

    Args:
        texts: All of the simulation.
        passes_data: Whether jobs of data come out of that code, too.
    """

    def __init__(self, texts: Texts, passes_data: bool) -> None:
        self._texts, self._passes_data = texts, passes_data
        self._numbers: dict[str, int] = {}
        self.text = texts.text

    def number(self, text: str) -> int:
        """Returns the number of a text; one that is new gets the next."""
        number = self._numbers.get(text)
        if number is None:
            number = self._texts.number_for_person(text, self._passes_data)
            self._numbers[text] = number
        return number


def _program(text: str) -> str:
    """Returns the name in a text, without arguments."""
    return text.partition("(")[0].strip()
