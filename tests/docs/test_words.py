"""Plain words: phrases that readers stumble over do not come back.

The pages are searched, and the messages, docstrings and comments of the package and its engine.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OTHER_PAGES = ("README.md", "SECURITY.md", "benchmarks/README.md")
PAGES = (*ROOT.glob("docs/**/*.md"), *(ROOT / name for name in OTHER_PAGES))
FOLDERS = ("src/schedlab", "examples", "benchmarks", "docs", "tools")
MODULES = tuple(path for name in FOLDERS for path in ROOT.glob(f"{name}/**/*.py"))
CODE = tuple(path for kind in ("cpp", "hpp") for path in ROOT.glob(f"engine/**/*.{kind}"))
SCRIPTS = tuple(ROOT.glob("src/schedlab/dashboard/page/*.js"))

NOT_COMPARED = r"(?!longer|more|later|earlier|less|larger|smaller|better|worse|slower|faster)"
PLACES = "columns|fields|digits|seconds|numbers|line|text"

PHRASES = {
    "passed, reported, given or says": r"\btold\b|\btells?\b",
    "is not a": rf"(?<!there )\b(is|was) no {NOT_COMPARED}",
    "are not": rf"(?<!there )\b(are|were) no {NOT_COMPARED}",
    "N, or that many": r"\bso many\b",
    "after": rf"\b(comes?|called|written|follow|{PLACES}) behind\b|\bbehind (line|the end|which)\b",
    "a user, someone or a job": r"\b(some|any)body\b",
    "continues, resumes or advances": r"\b(go|goes|went|gone) on\b(?! (the|a|its|each|that) )",
    "the page or the function by its name": r"\bsee there\b",
    "your own or our own": r"\bone's own\b|\bof (yours|ours)\b",
    "even, or including": r"(, |\()also (if|where|when|while)\b",
    "except, or only": r"\b(but for|but once)\b",
    "should, must or is to": r"\bshall\b",
    "wanted or desired": r"\bwished[- ]for\b",
    "on average": r"\d[^.,;]* in the (mean|median)\b",
    "a sentence with another subject than who": r"(?<=[.;] )who (?!may\b)\w+s\b[^?.|]*\.",
}
"""What to write instead, and what not to write."""

TEXTS_OF_CODE = re.compile(r'//[/!]? ?(.*)|"((?:[^"\\]|\\.)*)"|`([^`]*)`')
"""Comments and strings of C++ and JavaScript, on one line."""

NAMES = re.compile(r"\{[^{}]*\}|`[^`]*`")
"""Names in texts are those of code."""


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yields paragraphs of a page; strings and comments of code."""
    content = path.read_text(encoding="utf-8")
    if path.suffix in (".cpp", ".hpp", ".js"):
        for number, line in enumerate(content.splitlines(), start=1):
            for found in TEXTS_OF_CODE.findall(line):
                yield number, "".join(found)
        return
    if path.suffix == ".md":
        line = 1
        for paragraph in content.split("\n\n"):
            yield line, " ".join(paragraph.split())
            line += paragraph.count("\n") + 2
        return
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            yield token.start[0], " ".join(token.string.split())


@pytest.mark.parametrize("better", PHRASES)
def test_plain_words(better: str) -> None:
    phrase = re.compile(PHRASES[better], re.IGNORECASE)
    found = []
    for path in (*PAGES, *MODULES, *CODE, *SCRIPTS):
        for line, text in texts_of(path):
            plain = NAMES.sub("NAME", text)
            if match := phrase.search(plain):
                around = plain[max(0, match.start() - 40) : match.end() + 40]
                found.append(f"{path.relative_to(ROOT)}:{line}: {around}")
    assert not found, f"write {better}:\n" + "\n".join(found)


def test_phrases_are_found() -> None:
    wrong = (
        *("what is told here", "it is no number", "rows are no jobs", "at most so many jobs"),
        *("if anybody waits", "the run goes on", "See there.", "one's own code", "code of yours"),
        *("is kept, also if it fails", "the same but for times", "read but once"),
        *("jobs shall wait", "the wait that is wished for", "2 h in the mean"),
    )
    for text in wrong:
        assert any(re.search(one, text, re.IGNORECASE) for one in PHRASES.values()), text
    for text in ("there is no file", "it is no longer there", "a job behind the head"):
        assert not any(re.search(one, text, re.IGNORECASE) for one in PHRASES.values()), text
