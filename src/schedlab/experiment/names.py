"""Names of dispatchers and inputs: as people write them, and as folders can have them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from schedlab.dispatch.allocators import ALLOCATORS
from schedlab.errors import InputError
from schedlab.naming import places_outside, split_at_commas
from schedlab.simulation.identity.source_checksums import checksum_of

LONGEST = 48
"""Characters of a folder's name; longer texts are cut and distinguished by a checksum."""

_HASH_DIGITS = 6
_NOT_PLAIN = re.compile(r"[^\w.+=,() -]", re.ASCII)
"""Characters without which a text is distinguished from others by its letters alone."""


def split_names(text: str) -> list[str]:
    """Returns the names of a list such as `fifo,easy(order=shortest, depth=5)`."""
    return [part.strip() for part in split_at_commas(text) if part.strip()]


def split_dispatcher(text: str) -> tuple[str, str]:
    """Returns scheduler and allocator of a text such as `easy+best-fit`; first-fit if it has none.

    Raises:
        InputError: One of the two is empty.
    """
    place = max(places_outside(text, "+"), default=None)
    # In a score, + is a plus unless an allocator follows.
    if place is not None and text.lstrip().startswith("score:"):
        place = place if text[place + 1 :].partition("(")[0].strip() in ALLOCATORS else None
    scheduler, allocator = (
        (text, "first-fit") if place is None else (text[:place], text[place + 1 :])
    )
    if not scheduler.strip() or not allocator.strip():
        raise InputError(f"dispatcher {text!r}: write it as SCHEDULER+ALLOCATOR")
    return scheduler.strip(), allocator.strip()


def folder_name(text: str) -> str:
    """Returns a name for a folder: letters, digits and `.+-_`, the same for the same text."""
    plain = re.sub(r"[^A-Za-z0-9._+-]+", "-", text)
    plain = re.sub(r"-{2,}", "-", plain).strip("-.+") or "x"
    plain = plain.replace("-+", "+").replace("+-", "+")
    if len(plain) <= LONGEST and not _NOT_PLAIN.search(text) and plain != "x":
        return plain
    return f"{plain[: LONGEST - _HASH_DIGITS - 1].rstrip('-.+')}-{_hash(text)}"


def folder_names(texts: Sequence[str]) -> list[str]:
    """Returns a name for the folder of each text, all different, whatever the case of letters."""
    names = [folder_name(text) for text in texts]
    count = Counter(name.casefold() for name in names)
    return [
        f"{name}-{_hash(text)}" if count[name.casefold()] > 1 else name
        for name, text in zip(names, texts, strict=True)
    ]


def _hash(text: str) -> str:
    return checksum_of(text.encode("utf-8", "surrogateescape"))[:_HASH_DIGITS]


def input_name(text: str) -> str:
    """Returns what to call a file: its name without folder and without known endings."""
    stem = os.path.basename(text)
    for ending in (".gz", ".bz2", ".xz", ".swf", ".toml", ".json", ".yaml", ".yml"):
        stem = stem.removesuffix(ending)
    return stem or text


def unique_names(names: Iterable[str]) -> list[str]:
    """Returns the names, with a number after those that were there before: a, a (2)."""
    unique: dict[str, None] = {}
    for name in names:
        chosen, number = name, 1
        while chosen in unique:
            number += 1
            chosen = f"{name} ({number})"
        unique[chosen] = None
    return list(unique)


def short_labels(parts: Sequence[tuple[str, ...]]) -> list[str]:
    """Returns a label for each tuple of names, without those that are the same everywhere."""
    if not parts:
        return []
    varying = [i for i in range(len(parts[0])) if len({names[i] for names in parts}) > 1]
    return [" + ".join(names[i] for i in varying or (0,)) for names in parts]
