"""Files that are there when they are whole, and not before."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from schedlab.errors import InputError, written_error


@contextlib.contextmanager
def whole_file(path: str) -> Iterator[str]:
    """Gives the name under which to write a file; it takes its place when the block ends.

    If the block fails, nothing of it is left, and a file that was there before stays. Of a link,
    the file that it points to is replaced.

    Raises:
        InputError: What is there is no file: a device or a pipe must not be replaced by one.
    """
    path = os.path.realpath(path) if os.path.islink(path) else path
    if os.path.lexists(path) and not os.path.isfile(path):
        what = "a directory" if os.path.isdir(path) else "a device or pipe, no file"
        raise InputError(f"{path}: is {what}; give the name of a file to write")
    partial = path + ".part"
    try:
        yield partial
        os.replace(partial, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        if not isinstance(error, Exception):
            raise
        told = written_error(error, path)
        if isinstance(told, OSError) and told.errno and told.filename in (None, partial):
            told.filename = path  # Python leaves it out where a write fails
        raise told from None


def write_text(path: str, text: str) -> None:
    """Writes a text file that is never there in part."""
    with whole_file(path) as partial, open(partial, "w", encoding="utf-8") as file:
        file.write(text)
