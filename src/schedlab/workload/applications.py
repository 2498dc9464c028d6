"""Applications of jobs as numbers."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.workload.numbered_texts import NumberedTexts

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable


class Texts(NumberedTexts):
    """The applications that the jobs of a simulation name.

    It also knows who named the programs: data, the person in jobs of their own, or the person's job
    factory, through which those of data pass, too.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Begins with texts of a state file."""
        self._of_person: set[str] = set()
        self._of_data: set[str] = set()
        super().__init__(texts)

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

    def text(self, number: float) -> str:
        """Returns the text that a number stands for.

        Raises:
            InputError: There is none.
        """
        text = self._at(number)
        if text is None:
            raise InputError(
                f"application {number:g}: is a number that no application has; jobs name "
                "applications by texts, and the attribute of that name is not for other things"
            )
        return text


class TextsOfPerson:
    """Numbers texts of jobs that the person's own code makes.

    Args:
        texts: All of the simulation.
        passes_data: Whether jobs of data come out of that code, too.
    """

    def __init__(self, texts: Texts, passes_data: bool) -> None:
        self._texts, self._passes_data = texts, passes_data
        self._numbers: dict[str, int] = {}
        self.text_of_job = texts.text_of_job

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
