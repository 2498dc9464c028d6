"""Distributions of lengths of time, by name: `exponential(mean=30d)`."""

from __future__ import annotations

from math import exp, gamma

from schedlab import decode
from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError
from schedlab.fields import Defined, number, seconds
from schedlab.naming import build

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.fields import Taking

KIND = "distribution of times"


LEAST_SECONDS = 1e-9
"""What the engine counts in."""


class TimeLaw(Defined):
    """A distribution of lengths of time; its first field is one, in seconds."""

    name = ""

    def expected(self) -> float:
        """Returns the mean, in seconds."""
        return float(self._values()[0])

    def for_engine(self) -> tuple[str, float, float]:
        """Returns what the engine gets: name, seconds, and a second number, 0 for none."""
        first, *others = self._values()
        return self.name, first, others[0] if others else 0.0


class ExponentialTimes(TimeLaw):
    """Times of a process without memory."""

    name = "exponential"
    mean: Taking[float, float | str] = seconds(
        "the mean", minimum=LEAST_SECONDS, maximum=MAX_SECONDS, hidden=True
    )


class WeibullTimes(TimeLaw):
    """Times of what wears out, or of what has teething troubles, with a shape below 1."""

    name = "weibull"
    scale: Taking[float, float | str] = seconds(
        "63 % are shorter", minimum=LEAST_SECONDS, maximum=MAX_SECONDS, hidden=True
    )
    shape: float = number("1: exponential", minimum=0.1, maximum=100.0, hidden=True)

    def expected(self) -> float:
        return self.scale * gamma(1 + 1 / self.shape)


class LogNormalTimes(TimeLaw):
    """Times whose logarithms are normal."""

    name = "lognormal"
    median: Taking[float, float | str] = seconds(
        "half of them are shorter", minimum=LEAST_SECONDS, maximum=MAX_SECONDS, hidden=True
    )
    sigma: float = number("deviation of the logarithm", maximum=5.0, hidden=True)

    def expected(self) -> float:
        return self.median * exp(self.sigma**2 / 2)


class FixedTimes(TimeLaw):
    """Always the same time."""

    name = "fixed"
    seconds: Taking[float, float | str] = seconds(
        "the time", minimum=LEAST_SECONDS, maximum=MAX_SECONDS, hidden=True
    )


LAWS: dict[str, type[TimeLaw]] = {
    kind.name: kind for kind in (ExponentialTimes, WeibullTimes, LogNormalTimes, FixedTimes)
}
"""The distributions by name."""

WRITTEN = {"type": "string", "pattern": rf"^\s*({'|'.join(LAWS)})\s*\("}
"""The JSON Schema of such a text."""


def law_of(text: object, path: str) -> TimeLaw:
    """Returns the distribution that a text such as `exponential(mean=3600)` describes.

    Args:
        text: The text.
        path: Where it is written.

    Raises:
        InputError: With the path.
    """
    if not isinstance(text, str):
        raise InputError(
            f'{path}: must be a distribution, such as "exponential(mean=3600)" '
            f"(is {decode.shown(text)})"
        )
    try:
        made = build(KIND, text, TimeLaw, LAWS, origin=None)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    assert isinstance(made, TimeLaw)
    return made
