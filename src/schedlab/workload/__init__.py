"""Where jobs come from: the Standard Workload Format, or any iterable of `Job`."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.workload.job import Job
    from schedlab.workload.swf import SwfRow, read_swf, write_swf

__all__ = ["Job", "SwfRow", "read_swf", "write_swf"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'schedlab.workload' has no attribute {name!r}")
    home = "job" if name == "Job" else "swf"
    return getattr(__import__(f"schedlab.workload.{home}", fromlist=[name]), name)
