"""Dates and time zones as people write them: `2003-01-31 12:00`, `Europe/Stockholm`."""

from __future__ import annotations

from datetime import UTC, datetime

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from datetime import tzinfo


def unix_time(text: str, zone: tzinfo = UTC) -> float:
    """Returns the Unix time of a date, with or without a time of day.

    Args:
        text: Such as 2003-01-31, 2003-1-31 9:05, 2003-01-31T12:00:00.5 or 2003-01-31T12:00+01:00.
        zone: Whose clocks show it, if it does not say so itself. What they show twice is the first
            of the two.

    Raises:
        ValueError: It is not a date.
        OverflowError: It lies beyond the calendar.
    """
    words = text.strip()
    try:
        date = datetime.fromisoformat(words)
    except ValueError:
        date = datetime.fromisoformat(_with_zeros(words))
    return (date if date.tzinfo else date.replace(tzinfo=zone)).timestamp()


def _with_zeros(text: str) -> str:
    """Returns a date with zeros before single digits."""
    import re

    return re.sub(r"(?<![\d.])\d(?!\d)", r"0\g<0>", text, flags=re.ASCII)


def zone_named(name: str) -> tzinfo | None:
    """Returns the time zone of a name such as Europe/Berlin; None where this machine knows none."""
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError):  # not in its tables, or no name at all
        return None
