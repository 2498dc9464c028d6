"""What a user reads about a system file that does not load. The page's table is checked too."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from schedlab.errors import InputError
from schedlab.system import Group, System, load_system
from schedlab.system.load import MAX_FILE_BYTES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "system-file.md"
ACCASIM = {
    "system_name": "Seth - HPC2N",
    "start_time": 1027839845,
    "equivalence": {"processor": {"core": 2}},
    "groups": {"g0": {"core": 4, "mem": 1000000}},
    "resources": {"g0": 120},
}


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def accasim(**changes: object) -> str:
    return json.dumps({**ACCASIM, **changes})


def group(text: str, top: str = "") -> str:
    return f"{top}\n[groups.thin]\n{text}\n"


GOOD = "nodes = 120\nresources = { core = 4 }"


def partition(text: str, top: str = "") -> str:
    return f"{group(GOOD, top)}[partitions.debug]\n{text}\n"


CASES: list[tuple[str, str | bytes, str]] = [
    # AccaSim's layout
    ("seth.json", accasim(groups={"g0": {"core": -4}}), "groups.g0.core: must not be negative (is -4)"),
    ("seth.json", accasim(resources={"g0": 1, "g1": 2}), 'resources.g1: counts a group that is not defined in "groups"; defined: g0'),
    ("seth.json", accasim(resources={}), "resources: counts no nodes; give a number for at least one group"),
    ("seth.json", accasim(resources={"g0": 0}), "resources: counts no nodes; give a number for at least one group"),
    ("seth.json", accasim(resources={"g0": -1}), "resources.g0: must not be negative (is -1)"),
    ("seth.json", accasim(equivalence={"processor": {"gpu": 1}}), "equivalence.processor.gpu: no group has this resource; known: core, mem"),
    ("seth.json", accasim(equivalence={"processors": {}}), 'equivalence.processors: unknown key; did you mean "processor"? known: processor'),
    ("seth.json", accasim(equivalence=None), 'equivalence: must be a table of one entry, such as "processor": {"core": 2} (is null)'),
    ("seth.json", accasim(equivalence={}, groups={"g0": {"cpu": 1}}), 'equivalence.processor: is missing, and its default of one "core" fits no group; say what one processor stands for, such as cpu = 1 (resources: cpu)'),
    ("seth.json", accasim(name="x"), 'name: unknown key; write "system_name"; known: system_name, start_time, equivalence, groups, resources, node_prefix'),
    ("seth.json", accasim(groups=[]), "groups: must be a table of groups (is a list)"),
    ("seth.json", accasim(groups={}, resources={}), "groups: is empty; a system needs at least one group of nodes"),
    ("seth.json", accasim(system_name=7), "system_name: must be text (is 7)"),
    # the own layout
    ("seth.toml", group("node = 120\nresources = { core = 4 }"), 'groups.thin.node: unknown key; did you mean "nodes"? known: nodes, resources, type, rack, features'),
    ("seth.toml", group("core = 4\nmem = 10"), "groups.thin.core: unknown key; amounts go into resources = { core = 4 }; known: nodes, resources, type, rack, features"),
    ("seth.toml", group("nodes = 120"), 'groups.thin.resources: is missing; add it, such as resources = { core = 4 }, or a node type, such as type = "compute"'),
    ("seth.toml", group("resources = { core = 4 }"), "groups.thin.nodes: is missing; add it, such as nodes = 120"),
    ("seth.toml", group("nodes = 0\nresources = { core = 4 }"), "groups.thin.nodes: must be at least 1 (is 0)"),
    ("seth.toml", group("nodes = 10_000_001\nresources = { core = 4 }"), "groups.thin.nodes: must be at most 10000000 (is 10000001)"),
    ("seth.toml", group("nodes = 1\nresources = {}"), "groups.thin.resources: names no resource; add at least one, such as core = 4"),
    ("seth.toml", group("nodes = 1\nresources = { core = 1.5 }"), "groups.thin.resources.core: must be a whole number (is 1.5)"),
    ("seth.toml", group("nodes = 1\nresources = { core = nan }"), "groups.thin.resources.core: must be a whole number (is nan)"),
    ("seth.toml", group("nodes = 1\nresources = { core = true }"), "groups.thin.resources.core: must be a whole number (is true)"),
    ("seth.toml", group('nodes = 1\nresources = { core = "4" }'), 'groups.thin.resources.core: must be a whole number (is "4"); write it without quotes'),
    ("seth.toml", group("nodes = 1\nresources = { core = 0x" + "f" * 5000 + " }"), "groups.thin.resources.core: must be at most 9007199254740992 (is a number of 20000 bits)"),
    ("seth.toml", group('nodes = 1\nresources = { "a,b" = 4 }'), 'groups.thin.resources."a,b": "a,b" cannot be a name; use text without spaces, commas, quotes and control characters'),
    ("seth.toml", group(GOOD, "processor = { gpu = 1 }"), "processor.gpu: no group has this resource; known: core"),
    ("seth.toml", group(GOOD, "processor = { core = 0 }"), "processor: asks for nothing; at least one amount must be above 0"),
    ("seth.toml", group("nodes = 1\nresources = { cpu = 4 }"), 'processor: is missing, and its default of one "core" fits no group; say what one processor stands for, such as cpu = 1 (resources: cpu)'),
    ("seth.toml", group(GOOD, "start_time = -1"), "start_time: must not be negative (is -1)"),
    ("seth.toml", group(GOOD, 'name = "a\\nb"'), "name: must be one line of visible text without control characters (is 'a\\nb')"),
    ("seth.toml", group(GOOD, 'system_name = "x"'), 'system_name: unknown key; the name is name = ...; for AccaSim\'s format, add the "resources" table that counts the nodes of each group; known: name, start_time, processor, processors, node_types, groups, network, partitions, default_partition, licenses'),
    ("seth.toml", group(GOOD, "resources = { core = 4 }"), "resources: unknown key; put it inside a group: [groups.thin] resources = { core = 4 }; known: name, start_time, processor, processors, node_types, groups, network, partitions, default_partition, licenses"),
    ("seth.toml", "groups = { thin = 120 }", "groups.thin: must be a table of nodes, resources, type, rack, features (is 120)"),
    ("seth.toml", "# nothing", "groups: is missing; add at least one, such as [groups.thin]"),
    ("seth.toml", "groups = {}", "groups: is empty; a system needs at least one group of nodes"),
    ("seth.toml", "[groups.a]\nnodes=9_000_000\nresources={core=1}\n[groups.b]\nnodes=9_000_000\nresources={core=1}", "groups: 18000000 nodes in all; at most 10000000 are supported"),
    ("seth.toml", group("nodes = 9_000_000\nresources = { core = 1, mem = 9_000_000_000_000_000 }"), "groups: 81000000000000000000000 mem in all; at most 4611686018427387903 are supported; use a larger unit"),
    ("seth.yaml", "groups: {thin: {nodes: 1, resources: {core: 1}}}\nprocessor:\n", "processor: is empty; give it a value, or leave it out"),
    ("seth.yaml", "groups: {thin: {nodes: 2024-01-01, resources: {core: 1}}}", "groups.thin.nodes: must be a whole number (is of type date)"),
    ("seth.json", "[1, 2]", "top level: must be a table of name, start_time, processor and groups (is a list)"),
    # partitions and features
    ("seth.toml", partition('nodes = "fat"'), "partitions.debug.nodes: 'fat' is neither \"all\", a group (thin) nor a range"),
    ("seth.toml", partition('nodes = "118-120"'), "partitions.debug.nodes: '118-120' is not within the nodes 0 to 119"),
    ("seth.toml", partition('nodes = "5-3"'), "partitions.debug.nodes: '5-3' is not within the nodes 0 to 119"),
    ("seth.toml", partition('nodes = ""'), 'partitions.debug.nodes: must be one line of visible text without control characters (is "")'),
    ("seth.toml", partition("max_time = 0"), "partitions.debug.max_time: must be above 0 (is 0)"),
    ("seth.toml", partition('max_time = "soon"'), 'partitions.debug.max_time: must be a duration: seconds, or units as in "90s", "10m", "1h30m", "3d" (is "soon")'),
    ("seth.toml", partition("max_nodes = 0"), "partitions.debug.max_nodes: must be at least 1 (is 0)"),
    ("seth.toml", partition("default = true"), 'partitions.debug.default: unknown key; write default_partition = "name" above the tables of the system; known: nodes, number, max_time, max_nodes, max_tasks, preempt'),
    ("seth.toml", partition("number = 1\n[partitions.long]"), "partitions.long.number: is missing; give all partitions a number, or none"),
    ("seth.toml", partition("number = 1\n[partitions.long]\nnumber = 1"), "partitions: two have the same number"),
    ("seth.toml", partition("", 'default_partition = "debag"'), 'default_partition: there is no partition "debag"; did you mean "debug"? known: debug'),
    ("seth.toml", group(GOOD + "\nfeatures = 'a100'"), 'groups.thin.features: must be a list of names, such as ["a100", "ib"]'),
    ("seth.toml", group(GOOD + "\nfeatures = ['a b']"), 'groups.thin.features[1]: must be a name without blanks, quotes and the signs &|!()[]*,; (is "a b")'),
    ("seth.toml", group(GOOD + "\nfeatures = ['ib', 'ib']"), 'groups.thin.features[2]: "ib" is there twice'),
    # the files themselves
    ("seth.json", "", "is empty"),
    ("seth.yaml", " \n", "is empty"),
    ("seth.json", '{"groups": {"g": NaN}}', "NaN is not a number in JSON; write a whole number"),
    ("seth.json", '{"groups": {"g": 1, "g": 2}}', 'key "g" appears twice in one object'),
    ("seth.json", '{"start_time": ' + "9" * 5000 + "}", "not valid JSON: a number has too many digits"),
    ("seth.toml", "start_time = " + "9" * 5000, "not valid TOML: a number has too many digits"),
    ("seth.json", "[" * 100_000, "is nested too deeply for a system file"),
    ("seth.toml", "a = " + "[" * 100_000, "is nested too deeply for a system file"),
    ("seth.yaml", "[" * 5_000, "is nested too deeply for a system file"),
    ("seth.yaml", " " * 2**20 + "a: 1", "has more than 1,048,576 characters, which would take too long to read in this format; write it as JSON"),
    ("seth.json", '{"groups": {' + ", ".join(f'"g{i}": 1' for i in range(100_001)) + "}}", "groups: there are 100001; at most 100000 are supported"),
    ("seth.json", '{"groups": {"g": {"nodes": 1, "resources": {' + ", ".join(f'"r{i}": 1' for i in range(1_001)) + "}}}}", "groups: 1001 types of resources in 1 groups; at most 1000 types are supported, and types times groups up to 1000000"),
    ("seth.ini", "[groups]", "unknown kind of file; name it .json, .toml, .yaml, .yml after its content"),
    ("seth.yaml", "a: \x01", "not valid YAML: special characters are not allowed"),
    ("seth.yaml", 'a: !!int ""', "not valid YAML: a value cannot be read (string index out of range)"),
]  # fmt: skip
PLACED = [  # messages with line and column
    ("seth.json", '{"groups":\n {"g": }}', "seth.json:2:8: not valid JSON: Expecting value"),
    ("seth.toml", "name = 'x'\nstart_time = ?\n", "seth.toml:2:14: not valid TOML: Invalid value"),
    ("seth.toml", "a = 1\n" + "b." * 50 + "c = 2\n", "seth.toml:2: a key is nested more than 50 deep"),
    ("seth.toml", "['x'" + ' . "y"' * 50 + "]\n", "seth.toml:1: a key is nested more than 50 deep"),
    ("seth.toml", "a = 1\na = 2\n", "seth.toml:2:6: not valid TOML: Cannot overwrite a value"),
    ("seth.yaml", "name: x\nname: y\n", 'seth.yaml:2:1: not valid YAML: key "name" appears twice'),
    ("seth.yaml", "name: x\n1: y\n", "seth.yaml:2:1: not valid YAML: the key must be text; put it in quotes"),
    ("seth.yaml", "a: &a [1]\nb: *a\n", "seth.yaml:2:4: not valid YAML: aliases are not read; write the value out"),
    ("seth.yaml", "a: [1\nb: 2\n", "seth.yaml:2:2: not valid YAML: expected ',' or ']', but got ':'"),
    ("seth.yaml", "a: !!python/name:os.system x\n", "seth.yaml:1:4: not valid YAML: could not determine a constructor for the tag 'tag:yaml.org,2002:python/name:os.system'"),
    ("seth.json", b'{\n"name": "\xff"}', "seth.json:2: is not UTF-8 text; save it as UTF-8"),
]  # fmt: skip
ALL_CASES = [(name, text, f"{name}: {rest}") for name, text, rest in CASES] + PLACED


@pytest.mark.parametrize(
    ("name", "content", "expected"), ALL_CASES, ids=[f"{i}" for i in range(len(ALL_CASES))]
)
def test_messages(tmp_path: Path, name: str, content: str | bytes, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        load_system(write(tmp_path, name, content))
    assert str(caught.value).replace(f"{tmp_path}/", "") == expected


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for source, expected in [
        (tmp_path / "missing.json", "missing.json: no such file"),
        (tmp_path, "is a directory; give the file inside it"),
        ("a\0.json", "cannot be read: no file has such a name"),
        ("{" * 5000, "cannot be read: File name too long"),
        ("", '"": no such file'),
        (42, "a system is a file, a dict or a System, not of type int"),
    ]:
        with pytest.raises(InputError, match=re.escape(expected)):
            load_system(source)  # type: ignore[arg-type]
    large = write(tmp_path, "large.json", b" " * (MAX_FILE_BYTES + 1))
    with pytest.raises(InputError, match="is larger than"):
        load_system(large)


def test_a_group_twice_and_odd_keys_of_a_dict() -> None:
    with pytest.raises(InputError, match=r"groups\.g: is defined twice"):
        System("s", groups=[Group("g", 1, {"core": 1}), Group("g", 1, {"core": 1})])
    with pytest.raises(InputError, match="1: the key must be text"):
        load_system({1: 2})  # type: ignore[dict-item]


def test_every_message_of_the_page_is_real() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `seth")]
    assert len(rows) > 15
    real = {expected for _, _, expected in ALL_CASES} | {"seth.json: no such file"}
    for row in rows:
        assert row.split("`")[1] in real
