"""The rooms of the package: names that are there once, and texts that name modules."""

from __future__ import annotations

import ast
import importlib.util
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import schedlab

ROOT = Path(schedlab.__file__).parent
PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"

ALIKE: dict[str, str] = {}
"""Names that two classes may share, and why."""


NAMES_ALL = {"schedlab.former_names": "imports what is asked for under another name"}
"""Modules whose texts may name any other, and why."""


@cache
def trees() -> dict[str, ast.Module]:
    """Returns the source of all modules, by name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def classes(tree: ast.Module) -> Iterator[str]:
    """Yields the names of all classes, of those within others and within functions, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name


def test_no_two_classes_have_one_name() -> None:
    homes = defaultdict(list)
    for module, tree in trees().items():
        for name in classes(tree):
            homes[name].append(module)
    assert {
        name: found for name, found in homes.items() if len(found) > 1 and name not in ALIKE
    } == {}
    assert [name for name in ALIKE if len(homes[name]) < 2] == []


def test_lengths_of_days_and_weeks_have_one_home() -> None:
    """They are in `schedlab.durations`; texts for people may have them as well."""
    found = [
        f"{module}:{node.lineno}"
        for module, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in (86_400, 604_800)
    ]
    assert found == []


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields what texts of the code name of schedlab: `schedlab.module` or `schedlab.module:Name`.

    Parts of texts that are put together count with what is known of them.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = re.fullmatch(r"(schedlab(?:\.[a-z_]+)+)\.?(?::\w+)?", node.value)
            if found:
                yield node.lineno, found[1]


@cache
def layers() -> list[set[str]]:
    """Returns the modules of each layer, the highest first."""
    rules = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]
    (rule,) = rules["contracts"]
    return [set(re.findall(r"schedlab\.\w+", line)) for line in rule["layers"]]


def test_every_module_has_a_layer() -> None:
    homes = {".".join(name.split(".")[:2]) for name in trees()} - {"schedlab"}
    assert homes == set().union(*layers())


def height(module: str) -> int | None:
    """Returns the place of a module's layer, the highest being 0."""
    home = ".".join(module.split(".")[:2])
    return next((place for place, names in enumerate(layers()) if home in names), None)


def exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def test_texts_name_no_module_of_a_layer_above() -> None:
    named = 0
    for module, tree in trees().items():
        here = None if module in NAMES_ALL else height(module)
        for line, text in texts(tree):
            there = height(text)
            if here is None or there is None or not exists(text):
                continue
            named += 1
            assert here <= there, f"{module}:{line} names {text}, which is above it"
    assert named > 10


def test_imports_for_type_checkers_count_as_imports() -> None:
    rules = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert rules["exclude_type_checking_imports"] is False
    (rule,) = rules["contracts"]
    assert rule["ignore_imports"] == ["schedlab -> schedlab.**"]
    places = {name: place for place, names in enumerate(layers()) for name in names}
    assert places["schedlab.simulation"] < places["schedlab.results"]


def project_files() -> Iterator[str]:
    """Yields the paths of files and folders of the project."""
    root = PROJECT.parent
    for name in ("src", "tests", "engine", "docs", "tools", "benchmarks", "examples"):
        yield name
        for path in (root / name).rglob("*"):
            yield path.relative_to(root).as_posix()


def test_the_architecture_names_what_is_there() -> None:
    text = (PROJECT.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w-]+/)+[\w.-]*|[\w-]+\.(?:py|cpp|hpp))`", text)
    there = "\n".join(f"/{path}" for path in project_files()) + "\n"
    assert len(named) > 100
    assert [name for name in named if f"/{name.rstrip('/')}\n" not in there] == []


def test_names_beside_a_path_in_the_architecture_are_beside_it() -> None:
    """A bare name in the table of folders is beside the path that its row begins with."""
    text = (PROJECT.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`src/schedlab/[^|]*) \|", text, re.MULTILINE)
    there = {str(path) for path in project_files()}
    missing = []
    for row in rows:
        first, *others = re.findall(r"`([\w./-]+)`", row)
        folder = first.rstrip("/").rpartition("/")[0]
        beside = [name for name in others if "/" not in name]
        missing += [f"{folder}/{name}" for name in beside if f"{folder}/{name}" not in there]
    assert len(rows) > 30
    assert missing == []
