"""State files: what a simulation is made of, and where it was.

A line of text (what it is, format, version, checksum, sizes), then a JSON description, then the
engine's bytes. A file is written beside its place and renamed when it is whole.
"""

from __future__ import annotations

import os

import schedlab
from schedlab import _engine
from schedlab.errors import InputError
from schedlab.regular_file import MOST_BYTES, open_regular

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from io import BufferedReader
    from typing import Any

FORMAT = 9
"""Version of the layout: of the description, and of everything that the engine saves."""

ADVICE = "load an older one, or run the simulation again"
"""What to do about a damaged file."""

_WORD = "schedlab-state"


def write(path: str, description: dict[str, Any], engine: bytes) -> None:
    """Writes a state file; whatever happens, a file that was there before stays whole."""
    from schedlab.results.json_text import to_json

    write_halves(path, to_json(description).encode(), engine)


def write_halves(path: str, text: bytes, engine: bytes) -> None:
    """Writes a state file of its two halves, the first of which is the text of a description."""
    from schedlab.whole_file import whole_file

    sizes = f"{len(text)} {len(engine)}"
    line = f"{_WORD} {FORMAT} {schedlab.__version__} {_checksum(text, engine)} {sizes}\n"
    with whole_file(path) as partial, open(partial, "wb") as file:
        file.write(line.encode())
        file.write(text)
        file.write(engine)


def is_state(path: str) -> bool:
    """Returns whether a file begins as state files do.

    Raises:
        InputError: It is not a regular file.
    """
    word = _WORD.encode()
    try:
        with open_regular(path) as file:
            return file.read(len(word)) == word
    except OSError:
        return False


def read(path: str) -> tuple[dict[str, Any], bytes]:
    """Returns the description and the engine's bytes of a state file.

    Raises:
        InputError: There is none, it is damaged, or it is of another version.
    """
    try:
        with open_regular(path) as file:
            text_size, engine_size, checksum = _sizes(file, path)
            text, engine = file.read(text_size), file.read(engine_size)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if _checksum(text, engine) != checksum:
        raise InputError(f"{path}: is damaged: its content does not match its checksum")
    from schedlab.results.stored_json import parse_table
    from schedlab.simulation.state_shape import check_description

    description = parse_table(text, path, "the description of a state", ADVICE)
    try:
        check_description(description)
    except InputError as error:
        raise InputError(f"{path}: is damaged: {error}; {ADVICE}") from None
    return description, engine


def _sizes(file: BufferedReader, path: str) -> tuple[int, int, str]:
    """Returns the sizes of the two halves and their checksum, once the file has these sizes."""
    line = file.readline(200)
    words = line.decode("ascii", "replace").split()
    if len(words) != 6 or words[0] != _WORD or line != (" ".join(words) + "\n").encode():
        raise InputError(f"{path}: is not a state file of schedlab, or its beginning is damaged")
    _, layout, version, checksum, *sizes = words
    if layout != str(FORMAT) or version != schedlab.__version__:
        raise InputError(
            f"{path}: was saved by schedlab {version} (format {layout}), and this is schedlab "
            f"{schedlab.__version__} (format {FORMAT}); run the simulation again, or load it there"
        )
    if not all(size.isascii() and size.isdigit() and len(size) < 19 for size in sizes):
        raise InputError(f"{path}: is damaged: its first line is wrong")
    text_size, engine_size = map(int, sizes)
    found = os.fstat(file.fileno()).st_size - len(line)
    if found != text_size + engine_size:
        raise InputError(
            f"{path}: is damaged: {found} bytes after its first line, not {text_size + engine_size}"
        )
    if text_size > MOST_BYTES:
        raise InputError(f"{path}: is damaged: its description has {text_size:,} bytes")
    return text_size, engine_size, checksum


def _checksum(*parts: bytes) -> str:
    checksum = _engine.Checksum()
    for part in parts:
        checksum.add(part)
    return checksum.hex()
