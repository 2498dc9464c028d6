"""JSON objects of any size, member by member, and which of our formats such a file is in."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING

from schedlab.errors import InputError
from schedlab.workload.compression import CHUNK
from schedlab.workload.reader import MOST_WHOLE_BYTES, Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO, NamedTuple
else:
    from typing import NamedTuple

WHITE = re.compile(r"[ \t\n\r]*")
LONGEST_WORD = 16
"""A literal of JSON that a chunk's end cuts in two begins at most so far before it."""

WRITTEN_AS = "schedlab"
"""The member that our writers put first; its value is the name of the format."""

IRMASIM_FIELDS = ("req_ops", "ntasks", "nodes")


class JsonMember(NamedTuple):
    """A member of the outermost object, or one item of the list that is taken apart."""

    key: str
    value: Any
    is_item: bool
    line: int


def members(file: BinaryIO, path: str, listed: str = "jobs") -> Iterator[JsonMember]:
    """Yields the members of a JSON object in their order; no more than one is in memory.

    Args:
        file: The text, as bytes.
        path: What messages call it.
        listed: The member whose list is given item by item.

    Raises:
        InputError: It is not JSON, or not an object.
    """
    scanner = _Scanner(file, path)
    scanner.take("{", "must be a JSON object")
    if scanner.next() == "}":
        scanner.at += 1
        scanner.end()
        return
    while True:
        if scanner.next() != '"':
            scanner.fail("must be a name in quotes")
        key = scanner.value()
        scanner.take(":", "must be ':'")
        line = scanner.line()
        if key == listed and scanner.next() == "[":
            yield from _items(scanner, key)
        else:
            yield JsonMember(key, scanner.value(), False, line)
        if scanner.next() != ",":
            break
        scanner.at += 1
    scanner.take("}", "must be ',' or '}'")
    scanner.end()


def _items(scanner: _Scanner, key: str) -> Iterator[JsonMember]:
    scanner.at += 1
    if scanner.next() == "]":
        yield JsonMember(key, [], False, scanner.line())
        scanner.at += 1
        return
    while True:
        scanner.next()
        line = scanner.line()
        yield JsonMember(key, scanner.value(), True, line)
        if scanner.next() != ",":
            break
        scanner.at += 1
    scanner.take("]", "must be ',' or ']'")


class _Scanner:
    """A place in a text that is read chunk by chunk."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file, self.path = file, path
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._value = json.JSONDecoder().raw_decode
        self.text, self.at, self._ended = "", 0, False
        self._lines, self._counted = 1, 0

    def line(self) -> int:
        """Returns the number of the line of the place."""
        self._lines += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._lines

    def fail(self, what: str) -> None:
        """Raises the error for what is at this place."""
        found = repr(self.text[self.at : self.at + 20]) if self.at < len(self.text) else "the end"
        raise InputError(f"{self.path}:{self.line()}: is not JSON: {what}, not {found}")

    def next(self) -> str:
        """Goes to the next character that is not white and returns it; empty at the end."""
        passed = 0
        while True:
            white = WHITE.match(self.text, self.at).end()  # type: ignore[union-attr]
            passed += white - self.at
            self.at = white
            if white < len(self.text):
                return self.text[white]
            if passed > MOST_WHOLE_BYTES:
                self.fail("must not be megabytes of blanks")
            if not self._more():
                return ""

    def take(self, character: str, what: str) -> None:
        """Passes over one character that must be there."""
        if self.next() != character:
            self.fail(what)
        self.at += 1

    def end(self) -> None:
        """Makes sure that nothing follows."""
        if self.next():
            self.fail("must end here")

    def value(self) -> Any:
        """Returns the value that begins here, and moves past it."""
        self.next()
        while True:
            try:
                value, end = self._value(self.text, self.at)
                # A number near the end of a chunk may continue in the next one.
                if end + LONGEST_WORD < len(self.text) or not self._more():
                    self.at = end
                    return value
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated")
                if not (cut or error.pos > len(self.text) - LONGEST_WORD) or not self._more():
                    self.at = min(error.pos, len(self.text))
                    self.fail(error.msg)
            except RecursionError:
                self.fail("lists or objects must not be so deep within each other")
            except ValueError as error:  # a number of thousands of digits
                raise InputError(f"{self.path}:{self.line()}: is not JSON: {error}") from None

    def _more(self) -> bool:
        """Reads on, as much again as is open, and drops what is done; False at the end."""
        if self._ended:
            return False
        self.line()
        open_text = self.text[self.at :]
        if len(open_text) > MOST_WHOLE_BYTES:
            self.fail(f"a value must have at most {MOST_WHOLE_BYTES:,} characters")
        try:
            data = self._file.read(max(CHUNK, len(open_text)))
            self._ended = not data
            self.text = open_text + self._decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.path}: after line {self._lines}: is not UTF-8 text: {error.reason}"
            ) from None
        self.at = self._counted = 0
        return True


def json_format(path: str) -> str:
    """Returns which of our formats a JSON file is; only what is needed for that is read.

    Raises:
        InputError: It is none of them.
    """
    with Reader(path).content() as file:
        has_jobs = False
        for member in members(file, path):
            if member.key in ("workflow", "tasks"):
                return "wfformat" if member.key == "workflow" else "manifest"
            if member.key == WRITTEN_AS and member.value in ("batsim", "irmasim"):
                return str(member.value)
            if member.is_item and isinstance(member.value, dict):
                has_jobs = True
                if any(field in member.value for field in IRMASIM_FIELDS):
                    return "irmasim"
            elif member.key == "profiles" and isinstance(member.value, dict) and member.value:
                first = next(iter(member.value.values()))
                return "irmasim" if isinstance(first, dict) and "req_ops" in first else "batsim"
            has_jobs = has_jobs or member.key == "jobs"
        if has_jobs:
            return "batsim"
    raise InputError(
        f"{path}: is not a workload in JSON: it has neither 'jobs' (Batsim, IRMaSim), nor "
        "'workflow' (WfFormat), nor 'tasks' (an ScSF manifest); name its format with --reader NAME"
    )
