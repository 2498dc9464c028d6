"""A workload, a system and a dispatcher, simulated: all at once, step by step, or from a file."""

from __future__ import annotations

from schedlab.simulation.core import Simulation
from schedlab.simulation.runs import resume, simulate
from schedlab.simulation.spec import RunSpec

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.simulation.application_run import ApplicationRun, run_application

__all__ = ["ApplicationRun", "RunSpec", "Simulation", "resume", "run_application", "simulate"]


def __getattr__(name: str) -> object:
    if name not in ("ApplicationRun", "run_application"):
        raise AttributeError(f"module 'schedlab.simulation' has no attribute {name!r}")
    home = __import__("schedlab.simulation.application_run", fromlist=[name])
    return getattr(home, name)
