"""Allocators: which nodes a job gets."""

from __future__ import annotations

from schedlab.dispatch.naming import unknown
from schedlab.errors import InputError
from schedlab.frozen import Frozen


class Allocator(Frozen):
    """A built-in allocator: the engine runs it by its name."""

    __slots__ = ()
    name = ""

    def __str__(self) -> str:
        return self.name


class FirstFit(Allocator):
    """Fills nodes in the order of the system file."""

    __slots__ = ()
    name = "first-fit"


class BestFit(Allocator):
    """Fills the fullest nodes first.

    A node's load adds up the shares of its resource types that are in use. (AccaSim adds raw
    amounts, in which kilobytes of memory drown cores.)
    """

    __slots__ = ()
    name = "best-fit"


class WorstFit(Allocator):
    """Fills the emptiest nodes first."""

    __slots__ = ()
    name = "worst-fit"


class RandomFit(Allocator):
    """Draws nodes at random, by the run's seed, from those with room."""

    __slots__ = ()
    name = "random"


_NAMED = {kind.name: kind for kind in (FirstFit, BestFit, WorstFit, RandomFit)}

ALLOCATORS = tuple(_NAMED)
"""Names that `allocator` knows."""


def allocator(given: str | Allocator) -> Allocator:
    """Returns the allocator of that name.

    Raises:
        InputError: The name is not known.
    """
    if isinstance(given, Allocator):
        return given
    if not isinstance(given, str):
        raise InputError(f"an allocator is a name or an object such as FirstFit(), not {given!r}")
    if given not in _NAMED:
        raise unknown("allocator", given, ALLOCATORS)
    return _NAMED[given]()
