"""Which waiting job starts next, and where: schedulers (order x discipline) and allocators."""

from schedlab.dispatch.allocators import (
    Allocator,
    BestFit,
    BuiltInAllocator,
    ByScore,
    FirstFit,
    RandomFit,
    WorstFit,
    allocator,
)
from schedlab.dispatch.irmasim import irmasim_policies
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

__all__ = [
    "FORMULAS",
    "ORDERS",
    "Allocator",
    "BestFit",
    "Blocking",
    "BuiltInAllocator",
    "ByScore",
    "Conservative",
    "Discipline",
    "Easy",
    "FirstFit",
    "Greedy",
    "Order",
    "RandomFit",
    "Reject",
    "Scheduler",
    "WorstFit",
    "allocator",
    "irmasim_policies",
    "scheduler",
]
