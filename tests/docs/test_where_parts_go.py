"""The architecture page's table of where a new part goes names what exists."""

import glob
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOMES = {"C++": ["engine"], "Python and pages": ["src/schedlab", "."]}
FILE = re.compile(r"[\w*.-]+\.(py|cpp|hpp|md|toml|txt|\*)$")


COLUMNS = {"tests and twins": "tests"}
"""What columns of the lists are called in the table."""


def tables():
    """Returns the rows of the table and of the lists of parts, each a dict of cells by column."""
    text = (ROOT / "docs/architecture.md").read_text()
    start = text.index("## Where a new part goes")
    lines = text[start : text.index("\n## ", start + 1)].splitlines()
    found, head, part = [], None, ""
    for line in lines:
        if line.startswith("#### "):
            part = line.removeprefix("#### ")
        if not line.startswith("|"):
            head = None
            continue
        cells = line.strip("| ").split(" | ")
        if head is None:
            head = [COLUMNS.get(cell, cell) for cell in cells]
        elif not set(line) <= set("|-"):
            row = dict(zip(head, cells, strict=True))
            if head[-1] == "what":  # a row of a list: files, then what is to be done there
                row = {"part": f"{part}: {cells[0]}", head[0]: " ".join(cells)}
            found.append(row)
    return found


def found(name, homes):
    """Returns the files and folders of a name with wildcards, below the first home that has any."""
    for home in homes:
        if paths := glob.glob(str(ROOT / home / name)):
            return [Path(path) for path in paths]
    return []


def read(cell, column):
    """Returns the paths that a cell names, those that do not exist, and the other names in it."""
    paths, missing, names = [], [], []
    for name in re.findall(r"`([^`]+)`", cell):
        beside = [paths[-1] if paths[-1].is_dir() else paths[-1].parent] if paths else []
        homes = HOMES.get(column, ["."]) + [path.relative_to(ROOT) for path in beside]
        if "/" not in name and FILE.fullmatch(name):
            homes = homes[-1:] if beside else homes
        here = found(name, homes)
        if here:
            paths.extend(here)
        elif "/" in name or FILE.fullmatch(name):
            missing.append(name)
        else:
            names.append(name)
    return paths, missing, names


def text_of(path):
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return "".join(file.read_text(errors="ignore") for file in files)


@pytest.mark.parametrize("row", tables(), ids=lambda row: row["part"])
def test_what_a_row_names_is_there(row):
    assert len(row) > 1
    for column, cell in row.items():
        if column == "part":
            continue
        paths, missing, names = read(cell, column)
        assert not missing, f"{column}: no such file: {missing}"
        homes = paths or [ROOT / home for home in HOMES.get(column, ["tests"])[:1]]
        text = "".join(map(text_of, homes))
        for name in names:
            for word in re.findall(r"\w{3,}", name):
                assert word in text or word in ("NAME", "make_"), (
                    f"{column}: {name} is not in {homes}"
                )


def test_what_is_wrong_would_be_found():
    assert read("`nodes.cpp` in `dispatch`", "C++")[1] == ["nodes.cpp"]
    paths, missing, names = read("`Colour` in `dispatch/orders.cpp`, `orders.hpp`", "C++")
    assert [path.name for path in paths] == ["orders.cpp", "orders.hpp"]
    assert (missing, names) == ([], ["Colour"])
