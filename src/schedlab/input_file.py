"""Files that a user names as input: regular ones, or what the shell opened; within bounds."""

from __future__ import annotations

import os

from schedlab.errors import InputError
from schedlab.regular_file import MOST_BYTES, open_regular

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from io import BufferedReader

_DESCRIPTORS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def is_open_already(path: str) -> bool:
    """Returns whether a path names what the shell opened: /dev/stdin, or /dev/fd/63 of `<(...)`."""
    return path.startswith(_DESCRIPTORS)


def open_input(path: str) -> BufferedReader:
    """Returns an input, opened to read bytes.

    A pipe with a name of its own is refused: whoever opens one may wait for ever.

    Raises:
        InputError: It is not there, may not be read, or is not a file; the message says which.
    """
    try:
        return open(path, "rb") if is_open_already(path) else open_regular(path)
    except OSError as error:
        raise unreadable(path, error) from None
    except InputError:
        if "\0" in path:
            raise InputError(f"{path}: cannot be read: no file has such a name") from None
        if os.path.isdir(path):
            raise InputError(f"{path}: is a directory; give the file inside it") from None
        raise


def unreadable(path: str, error: OSError) -> InputError:
    """Returns the error for an input that the system does not let us read."""
    missing = isinstance(error, FileNotFoundError)
    reason = "no such file" if missing else f"cannot be read: {error.strerror}"
    shown = path if path else '""'
    return InputError(f"{shown}: {reason}")


def read_input(path: str, most_bytes: int = MOST_BYTES) -> bytes:
    """Returns the content of an input that is read whole; raises InputError."""
    with open_input(path) as file:
        try:
            content = file.read(most_bytes + 1)
        except OSError as error:
            raise unreadable(path, error) from None
    if len(content) > most_bytes:
        raise InputError(
            f"{path}: is larger than {most_bytes:,} bytes, the most that is read of it"
        )
    return content


def read_text(path: str, most_bytes: int = MOST_BYTES) -> str:
    """Returns the UTF-8 text of an input, without a byte order mark; raises InputError."""
    content = read_input(path, most_bytes)
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: is not UTF-8 text; save it as UTF-8") from None
