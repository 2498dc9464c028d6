"""Plain distributions by name: `lognormal(mean=7.5, deviation=1.2, min=1, max=86400)`.

Every value is made of one uniform number by an inverse distribution function, in numpy alone: a
seed gives the same values everywhere, however many are drawn at a time.
"""

from __future__ import annotations

from typing import Any

from schedlab.durations import duration_of
from schedlab.errors import InputError
from schedlab.naming import build
from schedlab.trust import PERSON, like
from schedlab.workload.distributions.base import BOUNDS, Distribution, draw
from schedlab.workload.distributions.continuous import (
    Exponential,
    Gamma,
    LogNormal,
    LogUniform,
    Normal,
    Pareto,
    Triangular,
    Uniform,
    Weibull,
)
from schedlab.workload.distributions.discrete import Choice, Constant, Empirical, Zipf
from schedlab.workload.distributions.mixtures import Exp, HyperExponential, HyperGamma, Mixture

__all__ = [
    "DISTRIBUTIONS",
    "Choice",
    "Constant",
    "Distribution",
    "Empirical",
    "Exp",
    "Exponential",
    "Gamma",
    "HyperExponential",
    "HyperGamma",
    "LogNormal",
    "LogUniform",
    "Mixture",
    "Normal",
    "Pareto",
    "Triangular",
    "Uniform",
    "Weibull",
    "Zipf",
    "distribution",
    "draw",
]

DISTRIBUTIONS: dict[str, Any] = {
    "constant": Constant,
    "uniform": Uniform,
    "loguniform": LogUniform,
    "triangular": Triangular,
    "exponential": Exponential,
    "normal": Normal,
    "lognormal": LogNormal,
    "gamma": Gamma,
    "weibull": Weibull,
    "pareto": Pareto,
    "hyperexponential": HyperExponential,
    "hypergamma": HyperGamma,
    "exp": Exp,
    "choice": Choice,
    "zipf": Zipf,
    "empirical": Empirical,
}
"""Built-in distributions by name."""

KIND = "distribution"
_TIMES = ("min", "max", "shift", "round")
"""Of what all of them take, what are values, and so times where times are drawn."""

_LISTS = ("values", "means")
_TEXTS = (*_LISTS, "of", "file")
"""Parameters that are not numbers."""


def distribution(given: str | float | Distribution, *, of_times: bool = False) -> Distribution:
    """Returns the distribution that a text describes.

    Args:
        given: `name(...)` of DISTRIBUTIONS, with arguments by name or in their order; a number,
            which is always drawn; `package.module:Class(...)`; an entry point's name; or a
            Distribution, which is returned as it is.
        of_times: Whether times are drawn: what is one may then have units, as in
            `exponential(mean=30d)`.

    Raises:
        InputError: There is no such distribution, or its arguments are wrong.
        UntrustedCodeError: It names code, and comes from a file that is not trusted.
    """
    if isinstance(given, Distribution):
        return given
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return _constant(str(given), given)
    if not isinstance(given, str):
        raise InputError(f"a distribution is a text, a number or a Distribution, not {given!r}")
    text = like(given, given.strip())
    number = _number(text, of_times)
    if number is not None:
        return _constant(text, number)
    name = text.partition("(")[0].strip()
    times: tuple[str, ...] = ()
    if of_times and name in DISTRIBUTIONS:
        times = (*DISTRIBUTIONS[name].value_parameters, *_TIMES)
    made = build(
        *(KIND, text, Distribution, DISTRIBUTIONS),
        origin=PERSON,
        takes=_takes,
        read=lambda key, value: _value(key, value, times),
        places=_places,
    )
    assert isinstance(made, Distribution)
    made.text = text
    return made


def _takes(name: str) -> tuple[str, ...]:
    """Returns the arguments of a built-in distribution."""
    own = DISTRIBUTIONS[name].parameters
    known = own if name == "exp" else tuple(dict.fromkeys((*own, *BOUNDS)))
    return tuple(key for key in known if (name, key) != ("hypergamma", "scale"))


def _places(name: str) -> tuple[str, ...]:
    """Returns the arguments that may be given by their place; lists take all of them."""
    if name not in DISTRIBUTIONS:
        return ()
    own: tuple[str, ...] = DISTRIBUTIONS[name].parameters
    return (f"*{own[0]}",) if own[0] in _LISTS else own


def _value(key: str, value: str, times: tuple[str, ...]) -> object:
    """Returns an argument of a built-in distribution; `times` are those that may have units."""
    if key in _TEXTS:
        return like(value, value.strip("'\""))
    if key == "smooth":
        if value not in ("True", "False", "true", "false"):
            raise InputError(f"smooth must be True or False, not {value}")
        return value in ("True", "true")
    number = _number(value, key in times)
    if number is None:
        units = ", which may have units, as in 1h30m" if key in times else ""
        raise InputError(f"{key} must be a number{units}, not {value}")
    return number


def _number(text: str, is_time: bool) -> float | None:
    seconds = duration_of(text) if is_time else None
    if seconds is not None:
        return seconds
    try:
        return float(text)
    except ValueError:
        return None


def _constant(text: str, value: float) -> Distribution:
    try:
        made = Constant(value)
    except InputError as error:
        raise InputError(f"{KIND} {text!r}: {error}") from None
    made.text = text
    return made
