"""Allocators: which nodes a job gets."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.frozen import Frozen
from schedlab.naming import build, not_taken, parse_call
from schedlab.policy import Policy

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schedlab._engine import JobView, MachineView


SOCKET_ORDERS = ("by-number", "fullest", "emptiest", "fastest", "most-bandwidth", "least-power")
"""In which order the sockets of a node get a job's tasks, each filled before the next."""


def _socket_order(given: str | None) -> str | None:
    if given is not None and given not in SOCKET_ORDERS:
        raise InputError(f"sockets: must be one of {', '.join(SOCKET_ORDERS)}, not {given!r}")
    return given


class Allocator(Policy):
    """Base of an allocator of your own.

    Attributes:
        sockets: One of SOCKET_ORDERS, for systems with processors; None: by number.
    """

    sockets: str | None = None

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
    """An allocator that the engine runs by its name.

    Args:
        sockets: One of SOCKET_ORDERS, for systems with processors; None: what goes with the
            allocator.
    """

    __slots__ = ("sockets",)
    _fields: tuple[str, ...] = ("sockets",)
    name = ""
    sockets: str | None

    def __init__(self, sockets: str | None = None) -> None:
        self._set(sockets=_socket_order(sockets))

    def __str__(self) -> str:
        return self.name if self.sockets is None else f"{self.name}(sockets={self.sockets})"


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


SCORES = (
    "high-gflops",
    "high-core",
    "high-mem",
    "high-mem-bw",
    "low-power",
    "least-added-power",
    "coolest",
)
"""What `ByScore` may go by; all but high-core and high-mem need a system with processors, and
coolest needs conditions with a thermal model."""


class ByScore(BuiltInAllocator):
    """Takes the nodes first that are best by a number, such as the most idle cores.

    Args:
        score: One of SCORES.
        sockets: As for all allocators; by default sockets go by the same number as nodes.
    """

    __slots__ = ("name",)
    _fields = ("name", "sockets")

    def __init__(self, score: str, sockets: str | None = None) -> None:
        if score not in SCORES:
            raise InputError(f"an allocator by score goes by {', '.join(SCORES)}, not {score!r}")
        super().__init__(sockets)
        self._set(name=score)


_NAMED = {kind.name: kind for kind in (FirstFit, BestFit, WorstFit, RandomFit)}

ON_ANY_MACHINE = tuple(_NAMED)
"""Names of those that need to know nothing but what is free."""

ALLOCATORS = (*ON_ANY_MACHINE, *SCORES)
"""Names that `allocator` knows."""


def for_engine(given: Allocator | BuiltInAllocator) -> dict[str, object]:
    """Returns what the engine is told of an allocator."""
    if isinstance(given, BuiltInAllocator):
        return {"allocator": given.name, "sockets": given.sockets}
    return {"allocator": given, "sockets": _socket_order(given.sockets)}


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
    name, arguments = parse_call(given, "allocator")
    if name in ALLOCATORS:
        for key in arguments:
            if key != "sockets":
                raise not_taken("allocator", given, key, ("sockets",))
        try:
            return _NAMED[name](**arguments) if name in _NAMED else ByScore(name, **arguments)
        except InputError as error:
            raise InputError(f"allocator {given!r}: {error}") from None
    made = build("allocator", given, Allocator, ALLOCATORS)
    assert isinstance(made, Allocator)
    return made
