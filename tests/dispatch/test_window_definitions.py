"""Windows as they are given: nodes, files, and what is refused."""

from __future__ import annotations

import json
import math

import pytest
from dispatch.policies import FOUR

import schedlab
from schedlab import InputError, Job, Simulation, Window
from schedlab.system.windows import load_windows

NODES = {
    "groups": {
        "thin": {"nodes": 3, "resources": {"core": 1}},
        "fat": {"nodes": 2, "resources": {"core": 4}},
    }
}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("all", [(0, 5)]),
        ("thin", [(0, 3)]),
        ("fat", [(3, 2)]),
        ("fat, thin", [(0, 5)]),
        ("0", [(0, 1)]),
        ("0-2", [(0, 3)]),
        (" 4 , 0-1 ", [(0, 2), (4, 1)]),
        ("0,1,2,3,4", [(0, 5)]),
        ("1, 1-3, 2", [(1, 3)]),
        ("3-3", [(3, 1)]),
        ("004", [(4, 1)]),
    ],
)
def test_groups_and_ranges(nodes, expected):
    system = schedlab.load_system(NODES)
    assert Window(0, 1, nodes).ranges(system) == expected


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("5", r"'5' is not within the nodes 0 to 4"),
        ("0-5", r"'0-5' is not within the nodes 0 to 4"),
        ("3-1", r"'3-1' is not within"),
        ("-1", r"'-1' is neither \"all\", a group \(thin, fat\) nor a range"),
        ("1-", r"'1-' is neither"),
        ("1--2", "neither"),
        ("big", "'big' is neither"),
        ("0,,1", "'' is neither"),
        ("0 1", "'0 1' is neither"),
        ("1.5", "neither"),
        ("\u0661", "neither"),
        pytest.param("1" * 5_000, "not within", id="5000 digits"),
    ],
)
def test_nodes_that_are_none(nodes, message):
    with pytest.raises(InputError, match=message):
        Simulation([Job(1, 0, 1)], system=NODES, windows=[Window(0, 1, nodes)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": -1}, "window: start must be seconds from 0 up, not -1"),
        ({"start": math.nan}, "start must be seconds from 0 up, not nan"),
        ({"start": "0"}, "start must be seconds from 0 up, not '0'"),
        ({"start": None}, "start must be seconds from 0 up, not None"),
        ({"start": True}, "start must be seconds from 0 up, not True"),
        ({"end": math.inf}, "end must be seconds from 0 up, not inf"),
        ({"end": 5e9}, "end must be seconds from 0 up"),
        ({"end": 0}, r"end \(0\) must be after start \(0\)"),
        ({"start": 9, "end": 3}, r"end \(3\) must be after start \(9\)"),
        ({"nodes": ""}, "nodes must be a text such as"),
        ({"nodes": " "}, "nodes must be a text such as"),
        ({"nodes": 3}, "nodes must be a text such as .* not 3"),
        ({"nodes": [0, 1]}, "nodes must be a text such as"),
        ({"when": 3}, "when must be an expression, not 3"),
        ({"when": True}, "when must be an expression, not True"),
        ({"every": 5, "times": 0}, "times must be from 1 to 100000, not 0"),
        ({"every": 5, "times": 1.5}, "times must be from 1"),
        ({"every": 5, "times": True}, "times must be from 1"),
        ({"every": 5, "times": 10**6}, "times must be from 1 to 100000"),
        ({"every": 4e9, "times": 3}, "more than 126 years away"),
        ({"every": 50}, "go together"),
        ({"times": 2}, "go together"),
        ({"every": 0.5, "times": 2}, r"comes again after 0\.5 s, before it ends"),
        ({"every": -1, "times": 2}, "every must be seconds from 0 up, not -1"),
        ({"every": "1", "times": 2}, "every must be seconds"),
        ({"name": 3}, "name: must be text"),
        ({"name": "a\nb"}, "name: must be one line"),
    ],
)
def test_windows_that_are_none(arguments, message):
    with pytest.raises(InputError, match=message):
        Window(**{"start": 0, "end": 1, **arguments})


@pytest.mark.parametrize(
    ("windows", "message"),
    [
        ([3], "windows: must be Window objects, not 3"),
        ([Window], "windows: must be Window objects"),
        (Window(0, 1), "[Ww]indow"),
        (None, "[Ww]indow"),
        (7, "[Ww]indow"),
        ([Window(0, 1, when=f"user == {i}") for i in range(65)], "65 different conditions"),
        ([Window(0, 1, every=2, times=60_000)] * 2, "120000 in all; at most 100000"),
    ],
)
def test_windows_that_do_not_go_together(windows, message):
    with pytest.raises(InputError, match=message):
        Simulation([Job(1, 0, 1)], system=FOUR, windows=windows)


WINDOWS = [
    Window(10, 20, "0-1", None, 30, 3, "weekly"),
    Window(5.5, 6, "all", "user == 3"),
]

TOML = """
[[windows]]
start = 10
end = 20
nodes = "0-1"
every = 30
times = 3
name = "weekly"

[[windows]]
start = 5.5
end = 6
when = "user == 3"
"""

YAML = """
windows:
  - {start: 10, end: 20, nodes: 0-1, every: 30, times: 3, name: weekly}
  - start: 5.5
    end: 6
    when: user == 3
"""

TABLES = {
    "windows": [
        {"start": 10, "end": 20, "nodes": "0-1", "every": 30, "times": 3, "name": "weekly"},
        {"start": 5.5, "end": 6, "when": "user == 3"},
    ]
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("w.toml", TOML),
        ("w.yaml", YAML),
        ("w.yml", YAML),
        ("w.json", json.dumps(TABLES)),
        ("W.JSON", json.dumps(TABLES)),
    ],
)
def test_files_of_windows(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert list(load_windows(path)) == WINDOWS
    assert list(load_windows(str(path))) == WINDOWS
    simulation = Simulation([Job(1, 0, 1)], system=FOUR, windows=path)
    assert list(simulation.windows) == WINDOWS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "windows: must be a list of tables"),
        ("[]", "must be a table"),
        ("3", "must be a table"),
        ('{"windows": {}}', r"windows: must be a list of tables, such as \[\[windows\]\]"),
        ('{"window": []}', 'unknown key; did you mean "windows"'),
        ('{"windows": [], "queues": []}', "queues: unknown key"),
        ('{"windows": [3]}', r"windows\[1\]: must be a table"),
        ('{"windows": [{"start": 1}]}', r"windows\[1\]: missing .*'end'"),
        ('{"windows": [{"start": 1, "end": 2}, {}]}', r"windows\[2\]: missing .*'start' and 'end'"),
        ('{"windows": [{"strat": 1, "end": 2}]}', r'windows\[1\]\.strat: .*did you mean "start"'),
        (
            '{"windows": [{"start": 3, "end": 2}]}',
            r"windows\[1\]: window: end \(2\) must be after",
        ),
        ('{"windows": [{"start": "3", "end": 2}]}', r"windows\[1\]: .*start must be seconds"),
        ('{"windows": [{"start": 1, "end": 2, "nodes": 3}]}', r"windows\[1\]: .*nodes must be a"),
        ('{"windows": [', r"w\.json"),
        ("", "is empty"),
    ],
)
def test_files_that_are_wrong(tmp_path, text, message):
    path = tmp_path / "w.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        Simulation([Job(1, 0, 1)], system=FOUR, windows=path)
    assert "w.json" in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Simulation([Job(1, 0, 1)], system=FOUR, windows=tmp_path / "w.toml")
    with pytest.raises(InputError, match="no such file"):
        Simulation([Job(1, 0, 1)], system=FOUR, queues=str(tmp_path / "q.toml"))
    (tmp_path / "w.ini").write_text("x = 1")
    with pytest.raises(InputError, match=r"w\.ini"):
        Simulation([Job(1, 0, 1)], system=FOUR, windows=tmp_path / "w.ini")
