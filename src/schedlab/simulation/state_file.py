"""State files: what a simulation is made of, and where it was.

A line of text (what it is, format, version, checksum, sizes), then a JSON description, then the
engine's bytes. A file is written beside its place and renamed when it is whole.
"""

from __future__ import annotations

import os

import schedlab
from schedlab import _engine
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

FORMAT = 2
"""Version of the layout; it changes with everything that the engine saves."""

_WORD = "schedlab-state"


def write(path: str, description: dict[str, Any], engine: bytes) -> None:
    """Writes a state file; whatever happens, a file that was there before stays whole."""
    from schedlab.results.json_text import to_json

    text = to_json(description).encode()
    sizes = f"{len(text)} {len(engine)}"
    line = f"{_WORD} {FORMAT} {schedlab.__version__} {_checksum(text, engine)} {sizes}\n"
    partial = path + ".part"
    try:
        with open(partial, "wb") as file:
            file.write(line.encode())
            file.write(text)
            file.write(engine)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        error.filename = path  # Python leaves it out where a write fails
        if os.path.exists(partial):
            os.unlink(partial)
        raise


def is_state(path: str) -> bool:
    """Returns whether a file begins as state files do."""
    word = _WORD.encode()
    try:
        with open(path, "rb") as file:
            return file.read(len(word)) == word
    except OSError:
        return False


def read(path: str) -> tuple[dict[str, Any], bytes]:
    """Returns the description and the engine's bytes of a state file.

    Raises:
        InputError: There is none, it is damaged, or it is of another version.
    """
    try:
        with open(path, "rb") as file:
            line = file.readline(200)
            content = file.read()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    words = line.decode("ascii", "replace").split()
    if len(words) != 6 or words[0] != _WORD or line != (" ".join(words) + "\n").encode():
        raise InputError(f"{path}: is no state file of schedlab, or its beginning is damaged")
    _, layout, version, checksum, text_size, engine_size = words
    if layout != str(FORMAT) or version != schedlab.__version__:
        raise InputError(
            f"{path}: was saved by schedlab {version} (format {layout}), and this is schedlab "
            f"{schedlab.__version__} (format {FORMAT}); run the simulation again, or load it there"
        )
    if not (text_size.isdigit() and engine_size.isdigit()):
        raise InputError(f"{path}: is damaged: its first line is wrong")
    expected, found = int(text_size) + int(engine_size), len(content)
    if found != expected:
        raise InputError(f"{path}: is damaged: {found} bytes behind its first line, not {expected}")
    text, engine = content[: int(text_size)], content[int(text_size) :]
    if _checksum(text, engine) != checksum:
        raise InputError(f"{path}: is damaged: its content does not match its checksum")
    import json

    description: dict[str, Any] = json.loads(text)
    return description, engine


def _checksum(*parts: bytes) -> str:
    checksum = _engine.Checksum()
    for part in parts:
        checksum.add(part)
    return checksum.hex()
