"""Units of time in seconds, and durations as people read and write them: `1h30m`, `3 h 12 min`."""

from __future__ import annotations

from schedlab.errors import InputError

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

_UNITS = (("d", DAY), ("h", HOUR), ("min", MINUTE), ("s", 1))
_WRITTEN = {"w": WEEK, "d": DAY, "h": HOUR, "m": MINUTE, "min": MINUTE, "s": 1}
LONGEST_TEXT = 100
"""Of a duration; no number of fewer digits is infinite."""

_NUMBER = r"[0-9][0-9 ]*(\. *[0-9][0-9 ]*)?"
_PLAIN = r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"
PATTERN = rf"^ *[+-]? *({_NUMBER}|({_NUMBER}(w|d|h|m *i *n|m|s) *)+)$|^{_PLAIN}$"
"""What `duration_of` takes, for JSON Schemas. A text matches in one way only, so that none takes
long."""


def seconds_of(text: str, name: str) -> float:
    """Returns the seconds of a duration that a user wrote, such as `90`, `1e-3` or `1h30m`.

    Args:
        text: What was written.
        name: Of the option, for the message.

    Raises:
        InputError: It is not a duration.
    """
    seconds = duration_of(text)
    if seconds is None:
        raise InputError(
            f"{name} {text[:LONGEST_TEXT]!r}: is not a duration; give seconds (90), or units as in "
            "90s, 10m, 1h30m, 3d"
        )
    return seconds


def duration_of(text: str) -> float | None:
    """Returns the seconds of a duration that may be a plain number such as 1e-3; None: of none."""
    seconds = parse_duration(text)
    return _plain_number(text) if seconds is None else seconds


def _plain_number(text: str) -> float | None:
    """Returns any finite number as Python writes it, such as 1e-3."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if text.isascii() and "_" not in text and abs(number) < float("inf") else None


def parse_duration(text: str) -> float | None:
    """Returns the seconds of a text such as `90`, `90s`, `12h30m`, `1.5d`; None if it is none."""
    words = text.replace(" ", "")
    sign = -1.0 if words[:1] == "-" else 1.0
    words = words[1:] if words[:1] in ("-", "+") else words
    if not words[:1].isdecimal() or not words.isascii() or len(words) > LONGEST_TEXT:
        return None
    if _is_number(words):
        return sign * float(words)
    total, number, unit = 0.0, "", ""
    for character in words + "0":  # which ends the last unit
        if character.isalpha():
            unit += character
            continue
        if unit:
            if unit not in _WRITTEN or not _is_number(number):
                return None
            total, number, unit = total + float(number) * _WRITTEN[unit], "", ""
        number += character
    return sign * total if number == "0" else None  # else something without a unit comes last


def _is_number(text: str) -> bool:
    whole, _, decimals = text.partition(".")
    return whole.isdecimal() and (decimals.isdecimal() or "." not in text)


def duration_text(seconds: float | None) -> str:
    """Returns a duration in its two largest units, such as `3 h 12 min`; `-` for None."""
    if seconds is None:
        return "-"
    if 0 < seconds < 9.95 and seconds % 1:
        return f"{seconds:.1f} s"
    step = HOUR if seconds >= DAY else MINUTE if seconds >= HOUR else 1
    whole = round(seconds / step) * step
    parts: list[str] = []
    for name, size in _UNITS:
        if whole >= size and len(parts) < 2:
            parts.append(f"{whole // size:,} {name}")
            whole %= size
        elif parts:
            break
    return " ".join(parts) or "0 s"
