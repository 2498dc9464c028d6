"""Allocators: which nodes a job gets."""

from __future__ import annotations

from schedlab import decode
from schedlab.dispatch import node_orders
from schedlab.dispatch.node_orders import node_order, order_text
from schedlab.errors import InputError
from schedlab.fields import Defined, by_name, other, seconds, whole, word
from schedlab.naming import build
from schedlab.policy import Policy, call_text
from schedlab.trust import PERSON

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from schedlab._engine import JobView, MachineView
    from schedlab.dispatch.node_orders import NodeOrder, NodeOrderLike
    from schedlab.fields import Taking
    from schedlab.system import System
    from schedlab.trust import Origin


SOCKET_ORDERS = ("by-number", "fullest", "emptiest", "fastest", "most-bandwidth", "least-power")
"""In which order the sockets of a node get a job's tasks, each filled before the next."""


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
            A node for each task, or the number of tasks by node; None where the job is to wait.
        """
        raise NotImplementedError(f"{type(self).__name__} must define place(job, machine)")

    def __str__(self) -> str:
        return f"{type(self).__module__}:{type(self).__qualname__}"


_SOCKETS = word(
    SOCKET_ORDERS,
    "in which order the sockets of a node get tasks, for systems with processors",
    what="order of sockets",
    default=None,
    absent="what goes with the allocator",
)
_ORDER = other(
    lambda value, _: node_order(value),
    "of the nodes: what `node_order` takes",
    default="configured",
)
_PARTITIONS = whole(
    "into how many blocks the ordered nodes are divided; a job is spread evenly over all of them",
    minimum=1,
    maximum=2**32 - 1,  # more than any system has nodes
    default=1,
)


class BuiltInAllocator(Defined):
    """An allocator that the engine runs by its name."""

    name = ""

    @property
    def sockets(self) -> str | None:
        """One of SOCKET_ORDERS; None: what goes with the allocator."""
        return None

    def _placement(self) -> dict[str, object]:
        """Returns what it takes besides sockets."""
        return {key: value for key, value in by_name(self).items() if key != "sockets"}

    def __str__(self) -> str:
        """The name that `allocator` makes this object of again."""
        order = self._placement().get("order")
        texts = {} if order is None else {"order": order_text(order)}  # type: ignore[arg-type]
        return call_text(self.name, self, **texts)


class FirstFit(BuiltInAllocator):
    """Fills nodes in an order: that of the system file, or another one."""

    name = "first-fit"
    order: Taking[NodeOrder, NodeOrderLike] = _ORDER
    partitions: int = _PARTITIONS
    sockets: str | None = _SOCKETS


class RoundRobin(BuiltInAllocator):
    """Takes nodes from the head of a list; those that are idle again go to its tail.

    The order is that of the list at first; each block is a list of its own.
    """

    name = "round-robin"
    order: Taking[NodeOrder, NodeOrderLike] = _ORDER
    partitions: int = _PARTITIONS
    sockets: str | None = _SOCKETS


class DualEnd(BuiltInAllocator):
    """Fills nodes for short jobs from one end of an order, for long ones from the other.

    Each block has two ends.
    """

    name = "dual-end"
    order: Taking[NodeOrder, NodeOrderLike] = _ORDER
    partitions: int = _PARTITIONS
    threshold: Taking[float, float | str] = seconds(
        "jobs that ask for at most as long are short",
        maximum=decode.MAX_SECONDS,
        as_written=True,
        default=3600,
    )
    sockets: str | None = _SOCKETS


class Contiguous(BuiltInAllocator):
    """Places a job on nodes that follow each other in an order; without such a run it waits."""

    name = "contiguous"
    order: Taking[NodeOrder, NodeOrderLike] = _ORDER
    fit: str = word(
        ("first", "best"),
        '"first": in the first run of nodes that has room; "best": in the shortest one',
        default="first",
    )
    sockets: str | None = _SOCKETS


class BestFit(BuiltInAllocator):
    """Fills the fullest nodes first.

    A node's load adds up the shares of its resource types that are in use. (AccaSim adds raw
    amounts, in which kilobytes of memory drown cores.)
    """

    name = "best-fit"
    sockets: str | None = _SOCKETS


class WorstFit(BuiltInAllocator):
    """Fills the emptiest nodes first."""

    name = "worst-fit"
    sockets: str | None = _SOCKETS


class RandomFit(BuiltInAllocator):
    """Draws nodes at random, by the run's seed, from those with room."""

    name = "random"
    sockets: str | None = _SOCKETS


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
    """Takes first the nodes that are best by a number, such as the most idle cores.

    By default sockets go by the same number as nodes.
    """

    score: str = word(
        SCORES, "the number: one of SCORES", what="score of nodes", example='"high-core"'
    )
    sockets: str | None = _SOCKETS

    def _complete(self) -> None:
        self._set(name=self.score)

    def _placement(self) -> dict[str, object]:
        return {}

    def __str__(self) -> str:
        return f"{self.score}(sockets={self.sockets})" if self.sockets else self.score


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
        sockets = given.sockets
        if sockets is not None:
            decode.one_of(sockets, SOCKET_ORDERS, "sockets", "order of sockets")
        return {"allocator": given, "sockets": sockets, "placement": {}}
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
    made = build("allocator", given, Allocator, _BUILT_IN, origin=origin)
    assert isinstance(made, (Allocator, BuiltInAllocator))
    return made
