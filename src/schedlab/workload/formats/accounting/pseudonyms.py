"""Names that stand for other names: `user7` for whoever it is."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

SHORTEST_SECRET = 16
"""Bytes below which a secret could be guessed by trying all."""

NUMBERS = 10**12
"""Numbers that a secret chooses from: two of 10,000 names share one in 1 of 20,000 cases."""


class Pseudonyms:
    """Numbered names for names, by kind.

    Without a secret, names are numbered 1, 2, 3 ... as they are met: short, and of no use for
    anything else. With one, a name's number is made of both (HMAC-SHA256). Then the same name gets
    the same number in every log that is anonymised with that secret, and nobody without it can
    find out which name a number is, not even by trying names.

    Args:
        secret: At least 16 bytes that nobody else knows; None for numbers in order.

    Attributes:
        replaced: How many different names of each kind were met.
    """

    def __init__(self, secret: bytes | None = None) -> None:
        self._secret = secret
        self._numbers: dict[tuple[str, str], int] = {}
        self.replaced: Counter[str] = Counter()

    def number(self, kind: str, name: str) -> int:
        """Returns the number of a name."""
        key = kind, name
        number = self._numbers.get(key)
        if number is None:
            self.replaced[kind] += 1
            number = self.replaced[kind]
            if self._secret is not None:
                text = f"{kind}\0{name}".encode("utf-8", "surrogateescape")
                digest = hmac.new(self._secret, text, hashlib.sha256).digest()
                number = int.from_bytes(digest, "big") % NUMBERS
            self._numbers[key] = number
        return number

    def name(self, kind: str, name: str) -> str:
        """Returns the name that stands for a name; for none, none."""
        return f"{kind}{self.number(kind, name)}" if name else ""
