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
        ({"start": -1}, r"^start: must not be negative \(is -1\)"),
        ({"start": math.nan}, r"start: must be a finite number \(is nan\)"),
        ({"start": "soon"}, r'start: must be a duration: .* "1h30m", "3d" \(is "soon"\)'),
        ({"start": "-1d"}, r"start: must not be negative \(is -86400\)"),
        ({"start": None}, r"start: must be a number \(is null\)"),
        ({"start": True}, r"start: must be a number \(is true\)"),
        ({"end": math.inf}, r"end: must be a finite number \(is inf\)"),
        ({"end": 5e9}, r"end: must be at most 4e\+09 \(is 5000000000.0\)"),
        ({"end": 0}, r"^end: must be after start, 0 \(is 0\)"),
        ({"start": 9, "end": 3}, r"end: must be after start, 9 \(is 3\)"),
        ({"nodes": ""}, "nodes: must be one line of visible text"),
        ({"nodes": " "}, "nodes: must be one line of visible text"),
        ({"nodes": 3}, r"nodes: must be text \(is 3\)"),
        ({"nodes": [0, 1]}, "nodes: must be text"),
        ({"when": 3}, r"when: must be an expression \(is 3\)"),
        ({"when": True}, r"when: must be an expression \(is true\)"),
        ({"when": 20_001 * "1"}, "when: has 20,001 characters; write it in at most 20,000"),
        ({"every": 5, "times": 0}, r"times: must be at least 1 \(is 0\)"),
        ({"every": 5, "times": 1.5}, "times: must be a whole number"),
        ({"every": 5, "times": True}, "times: must be a whole number"),
        ({"every": 5, "times": 10**6}, "times: must be at most 100000"),
        ({"every": 4e9, "times": 3}, "times: the last .* is more than 126 years away"),
        ({"every": 50}, "times: is missing; it goes with every"),
        ({"times": 2}, "every: is missing; it goes with times"),
        ({"every": 0.5, "times": 2}, r"every: .* comes again after 0\.5 s, before it ends"),
        ({"every": -1, "times": 2}, r"every: must not be negative \(is -1\)"),
        ({"every": "x", "times": 2}, "every: must be a duration"),
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
        ("{}", r"windows: is missing; add at least one, such as \[\[windows\]\]"),
        ("[]", "must be a table"),
        ("3", "must be a table"),
        ('{"windows": {}}', r"windows: must be a list of tables, such as \[\[windows\]\]"),
        ('{"window": []}', 'unknown key; did you mean "windows"'),
        ('{"windows": [], "queues": []}', "queues: unknown key"),
        ('{"windows": [3]}', r"windows\[1\]: must be a table"),
        ('{"windows": [{"start": 1}]}', r"windows\[1\]\.end: is missing; .* end = 90000"),
        ('{"windows": [{"start": 1, "end": 2}, {}]}', r"windows\[2\]\.start: is missing"),
        ('{"windows": [{"strat": 1, "end": 2}]}', r'windows\[1\]\.strat: .*did you mean "start"'),
        (
            '{"windows": [{"start": 3, "end": 2}]}',
            r"windows\[1\]\.end: must be after start, 3 \(is 2\)",
        ),
        ('{"windows": [{"start": "x", "end": 2}]}', r"windows\[1\]\.start: must be a duration"),
        ('{"windows": [{"start": 1, "end": 2, "nodes": 3}]}', r"windows\[1\]\.nodes: must be text"),
        (
            '{"windows": [{"start": 1, "end": 2}, {"start": 1, "end": 2, "nodes": "9"}]}',
            r"windows\[2\]\.nodes: '9' is not within",
        ),
        ('{"windows": [', r"w\.json"),
        ("", "is empty"),
    ],
)
def test_files_that_are_wrong(tmp_path, text, message):
    path = tmp_path / "w.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        Simulation([Job(1, 0, 1)], system=FOUR, windows=path)
    if "windows[2].nodes" not in str(caught.value):  # which is found with the machine
        assert "w.json" in str(caught.value)


def test_times_may_have_units(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text(
        '[[windows]]\nstart = "1d"\nend = "1d2h30m"\nevery = "1w"\ntimes = 3\n'
        '[[windows]]\nstart = "1.5s"\nend = "90"\n'
    )
    expected = [Window(86_400, 95_400, every=604_800, times=3), Window(1.5, 90)]
    assert list(load_windows(path)) == expected
    assert [type(value) for value in load_windows(path)[0]._values()[:2]] == [int, int]
    assert Window("1h", "2h") == Window(3600, 7200)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Simulation([Job(1, 0, 1)], system=FOUR, windows=tmp_path / "w.toml")
    with pytest.raises(InputError, match="no such file"):
        Simulation([Job(1, 0, 1)], system=FOUR, queues=str(tmp_path / "q.toml"))
    (tmp_path / "w.ini").write_text("x = 1")
    with pytest.raises(InputError, match=r"w\.ini"):
        Simulation([Job(1, 0, 1)], system=FOUR, windows=tmp_path / "w.ini")
