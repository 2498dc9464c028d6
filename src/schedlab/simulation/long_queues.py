"""What long queues cost, where a depth would bound it."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.simulation.core import Simulation

MANY_RESERVATIONS = 10_000
"""Jobs with reservations at once, of which a run says what more of them cost."""


def long_queue_warnings(simulation: Simulation) -> list[str]:
    """Returns what reservations for a long queue cost, and what bounds that."""
    reserved = simulation.engine.most_reserved
    if reserved <= MANY_RESERVATIONS:
        return []
    return [
        f"{simulation.names['scheduler']}: {reserved:,} waiting jobs had reservations at once, and "
        "each is tried again whenever a job ends, so that the time grows with the square of the "
        "queue; conservative(depth=100) gives reservations to the first 100 alone, which is "
        "another schedule"
    ]
