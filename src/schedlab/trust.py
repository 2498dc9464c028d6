"""Where a name comes from, and whether the code that it names may run.

What a person types or passes to a function is meant. What stands in a file or in a request is data:
it may name what is built in and what installed packages offer, and no other code unless the person
says so. `schedlab.naming.find` decides; whoever looks up a name passes where the name comes from.
"""

from __future__ import annotations

from schedlab.errors import InputError, UntrustedCodeError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable


class Origin:
    """Where a name comes from.

    Attributes:
        place: The file or request, for messages; "" for the person.
        is_trusted: Whether any code that it names may run.
        given: Names of code that the person gave, too: those may run in any case.
    """

    __slots__ = ("given", "is_trusted", "place")

    def __init__(self, place: str, is_trusted: bool, given: Iterable[str] = ()) -> None:
        self.place, self.is_trusted, self.given = place, is_trusted, frozenset(given)

    def allows(self, name: str) -> bool:
        """Returns whether the code of that name may run."""
        return self.is_trusted or name in self.given

    def refusal(self, kind: str, name: str) -> UntrustedCodeError:
        """Returns the error for a name of code that may not run.

        Args:
            kind: "scheduler", "application" and so on: the field that holds it.
            name: What it says.
        """
        place = f"{self.place}: " if self.place else ""
        return UntrustedCodeError(
            f"{place}{kind} {name!r} names code, and data does not run code by itself; if you "
            "trust it, pass --trust-code (in Python trust_code=True)"
        )


PERSON = Origin("", True)
"""The person who runs schedlab: arguments of commands and functions."""


def data(place: str, trust_code: bool, given: Iterable[str] = ()) -> Origin:
    """Returns the origin of names in a file or a request.

    Args:
        place: What messages call it: a path, perhaps with a field.
        trust_code: Whether the person trusts the code that it names.
        given: Names of code that the person gave beside it.

    Raises:
        InputError: It is not said plainly whether it is trusted.
    """
    if not isinstance(trust_code, bool):
        raise InputError(f"trust_code: must be True or False, not {trust_code!r}")
    return Origin(place, trust_code, given)


class TextOfData(str):
    """A text of data that was handed to code of an installed package, and may come back as a name.

    Attributes:
        origin: Where it comes from.
    """

    __slots__ = ("origin",)
    origin: Origin

    def __new__(cls, text: str, origin: Origin) -> TextOfData:
        """Returns the text, which knows where it comes from."""
        made = super().__new__(cls, text)
        made.origin = origin
        return made

    def __reduce__(self) -> tuple[type, tuple[str, Origin]]:
        return TextOfData, (str(self), self.origin)


def handed_over(text: str, origin: Origin) -> str:
    """Returns a text as code gets it: one of data that is not trusted stays known as such."""
    return text if origin.is_trusted else TextOfData(text, origin)


def origin_of(text: str, stated: Origin) -> Origin:
    """Returns where a text comes from: what it knows itself, else what its user states."""
    return text.origin if isinstance(text, TextOfData) else stated


def like(text: str, part: str) -> str:
    """Returns a part of a text, which comes from where the text does."""
    return TextOfData(part, text.origin) if isinstance(text, TextOfData) else part
