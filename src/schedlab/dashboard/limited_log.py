"""Messages of the server: one line each, and not more than a terminal or a disk can take."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Callable
from time import monotonic

from schedlab.printable import printable

MOST_LINES, PERIOD_SECONDS = 30, 60.0
LONGEST_LINE = 500


class LimitedLog(logging.Handler):
    """Writes at most N messages a minute to standard error, and how many were left out.

    Clients that have shown nothing can make a server complain as often as they like.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(logging.WARNING)
        self._clock = clock
        self._began, self._written, self._left_out = float("-inf"), 0, 0

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a message, or counts it."""
        now = self._clock()
        if now - self._began >= PERIOD_SECONDS:
            self.log_left_out()
            self._began, self._written = now, 0
        if self._written >= MOST_LINES:
            self._left_out += 1
            return
        self._written += 1
        _write(_line(record))
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and os.environ.get("SCHEDLAB_DEBUG"):
            traceback.print_exception(error, file=sys.stderr)

    def log_left_out(self) -> None:
        """Writes how many messages were left out since that was last said, if any were."""
        if self._left_out:
            _write(f"{self._left_out:,} more messages like these were left out")
            self._left_out = 0


def _line(record: logging.LogRecord) -> str:
    error = record.exc_info[1] if record.exc_info else None
    what = f": {type(error).__name__}: {error}" if error is not None else ""
    return record.getMessage().strip() + what


def _write(text: str) -> None:
    """Writes a line; what a terminal would take as an order is replaced."""
    print(
        f"schedlab: {printable(' '.join(text.split())[:LONGEST_LINE])}", file=sys.stderr, flush=True
    )
