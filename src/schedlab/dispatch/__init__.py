"""Which waiting job starts next, and where: schedulers (order x discipline) and allocators."""

from schedlab.dispatch.allocators import (
    Allocator,
    BestFit,
    FirstFit,
    RandomFit,
    WorstFit,
    allocator,
)
from schedlab.dispatch.schedulers import (
    ORDERS,
    Blocking,
    Conservative,
    Easy,
    Greedy,
    Reject,
    Scheduler,
    scheduler,
)

__all__ = [
    "ORDERS",
    "Allocator",
    "BestFit",
    "Blocking",
    "Conservative",
    "Easy",
    "FirstFit",
    "Greedy",
    "RandomFit",
    "Reject",
    "Scheduler",
    "WorstFit",
    "allocator",
    "scheduler",
]
