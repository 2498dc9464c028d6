"""Many runs at once: every combination of what is to be compared, and what came of it."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.experiment.comparison import Comparison
    from schedlab.experiment.experiment import Experiment

__all__ = ["Comparison", "Experiment"]


def __getattr__(name: str) -> object:
    # Each run starts an interpreter that imports this package, and needs neither.
    if name not in __all__:
        raise AttributeError(f"module 'schedlab.experiment' has no attribute {name!r}")
    return getattr(__import__(f"schedlab.experiment.{name.lower()}", fromlist=[name]), name)
