"""Where jobs come from: the Standard Workload Format, any iterable of `Job`, or a `Reader`."""

from __future__ import annotations

from schedlab.former_names import install

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.workload.job import Job
    from schedlab.workload.reader import Reader
    from schedlab.workload.swf import SwfRow, read_swf, write_swf

__all__ = ["Job", "Reader", "SwfRow", "read_swf", "write_swf"]

install()  # of modules that were here


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'schedlab.workload' has no attribute {name!r}")
    home = {"Job": "job", "Reader": "reader"}.get(name, "swf")
    return getattr(__import__(f"schedlab.workload.{home}", fromlist=[name]), name)
