"""What policies written in Python share: copies for forks, and states for files."""

from __future__ import annotations

from schedlab.errors import InputError, SimulationError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any, Self

    from schedlab.fields import Defined


def default(method: Any) -> Any:
    """Marks a method of a base class that need not be called unless it is overridden."""
    method.does_nothing = True
    return method


class Policy:
    """Base of schedulers, allocators, estimators and additional data that Python code defines.

    A policy whose attributes are plain data (numbers, text, lists, tuples, sets, dicts, None,
    `random.Random`) forks and saves as it is. Any other gives `get_state` and `set_state`.
    """

    @default
    def get_state(self) -> Any:
        """Returns what the policy knows, as plain data; by default all its attributes."""
        return dict(vars(self))

    def set_state(self, state: Any) -> None:
        """Takes over what `get_state` returned, perhaps in another process."""
        vars(self).clear()
        vars(self).update(state)

    def _copy(self) -> Self:
        import copy

        try:
            if self._overrides("get_state"):
                other = copy.copy(self)
                other.set_state(copy.deepcopy(self.get_state()))
                return other
            return copy.deepcopy(self)
        except Exception as error:
            raise SimulationError(
                f"{type(self).__name__} cannot be copied for a fork ({error}); "
                "give it get_state() and set_state()"
            ) from error

    def _saved(self) -> bytes:
        """Returns the state as bytes; raises SimulationError, naming what cannot be saved."""
        from schedlab.state_text import encode

        name = type(self).__name__
        try:
            return encode(self.get_state(), name)
        except TypeError as error:
            raise SimulationError(
                f"{name} cannot be saved: {error}, which is not plain data; "
                "give it get_state() and set_state()"
            ) from None

    def _restore(self, state: bytes) -> None:
        from schedlab.state_text import decode

        known = decode(state)
        if type(self).set_state is Policy.set_state and type(known) is not dict:
            raise InputError(f"the state of {type(self).__name__} is damaged: it is not a table")
        self.set_state(known)

    def _overrides(self, name: str) -> bool:
        """Whether the class, or the object, has a method of its own instead of the base's."""
        return not getattr(getattr(self, name), "does_nothing", False)


def call_text(name: str, made: Defined, **texts: str) -> str:
    """Returns the text that stands for a part: its name, and what is not the default.

    Args:
        name: Of the part.
        made: The part.
        **texts: Of values whose text is another one than `str` gives, by name.
    """
    given = []
    for field in made._declared:
        value = getattr(made, field.name)
        aliases = [one for one in made._aliases if one.facts["of"] == field.name]
        said = any(getattr(made, one.name) is not None for one in aliases)
        if value != field.default and not said:
            shown = field.facts.get("none") if value is None else texts.get(field.name, value)
            given.append(f"{field.name}={shown}")
    return f"{name}({', '.join(given)})" if given else name
