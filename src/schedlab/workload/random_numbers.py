"""Random numbers of a seed: the same on every machine, and apart for each purpose.

Only uniform numbers are drawn from numpy, whose bits are promised to stay; distributions are made
of them by our own inverse functions.
"""

from __future__ import annotations

import hashlib

import numpy


def generator(seed: str | int, purpose: str = "") -> numpy.random.Generator:
    """Returns the random numbers of a seed for one purpose.

    Args:
        seed: Any text or whole number; 7 and "7" are the same.
        purpose: What they are for. Numbers drawn for one purpose leave those for others alone, so
            one part of a generator can be replaced without another sample of everything else.
    """
    digest = hashlib.sha256(f"{seed}\0{purpose}".encode(errors="surrogatepass")).digest()
    return numpy.random.Generator(numpy.random.PCG64(int.from_bytes(digest, "little")))
