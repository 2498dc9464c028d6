"""A run as it is at any moment: while it is simulated, or replayed when it is done."""

from __future__ import annotations

from schedlab.watch.folder import RunState, open_run, state_of
from schedlab.watch.live import LiveRun
from schedlab.watch.moment import Moment
from schedlab.watch.replay import Replay
from schedlab.watch.view import RunView

__all__ = ["LiveRun", "Moment", "Replay", "RunState", "RunView", "open_run", "state_of"]
