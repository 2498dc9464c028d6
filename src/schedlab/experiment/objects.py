"""Objects for the process of a run: what was given here, as it is here, runs there.

That process never is a fork of this one. A fork has none of the threads of its parent, but all of
their locks; the first use of polars or of a numerical library in it may wait for ever.
"""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import cloudpickle  # type: ignore[import-untyped]

from schedlab.errors import InputError, reason_of
from schedlab.simulation.identity.user_code import own_modules

_LOCKS = {type(threading.Lock()): threading.Lock, type(threading.RLock()): threading.RLock}
_FILES = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO)


def pickled(objects: dict[str, Any]) -> bytes:
    """Returns arguments of a run as bytes, of which `pickle.loads` makes them in any interpreter.

    Code of the user's own goes along, with the values of its modules that it names: classes of a
    script, of a notebook or of a function, lambdas, closures. Code of installed packages goes by
    its name.

    Args:
        objects: Arguments of `simulate` by name. What they share, their copies share too.

    Raises:
        InputError: One of them cannot leave this process; the message says which part of it.
    """
    with _own_code_by_value():
        try:
            return _dumped(objects)
        except Exception as error:
            cause = error
        for name, given in objects.items():
            _refuse(name, given)
    raise InputError(f"the run cannot be handed to a process of its own: {reason_of(cause)}")


def _dumped(given: object) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer).dump(given)
    return buffer.getvalue()


def _refuse(name: str, given: object) -> None:
    """Raises InputError if an argument cannot be pickled, naming its attribute if it is one."""
    reason = _reason(given)
    if reason is None:
        return
    kind = type(given).__qualname__
    for attribute, value in getattr(given, "__dict__", {}).items():
        inner = _reason(value)
        if inner is not None:
            kind, reason = f"{kind}.{attribute}", inner
            break
    raise InputError(
        f"{name}: {kind} cannot be handed to the process of its run: {reason}; make it when it is "
        "first used, leave it out in __getstate__, or give the part as package.module:Class, of "
        "which each process makes its own"
    )


def _reason(given: object) -> str | None:
    try:
        _dumped(given)
    except Exception as error:
        return reason_of(error)
    return None


@contextmanager
def _own_code_by_value() -> Iterator[None]:
    """Makes pickles hold the code of modules of the user's own, as it was imported.

    By name, a fresh interpreter would read their files again, which may have changed, and would
    not know what was assigned to their names since.
    """
    registered = set(cloudpickle.list_registry_pickle_by_value())
    added = [module for module in own_modules() if module.__name__ not in registered]
    for module in added:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in added:
            cloudpickle.unregister_pickle_by_value(module)


class _Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
    """Also takes locks, which are free in the copy, and open files, which it opens again."""

    def reducer_override(self, given: Any) -> Any:
        if type(given) in _LOCKS:
            return _LOCKS[type(given)], ()
        if isinstance(given, _FILES) and given not in (sys.stdin, sys.stdout, sys.stderr):
            return _file(given)
        return super().reducer_override(given)


def _file(file: Any) -> tuple[Any, ...]:
    """Returns how to open a file again: at the same place, or at its end if it is written."""
    name, mode = file.name, getattr(file, "mode", "")
    if file.closed or not isinstance(name, str) or not os.path.exists(name):
        raise TypeError(f"{file!r} cannot be opened again")
    binary = not isinstance(file, io.TextIOWrapper)
    options = () if binary else (file.encoding, file.errors)
    if "r" in mode:
        return _opened_at, (os.path.abspath(name), _plain(mode, binary), file.tell(), *options)
    file.flush()
    return open, (os.path.abspath(name), "ab" if binary else "a", -1, *options)


def _plain(mode: str, binary: bool) -> str:
    return ("r+" if "+" in mode else "r") + "b" * binary


def _opened_at(
    name: str, mode: str, place: int, encoding: str | None = None, errors: str | None = None
) -> IO[Any]:
    file: IO[Any] = open(name, mode, -1, encoding, errors)  # noqa: SIM115  # its owner closes it
    file.seek(place)
    return file
