"""Which modules are the user's own, and which of them a module of theirs imports."""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from importlib.machinery import PathFinder
from textwrap import indent
from types import ModuleType

INSTALLED = ("site-packages", "dist-packages")


def is_own(module: str) -> bool:
    """Whether a module is neither Python's nor schedlab's; a file of theirs may be called alike."""
    root = module.partition(".")[0]
    if module == "__main__" or root not in ("schedlab", *sys.stdlib_module_names):
        return True
    path = getattr(sys.modules.get(root), "__file__", None)
    return root != "schedlab" and path is not None and not is_installed(_root(path, root))


def own_modules() -> list[ModuleType]:
    """Returns the imported modules of the user's own: neither Python's nor installed ones."""
    found = [module for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
    return [module for module in found if _is_users(module)]


def is_users(name: str, path: str | None) -> bool:
    """Whether a module of this name and file is the user's: neither Python's nor installed."""
    return bool(is_own(name) and path and not is_installed(_root(path, name)))


def _is_users(module: ModuleType) -> bool:
    name = module.__name__  # __main__ is known not to be importable, and goes by value anyway
    if name == "__main__" or sys.modules.get(name) is not module:
        return False
    path = vars(module).get("__file__")
    return str(path).endswith(".py") and is_users(name, path)


def _root(path: str, module: str) -> str:
    """Returns the folder in which Python looks for the first part of a module's name."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.sep in module:  # the module of a file that was given by its path
        return folder
    steps = module.count(".") + (os.path.basename(path).partition(".")[0] == "__init__")
    for _ in range(steps):
        folder = os.path.dirname(folder)
    return folder


@lru_cache(maxsize=256)
def is_installed(folder: str) -> bool:
    """Whether a folder is one that packages are installed into, or Python's own."""
    if any(part in INSTALLED for part in folder.split(os.sep)):
        return True
    libraries = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    if any(f"{folder}{os.sep}".startswith(f"{library}{os.sep}") for library in libraries):
        return True
    try:
        return any(name.endswith(".dist-info") for name in os.listdir(folder))
    except OSError:
        return False


def files_used(module: str, path: str) -> dict[str, str]:
    """Returns the files of a module and of all that it imports of the user's own, by module.

    Imports are followed wherever they are written, in functions too, and into packages.
    """
    found = {module: path}
    todo = [module]
    while todo:
        name = todo.pop()
        for imported in _imports(found[name], name):
            for part in _with_packages(imported):
                root = _root(found[name], name)
                file = _find(part, [root]) if os.sep in module else None  # it comes first there
                file = file or _file_of(part, (root, _root(path, module)))
                if file is not None and part not in found:
                    found[part] = file
                    todo.append(part)
    return found


def files_imported(text: str, module: str) -> dict[str, str]:
    """Returns the same of what a piece of source imports, of a module that has no file.

    Args:
        text: The source of a class or function, with its indentation.
        module: The one that it is in.

    Raises:
        SyntaxError: It is not a whole statement.
    """
    found: dict[str, str] = {}
    for imported in _imports_in(ast.parse(f"if 1:\n{indent(text, ' ')}"), module, False):
        for part in _with_packages(imported):
            file = _file_of(part, ())
            if file is not None and part not in found:
                found.update(files_used(part, file))
    return found


def _with_packages(module: str) -> list[str]:
    """Returns the packages that a module is in, whose files are run first, and the module."""
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _file_of(module: str, folders: tuple[str, ...]) -> str | None:
    """Returns the file of a module of the user's own, without importing it; None for others.

    Args:
        module: Its whole name.
        folders: Where it is looked for, too, where Python does not find it.
    """
    if not is_own(module):
        return None
    imported = sys.modules.get(module)
    path = vars(imported).get("__file__") if isinstance(imported, ModuleType) else None
    if path is None:
        path = _find(module, [entry or os.getcwd() for entry in sys.path] + [os.getcwd(), *folders])
    return path if path and os.path.isfile(path) and is_users(module, path) else None


def _find(module: str, folders: list[str]) -> str | None:
    """Returns the file of a module that is not imported yet."""
    places, origin = folders, None
    for part in _with_packages(module):
        specification = PathFinder.find_spec(part, places)
        if specification is None:
            return None
        origin = specification.origin
        places = list(specification.submodule_search_locations or ())
    return origin


def _imports(path: str, module: str) -> list[str]:
    """Returns the whole names of all that a file imports; none of what is not Python source."""
    if not path.endswith(".py"):
        return []
    status = os.stat(path)
    return _imports_of_file(path, module, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1024)
def _imports_of_file(path: str, module: str, size: int, changed: int) -> list[str]:
    """Returns the same; the numbers say whether the file is the one that was read before."""
    is_package = os.path.basename(path) == "__init__.py"
    try:
        with open(path, "rb") as file:
            return list(_imports_in(ast.parse(file.read()), module, is_package))
    except (SyntaxError, ValueError):
        return []  # whoever imports it gets the error


def _imports_in(tree: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node.module or "", node.level, module, is_package)
            if base:
                yield base
            # What is imported from a package may be a module of it.
            yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names)
        elif isinstance(node, ast.Call) and _is_import_call(node.func):
            name = node.args[0] if node.args else None
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                level = len(name.value) - len(name.value.lstrip("."))
                yield _absolute(name.value.lstrip("."), level, module, is_package)


def _is_import_call(function: ast.expr) -> bool:
    """Whether it is `importlib.import_module`, `import_module` or `__import__`."""
    name = getattr(function, "attr", getattr(function, "id", None))
    return name in ("import_module", "__import__")


def _absolute(name: str, level: int, module: str, is_package: bool) -> str:
    """Returns the whole name of what is imported with N dots before it."""
    if level == 0:
        return name
    parts = module.split(".")
    kept = parts[: len(parts) - level + is_package]
    return ".".join([*kept, *filter(None, [name])])
