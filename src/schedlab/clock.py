"""Times as people read and write them."""

from __future__ import annotations

from datetime import UTC, datetime

from schedlab.dates import unix_time
from schedlab.durations import DAY, HOUR, MINUTE, duration_of
from schedlab.errors import InputError
from schedlab.workload.header import time_zone, unix_start

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from datetime import tzinfo
    from typing import Any


class Clock:
    """The clock of a workload: seconds since its time 0, and dates where that is known.

    Args:
        start_time: Unix time of the workload's time 0; None where it is not known.
        zone: Whose dates and times of day are shown and read.
        zone_name: What people call it.
    """

    def __init__(self, start_time: int | None, zone: tzinfo = UTC, zone_name: str = "UTC") -> None:
        self.start_time = start_time
        self.zone, self.zone_name = zone, zone_name

    @classmethod
    def of_run(cls, run: dict[str, Any]) -> Clock:
        """Returns the clock of a run: start time of the system, else of the trace; its zone."""
        header = run["workload"]["header"]
        return cls.of_header(run["system"]["start_time"] or unix_start(header), header)

    @classmethod
    def of_header(cls, start_time: int | None, header: dict[str, str]) -> Clock:
        """Returns a clock in the zone that a trace's header gives; in UTC where it gives none."""
        return cls(start_time, *time_zone(header))

    def text(self, time: float, *, seconds: bool = True, zone: bool = False) -> str:
        """Returns a time as a date, or as day and hour since time 0 where none is known.

        Args:
            time: Seconds since the workload's time 0.
            seconds: Show them; else hours and minutes alone.
            zone: Say in which zone a date is.
        """
        date = self.date(time)
        if date is not None:
            text = date.strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")
            return f"{text} {self.zone_name}" if zone else text
        day, rest = divmod(int(time // 1), DAY)
        text = f"day {day:,}, {rest // HOUR:02}:{rest % HOUR // MINUTE:02}"
        return f"{text}:{rest % MINUTE:02}" if seconds else text

    def date(self, time: float) -> datetime | None:
        """Returns the date of a time in the clock's zone; None where it is not known."""
        if self.start_time is None:
            return None
        try:
            return datetime.fromtimestamp(self.start_time + time, self.zone)
        except (OverflowError, ValueError, OSError):
            return None

    def parse(self, text: str) -> float:
        """Returns the time that a text means: `86400`, `3d`, `12h30m` or `2003-01-31 12:00`.

        Dates may have fractions of seconds, and a zone of their own: `2003-01-31T12:00+01:00`.

        Raises:
            InputError: It is none of these, or a date where the start time is not known.
        """
        words = text.strip()
        seconds = duration_of(words)
        if seconds is not None:
            return seconds
        try:
            moment = unix_time(words, self.zone)
        except (ValueError, OverflowError):
            example = "2003-01-31 12:00" if self.start_time is None else self.text(0, seconds=False)
            raise InputError(
                f"{text!r} is not a time: give seconds (86400), a duration since time 0 (3d, "
                f"12h30m) or a date ({example})"
            ) from None
        if self.start_time is None:
            raise InputError(
                f"{words}: dates need a start time, start_time of the system or UnixStartTime of "
                "the trace, the same for all runs; give seconds, or days such as 3d"
            )
        return moment - self.start_time
