"""Plain words: phrases that readers stumble over do not come back.

The pages are searched, and the messages, docstrings and comments of the package, its engine, the
dashboard's page, the tests and what builds it all.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src/schedlab", "engine", "examples", "benchmarks", "docs", "tools", "tests")
OTHER_FILES = ("README.md", "SECURITY.md", "CHANGELOG.md", "Makefile", "CMakeLists.txt", ".ci/run")

NOT_COMPARED = r"(?!longer|more|later|earlier|less|larger|smaller|better|worse|slower|faster)"
MAIN_VERBS = "is|are|has|stays|gets|does|hardly|must"

PHRASES = {
    "passed, reported, given or says": r"\btold\b|\btells?\b",
    "is not a": rf"(?<!there )\b(is|was) no {NOT_COMPARED}",
    "are not": rf"(?<!there )\b(are|were) no {NOT_COMPARED}",
    "N, or that many": r"\bso many\b",
    "an amount by its name, or that much": r"\bso much\b(?! (\w+ )?that\b)",
    "after": r"\bbehind\b(?!=)",
    "a user, someone or a job": r"\b(some|any)body\b",
    "continues, resumes or advances": r"\b(go|goes|went|gone) on\b(?! (the|a|its|each|that) )",
    "the page or the function by its name": r"\bsee there\b",
    "your own or our own": r"\bone's own\b|\bof (yours|ours)\b",
    "even, or including": r"(, |\()also (if|where|when|while)\b",
    "except, or only": r"\b(but for|but once)\b|[^.,;:] but where\b",
    "should, must or is to": r"\bshall\b",
    "wanted or desired": r"\bwished[- ]for\b",
    "on average": r"(\d|\bfactor of )[^.,;]* in the (mean|median)\b",
    "a sentence with another subject than who": (
        r"(?<=[.;] )who (?!may\b)\w+s\b[^?.|]*\."
        rf"|(^|[.;:] |, and )who (\w+ly |seldom |never )?\w+s (\w+ ){{0,4}}({MAIN_VERBS})\b"
    ),
}
"""What to write instead, and what not to write."""

ALLOWED = {
    "who waits in a queue is behind others": (
        r"\b(jobs?|waits?( w)?|queue up|starve|only those|those|others( wait)?) behind\b"
    ),
    "what stays when something ends": r"\b(left|leaves?( \w+){0,2}) behind\b",
    "who is too slow": r"\b(falls?|lags?) behind\b",
    "planes are drawn one behind the other": r"\b(planes|sticks out) behind\b",
    "where models come from": r"\bpapers? behind\b",
    "a name of code that is a text by itself": r"^\W*\w+\W*$",
}
"""What is right where it stands, with the reason."""

STRING = r'"(?:[^"\\\n]|\\.)*"'
APOSTROPHES = r"'(?:[^'\\\n]|\\.)*'"
LONG = r'(?s:"""(?:[^\\]|\\.)*?"""|' + r"'''(?:[^\\]|\\.)*?''')"
IN_C = re.compile(
    rf"(?P<comment>//[^\n]*|/\*[^*]*\*/)|(?P<text>{STRING}|`(?:[^`\\]|\\.)*`|(?<!\w){APOSTROPHES})"
)
IN_PYTHON = re.compile(rf"(?P<text>{LONG}|{STRING}|{APOSTROPHES})|(?P<comment>#[^\n]*)")
IN_SHELL = re.compile(r"(?P<comment>(?<!\S)#[^\n]*)")
ON_A_PAGE = re.compile(r"(?P<text>[^\n](?:[^\n]|\n(?!\n))*)")
TEXTS = {
    **dict.fromkeys((".cpp", ".hpp", ".js", ".css"), IN_C),
    **dict.fromkeys((".py", ".pyi"), IN_PYTHON),
    **dict.fromkeys((".md", ".html"), ON_A_PAGE),
}
"""Comments, strings and paragraphs, by the suffix of a file; of others, comments."""

MARKS = re.compile(r"^\s*(///?!?|/\*|#:?)(?= |$)", re.MULTILINE)
"""What begins a line of a comment."""
NAMES = re.compile(r"\{[^{}]*\}|`[^`]*`")
"""Names in texts are those of code."""


def texts_in(content: str, scanner: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yields texts, each with its line; those that follow each other on successive lines as one."""
    begin, end, kind = 0, 0, None
    for found in scanner.finditer(content):
        between = content[end : found.start()]
        if found.lastgroup != kind or between.strip(" \nfrb") or between.count("\n") > 1:
            if kind:
                yield content.count("\n", 0, begin) + 1, content[begin:end]
            begin, kind = found.start(), found.lastgroup
        end = found.end()
    if kind:
        yield content.count("\n", 0, begin) + 1, content[begin:end]


def plain(text: str) -> str:
    """Returns a text without the marks of comments, on one line."""
    joined = re.sub(r'"\s*\n\s*[frb]?"', "", text)
    return NAMES.sub("NAME", " ".join(MARKS.sub(" ", joined).split()))


def of_one(path: Path) -> list[tuple[int, str]]:
    scanner = TEXTS.get(path.suffix, IN_SHELL)
    return [
        (line, plain(text)) for line, text in texts_in(path.read_text(encoding="utf-8"), scanner)
    ]


@functools.cache
def everything() -> list[tuple[str, int, str]]:
    paths = [ROOT / name for name in OTHER_FILES]
    for folder in FOLDERS:
        paths += [path for suffix in TEXTS for path in sorted(ROOT.glob(f"{folder}/**/*{suffix}"))]
    paths.remove(Path(__file__))  # has them all
    return [
        (str(path.relative_to(ROOT)), line, text) for path in paths for line, text in of_one(path)
    ]


def wrong_in(text: str, better: str) -> str | None:
    """Returns what is wrong in a text, with the words around it."""
    phrase = re.compile(PHRASES[better], re.IGNORECASE)
    if not phrase.search(text):
        return None
    for allowed in ALLOWED.values():
        text = re.sub(allowed, "ALLOWED", text, flags=re.IGNORECASE)
    found = phrase.search(text)
    return text[max(0, found.start() - 40) : found.end() + 40] if found else None


@pytest.mark.parametrize("better", PHRASES)
def test_plain_words(better: str) -> None:
    found = [
        f"{path}:{line}: {wrong}"
        for path, line, text in everything()
        if (wrong := wrong_in(text, better))
    ]
    assert not found, f"write {better}:\n" + "\n".join(found)


def test_names_of_code_say_passed_or_reported() -> None:
    """Except in `tell()`, where a file is asked for its position."""
    name = re.compile(r"(?<![.\w])(?:[a-z]\w*_)?(told|tells?)(?:_\w+)?\b")
    found = []
    for suffix in (".py", ".cpp", ".hpp", ".js"):
        for folder in FOLDERS:
            for path in sorted(ROOT.glob(f"{folder}/**/*{suffix}")):
                content = path.read_text(encoding="utf-8")
                if any(word in content for word in ("told", "tell")) and path != Path(__file__):
                    code = TEXTS[suffix].sub("TEXT", content)
                    found += [
                        f"{path.relative_to(ROOT)}: {one.group()}" for one in name.finditer(code)
                    ]
    assert not found


def wrong(text: str) -> bool:
    return any(wrong_in(text, better) for better in PHRASES)


def test_phrases_are_found() -> None:
    for text in (
        *("what is told here", "it is no number", "rows are no jobs", "at most so many jobs"),
        *("if anybody waits", "the run goes on", "See there.", "one's own code", "code of yours"),
        *("is kept, also if it fails", "the same but for times", "read but once"),
        *("jobs shall wait", "the wait that is wished for", "2 h in the mean"),
        *("differ by a factor of nine in the mean", "a link may lack so much of being full"),
        *("the place behind its last node", "before and behind.", "nine behind the point"),
        "the later one of the two but where there are no replies",
        "share links, and who seldom sends hardly slows down others.",
        "those with room: who has none is taken out",
    ):
        assert wrong(text), text
    for text in (
        *("there is no file", "it is no longer there", "a job behind the head"),
        *("so much pressure that nothing starts", "What a killed writer left behind"),
        *("a plan: who is on which node when", "fitting(behind=job)", '"behind"'),
    ):
        assert not wrong(text), text


def test_texts_on_several_lines_are_one() -> None:
    engine = (
        'int a;  // one job comes\n\n/// A run goes\n/// on here.\nint b = f("is "\n  "told");\n'
    )
    found = [(line, plain(text)) for line, text in texts_in(engine, IN_C)]
    assert found == [(1, "one job comes"), (3, "A run goes on here."), (5, '"is told"')]
    script = 'x = "# is not one"  # but this\n# is\nsay("a" f"b")\n'
    assert [plain(text) for _, text in texts_in(script, IN_PYTHON)] == [
        *('"# is not one"', "but this is", '"a" f"b"')
    ]
    assert [plain(text) for _, text in texts_in("a:\n\tgo  # on\n# now\n", IN_SHELL)] == ["on now"]
    assert [line for line, _ in texts_in("one\ntwo\n\n\nthree\n", ON_A_PAGE)] == [1, 5]
