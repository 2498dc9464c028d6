"""The parts of a simulation as they are given: by name, or as objects."""

from __future__ import annotations

from schedlab.options import CHOICES
from schedlab.policy import Policy

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedlab.dispatch.additional_data import AdditionalData
    from schedlab.dispatch.estimators import Estimator


def label(given: object, made: object) -> str:
    """Returns how results name a part: as it was named, or its class with its plain attributes."""
    if isinstance(given, str):
        return given if isinstance(made, Policy) else str(made)
    if not isinstance(made, Policy):
        return str(made)
    plain = {k: v for k, v in vars(made).items() if isinstance(v, (bool, int, float, str))}
    arguments = ", ".join(f"{name}={value!r}" for name, value in plain.items())
    name = f"{type(made).__module__}:{type(made).__qualname__}"
    return f"{name}({arguments})" if arguments else name


def checked_data(given: Iterable[AdditionalData | str]) -> tuple[AdditionalData, ...]:
    """Returns the additional data as objects."""
    if given == ():
        return ()
    from schedlab.dispatch.additional_data import check

    return check(given)


def own_estimator(given: str | Estimator | None) -> Estimator | None:
    """Returns the estimator, where it is not one of the built-in words."""
    if given is None or given in CHOICES["estimate"]:
        return None
    from schedlab.dispatch.estimators import estimator

    return estimator(given)
