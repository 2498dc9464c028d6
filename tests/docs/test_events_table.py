"""The architecture page has every kind of event as the engine declares it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACES = {"queue": "heap"}
"""What the page calls otherwise than the comments in the engine."""


def in_the_engine() -> list[tuple[int, str, str]]:
    """Returns number, name and place of each kind, as they stand in the enumeration."""
    text = (ROOT / "engine/simulation/events.hpp").read_text(encoding="utf-8")
    body = text[text.index("enum class EventKind") : text.index("};", text.index("EventKind"))]
    kinds = re.findall(r"^  (\w+) = (\d+), +// ([\w ]+)", body, re.MULTILINE)
    assert len(kinds) == body.count(" = ")
    return [(int(number), name, place_of(comment)) for name, number, comment in kinds]


def on_the_page() -> list[tuple[int, str, str]]:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    start = text.index("### Events")
    section = text[start : text.index("\n### ", start)]
    rows = re.findall(r"^\| (\d+) \| `(\w+)`.*\| ([^|]+) \|$", section, re.MULTILINE)
    return [(int(number), name, place_of(place)) for number, name, place in rows]


def place_of(text: str) -> str:
    """Returns what a text says at its beginning of where events of a kind are kept."""
    words = re.match(r"queue|heap|source|the workload|not an event", text)
    assert words, text
    return PLACES.get(words.group(), words.group())


def test_the_page_has_the_kinds_of_the_engine() -> None:
    kinds = in_the_engine()
    assert on_the_page() == kinds
    assert [number for number, _, _ in kinds] == sorted({number for number, _, _ in kinds})
