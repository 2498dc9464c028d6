"""The header of an SWF file: what its comment lines say.

Every run reads it, so whatever is needed by few is imported where it is used.
"""

from __future__ import annotations

from schedlab.durations import DAY

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo


COMMENT = "Comment"

ZONE_FIELDS = ("TimeZoneString", "TimeZone")
"""That give the time zone, the first one first."""


def header_fields(comments: list[str]) -> dict[str, str]:
    """Returns the `Key: value` lines of an SWF header; repeated keys are joined by line breaks."""
    fields: dict[str, str] = {}
    for line in comments:
        key, value = _field(line)
        if key:
            fields[key] = f"{fields[key]}\n{value}" if key in fields else value
    return fields


def with_plain_lines(comments: list[str]) -> list[str]:
    """Returns the lines of a header; those that are not fields are fields of the name `Comment`.

    Archives have notices of copyright there, which ask to be kept in all copies.
    """
    return [
        line if _field(line)[0] or not (text := line.strip("; \t\r\n")) else f"{COMMENT}: {text}"
        for line in comments
    ]


def _field(line: str) -> tuple[str, str]:
    """Returns key and value of a line; no key where it is just a text, or an address."""
    key, colon, value = line.lstrip("; \t").partition(":")
    key, value = key.strip(), value.strip()
    return (key, value) if colon and " " not in key and not value.startswith("//") else ("", "")


def unix_start(fields: Mapping[str, str]) -> int | None:
    """Returns the Unix time of time 0 where a header gives it, perhaps with a text after it.

    It may be 0: times of such a log are Unix times themselves.
    """
    start = fields.get("UnixStartTime", "").strip()
    if start.isascii() and start.isdigit():  # as nearly always, and without the import of re
        return int(start) if len(start) <= 15 else None
    return _leading_number(start)


def leading_number(text: str | None) -> int | None:
    """Returns the whole number above 0 that a header value such as "338 (batch)" begins with."""
    return _leading_number(text) or None


def _leading_number(text: str | None) -> int | None:
    text = "".join((text or "").split(maxsplit=1)[:1])
    first, *thousands = text.split(",")
    if thousands and all(len(part) == 3 and part.isdigit() for part in thousands):
        text = first + "".join(thousands)
    elif any(part[:1].isdigit() for part in thousands):
        return None
    rest = text.lstrip("0123456789")
    digits = text[: len(text) - len(rest)]
    if not 1 <= len(digits) <= 15 or rest[:1].isalnum() or rest[:1] == "_":
        return None
    return int(digits)


def time_zone(header: dict[str, str]) -> tuple[tzinfo, str]:
    """Returns the time zone of a header and its name; UTC if it gives none that is known."""
    import re
    from datetime import UTC, timedelta, timezone

    from schedlab.dates import zone_named

    name = header.get("TimeZoneString", "")
    known = zone_named(name) if name else None
    if known is not None:
        return known, name
    offset = re.fullmatch(r"[+-]?\d{1,5}", header.get("TimeZone", ""))
    if offset and abs(seconds := int(offset.group())) < DAY:
        zone = timezone(timedelta(seconds=seconds))
        return zone, str(zone)
    return UTC, "UTC"


def date_text(moment: float, zone: tzinfo) -> str | None:
    """Returns a Unix time as a date and time of day; None where no calendar reaches."""
    from datetime import datetime

    try:
        return datetime.fromtimestamp(moment, zone).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return None
