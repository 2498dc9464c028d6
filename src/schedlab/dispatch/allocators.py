"""Allocators: which nodes a job gets."""

from __future__ import annotations

from schedlab.dispatch import node_orders
from schedlab.dispatch.node_orders import node_order, order_text
from schedlab.errors import InputError
from schedlab.fields import Frozen
from schedlab.naming import build
from schedlab.policy import Policy
from schedlab.seconds import DAY
from schedlab.trust import PERSON

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from schedlab._engine import JobView, MachineView
    from schedlab.dispatch.node_orders import NodeOrder, NodeOrderLike
    from schedlab.system import System
    from schedlab.trust import Origin


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

    def _placement(self) -> dict[str, object]:
        """Returns what it takes beside sockets."""
        return {name: getattr(self, name) for name in self._fields if name in _DEFAULTS}

    def __str__(self) -> str:
        """The name that `allocator` makes this object of again."""
        given = {**self._placement(), "sockets": self.sockets}
        if "order" in given:
            given["order"] = order_text(given["order"])  # type: ignore[arg-type]
        changed = [f"{key}={it}" for key, it in given.items() if it != _DEFAULTS.get(key)]
        return f"{self.name}({', '.join(changed)})" if changed else self.name


_DEFAULTS = {"order": "configured", "partitions": 1, "threshold": 3600, "fit": "first"}
"""Of what only some allocators take."""


class FirstFit(BuiltInAllocator):
    """Fills nodes in an order: that of the system file, or another one.

    Args:
        order: What `node_order` takes.
        partitions: Into how many blocks the ordered nodes are divided; a job is spread evenly over
            all of them.
        sockets: As for all allocators.
    """

    __slots__ = ("order", "partitions")
    _fields: tuple[str, ...] = ("order", "partitions", "sockets")
    name = "first-fit"
    order: NodeOrder
    partitions: int

    def __init__(
        self,
        order: NodeOrderLike = "configured",
        partitions: int = 1,
        sockets: str | None = None,
    ) -> None:
        super().__init__(sockets)
        if isinstance(partitions, bool) or not isinstance(partitions, int) or partitions < 1:
            raise InputError(f"partitions: must be a whole number from 1 up, not {partitions!r}")
        self._set(order=node_order(order), partitions=min(partitions, _MOST_PARTITIONS))


_MOST_PARTITIONS = 2**32 - 1  # more than any system has nodes


class RoundRobin(FirstFit):
    """Takes nodes from the head of a list; those that are idle again go to its tail.

    Args:
        order: Of the list at first, as for `FirstFit`.
        partitions: Likewise; each block is a list of its own.
        sockets: As for all allocators.
    """

    __slots__ = ()
    name = "round-robin"


class DualEnd(FirstFit):
    """Fills nodes for short jobs from one end of an order, for long ones from the other.

    Args:
        order: As for `FirstFit`.
        partitions: Likewise; each block has two ends.
        threshold: Jobs that ask for at most N seconds are short.
        sockets: As for all allocators.
    """

    __slots__ = ("threshold",)
    _fields = ("order", "partitions", "threshold", "sockets")
    name = "dual-end"
    threshold: float

    def __init__(
        self,
        order: NodeOrderLike = "configured",
        partitions: int = 1,
        threshold: float = 3600,
        sockets: str | None = None,
    ) -> None:
        super().__init__(order, partitions, sockets)
        number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
        if not number or not 0 <= threshold <= _LONGEST:
            raise InputError(f"threshold: must be seconds, from 0 to 126 years, not {threshold!r}")
        self._set(threshold=threshold)


_LONGEST = 126 * 365.25 * DAY


class Contiguous(BuiltInAllocator):
    """Places a job on nodes that follow each other in an order; without such a run it waits.

    Args:
        order: As for `FirstFit`.
        fit: "first": in the first run of nodes that has room; "best": in the shortest one.
        sockets: As for all allocators.
    """

    __slots__ = ("fit", "order")
    _fields = ("order", "fit", "sockets")
    name = "contiguous"
    order: NodeOrder
    fit: str

    def __init__(
        self,
        order: NodeOrderLike = "configured",
        fit: str = "first",
        sockets: str | None = None,
    ) -> None:
        super().__init__(sockets)
        if fit not in ("first", "best"):
            raise InputError(f"fit: must be first or best, not {fit!r}")
        self._set(order=node_order(order), fit=fit)


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


_NAMED: dict[str, type[BuiltInAllocator]] = {
    kind.name: kind
    for kind in (FirstFit, BestFit, WorstFit, RandomFit, RoundRobin, DualEnd, Contiguous)
}


def _by_score(score: str) -> Callable[..., ByScore]:
    return lambda sockets=None: ByScore(score, sockets)


_BUILT_IN: dict[str, Callable[..., BuiltInAllocator]] = {
    **_NAMED,
    **{score: _by_score(score) for score in SCORES},
}

ON_ANY_MACHINE = tuple(_NAMED)[:4]
"""Names of those that need to know nothing but what is free, and place whatever fits."""

ALLOCATORS = tuple(_BUILT_IN)
"""Names that `allocator` knows."""


def for_engine(given: Allocator | BuiltInAllocator, system: System) -> dict[str, object]:
    """Returns what the engine gets of an allocator.

    Raises:
        InputError: A function that gives an order of nodes does not.
    """
    if not isinstance(given, BuiltInAllocator):
        return {"allocator": given, "sockets": _socket_order(given.sockets), "placement": {}}
    placement = given._placement()
    if "order" in placement:
        order: NodeOrder = placement["order"]  # type: ignore[assignment]
        placement["order"] = node_orders.for_engine(order, system)
    return {"allocator": given.name, "sockets": given.sockets, "placement": placement}


def allocator(given: str | Allocator | BuiltInAllocator) -> Allocator | BuiltInAllocator:
    """Returns the allocator that a person names.

    `first-fit`, `first-fit(order=xzy, partitions=4)`, `package.module:Class`, or the name of an
    entry point in the group `schedlab.allocators`.

    Raises:
        InputError: The name or an argument is not known.
    """
    return allocator_named(given, PERSON)


def allocator_named(
    given: str | Allocator | BuiltInAllocator, origin: Origin
) -> Allocator | BuiltInAllocator:
    """Returns the allocator of a name, as `allocator` takes it.

    Args:
        given: The name, or an allocator, which is returned as it is.
        origin: Where the name comes from.

    Raises:
        InputError: The name or an argument is not known.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    if isinstance(given, (Allocator, BuiltInAllocator)):
        return given
    if not isinstance(given, str):
        hint = f"; did you mean {given.__name__}()?" if isinstance(given, type) else ""
        kinds = "a name or an object such as FirstFit()"
        raise InputError(f"an allocator is {kinds}, not {given!r}{hint}")
    made = build(
        *("allocator", given, Allocator, _BUILT_IN), origin=origin, takes=_takes, read=_value
    )
    assert isinstance(made, (Allocator, BuiltInAllocator))
    return made


def _takes(name: str) -> tuple[str, ...]:
    return _NAMED[name]._fields if name in _NAMED else ("sockets",)


def _value(key: str, text: str) -> object:
    """Returns an argument as the constructors take it."""
    if key not in ("partitions", "threshold"):
        return text
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text) if key == "threshold" else text
    except ValueError:
        return text
