"""What `package.module:Name` and `path/to/file.py:Name` name: modules, and what is in them."""

from __future__ import annotations

import os
import sys

from schedlab.errors import InputError, did_you_mean

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import FrameType

_FILES: dict[str, tuple[int, object]] = {}
"""Files that modules were made of, with the time of the file's last change."""

_LAST: list[str] = []
"""Folders that modules were loaded from, the latest first."""


class _Beside:
    """Finds what a module of your own imports later, within its functions: files beside it."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Returns a module that is found nowhere else; Python asks this finder last."""
        from importlib.machinery import PathFinder

        return PathFinder.find_spec(name, _LAST) if path is None else None


def load(kind: str, name: str) -> object:
    """Returns what `package.module:Name` or `path/to/file.py:Name` names.

    Modules are looked for as Python does, and then in the current folder; but a file of that
    folder takes precedence over a module of Python's, or of an installed package, that has
    the same name.

    Raises:
        InputError: There is no such module or file, or no such name in it.
    """
    module, _, attribute = name.partition(":")
    owner = found = _module(kind, name, module)
    try:
        for part in attribute.split("."):
            owner = found
            found = getattr(owner, part)
    except AttributeError:
        near = did_you_mean(part, [one for one in dir(owner) if not one.startswith("_")]).rstrip()
        file = getattr(sys.modules.get(getattr(owner, "__name__", "")), "__file__", None)
        read = f" ({_shown(file)})" if file else ""
        raise InputError(
            f"{kind} {name!r}: {module} has no {attribute!r}{read}{near and '; ' + near}"
        ) from None
    return found


def _module(kind: str, name: str, module: str) -> object:
    """Returns the module that a name begins with."""
    if module.endswith(".py") and not os.path.isfile(module):
        raise InputError(f"{kind} {name!r}: there is no file {module}")
    earlier, _LAST[:] = _LAST[:], []  # what is asked for now is not looked for there
    path = module if module.endswith(".py") else _hidden_file(module)
    try:
        return _imported(module) if path is None else _from_file(path)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        if isinstance(error, ModuleNotFoundError):
            text = f"there is no module {error.name!r}, neither installed nor in this folder"
            if module.endswith(".py") and str(error.name).startswith(os.sep):
                text = "it has relative imports, so name it by its package, as package.module:Name"
            if _is_within(module, error.name):
                raise InputError(f"{kind} {name!r}: {text}") from None
        raise InputError(
            f"{kind} {name!r}: {module} cannot be imported: {text}{_places(error)}"
        ) from error
    finally:
        _LAST.extend(folder for folder in earlier if folder not in _LAST)


def _remember(folder: str) -> None:
    """Lets what is in a folder be imported later, too, where it is found nowhere else."""
    _LAST.insert(0, folder)
    if _Beside not in sys.meta_path:
        sys.meta_path.append(_Beside)


def _imported(module: str) -> object:
    import importlib

    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if not _is_within(module, error.name):
            raise
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        importlib.invalidate_caches()
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        # Of a package of the same name as one of Python's, Python looks at its own only.
        file = module.replace(".", os.sep) + ".py"
        if not _is_within(module, error.name) or not os.path.isfile(file):
            raise
        return _from_file(file)
    finally:
        sys.path.remove(folder)
    _remember(folder)
    return found


def _is_within(module: str, name: str | None) -> bool:
    """Whether a module that was not found is the one that was asked for, or a package of it."""
    return name is not None and f"{module}.".startswith(f"{name}.")


def _hidden_file(module: str) -> str | None:
    """Returns the file of the current folder that a module elsewhere would hide, if one does.

    That is so for Python's own modules and installed ones: `test:Mine` means test.py, and not the
    package `test` of the standard library. Folders that the user put on the path go first.
    """
    from importlib.util import find_spec

    file = f"{module}.py"
    if not module.isidentifier() or not os.path.isfile(file):
        return None
    try:
        spec = find_spec(module)
    except ValueError:  # a module that was not imported in the usual way
        return None
    if spec is None:
        return None
    origin = spec.origin if spec.has_location else None
    if origin is not None and not _is_installed(origin):
        return None
    return file


def _is_installed(path: str) -> bool:
    """Whether a file belongs to Python itself or to an installed package."""
    library = os.path.dirname(os.__file__) + os.sep
    parts = path.split(os.sep)
    return path.startswith(library) or "site-packages" in parts or "dist-packages" in parts


def is_of_users(thing: object) -> bool:
    """Returns whether a class, function or other object is of code of the user's own.

    Not so what comes from Python itself, from schedlab, or from an installed package.
    """
    thing = getattr(thing, "func", thing)  # what a functools.partial calls
    owner = thing if hasattr(thing, "__qualname__") else type(thing)
    name = getattr(owner, "__module__", None) or ""
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None:  # else of an interactive session or a notebook
        return name == "__main__"
    return name.partition(".")[0] != "schedlab" and not _is_installed(file)


def _from_file(path: str) -> object:
    """Returns the module of a file: the same one as long as the file does not change."""
    from importlib.util import module_from_spec, spec_from_file_location

    changed = os.stat(path).st_mtime_ns
    full = os.path.abspath(path)
    known = _FILES.get(full)
    if known is not None and known[0] == changed:
        return known[1]
    spec = spec_from_file_location(full, full)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[full] = module  # dataclasses look for their module there
    _forget_namesakes(os.path.dirname(full))
    sys.path.insert(0, os.path.dirname(full))  # as for a script
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(os.path.dirname(full))
    _remember(os.path.dirname(full))
    _FILES[full] = (changed, module)
    return module


def _forget_namesakes(folder: str) -> None:
    """Lets modules be imported from a folder that are known from the folder of another file.

    Modules that were imported from there stay as they are.
    """
    others = {os.path.dirname(file) for file in _FILES} - {folder}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        top = os.path.join(folder, name.partition(".")[0])
        if (os.path.isfile(f"{top}.py") or os.path.isdir(top)) and any(
            file.startswith(other + os.sep) for other in others
        ):
            del sys.modules[name]


def _places(error: Exception) -> str:
    """Returns the line that could not be imported, and where in your own file it was wanted."""
    from schedlab.code_places import is_foreign

    steps: list[tuple[FrameType, int]] = []
    trace = error.__traceback__
    while trace is not None:
        if is_foreign(trace.tb_frame):
            steps.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    lines = [f"{_shown(frame.f_code.co_filename)}:{line}" for frame, line in steps]
    if isinstance(error, SyntaxError) and error.filename:  # of a file that did not run at all
        lines.append(f"{_shown(error.filename)}:{error.lineno}")
    if not lines:
        return ""
    files = {line.rpartition(":")[0] for line in lines}
    return f" ({lines[-1]}, imported at {lines[0]})" if len(files) > 1 else f" ({lines[-1]})"


def _shown(path: str) -> str:
    """Returns a path as people write it: from the current folder on, where it lies below."""
    folder = os.getcwd() + os.sep
    return path[len(folder) :] if path.startswith(folder) else path
