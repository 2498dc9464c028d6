"""Times of accounting logs: Unix times, and local ones of a zone, with its summer time."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, tzinfo

from schedlab.dates import zone_named
from schedlab.errors import InputError
from schedlab.workload.formats.accounting.text import (
    EARLIEST,
    LATEST,
    MISSING,
    OPEN,
    REMEMBERED,
    UNREADABLE,
    Meanings,
    plain_number,
)

EXAMPLE = "Europe/Berlin"


class Moments(Meanings):
    """Unix times by text: seconds since 1970, or date and time of day in the zone of the log.

    In the hour that clocks go through twice, a time is the first of the two; `later` says how much
    later the second is. A time that clocks leave out is what they would show had they not been
    changed.

    Args:
        zone: The zone; None: nobody said which, and it is UTC.

    Attributes:
        local: How many different texts have no zone of their own.
        later: Seconds to the second of the two moments that a text may be, by text.
        left_out: How many different texts no clock of the zone ever showed.
    """

    def __init__(self, zone: tzinfo | None) -> None:
        super().__init__(self._moment)
        self._zone, self.zone_is_given = zone or UTC, zone is not None
        self._minutes: dict[str, tuple[float, float]] = {}
        self.local = 0
        self.later: dict[str, float] = {}
        self.left_out = 0

    def _moment(self, text: str) -> float:
        text = text.strip()
        if text.lower() in OPEN or text == "0":
            return MISSING
        value = plain_number(text)
        if math.isnan(value):
            value = self._date(text)
        return value if EARLIEST <= value < LATEST else UNREADABLE

    def _date(self, text: str) -> float:
        try:
            if len(text) != 19:
                moment = datetime.fromisoformat(text)
                if moment.tzinfo:
                    return moment.timestamp()
                start, later = self._seconds(moment)
                second = "0"
            else:
                known = self._minutes.get(text[:16])
                if known is None:
                    if len(self._minutes) >= REMEMBERED:
                        self._minutes.clear()
                    known = self._seconds(datetime.fromisoformat(text[:16]))
                    self._minutes[text[:16]] = known
                start, later = known
                second = text[17:]
                if text[16] != ":" or not (second.isdigit() and second.isascii() and second < "60"):
                    return UNREADABLE
        except (ValueError, OverflowError):
            return UNREADABLE
        self.local += 1
        if later > 0:
            self.later[text] = later
        elif later < 0:
            self.left_out += 1
        return start + int(second)

    def _seconds(self, moment: datetime) -> tuple[float, float]:
        """Returns the Unix time of a local one, and how much later the other is that it may be.

        That is below 0 for a time that clocks leave out.
        """
        first, second = (moment.replace(tzinfo=self._zone, fold=fold) for fold in (0, 1))
        later = (first.utcoffset() or timedelta()) - (second.utcoffset() or timedelta())
        return first.timestamp(), later.total_seconds()

    def notices(self, reader: str) -> list[str]:
        """Returns what had to be assumed of the times, in sentences.

        Args:
            reader: Name of the reader, for what to write instead.
        """
        zone = str(self._zone) if self.zone_is_given else None
        return zone_notices(reader, zone, self.local, len(self.later), self.left_out, FITTING)


FIRST = "the first"
FITTING = "the first, or as the second where the job's other times say so"


def zone_notices(
    reader: str, zone: str | None, local: int, twice: int, left_out: int, taken: str = FIRST
) -> list[str]:
    """Returns what had to be assumed of local times, in sentences.

    Args:
        reader: Name of the reader, for what to write instead.
        zone: Of the times, if it was said.
        local: How many times there are without a zone of their own.
        twice: Those in an hour that clocks go through twice.
        left_out: Those that clocks leave out.
        taken: What the second of these are taken for.
    """
    found = []
    if local and zone is None:
        found.append(
            f"times without a time zone ({local:,}) are taken as UTC; say which it is, "
            f"as --reader '{reader}(zone={EXAMPLE})', or zone=UTC: else clocks that are changed "
            "in spring and autumn make jobs an hour longer, shorter, earlier or later"
        )
    if twice:
        found.append(
            f"times in an hour that clocks in {zone} go through twice ({twice:,}) are taken as "
            f"{taken}"
        )
    if left_out:
        found.append(
            f"times that clocks in {zone} leave out when they are set forward ({left_out:,}) are "
            "taken as if they had not been set yet"
        )
    return found


def zone_of(name: str | None, place: str) -> tzinfo | None:
    """Returns the time zone of a name such as Europe/Berlin; None where none is said.

    Args:
        name: The name.
        place: Where it is said, for messages.

    Raises:
        InputError: This machine knows no such zone.
    """
    if name is None:
        return None
    zone = zone_named(name)
    if zone is None:
        raise unknown_zone(name, place)
    return zone


def unknown_zone(name: str, place: str) -> InputError:
    """Returns the error for a time zone that is not known."""
    return InputError(f"{place}: zone {name!r} is not known; write it as Europe/Berlin or UTC")
