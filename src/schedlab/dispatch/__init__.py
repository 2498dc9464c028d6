"""Which waiting job starts next, and where: schedulers (order x discipline) and allocators."""

from schedlab.dispatch.allocators import (
    Allocator,
    BestFit,
    BuiltInAllocator,
    ByScore,
    Contiguous,
    DualEnd,
    FirstFit,
    RandomFit,
    RoundRobin,
    WorstFit,
    allocator,
)
from schedlab.dispatch.schedulers import (
    FORMULAS,
    ORDERS,
    Blocking,
    Conservative,
    Discipline,
    Easy,
    Greedy,
    Order,
    Reject,
    Scheduler,
    scheduler,
)

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.dispatch.irmasim import irmasim_policies

__all__ = [
    "FORMULAS",
    "ORDERS",
    "Allocator",
    "BestFit",
    "Blocking",
    "BuiltInAllocator",
    "ByScore",
    "Conservative",
    "Contiguous",
    "Discipline",
    "DualEnd",
    "Easy",
    "FirstFit",
    "Greedy",
    "Order",
    "RandomFit",
    "Reject",
    "RoundRobin",
    "Scheduler",
    "WorstFit",
    "allocator",
    "irmasim_policies",
    "scheduler",
]


def __getattr__(name: str) -> object:
    if name != "irmasim_policies":
        raise AttributeError(f"module 'schedlab.dispatch' has no attribute {name!r}")
    from schedlab.dispatch.irmasim import irmasim_policies  # only where it is asked for

    return irmasim_policies
