"""What code a part of a run stands for: two runs are the same only if their code is."""

from __future__ import annotations

import inspect
import os
import sys
from contextlib import suppress
from functools import lru_cache, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

from schedlab._engine import Checksum
from schedlab.simulation.identity.user_code import files_imported, files_used, is_own, is_users
from schedlab.state_text import encode

CHUNK = 1 << 20


class UnknownSourceError(Exception):
    """It cannot be determined whether the code is the same as before; the text says why."""


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

    And of all modules of the user's own that these import, and so on. Modules of schedlab and of
    Python itself are left out: the versions stand for them. So are installed packages, unless the
    thing itself is of one.

    Raises:
        UnknownSourceError: A module has no file.
    """
    return _checksums(module_files(thing))


def module_files(thing: object) -> dict[str, str]:
    """Returns the files of the same modules.

    Raises:
        UnknownSourceError: A module has no file.
    """
    kinds = thing.__mro__ if isinstance(thing, type) else (thing,)
    files: dict[str, str] = {}
    for kind in kinds:
        name = getattr(kind, "__module__", None) or type(kind).__module__
        if not is_own(name) or name in files:
            continue
        path = getattr(sys.modules.get(name), "__file__", None)
        if path is None:
            raise UnknownSourceError(f"the source of module {name} cannot be read")
        files.update(files_used(name, path))
    return files


def _checksums(files: dict[str, str]) -> dict[str, str]:
    found = {}
    for name, path in sorted(files.items()):
        try:
            found[name] = file_checksum(path)
        except OSError:
            raise UnknownSourceError(f"the source of module {name} cannot be read") from None
    return found


def object_source(given: object) -> dict[str, str]:
    """Returns the source and the state of an object or function, by name, as texts.

    The source is that of its class and bases (or of the function), and of the functions, classes
    and plain values of its module that they use; of modules of the user's own that they import
    or name, the checksum of the file and of those that it imports in turn, too.

    Raises:
        UnknownSourceError: A source cannot be read, or a value is not plain data.
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
    if not is_own(thing.__module__) or name in found:
        return
    try:
        found[name] = inspect.getsource(thing)
    except (OSError, TypeError, SyntaxError):
        raise UnknownSourceError(f"the source of {name} cannot be read") from None
    _follow_imports(thing, found[name], found)
    if not isinstance(thing, type):
        _follow_function(thing, name, found)
        return
    for base in thing.__bases__:
        _follow(base, found)
    for attribute, member in vars(thing).items():
        functions = _functions(member)
        for function in functions:
            if function.__module__ == thing.__module__:
                _follow_function(function, name, found)
            else:
                _follow(function, found)
        if not functions and not attribute.startswith("__"):
            _follow_attribute(member, f"{name}.{attribute}", found)


def _follow_attribute(value: object, place: str, found: dict[str, str]) -> None:
    """Adds an attribute of a class, which may have been set after its source was read."""
    with suppress(UnknownSourceError):  # else the source has to do
        _follow_value(value, place, found)


def _follow_imports(thing: Any, source: str, found: dict[str, str]) -> None:
    """Adds the files that the module of a class or function imports, without its own.

    Its own counts by what is used of it; of a notebook or an interactive session, which has no
    file, the imports count that are in the source itself.
    """
    module = thing.__module__
    path = getattr(sys.modules.get(module), "__file__", None)
    try:
        files = files_used(module, path) if path else files_imported(source, module)
    except SyntaxError:
        return  # a lambda within a line, which cannot import
    files.pop(module, None)
    _add_files(files, found)


def _add_files(files: dict[str, str], found: dict[str, str]) -> None:
    for name, checksum in _checksums(files).items():
        found[f"module {name}"] = checksum


def _functions(member: object) -> list[FunctionType]:
    """Returns the functions that a member of a class consists of."""
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
            value = function.__globals__[used]
            place = f"{function.__module__}.{used}"
            if isinstance(value, ModuleType):
                _follow_module(value, _names(function.__code__), found)
            else:
                _follow_value(value, place, found)


def _follow_module(
    module: ModuleType, names: set[str], found: dict[str, str], seen: frozenset[str] = frozenset()
) -> None:
    """Adds the files of a module of the user's own, and the values of it that code may name."""
    path, name = getattr(module, "__file__", None), module.__name__
    if name in seen or path is None or not is_users(name, path):
        return
    _add_files(files_used(name, path), found)
    for used in sorted(names & vars(module).keys()):
        value = vars(module)[used]
        if isinstance(value, ModuleType):
            _follow_module(value, names, found, seen | {name})
        else:
            _follow_value(value, f"{name}.{used}", found)


def _check_as_imported(function: FunctionType) -> None:
    """Raises UnknownSourceError for a function that its file defines otherwise by now.

    A run gets the function as it was imported, and its file says something else.
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
    """Returns the code of all functions in a file; the numbers say whether it is the same."""
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
    if isinstance(value, partial):
        _follow_value(value.func, f"{place}.func", found)
        found[place] = _plain((value.args, value.keywords), place)
        return
    if not isinstance(value, type) and callable(value):
        value = inspect.unwrap(value)
    if isinstance(value, (type, FunctionType)):
        _follow(value, found)
    elif callable(value):
        owner = getattr(value, "__self__", value)
        if not isinstance(owner, ModuleType) and is_own(type(owner).__module__):
            _follow(type(owner), found)
            found[place] = _plain(getattr(owner, "__dict__", {}), place)
    elif not isinstance(value, ModuleType) and place not in found:
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
        raise UnknownSourceError(f"{error}, which is not plain data") from None
