"""Texts of jobs whose meaning the engine asks for; headers of SWF explain their numbers."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.workload.numbered_texts import NumberedTexts

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWN = 5

EXPLAINED = {"needs": "Needs", "licenses": "Licenses"}
"""Fields of jobs that are such texts, and the field of the header that has them by number."""


def texts_by_number(field: str, header: Mapping[str, str]) -> dict[int, str]:
    """Returns what the numbers of rows stand for, by what the header says."""
    from schedlab.workload.formats.accounting.log_names import names_by_number

    return names_by_number(header.get(EXPLAINED[field], ""))


class ExplainedTexts(NumberedTexts):
    """Texts of one kind, each parsed once, where the system has what they are about."""

    field = ""
    _nothing = ""  # why a number stands for none
    _unheeded = ""  # what is said where the system has no such thing

    @property
    def honoured(self) -> bool:
        """Whether the system has what the texts are about."""
        raise NotImplementedError

    def _parse(self, text: str) -> None:
        """Keeps what a text means; raises InputError where it means nothing."""
        raise NotImplementedError

    def _unknown(self) -> str | None:
        """Returns what is said of names that the system does not have; None if it has all."""
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
            unknown = self._unknown()
            return [] if unknown is None else [unknown]
        more = f" and {len(self) - 1:,} other things" if len(self) > 1 else ""
        said = self._unheeded.format(f'"{self.texts()[0]}"{more}')
        return [f"{self.field}: {said}"]
