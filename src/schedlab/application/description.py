"""What programs say of themselves, in their docstrings."""

from __future__ import annotations

from schedlab.application.arguments import parameters
from schedlab.fields import Defined, unchecked

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Description(Defined):
    """What a program's docstring says."""

    summary: str = unchecked("its first line")
    paragraphs: tuple[str, ...] = unchecked("what follows, up to the arguments")
    arguments: dict[str, str] = unchecked(
        "what each argument means, by name; empty where it is not said"
    )


def description(function: Callable[..., Any]) -> Description:
    """Returns what the docstring of a program says, Google style."""
    text, _, arguments_text = (function.__doc__ or "").partition("Args:\n")
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    names = [one.name for one in parameters(function)]
    meanings: dict[str, str] = dict.fromkeys(names, "")
    current = ""
    for line in arguments_text.splitlines():
        stripped = line.strip()
        if not stripped:
            break
        name, colon, meaning = stripped.partition(":")
        if colon and (name in meanings or name == "mpi"):
            current, stripped = name, meaning.strip()
        if current in meanings:
            meanings[current] = f"{meanings[current]} {stripped}".strip()
    return Description(paragraphs[0], tuple(part for part in paragraphs[1:] if part), meanings)
