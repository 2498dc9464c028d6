"""Damage done to valid files: bytes, words, lines, values of JSON; the same for the same seed."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

LARGEST_BYTES = 300_000
"""What a damaged file may grow to: more would test patience, and bombs have tests of their own."""

DEEP = 3_000

NUMBERS: tuple[bytes, ...] = (
    *(b"0", b"-0", b"-1", b"1", b"00", b"+1", b"0.1", b".5", b"5.", b"1e-320", b"1_000", b"0x1f"),
    *(b"2147483647", b"2147483648", b"-2147483649", b"4294967296", b"2000000000", b"1e9", b"1e18"),
    *(b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809"),
    *(b"18446744073709551616", b"1e19", b"1e300", b"1e308", b"1e309", b"-1e309", b"9" * 40),
    *(b"9" * 400, b"9" * 5_000, b"1e99999999", b"NaN", b"nan", b"Infinity", b"-Infinity", b"inf"),
)
WORDS: tuple[bytes, ...] = (
    *(b"", b" ", b"null", b"true", b"false", b"-", b"--", b".", b"..", b"/", b"0", b"None", b"~"),
    *("\N{SNOWMAN}".encode(), "\u202etxt".encode(), "\u2028".encode(), "\x9b31m".encode()),
    *(b"\x1b[31mred", b"\x1b]0;title\x07", b"\x00", b"\x07", b"\r", b"\n", b"\t", b"\x7f", b"\x85"),
    *(b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\\ud800"),
    *(b"a" * 20_000, b"../../etc/passwd", b"/dev/null", b"os:abort", b"nothing.py:f", b"%s%n"),
    *(b"<script>alert(1)</script>", b"[red]x[/red]", b"{0}", b"$HOME", b"1970-01-01", b"12:00:00"),
    *(b"9999-12-31T23:59:59", b"0000-00-00", b"99999999999-01-01", b"1-00:00:00", b"a=b", b"a,b"),
    *(b'"', b"'", b"\\", b"#", b";", b"[", b"]", b"{", b"}", b"(", b")", b"&", b"*a", b"<", b">"),
    *(b"[" * DEEP, b"(" * DEEP, b"{" * DEEP, b"-" * DEEP, b"a." * DEEP, b"<a>" * DEEP),
)
JSON_VALUES: tuple[bytes, ...] = (
    *(b"null", b"true", b"false", b"0", b"-1", b"1", b"0.5", b"1e308", b"1e999", b"-1e999", b"NaN"),
    *(b"Infinity", b"-Infinity", b"2147483648", b"-2147483649", b"2000000000", b"1e18", b"9" * 400),
    *(b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"9" * 5_000),
    *(
        b'""',
        b'" "',
        b'"\\ud800"',
        b'"\\u0000"',
        b'"\\u001b[31m"',
        b'"\\u202e"',
        b'"a\\nb"',
        b'"\xff"',
    ),
    *(b'"NaN"', b'"1e999"', b'"inf"', b'"9999999999999999999999"', b'"-1"', b'"true"', b'"../.."'),
    *(
        b'"<script>alert(1)</script>"',
        b'"os:abort"',
        b'"%s"',
        b'"1970-13-45"',
        b'"' + b"a" * 20_000 + b'"',
    ),
    *(b"[]", b"{}", b"[null]", b"[[]]", b'{"":null}', b'{"a":1,"a":2}', b"[0,0,0,0]", b'["a","a"]'),
    *(
        b"[NaN]",
        b"[1e999]",
        b"[-1]",
        b'[{"a":{}}]',
        b"[" * 40 + b"]" * 40,
        b"[" * DEEP + b"]" * DEEP,
    ),
    *(b'{"a":' * DEEP + b"1" + b"}" * DEEP, b"[" * 60_000, b"[" + b"0," * 5_000 + b"0]"),
)
JUNK = (
    b"\x00\x01\x07\x08\t\n\r\x1b\x7f\x80\x9b\xa0\xc3\xed\xff ,;:=-+*/()[]{}<>\"'#&.0123456789eEaNx"
)
_WORD = re.compile(rb"\"[^\"\n]*\"|[-+]?\d[\d.]*(?:[eE][-+]?\d+)?|[^\s,;:=|<>(){}\[\]\"]+")
_MARK = "@damaged value@"
_PACKED: dict[str, Any] = {".gz": gzip, ".bz2": bz2, ".xz": lzma}


def mutated(name: str, content: bytes, random: Random) -> bytes:
    """Returns a damaged copy of a file.

    Args:
        name: The file's name: its ending says which kinds of damage fit.
        content: The valid file, or one that is damaged already.
        random: Where all choices come from.
    """
    stem, dot, ending = name.rpartition(".")
    module = _PACKED.get(dot + ending)
    if module is not None and random.random() < 0.6:
        inner = mutated(stem, module.decompress(content), random)
        options = {"mtime": 0} if module is gzip else {}
        return bytes(module.compress(inner, **options))
    kinds = list(_OF_BYTES)
    if module is None and ending != "parquet":
        kinds += _OF_TEXT * 2
        kinds += [_json_value] * 12 if ending in ("json", "jsonl") else []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        content = random.choice(kinds)(content, random)[:LARGEST_BYTES]
    return content


def _span(content: bytes, random: Random, longest: int = 1_000) -> tuple[int, int]:
    first = random.randrange(len(content) + 1)
    longest = random.choice((1, 4, 30, longest))
    return first, min(len(content), first + random.randint(1, longest))


def _cut(content: bytes, random: Random) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _nothing(content: bytes, random: Random) -> bytes:
    return random.choice((b"", b"\n", b"\x00", b"\xef\xbb\xbf", b" " * 10, b"{}", b"[]", b"null"))


def _without_span(content: bytes, random: Random) -> bytes:
    first, last = _span(content, random)
    return content[:first] + content[last:]


def _span_again(content: bytes, random: Random) -> bytes:
    first, last = _span(content, random)
    return content[:last] + content[first:last] * random.choice((1, 2, 50)) + content[last:]


def _bits_flipped(content: bytes, random: Random) -> bytes:
    flipped = bytearray(content)
    for _ in range(random.choice((1, 3, 20)) if content else 0):
        flipped[random.randrange(len(flipped))] ^= 1 << random.randrange(8)
    return bytes(flipped)


def _junk_inside(content: bytes, random: Random) -> bytes:
    first, last = _span(content, random)
    junk = bytes(random.choice(JUNK) for _ in range(random.choice((1, 2, 10))))
    return content[:first] + junk + content[random.choice((first, last)) :]


def _number_of_bytes(content: bytes, random: Random) -> bytes:
    """An integer of a binary header replaced by an absurd one."""
    size = random.choice((1, 2, 4, 8))
    first = random.randrange(max(1, len(content) - size + 1))
    number = random.choice(
        (0, 1, 2 ** (8 * size - 1), 2 ** (8 * size) - 1, 2 ** (8 * size - 1) - 1)
    )
    return content[:first] + number.to_bytes(size, "little") + content[first + size :]


def _number_of_varying_length(content: bytes, random: Random) -> bytes:
    """A number of a binary format replaced by one of up to ten bytes; most near the end."""
    first = random.randrange(len(content) + 1)
    if random.random() < 0.5:
        first = max(0, len(content) - 1 - random.randrange(2_000))
    number = random.choice((0, 1, 2, 127, 2**14, 2**28, 2**31, 2**32 - 1, 2**33, 2**62, 2**64 - 1))
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    kept = random.choice((1, 1, 2, len(made)))  # of the same length, where nothing is moved
    return content[:first] + bytes(made) + content[first + kept :]


def _word_replaced(content: bytes, random: Random) -> bytes:
    words = list(_WORD.finditer(content[:LARGEST_BYTES]))
    if not words:
        return _nothing(content, random)
    word = random.choice(words)
    is_number = word.group().lstrip(b"-+")[:1].isdigit()
    new = random.choice(NUMBERS if is_number and random.random() < 0.7 else WORDS + NUMBERS)
    if word.group().startswith(b'"') and random.random() < 0.7:
        new = b'"' + new + b'"'
    return content[: word.start()] + new + content[word.end() :]


def _number_replaced_everywhere(content: bytes, random: Random) -> bytes:
    """All words of one column, as far as lines have columns, replaced by the same."""
    column, new = random.randrange(6), random.choice(NUMBERS + WORDS[:40])
    lines = content.split(b"\n")
    for i, line in enumerate(lines):
        words = list(_WORD.finditer(line))
        if column < len(words):
            lines[i] = line[: words[column].start()] + new + line[words[column].end() :]
    return b"\n".join(lines)


def _lines_moved(content: bytes, random: Random) -> bytes:
    lines = content.split(b"\n")
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    what = random.randrange(5)
    if what == 0:
        del lines[first]
    elif what == 1:
        lines.insert(second, lines[first])
    elif what == 2:
        lines[first], lines[second] = lines[second], lines[first]
    elif what == 3:
        del lines[min(first, second) : max(first, second)]
    else:
        lines[first] += random.choice((b"\r", b",", b" 1", b",,,,", b"\x00", b"\\", b'"'))
    return b"\n".join(lines)


def _separators_replaced(content: bytes, random: Random) -> bytes:
    old, new = random.sample((b",", b"\n", b" ", b";", b"\t", b":", b"=", b'"', b"|", b"."), 2)
    return content.replace(old, new, random.choice((1, 5, -1)))


def _json_value(content: bytes, random: Random) -> bytes:
    """A value of JSON, or a key, replaced, taken away, or given twice."""
    try:
        tree = json.loads(content)
        json.dumps(tree)
    except (ValueError, RecursionError):  # it is damaged already
        return _word_replaced(content, random)
    places = _places(tree)
    if not places:
        return random.choice(JSON_VALUES)
    holder, key = random.choice(places)
    what = random.random()
    if what < 0.15:
        del holder[key]
    elif what < 0.25 and isinstance(holder, dict):
        holder[random.choice(("", "nodes", "a", "\x1b[1m", "name", "type", key + "s"))] = (
            holder.pop(key)
        )
    elif what < 0.3 and isinstance(holder, list):
        holder.insert(random.randrange(len(holder) + 1), holder[key])
    else:
        holder[key] = _MARK
    text = json.dumps(tree).encode()
    return text.replace(json.dumps(_MARK).encode(), random.choice(JSON_VALUES))


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Returns where values are: the list or dict, and the index or key in it."""
    found: list[tuple[Any, Any]] = []
    rest = [tree] if isinstance(tree, (dict, list)) else []
    while rest and len(found) < 20_000:
        holder = rest.pop()
        for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            found.append((holder, key))
            if isinstance(value, (dict, list)):
                rest.append(value)
    return found


_OF_BYTES: list[Callable[[bytes, Random], bytes]] = [
    _cut,
    _nothing,
    _without_span,
    _span_again,
    _bits_flipped,
    _bits_flipped,
    _junk_inside,
    _number_of_bytes,
    _number_of_varying_length,
]
_OF_TEXT: list[Callable[[bytes, Random], bytes]] = [
    _word_replaced,
    _word_replaced,
    _word_replaced,
    _number_replaced_everywhere,
    _lines_moved,
    _separators_replaced,
]
