"""Allocators: which nodes a job gets."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.frozen import Frozen
from schedlab.naming import build
from schedlab.policy import Policy

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schedlab._engine import JobView, MachineView


class Allocator(Policy):
    """Base of an allocator of your own."""

    def place(self, job: JobView, machine: MachineView) -> Iterable[int] | Mapping[int, int] | None:
        """Returns the nodes for all tasks of a job that is to start now.

        Args:
            job: The job.
            machine: What is free; `machine.room(node, job)` says how many tasks a node may get.

        Returns:
            A node for each task, or the number of tasks by node; None where the job shall wait.
        """
        raise NotImplementedError(f"{type(self).__name__} must define place(job, machine)")

    def __str__(self) -> str:
        return f"{type(self).__module__}:{type(self).__qualname__}"


class BuiltInAllocator(Frozen):
    """An allocator that the engine runs by its name."""

    __slots__ = ()
    name = ""

    def __str__(self) -> str:
        return self.name


class FirstFit(BuiltInAllocator):
    """Fills nodes in the order of the system file."""

    __slots__ = ()
    name = "first-fit"


class BestFit(BuiltInAllocator):
    """Fills the fullest nodes first.

    A node's load adds up the shares of its resource types that are in use. (AccaSim adds raw
    amounts, in which kilobytes of memory drown cores.)
    """

    __slots__ = ()
    name = "best-fit"


class WorstFit(BuiltInAllocator):
    """Fills the emptiest nodes first."""

    __slots__ = ()
    name = "worst-fit"


class RandomFit(BuiltInAllocator):
    """Draws nodes at random, by the run's seed, from those with room."""

    __slots__ = ()
    name = "random"


_NAMED = {kind.name: kind for kind in (FirstFit, BestFit, WorstFit, RandomFit)}

ALLOCATORS = tuple(_NAMED)
"""Names that `allocator` knows."""


def allocator(given: str | Allocator | BuiltInAllocator) -> Allocator | BuiltInAllocator:
    """Returns the allocator of that name: built in, `package.module:Class`, or an entry point.

    Raises:
        InputError: The name is not known.
    """
    if isinstance(given, (Allocator, BuiltInAllocator)):
        return given
    if not isinstance(given, str):
        hint = f"; did you mean {given.__name__}()?" if isinstance(given, type) else ""
        kinds = "a name or an object such as FirstFit()"
        raise InputError(f"an allocator is {kinds}, not {given!r}{hint}")
    if given in _NAMED:
        return _NAMED[given]()
    name, _, arguments = given.partition("(")
    if arguments and name.strip() in _NAMED:
        raise InputError(f"allocator {given!r}: {name.strip()} takes no arguments")
    made = build("allocator", given, Allocator, ALLOCATORS)
    assert isinstance(made, Allocator)
    return made
