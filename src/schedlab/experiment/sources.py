"""What code a part of a run stands for: two runs are the same only if their code is."""

from __future__ import annotations

import inspect
import os
import sys
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

from schedlab._engine import Checksum
from schedlab.plain_data import encode

CHUNK = 1 << 20


class UnknownSourceError(Exception):
    """Nobody can tell whether the code is the same as before; the text says why."""


def checksum_of(*parts: bytes) -> str:
    """Returns the XXH64 of some bytes, 16 hexadecimal digits."""
    checksum = Checksum()
    for part in parts:
        checksum.add(part)
    return checksum.hex()


def file_checksum(path: str) -> str:
    """Returns the XXH64 of a file's bytes."""
    checksum = Checksum()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            checksum.add(chunk)
    return checksum.hex()


def module_sources(thing: object) -> dict[str, str]:
    """Returns the checksum of each module that a class, its bases, or a function come from.

    Modules of schedlab and of Python itself are left out: the versions stand for them.

    Raises:
        UnknownSourceError: A module has no file.
    """
    kinds = thing.__mro__ if isinstance(thing, type) else (thing,)
    found: dict[str, str] = {}
    for kind in kinds:
        name = getattr(kind, "__module__", None) or type(kind).__module__
        if not _is_own(name) or name in found:
            continue
        path = getattr(sys.modules.get(name), "__file__", None)
        try:
            found[name] = file_checksum(path or "")
        except OSError:
            raise UnknownSourceError(f"the source of module {name} cannot be read") from None
    return found


def object_source(given: object) -> dict[str, str]:
    """Returns the source and the state of an object or function, by name, as texts.

    The source is that of its class and bases (or of the function), and of the functions, classes
    and plain values of its module that they use.

    Raises:
        UnknownSourceError: A source cannot be read, or a value is no plain data.
    """
    found: dict[str, str] = {}
    owner = getattr(given, "__self__", None)
    if isinstance(given, (FunctionType, type)):
        _follow(given, found)
    elif owner is not None and not isinstance(owner, ModuleType):  # a method and its object
        found = object_source(owner)
        found["method"] = getattr(given, "__name__", "")
    else:
        _follow(type(given), found)
        get_state = getattr(given, "get_state", None)
        state = get_state() if get_state is not None else getattr(given, "__dict__", {})
        found["state"] = _plain(state, type(given).__name__)
    return found


def _follow(thing: Any, found: dict[str, str]) -> None:
    """Adds the source of a class or function, and of what it uses of its own module."""
    name = f"{thing.__module__}:{thing.__qualname__}"
    if not _is_own(thing.__module__) or name in found:
        return
    try:
        found[name] = inspect.getsource(thing)
    except (OSError, TypeError, SyntaxError):
        raise UnknownSourceError(f"the source of {name} cannot be read") from None
    if not isinstance(thing, type):
        _follow_function(thing, name, found)
        return
    for base in thing.__bases__:
        _follow(base, found)
    for member in vars(thing).values():
        for function in _functions(member):
            _follow_function(function, name, found)


def _functions(member: object) -> list[FunctionType]:
    """Returns the functions behind a member of a class."""
    if isinstance(member, property):
        members: tuple[object, ...] = (member.fget, member.fset)
    else:
        members = (getattr(member, "__func__", member),)
    return [inspect.unwrap(one) for one in members if isinstance(one, FunctionType)]


def _follow_function(function: FunctionType, name: str, found: dict[str, str]) -> None:
    _check_as_imported(function)
    for cell, variable in zip(
        function.__closure__ or (), function.__code__.co_freevars, strict=True
    ):
        if variable != "__class__":
            _follow_value(cell.cell_contents, f"{name}.{variable}", found)
    for used in sorted(_names(function.__code__)):
        if used in function.__globals__:
            place = f"{function.__module__}.{used}"
            _follow_value(function.__globals__[used], place, found)


def _check_as_imported(function: FunctionType) -> None:
    """Raises UnknownSourceError for a function that its file defines otherwise by now.

    A forked process runs the function as it was imported, and its file says something else.
    """
    path = function.__code__.co_filename
    if not os.path.isfile(path):
        return  # of a notebook, which keeps its sources, or made by code
    status = os.stat(path)
    if function.__code__ not in _codes_in(path, status.st_size, status.st_mtime_ns):
        raise UnknownSourceError(
            f"{path} has changed since {function.__module__} was imported; start Python again"
        )


@lru_cache(maxsize=256)
def _codes_in(path: str, size: int, changed: int) -> set[CodeType]:
    """Returns the code of all functions in a file; the numbers tell whether it is the same."""
    try:
        with open(path, "rb") as file:
            todo = [compile(file.read(), path, "exec", dont_inherit=True)]
    except (OSError, SyntaxError, ValueError):
        return set()
    found = set()
    while todo:
        code = todo.pop()
        found.add(code)
        todo += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


def _follow_value(value: object, place: str, found: dict[str, str]) -> None:
    if isinstance(value, (type, FunctionType)):
        _follow(value, found)
    elif not isinstance(value, ModuleType) and place not in found and not callable(value):
        found[place] = _plain(value, place)


def _names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _plain(value: object, place: str) -> str:
    try:
        return encode(value, place).decode()
    except TypeError as error:
        raise UnknownSourceError(f"{error}, which is no plain data") from None


def _is_own(module: str) -> bool:
    """Whether a module is the user's: neither Python's nor schedlab's."""
    root = module.partition(".")[0]
    return module == "__main__" or root not in ("schedlab", *sys.stdlib_module_names)
