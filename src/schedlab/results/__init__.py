"""What a run leaves behind: the run folder, the summary, and how two schedules differ."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.results.compare import compare_schedules
    from schedlab.results.result import Result

__all__ = ["Result", "compare_schedules"]

FORMAT = 1
"""Version of run.json and of the columns beside it."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'schedlab.results' has no attribute {name!r}")
    home = "result" if name == "Result" else "compare"
    return getattr(__import__(f"schedlab.results.{home}", fromlist=[name]), name)
