"""A run as it is at any moment: while it is simulated, or replayed when it is done."""

from __future__ import annotations

from schedlab.watch.folder import FoundBelow, RunState, found_below, open_run, state_of
from schedlab.watch.live import LiveRun
from schedlab.watch.moment import Moment
from schedlab.watch.replay import Replay
from schedlab.watch.view import RunView

__all__ = [
    "FoundBelow",
    "LiveRun",
    "Moment",
    "Replay",
    "RunState",
    "RunView",
    "found_below",
    "open_run",
    "state_of",
]
