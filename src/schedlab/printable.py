"""Text out of files and names as it may be printed: what steers a terminal is written out."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from re import Match

# Control characters but line break and tab, halves of characters, line separators, and the
# characters of Unicode that nobody sees, less the two joiners that scripts and emoji need.
_STEERING = (
    "[\0-\b\v-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e"
    "\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    r"""Returns text whose escape sequences, and whatever else steers a terminal, can be read.

    Such characters become `\u001b`, as in JSON; so JSON stays what it is. Line breaks and tabs
    are left alone.
    """
    if text.isprintable():
        return text
    import re  # only here: hardly any text needs it

    return re.sub(_STEERING, _written_out, text)


def visible(text: str) -> str:
    """Returns text without what `printable` writes out, for screens whose lines are full."""
    if text.isprintable():
        return text
    import re

    return re.sub(_STEERING, "", text)


def _written_out(found: Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
