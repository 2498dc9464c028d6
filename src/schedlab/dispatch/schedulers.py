"""Schedulers: an order of the queue and a discipline that walks it; or a policy of your own."""

from __future__ import annotations

from schedlab.dispatch import orders
from schedlab.dispatch.orders import FORMULAS, ORDERS, Order
from schedlab.errors import InputError
from schedlab.fields import Frozen
from schedlab.naming import build
from schedlab.policy import Policy
from schedlab.trust import PERSON

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedlab._engine import JobView, State
    from schedlab.dispatch.decisions import (
        PowerDown,
        PowerUp,
        RejectJob,
        SetClock,
        StartJob,
        WakeAt,
    )
    from schedlab.trust import Origin

    OrderLike = str | Order | Callable[[JobView], float]
    Decision = JobView | StartJob | RejectJob | WakeAt | SetClock | PowerDown | PowerUp

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
    """

    order: OrderLike = "submit"

    def schedule(self, state: State) -> Iterable[Decision] | None:
        """Returns or yields decisions: jobs to start now, StartJob, RejectJob, WakeAt, ...

        Each is applied as it comes, so a generator sees what its last one led to. It is called
        at every time point at which something happened, if a job waits.
        """
        raise NotImplementedError(f"{type(self).__name__} must define schedule(state)")

    def __str__(self) -> str:
        return f"{type(self).__module__}:{type(self).__qualname__}"


class Discipline(Frozen):
    """A built-in scheduler: the engine runs it by its discipline, order and limits."""

    __slots__ = ("depth", "order", "reservations")
    _fields: tuple[str, ...] = ("order",)

    discipline = ""
    order: str | Order
    depth: int | None
    reservations: int | None

    def __init__(
        self,
        order: OrderLike = "submit",
        depth: int | None = None,
        reservations: int | None = 1,
        score: str | None = None,
    ) -> None:
        if score is not None:
            if order != "submit":
                raise InputError("give an order or a score, not both")
            order = f"score:{score}"
        for name, limit in (("depth", depth), ("reservations", reservations)):
            whole = isinstance(limit, int) and not isinstance(limit, bool)
            if limit is not None and not (whole and 1 <= limit < 2**62):
                raise InputError(f"{name} must be a whole number from 1 up, not {limit!r}")
        self._set(order=orders.order(order), depth=depth, reservations=reservations)

    def __str__(self) -> str:
        """The name that `scheduler` makes this object of again."""
        for name in SCHEDULERS:
            if scheduler(name) == self:
                return name
        order = str(self.order)
        if order.startswith("score:") and self == Blocking(order):
            return order
        key, _, value = order.partition(":") if order.startswith("score:") else ("order", "", order)
        reservations = "all" if self.reservations is None else self.reservations
        given: list[tuple[str, object, object]] = [
            (key, value, "submit"),
            ("depth", self.depth, None),
            ("reservations", reservations, 1),
        ]
        changed = [f"{name}={value}" for name, value, default in given if value != default]
        return f"{self.discipline}({', '.join(changed)})"


class Blocking(Discipline):
    """Starts jobs in order and stops at the first that does not fit now."""

    __slots__ = ()
    discipline = "blocking"

    def __init__(self, order: OrderLike = "submit", score: str | None = None) -> None:
        super().__init__(order, score=score)


class Greedy(Discipline):
    """Starts every job that fits now, in order; looks at the first `depth` only, if given."""

    __slots__ = ()
    _fields = ("order", "depth")
    discipline = "greedy"

    def __init__(
        self, order: OrderLike = "submit", depth: int | None = None, score: str | None = None
    ) -> None:
        super().__init__(order, depth, score=score)


class Easy(Discipline):
    """EASY backfilling: the first job that does not fit holds a reservation.

    Later ones start if, by the estimates, they do not delay it. `depth` bounds how many of the
    jobs behind it are looked at. `reservations`: how many of the jobs that do not fit hold one;
    None: all.
    """

    __slots__ = ()
    _fields = ("order", "depth", "reservations")
    discipline = "easy"


class Conservative(Discipline):
    """Conservative backfilling: every job holds a reservation, which later ones must not delay.

    `depth`: only the first N jobs of the queue get new reservations.
    """

    __slots__ = ()
    _fields = ("order", "depth")
    discipline = "conservative"

    def __init__(
        self, order: OrderLike = "submit", depth: int | None = None, score: str | None = None
    ) -> None:
        super().__init__(order, depth, score=score)


class Reject(Discipline):
    """Rejects every job: what remains is the cost of reading and recording."""

    __slots__ = ()
    _fields = ()
    discipline = "reject"

    def __init__(self) -> None:
        super().__init__()


def _blocking_by(order: str) -> Callable[[], Discipline]:
    return lambda: Blocking(order)


_NAMED: dict[str, Callable[..., Discipline]] = {
    "fifo": Blocking,
    "sjf": lambda: Blocking("shortest"),
    "ljf": lambda: Blocking("longest"),
    "smallest": lambda: Blocking("smallest"),
    "largest": lambda: Blocking("largest"),
    "fcfs-bf": Greedy,
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

_WITH_ARGUMENTS = {
    "easy": ("order", "score", "depth", "reservations"),
    "conservative": ("order", "score", "depth"),
    "greedy": ("order", "score", "depth"),
    "blocking": ("order", "score"),
}


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
    if given.startswith("score:"):
        return Blocking(given)
    made = build(
        *("scheduler", given, Scheduler, _NAMED), origin=origin, takes=_takes, read=_argument
    )
    assert isinstance(made, (Scheduler, Discipline))
    return made


def _takes(name: str) -> tuple[str, ...]:
    return _WITH_ARGUMENTS.get(name, ())


def _argument(name: str, text: str) -> object:
    """Returns an argument as the constructors take it."""
    if name not in ("depth", "reservations") or (name, text) == ("reservations", "all"):
        return None if name == "reservations" else text
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{name} must be a whole number") from None


def _order_of(given: Scheduler | Discipline) -> OrderLike:
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
    in_state = "order" in getattr(given, "__dict__", ())  # else its class names it: that is code
    order = orders.order_named(_order_of(given), origin if in_state else PERSON)
    parts: tuple[object, ...]
    if isinstance(given, Discipline):
        parts = (None, given.discipline, given.depth, given.reservations)
    else:
        parts = (given, "", None, 1)
    return {
        **dict(zip(("scheduler", "discipline", "depth", "reservations"), parts, strict=True)),
        "order": orders.for_engine(order),
        "order_changes": not (isinstance(order, Order) and order.fixed),
    }
