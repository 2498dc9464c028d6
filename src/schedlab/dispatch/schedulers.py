"""Schedulers: an order of the queue and a discipline that walks it; or a policy of your own."""

from __future__ import annotations

from schedlab.dispatch import orders
from schedlab.dispatch.orders import FORMULAS, ORDERS, SCORE, Order
from schedlab.errors import InputError
from schedlab.fields import Defined, alias, other, whole
from schedlab.naming import build
from schedlab.policy import Policy, call_text
from schedlab.trust import PERSON

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedlab._engine import JobView, State
    from schedlab.dispatch.decisions import (
        CancelJob,
        PowerDown,
        PowerUp,
        RejectJob,
        RequeueJob,
        SetClock,
        StartJob,
        WakeAt,
    )
    from schedlab.fields import Taking
    from schedlab.trust import Origin

    OrderLike = str | Order | Callable[[JobView], float]
    Decision = (
        JobView
        | StartJob
        | RejectJob
        | RequeueJob
        | CancelJob
        | WakeAt
        | SetClock
        | PowerDown
        | PowerUp
    )

__all__ = [
    "FORMULAS",
    "ORDERS",
    "SCHEDULERS",
    "Blocking",
    "Conservative",
    "Discipline",
    "Easy",
    "Greedy",
    "Order",
    "Reject",
    "Scheduler",
    "scheduler",
]


class Scheduler(Policy):
    """Base of a scheduler of your own.

    Attributes:
        order: Of `state.queue`: a name, "score:EXPRESSION" or a function, as for `Easy`.
        interrupts_jobs: Whether it may end running jobs (RequeueJob, CancelJob). Attempts of jobs
            are recorded then.
    """

    order: OrderLike = "submit"
    interrupts_jobs: bool = False

    def schedule(self, state: State) -> Iterable[Decision] | None:
        """Returns or yields decisions: jobs to start now, StartJob, RejectJob, WakeAt, ...

        Each is applied as it comes, so a generator sees what its last one led to. It is called
        at every time point at which something happened, if a job waits.
        """
        raise NotImplementedError(f"{type(self).__name__} must define schedule(state)")

    def __str__(self) -> str:
        return f"{type(self).__module__}:{type(self).__qualname__}"


_ORDER = other(
    lambda value, _: orders.order(value),
    'which of the waiting jobs goes first: a name, "score:EXPRESSION" or a function',
    default="submit",
)
_SCORE = alias(
    "order",
    "an expression instead: the job with the lowest value goes first",
    make=lambda given: f"{SCORE}{given}",
    read=lambda made: made.order[len(SCORE) :] if str(made.order).startswith(SCORE) else None,
)
_MOST = 2**62 - 1


class Discipline(Defined):
    """A built-in scheduler: the engine runs it by its discipline, order and limits.

    Attributes:
        discipline: What the engine calls it.
    """

    discipline = ""

    @property
    def order(self) -> str | Order:
        """Which of the waiting jobs goes first."""
        return "submit"

    @property
    def depth(self) -> int | None:
        """How many jobs are considered; None: all."""
        return None

    @property
    def reservations(self) -> int | None:
        """How many jobs that do not fit hold a reservation; None: all."""
        return 1

    def __str__(self) -> str:
        """The name that `scheduler` makes this object of again."""
        for name in SCHEDULERS:
            if scheduler(name) == self:
                return name
        order = str(self.order)
        if order.startswith(SCORE) and self == Blocking(order):
            return order
        return call_text(self.discipline, self)


class Blocking(Discipline):
    """Starts jobs in order and stops at the first that does not fit now."""

    discipline = "blocking"
    order: Taking[str | Order, OrderLike] = _ORDER
    score: str | None = _SCORE


class Greedy(Discipline):
    """Starts every job that fits now, in order."""

    discipline = "greedy"
    order: Taking[str | Order, OrderLike] = _ORDER
    score: str | None = _SCORE
    depth: int | None = whole(
        "how many jobs of the queue are considered, from its head",
        minimum=1,
        maximum=_MOST,
        default=None,
        absent="all",
    )


class Easy(Discipline):
    """EASY backfilling: the first job that does not fit holds a reservation.

    Later ones start if, by the estimates, they do not delay it.
    """

    discipline = "easy"
    order: Taking[str | Order, OrderLike] = _ORDER
    score: str | None = _SCORE
    depth: int | None = whole(
        "how many of the jobs after the first that does not fit are considered",
        minimum=1,
        maximum=_MOST,
        default=None,
        absent="all",
    )
    reservations: int | None = whole(
        "how many of the jobs that do not fit hold a reservation; None: all",
        minimum=1,
        maximum=_MOST,
        none="all",
        default=1,
    )


class Conservative(Discipline):
    """Conservative backfilling: every job holds a reservation, which later ones must not delay."""

    discipline = "conservative"
    order: Taking[str | Order, OrderLike] = _ORDER
    score: str | None = _SCORE
    depth: int | None = whole(
        "how many jobs of the queue, from its head, get new reservations",
        minimum=1,
        maximum=_MOST,
        default=None,
        absent="all",
    )


class Reject(Discipline):
    """Rejects every job: what remains is the cost of reading and recording."""

    discipline = "reject"


def _blocking_by(order: str) -> Callable[[], Discipline]:
    return lambda: Blocking(order)


_NAMED: dict[str, Callable[..., Discipline]] = {
    "fifo": lambda: Blocking(),
    "sjf": lambda: Blocking("shortest"),
    "ljf": lambda: Blocking("longest"),
    "smallest": lambda: Blocking("smallest"),
    "largest": lambda: Blocking("largest"),
    "fcfs-bf": lambda: Greedy(),
    "sjf-nodehours": lambda: Greedy("fewest-node-hours"),
    "ljf-nodehours": lambda: Greedy("most-node-hours"),
    "sjf-corehours": lambda: Greedy("fewest-core-hours"),
    "ljf-corehours": lambda: Greedy("most-core-hours"),
    "easy": Easy,
    "conservative": Conservative,
    **{formula: _blocking_by(formula) for formula in FORMULAS},
    "blocking": Blocking,
    "greedy": Greedy,
    "reject": Reject,
}

SCHEDULERS = tuple(_NAMED)
"""Names that `scheduler` knows."""


def scheduler(given: str | Scheduler | Discipline) -> Scheduler | Discipline:
    """Returns the scheduler that a person names.

    `easy`, `easy(order=shortest, depth=100)`, `easy(score=-wait * processors)`, `score:-wait`,
    `package.module:Class`, or the name of an entry point in the group `schedlab.schedulers`.

    Raises:
        InputError: The name or an argument is not known.
    """
    return scheduler_named(given, PERSON)


def scheduler_named(given: str | Scheduler | Discipline, origin: Origin) -> Scheduler | Discipline:
    """Returns the scheduler of a name, as `scheduler` takes it.

    Args:
        given: The name, or a scheduler, which is returned as it is.
        origin: Where the name comes from.

    Raises:
        InputError: The name or an argument is not known.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    if isinstance(given, (Scheduler, Discipline)):
        return given
    if not isinstance(given, str):
        hint = f"; did you mean {given.__name__}()?" if isinstance(given, type) else ""
        raise InputError(f"a scheduler is a name or an object such as Easy(), not {given!r}{hint}")
    if given.startswith(SCORE):
        return Blocking(given)
    made = build("scheduler", given, Scheduler, _NAMED, origin=origin)
    assert isinstance(made, (Scheduler, Discipline))
    return made


def _order_of(given: Scheduler) -> OrderLike:
    """Returns the order; a function of one argument in the body of a class is not a method."""
    for kind in type(given).__mro__:
        function = vars(kind).get("order")
        code = getattr(function, "__code__", None)
        if function is not None:
            alone = code is not None and code.co_argcount == 1
            return function if alone and "order" not in vars(given) else given.order
    return given.order


def for_engine(given: Scheduler | Discipline, origin: Origin) -> dict[str, object]:
    """Returns what the engine gets of a scheduler.

    Args:
        given: The scheduler.
        origin: Where its state comes from, which may name its order.
    """
    parts: tuple[object, ...]
    if isinstance(given, Discipline):
        order = given.order
        parts = (None, given.discipline, given.depth, given.reservations)
    else:
        in_state = "order" in vars(given)  # else its class names it: that is code
        order = orders.order_named(_order_of(given), origin if in_state else PERSON)
        parts = (given, "", None, 1)
    return {
        **dict(zip(("scheduler", "discipline", "depth", "reservations"), parts, strict=True)),
        "order": orders.for_engine(order),
        "order_changes": not (isinstance(order, Order) and order.fixed),
    }
