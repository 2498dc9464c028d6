"""The token: how a client shows it, and how clients that show a wrong one are slowed down."""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.datastructures import Headers

FREE_PER_CLIENT, FREE_IN_ALL = 3, 100
"""Wrong tokens that are answered at once: a tab of an earlier start shows its old one."""

STEP_SECONDS, LONGEST_SECONDS = 0.5, 8.0
FORGOTTEN_SECONDS = 600.0
MOST_CLIENTS = 1_000
"""Addresses whose wrong tokens are counted; the one that was quiet for longest is forgotten."""

MOST_WAITING = 64
"""Wrong tokens whose answers wait at the same time; more are turned away."""


class Token:
    """What requests must show: in the link, the form, or as a bearer; afterwards by a cookie.

    The cookie is made of the token, but does not say it, and is of use at one port only.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def is_right(self, given: str) -> bool:
        """Returns whether this is the token, in a time that does not depend on where they differ.

        A right one is never slowed down: nobody can lock out those who have it.
        """
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token)

    def cookie(self, port: int) -> tuple[str, str]:
        """Returns name and value of the cookie.

        Cookies of all ports of a host lie together, so that the name has to distinguish them.
        """
        text = f"schedlab dashboard {port}".encode()
        return f"schedlab-{port}", hmac.new(self._token, text, hashlib.sha256).hexdigest()

    def shown(self, headers: Headers, port: int) -> bool | None:
        """Returns whether a request shows the token; None where it shows nothing."""
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self.is_right(bearer.strip())
        name, value = self.cookie(port)
        given = _cookie(headers.get("cookie", ""), name)
        return None if given is None else hmac.compare_digest(given.encode(), value.encode())


def _cookie(text: str, name: str) -> str | None:
    """Returns a cookie of a header; others, of whatever else runs at this host, may be odd."""
    for part in text.split(";"):
        try:
            found = SimpleCookie(part.strip()).get(name)
        except CookieError:
            continue
        if found is not None:
            return found.value
    return None


class WrongTokens:
    """How long the answer to a wrong token waits: longer with each from the same address.

    Addresses are cheap. So the wrong tokens of all are counted together, too.

    Attributes:
        waiting: Answers that wait now.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._in_all = _Count(FREE_IN_ALL)
        self._clients: OrderedDict[str, _Count] = OrderedDict()
        self.waiting = 0

    def seconds_to_wait(self, client: str) -> float | None:
        """Counts a wrong token; returns how long to let it wait, None: too many wait already."""
        count = self._clients.pop(client, None) or _Count(FREE_PER_CLIENT)
        self._clients[client] = count
        while len(self._clients) > MOST_CLIENTS:
            self._clients.popitem(last=False)
        seconds = max(each.seconds(self._clock()) for each in (count, self._in_all))
        return seconds if self.waiting < MOST_WAITING else None


class _Count:
    """Wrong tokens of one address, or of all."""

    def __init__(self, free: int) -> None:
        self._free, self._seen, self._last = free, 0, float("-inf")

    def seconds(self, now: float) -> float:
        """Counts one more; returns how long it waits."""
        if now - self._last > FORGOTTEN_SECONDS:
            self._seen = 0
        self._seen, self._last = self._seen + 1, now
        # The exponent is bounded: 2**1e6 would be a number of a million digits.
        return _grown(min(self._seen - self._free, 30))


def _grown(beyond: int) -> float:
    """Returns how long the n-th wrong token beyond the free ones waits."""
    return 0.0 if beyond <= 0 else min(STEP_SECONDS * 2.0 ** (beyond - 1), LONGEST_SECONDS)
