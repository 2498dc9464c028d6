"""Reading machine descriptions: what loads, the documentation, the start-up cost."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from schedlab.system import Group, System, load_system

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "system-file.md"

ACCASIM = """{"system_name": "Seth - HPC2N", "start_time": 1027839845,
 "equivalence": {"processor": {"core": 2}},
 "groups": {"g0": {"core": 4, "mem": 1000000}},
 "resources": {"g0": 120}}"""
TOML = """name = "seth"
start_time = 1027839845
processor = { core = 2 }
[groups.thin]
nodes = 120
resources = { core = 4, mem = 1_000_000 }
"""
YAML = """name: seth
start_time: 1027839845
processor: {core: 2}
groups:
  thin:
    nodes: 120
    resources: {core: 4, mem: 1_000_000}
"""
SETH = System("seth", 1027839845, {"core": 2}, [Group("thin", 120, {"core": 4, "mem": 1000000})])


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# --- what loads --------------------------------------------------------------------------------


def test_accasim_file_loads_unchanged(tmp_path: Path) -> None:
    system = load_system(str(write(tmp_path, "seth.json", ACCASIM)))
    assert system.name == "Seth - HPC2N"
    assert system.start_time == 1027839845
    assert system.processor == {"core": 2}
    assert system.groups == (Group("g0", 120, {"core": 4, "mem": 1000000}),)
    assert write(tmp_path, "seth.config", ACCASIM)
    assert load_system(tmp_path / "seth.config")


@pytest.mark.parametrize(("name", "content"), [("a.toml", TOML), ("a.yaml", YAML), ("a.YML", YAML)])
def test_own_format_is_the_same_in_every_syntax(tmp_path: Path, name: str, content: str) -> None:
    assert load_system(write(tmp_path, name, content)) == SETH


def test_json_with_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    table = {"groups": {"g": {"nodes": 2.0, "resources": {"core": 4.0}}}}
    text = "\ufeff" + json.dumps(table, indent=1).replace("\n", "\r\n")
    system = load_system(write(tmp_path, "small.json", text))
    assert system == System("small", 0, {"core": 1}, [Group("g", 2, {"core": 4})])
    assert type(system.groups[0].nodes) is int


def test_dict_and_system_are_sources_too() -> None:
    table = {"name": "x", "groups": {"g": {"nodes": 1, "resources": {"core": 1}}}}
    system = load_system(table)
    assert system.name == "x"
    assert load_system(system) is system
    assert load_system(json.loads(ACCASIM)).nodes == 120


def test_accasim_nodes_follow_the_order_of_resources() -> None:
    groups = {"a": {"gpu": 1}, "b": {"core": 2}}
    system = load_system({"groups": groups, "resources": {"b": 2, "a": 1}})
    assert [group.name for group in system.groups] == ["b", "a"]
    assert system.processor == {"core": 1}


def test_totals_and_node_numbers() -> None:
    system = System("s", groups=[Group("a", 2, {"core": 4}), Group("b", 3, {"gpu": 1, "core": 8})])
    assert system.resource_types == ("core", "gpu")
    assert system.nodes == 5
    assert system.capacity == {"core": 32, "gpu": 3}
    assert [system.node_group(i).name for i in range(5)] == ["a", "a", "b", "b", "b"]
    for wrong in (-1, 5):
        with pytest.raises(IndexError, match="5 nodes"):
            system.node_group(wrong)


def test_definitions_are_frozen_values() -> None:
    twin = pickle.loads(pickle.dumps(SETH))
    assert twin == SETH == copy.deepcopy(SETH) == eval(repr(SETH))
    assert hash(twin) == hash(SETH)
    assert System("other", 0, None, SETH.groups) != SETH
    assert SETH != "seth"
    with pytest.raises(AttributeError, match="frozen"):
        SETH.name = "x"
    with pytest.raises(AttributeError, match="frozen"):
        del SETH.groups[0].nodes
    SETH.processor["core"] = -1
    assert SETH.processor == {"core": 2}


# --- the documentation -------------------------------------------------------------------------


def fenced_blocks() -> list[tuple[str, str]]:
    parts = PAGE.read_text().split("```")[1::2]
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in parts]


@pytest.mark.parametrize(("language", "content"), fenced_blocks())
def test_every_example_of_the_page_loads(tmp_path: Path, language: str, content: str) -> None:
    if language == "python":
        exec(content, {})
    else:
        assert load_system(write(tmp_path, f"seth.{language}", content)).nodes > 0


# --- start-up cost -----------------------------------------------------------------------------


def test_loading_json_imports_nothing_slow(tmp_path: Path) -> None:
    path = write(tmp_path, "seth.json", ACCASIM)
    slow = "typing dataclasses pathlib json re enum tomllib yaml difflib msgspec numpy"
    code = (
        "import sys; before = set(sys.modules); from schedlab.system import load_system\n"
        f"load_system({str(path)!r}); print(*(set(sys.modules) - before) & set({slow.split()}))"
    )
    paths = [entry for entry in sys.path if entry]
    setup = f"import sys; sys.path[:] = {paths!r}\n"
    # -S: the .pth files of editable installs import modules of their own.
    command = [sys.executable, "-S", "-c", setup + code]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True)
    assert loaded.stdout.split() == []


def test_accasim_passes_over_groups_without_nodes(tmp_path: Path) -> None:
    text = (
        '{"groups": {"a": {"core": 4}, "b": {"core": 8}, "c": {"core": 2}}, '
        '"resources": {"a": 0, "c": 3}}'
    )
    system = load_system(write(tmp_path, "some.json", text))
    assert [(group.name, group.nodes) for group in system.groups] == [("c", 3)]
