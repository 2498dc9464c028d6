"""What is checked: a policy by name, class, factory or example, made anew for each simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedlab.dispatch import Allocator, BuiltInAllocator, Discipline, Scheduler
from schedlab.dispatch import allocator as allocator_named
from schedlab.dispatch import scheduler as scheduler_named
from schedlab.dispatch.additional_data import AdditionalData
from schedlab.dispatch.estimators import Estimator, estimator_named
from schedlab.errors import InputError
from schedlab.naming import build
from schedlab.options import CHOICES
from schedlab.policy import Policy
from schedlab.testing.report import MADE, ConformanceError, name_of
from schedlab.trust import PERSON

if TYPE_CHECKING:
    from collections.abc import Callable


def _estimate(name: str) -> str | Estimator:
    return name if name in CHOICES["estimate"] else estimator_named(name, PERSON)


_KINDS: dict[str, tuple[str, tuple[type, ...], Callable[[str], Any]]] = {
    "scheduler": ("scheduler", (Scheduler, Discipline), scheduler_named),
    "allocator": ("allocator", (Allocator, BuiltInAllocator), allocator_named),
    "estimator": ("estimate", (Estimator,), _estimate),
    "additional_data": (
        "data",
        (AdditionalData,),
        lambda name: build("additional data", name, AdditionalData, (), origin=PERSON),
    ),
}
"""For each kind: the argument of Simulation, what objects must be of, and how names are read."""


class Subject:
    """A policy under check.

    Attributes:
        label: What messages call it.
        argument: The argument of `Simulation` that takes it.
        own: Whether it is written in Python, and so may do anything.
    """

    def __init__(self, kind: str, given: object) -> None:
        self.argument, self._types, self._named = _KINDS[kind]
        self._given = given
        self.label = label_of(kind, given)
        example = self.fresh()
        self.own = isinstance(example, Policy)
        self._class = type(example)

    def fresh(self) -> Any:
        """Returns the policy as it is before a simulation, shared with nobody.

        Raises:
            ConformanceError: It cannot be made or copied, or is of another kind.
        """
        given = self._given
        try:
            if isinstance(given, str):
                return self._named(given)
            if isinstance(given, Policy):
                made: object = given._copy()
            else:
                made = given() if callable(given) else given
        except InputError:
            raise
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            raise ConformanceError(self.label, MADE, found) from error
        if isinstance(made, self._types):
            return made
        kinds = " or ".join(f"schedlab.{kind.__name__}" for kind in self._types)
        raise ConformanceError(self.label, MADE, f"{made!r} is not a {kinds}")

    def declares(self, name: str, default: bool) -> bool:
        """Returns what its class says of it under this name."""
        return bool(getattr(self._class, name, default))

    @property
    def code(self) -> str:
        """An expression for a fresh one, for messages."""
        if isinstance(self._given, str):
            return repr(self._given)
        name = name_of(self._given)
        made = callable(self._given) and not isinstance(self._given, self._types)
        return f"{name}()" if made else f"<your {name}>"

    def given_as(self, value: object) -> dict[str, Any]:
        """Returns the argument of `Simulation` for a fresh one."""
        return {self.argument: [value] if self.argument == "data" else value}


def label_of(kind: str, given: object) -> str:
    """Returns what messages call the check of a policy."""
    return f"check_{kind}({given if isinstance(given, str) else name_of(given)})"
