"""Schedulers: an order of the queue and a discipline that walks it."""

from __future__ import annotations

from schedlab.dispatch.naming import parse_call, unknown
from schedlab.errors import InputError
from schedlab.frozen import Frozen

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable

ORDERS = (
    "submit",
    "shortest",
    "longest",
    "smallest",
    "largest",
    "fewest-node-hours",
    "most-node-hours",
)
"""By time of submission, estimate, tasks, or estimate x tasks; ties in order of submission."""

_ORDER_NAMES = {"fifo": "submit", "fcfs": "submit", "sjf": "shortest", "ljf": "longest"}


class Scheduler(Frozen):
    """A built-in scheduler: the engine runs it by its discipline, order and depth."""

    __slots__ = ("depth", "order")
    _fields: tuple[str, ...] = ("order",)

    discipline = ""
    order: str
    depth: int | None

    def __init__(self, order: str = "submit", depth: int | None = None) -> None:
        order = _ORDER_NAMES.get(order, order)
        if order not in ORDERS:
            raise unknown("order", order, (*ORDERS, *_ORDER_NAMES))
        if depth is not None and (
            not isinstance(depth, int) or isinstance(depth, bool) or not 1 <= depth < 2**62
        ):
            raise InputError(f"depth must be a whole number from 1 up, not {depth!r}")
        self._set(order=order, depth=depth)

    def __str__(self) -> str:
        """The name that `scheduler` makes this object of again."""
        for name in SCHEDULERS:
            if scheduler(name) == self:
                return name
        given = [("order", self.order, "submit"), ("depth", self.depth, None)]
        changed = [f"{name}={value}" for name, value, default in given if value != default]
        return f"{self.discipline}({', '.join(changed)})"


class Blocking(Scheduler):
    """Starts jobs in order and stops at the first that does not fit now."""

    __slots__ = ()
    discipline = "blocking"

    def __init__(self, order: str = "submit") -> None:
        super().__init__(order)


class Greedy(Scheduler):
    """Starts every job that fits now, in order; looks at the first `depth` only, if given."""

    __slots__ = ()
    _fields = ("order", "depth")
    discipline = "greedy"


class Easy(Scheduler):
    """EASY backfilling: the first job that does not fit holds a reservation.

    Later ones start if, by the estimates, they do not delay it. `depth` bounds how many of the
    jobs behind it are looked at.
    """

    __slots__ = ()
    _fields = ("order", "depth")
    discipline = "easy"


class Conservative(Scheduler):
    """Conservative backfilling: every job holds a reservation, which later ones must not delay.

    `depth`: only the first so many jobs of the queue get new reservations.
    """

    __slots__ = ()
    _fields = ("order", "depth")
    discipline = "conservative"


class Reject(Scheduler):
    """Rejects every job: what remains is the cost of reading and recording."""

    __slots__ = ()
    _fields = ()
    discipline = "reject"

    def __init__(self) -> None:
        super().__init__()


_NAMED: dict[str, Callable[..., Scheduler]] = {
    "fifo": Blocking,
    "sjf": lambda: Blocking("shortest"),
    "ljf": lambda: Blocking("longest"),
    "smallest": lambda: Blocking("smallest"),
    "largest": lambda: Blocking("largest"),
    "fcfs-bf": Greedy,
    "sjf-nodehours": lambda: Greedy("fewest-node-hours"),
    "ljf-nodehours": lambda: Greedy("most-node-hours"),
    "easy": Easy,
    "conservative": Conservative,
    "blocking": Blocking,
    "greedy": Greedy,
    "reject": Reject,
}

SCHEDULERS = tuple(_NAMED)
"""Names that `scheduler` knows."""

_WITH_ARGUMENTS = {
    "easy": ("order", "depth"),
    "conservative": ("order", "depth"),
    "greedy": ("order", "depth"),
    "blocking": ("order",),
}


def scheduler(given: str | Scheduler) -> Scheduler:
    """Returns the scheduler of that name, such as `easy` or `easy(order=shortest, depth=100)`.

    Raises:
        InputError: The name or an argument is not known.
    """
    if isinstance(given, Scheduler):
        return given
    if not isinstance(given, str):
        raise InputError(f"a scheduler is a name or an object such as Easy(), not {given!r}")
    name, arguments = parse_call(given, "scheduler")
    if name not in _NAMED:
        raise unknown("scheduler", name, SCHEDULERS)
    allowed = _WITH_ARGUMENTS.get(name, ())
    for key in arguments:
        if key not in allowed:
            takes = f"takes {' and '.join(allowed)}" if allowed else "takes no arguments"
            raise InputError(f"scheduler {given!r}: {name} {takes}, not {key}")
    values: dict[str, object] = dict(arguments)
    if "depth" in arguments:
        try:
            values["depth"] = int(arguments["depth"])
        except ValueError:
            raise InputError(f"scheduler {given!r}: depth must be a whole number") from None
    try:
        return _NAMED[name](**values)
    except InputError as error:
        raise InputError(f"scheduler {given!r}: {error}") from None
