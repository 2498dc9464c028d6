"""JSON Schemas accept what schedlab reads, and refuse what is wrong in a single place."""

from __future__ import annotations

import contextlib
import copy
import json
import operator
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml
from docs.test_snippets import blocks
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from schedlab.cli import app
from schedlab.conditions import Conditions, load_conditions
from schedlab.durations import PATTERN, duration_of
from schedlab.errors import InputError
from schedlab.fields import keys
from schedlab.simulation import RunSpec
from schedlab.simulation.spec import schemas
from schedlab.system import load_system
from schedlab.system.network.presets import PRESETS

ROOT = Path(__file__).parents[2]
VALIDATORS = {kind: jsonschema.Draft202012Validator(schemas.schema(kind)) for kind in schemas.KINDS}
PARSERS = {"toml": tomllib.loads, "json": json.loads, "yaml": yaml.safe_load}

SYSTEM = {
    "name": "s",
    "processors": {
        "i5": {
            "cores": 4,
            "clock": 3.4,
            "power": {"core": 1, "shared": 2, "idle": 0.1},
            "contention": {"b": -1e-5, "c": 32e3, "da": 1.75, "db": 3500, "dc": 45e3, "dd": 3e3},
            "steps": [{"clock": 2, "core": 1, "shared": 1, "idle": 0.1}],
        },
        "slow": {"like": "i5", "clock": 2},
    },
    "node_types": {
        "n": {
            "processors": {"i5": 2, "slow": 1},
            "resources": {"mem": 4},
            "features": ["ib"],
            "power": {"base": 1, "off": 2},
            "transitions": {
                "off": {"down_seconds": 1, "down_power": 2, "up_seconds": 3, "up_power": 4}
            },
        },
        "m": {"like": "n"},
    },
    "groups": {"g": {"nodes": 4, "type": "n", "rack": 2}, "h": {"nodes": 4, "type": "m"}},
    "network": {
        "topology": "torus",
        "dimensions": [2, 2, 2],
        "bandwidth": [1e9, 1e9, 2e9],
        "delay": 1e-7,
        "host_bandwidth": 1e9,
        "host_delay": 0,
        "messages": {"packet": 5},
        "files": {"bandwidth": 5},
        "compute": {"integer": 1, "floating": 2, "memory": 3},
    },
}
PLAIN = {
    "start_time": 5,
    "processor": {"core": 1},
    "groups": {"g": {"nodes": 8, "resources": {"core": 4, "mem": 4}, "features": ["a", "b"]}},
    "partitions": {
        "p": {"nodes": "g", "number": 1, "max_time": "1h", "max_nodes": 2, "max_tasks": 3},
        "q": {"number": 0},
    },
    "default_partition": "p",
    "licenses": {"matlab": 10, "burst_buffer_gb": 0},
    "network": {"preset": "cielo", "dimensions": [2, 2, 2], "nodes_per_router": 1},
}
CONDITIONS = {
    "seed": 1,
    "failures": [
        {"between": "exponential(mean=2.6e6)", "repair": "fixed(seconds=5)", "per": "node"}
    ],
    "failure_trace": {"outages": [[0, 1, 2], [3, 60, "1h30m"]]},
    "resubmission": {"from": "checkpoint", "interval": 5, "cost": 1, "restart": 2, "limit": 4},
    "switch_off": {"after": 5, "to": "off", "keep": 1},
    "caps": [
        {"watts": 5, "group": "g", "action": "slow", "name": "x"},
        {"watts": {"times": [0, 5], "values": [1, 2], "every": 10, "dated": True}},
    ],
    "price": -3,
    "carbon": {"times": [0, 5], "values": [1, 2]},
    "thermal": {"resistance": 1, "time_constant": 5, "limit": 40, "cop": [1, 2, 3]},
}
RUN = {
    "workload": "trace.swf",
    "system": SYSTEM,
    "conditions": CONDITIONS,
    "scheduler": "easy(depth=5)",
    "windows": [{"start": 0, "end": 5, "every": 10, "times": 3}],
    "queues": [{"name": "q", "priority": 2}],
    "data": ["link-use"],
    "rules": "alea",
    "estimate": "exact",
    "missing_estimate": 60,
    "strict": True,
    "accuracy": 0,
    "seed": 2**64 - 1,
}
WHOLE = [("system", SYSTEM), ("system", PLAIN), ("conditions", CONDITIONS), ("run", RUN)]


def read(kind: str, table: dict) -> None:
    """Reads a table as schedlab does; raises InputError."""
    if kind == "run":
        spec = RunSpec.from_data(table)
        for part, load in ((spec.system, load_system), (spec.conditions, load_conditions)):
            if isinstance(part, dict):
                load(part)
    else:
        {"system": load_system, "conditions": load_conditions}[kind](table)


def kind_of(table: dict) -> str | None:
    """Returns what a table describes; None for AccaSim's and IRMaSim's machines, and others."""
    if "workload" in table and "system" in table:
        return "run"
    if "groups" in table and "resources" not in table:
        return "system"
    return "conditions" if table.keys() & set(keys(Conditions)) else None


def examples() -> list:
    """Returns the tables of the documentation, and of the examples."""
    found = []
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for block in blocks(page):
            place, text = f"{page.relative_to(ROOT)}:{block.line}", block.text
            kind = block.kind
            if kind == "output" and text.startswith("workload = "):  # of `RunSpec.to_toml`
                kind, text = "toml", text.partition("\n\n")[0]
            if kind in PARSERS:
                with contextlib.suppress(ValueError):  # a part of a file
                    found.append((place, PARSERS[kind](text)))
    found += [
        (str(path.relative_to(ROOT)), tomllib.loads(path.read_text()))
        for path in sorted((ROOT / "examples").rglob("*.toml"))
    ]
    return [
        pytest.param(kind_of(table), table, id=place)
        for place, table in found
        if isinstance(table, dict) and kind_of(table)
    ]


@pytest.mark.parametrize(("kind", "table"), examples())
def test_examples_of_the_documentation_are_valid(kind, table):
    VALIDATORS[kind].validate(table)


def test_there_are_examples_of_every_kind():
    assert {one.values[0] for one in examples()} == set(schemas.KINDS)


@pytest.mark.parametrize(("kind", "table"), WHOLE, ids=("types", "preset", "conditions", "run"))
def test_whole_tables_are_valid_and_are_read(kind, table):
    read(kind, table)
    VALIDATORS[kind].validate(table)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_and_what_is_written_are_valid(name):
    VALIDATORS["system"].validate(PRESETS[name])
    VALIDATORS["system"].validate(load_system(name).to_dict())


def test_the_demo_is_valid(tmp_path):
    from schedlab.cli.demo import _prepare

    system = tmp_path / "system.toml"
    _prepare(str(tmp_path), str(tmp_path / "workload.swf"), str(system), 5, 1, False)
    VALIDATORS["system"].validate(tomllib.loads(system.read_text()))


def test_what_definitions_write_is_valid():
    VALIDATORS["conditions"].validate(load_conditions(CONDITIONS).to_dict())
    spec = RunSpec.from_data(RUN)
    VALIDATORS["run"].validate(spec.to_data())
    VALIDATORS["run"].validate(RunSpec([], system=load_system(PLAIN)).to_data())


def test_runs_with_conditions_of_a_file_are_valid(tmp_path):
    """They say which file it was, and no key of a run that TOML has is null."""
    file = tmp_path / "conditions.json"
    file.write_text(json.dumps(CONDITIONS))
    spec = RunSpec("a.swf", system=load_system(PLAIN), conditions=load_conditions(file))
    data = tomllib.loads(spec.to_toml())
    assert data["conditions"]["source"] == str(file)
    assert RunSpec.from_data(data) == spec
    for one in (data, spec.to_data()):
        VALIDATORS["run"].validate(one)


def places(value, path=()):
    """Yields the paths of all values in a table, but its own."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else ()
    for key, one in enumerate(value) if isinstance(value, list) else inside:
        yield from places(one, (*path, key))


def changed(table: dict, path: tuple, change) -> dict:
    """Returns a copy with something else at a place."""
    made = copy.deepcopy(table)
    at = made
    for key in path[:-1]:
        at = at[key]
    change(at, path[-1])
    return made


def put(value):
    """Returns a change that puts a value at a place."""
    return lambda at, key: operator.setitem(at, key, value)


def misspell(at, key):
    """Gives a key of a table another name."""
    if isinstance(at, dict):
        at[f"{key}q"] = at.pop(key)


def add_file(at, _):
    """Gives a table a file beside what it has."""
    if isinstance(at, dict):
        at["file"] = "x.csv"


FAULTS = {
    "text": put("x"),
    "true": put(True),
    "negative": put(-1),
    "fraction": put(1.5),
    "huge": put(1e300),
    "list": put([5]),
    "table": put({"a": 1}),
    "removed": operator.delitem,
    "misspelt": misspell,
    "empty": put([]),
    "no tables": put({}),
    "file beside": add_file,
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("kind", "table"), WHOLE, ids=("types", "preset", "conditions", "run"))
def test_what_a_schema_refuses_schedlab_refuses(kind, table, fault):
    accepted = []
    for path in places(table):
        made = changed(table, path, FAULTS[fault])
        if not VALIDATORS[kind].is_valid(made):
            try:
                read(kind, made)
                accepted.append(path)
            except InputError:
                pass
    assert not accepted


BROKEN = [
    ("system", ("groups",), "removed"),
    ("system", ("groups",), "no tables"),
    ("system", ("node_types", "n", "resources", "mem"), "huge"),
    ("system", ("groups", "g", "nodes"), "removed"),
    ("system", ("groups", "g", "nodes"), "negative"),
    ("system", ("groups", "g", "nodes"), "fraction"),
    ("system", ("groups", "g", "type"), "removed"),
    ("system", ("groups", "g", "rack"), "misspelt"),
    ("system", ("processors", "i5", "cores"), "removed"),
    ("system", ("processors", "i5", "clock"), "huge"),
    ("system", ("processors", "i5", "power", "idle"), "removed"),
    ("system", ("processors", "i5", "contention", "k"), "table"),
    ("system", ("processors", "i5", "steps", 0, "core"), "removed"),
    ("system", ("node_types", "n", "transitions", "off"), "misspelt"),
    ("system", ("network", "topology"), "text"),
    ("system", ("network", "dimensions"), "removed"),
    ("system", ("network", "host_delay"), "negative"),
    ("system", ("network", "messages", "packet"), "fraction"),
    ("conditions", ("seed",), "negative"),
    ("conditions", ("caps",), "table"),
    ("conditions", ("caps", 0, "watts"), "removed"),
    ("conditions", ("caps", 0, "action"), "text"),
    ("conditions", ("carbon", "values"), "removed"),
    ("conditions", ("carbon", "every"), "text"),
    ("conditions", ("carbon", "values", 0), "negative"),
    ("conditions", ("carbon", "times", 0), "huge"),
    ("conditions", ("carbon", "values"), "file beside"),
    ("conditions", ("caps", 0, "watts"), "negative"),
    ("conditions", ("caps", 1, "watts", "every"), "huge"),
    ("conditions", ("price",), "huge"),
    ("conditions", ("failure_trace", "outages"), "empty"),
    ("conditions", ("failure_trace", "outages", 0, 0), "fraction"),
    ("conditions", ("failure_trace", "outages", 0, 2), "huge"),
    ("conditions", ("failure_trace", "outages", 0, 2), "text"),
    ("conditions", ("thermal", "cop", 0), "huge"),
    ("conditions", ("failures", 0, "between"), "text"),
    ("conditions", ("switch_off", "after"), "removed"),
    ("conditions", ("switch_off", "to"), "text"),
    ("conditions", ("thermal", "resistance"), "misspelt"),
    ("conditions", ("thermal", "cop"), "list"),
    ("run", ("scheduler",), "list"),
    ("run", ("system", "groups", "g", "nodes"), "negative"),
    ("run", ("conditions", "thermal", "limit"), "text"),
    ("run", ("windows", 0, "start"), "removed"),
    ("run", ("queues", 0, "priority"), "text"),
    ("run", ("rules",), "text"),
    ("run", ("estimate",), "negative"),
    ("run", ("missing_estimate",), "text"),
    ("run", ("strict",), "text"),
    ("run", ("accuracy",), "fraction"),
    ("run", ("workload",), "misspelt"),
]


@pytest.mark.parametrize(("kind", "path", "fault"), BROKEN, ids=str)
def test_broken_files_are_refused_by_both(kind, path, fault):
    table = dict(WHOLE[1:] if kind != "system" else WHOLE[:1])[kind]
    change = FAULTS[fault]
    if path[-1] == "k":  # which has a default
        table = changed(table, path, lambda at, key: at.__setitem__(key, 1))
    made = changed(table, path, change)
    assert not VALIDATORS[kind].is_valid(made)
    with pytest.raises(InputError):
        read(kind, made)


@given(st.text("0123.5 +-wdhmnise\t", min_size=1, max_size=8))
@example("1h30m")
@example("1 2 m i n")
@example(".5e-3")
@example("5.")
def test_schemas_take_the_texts_of_times_that_schedlab_takes(text):
    taken = duration_of(text) is not None
    assert (re.search(PATTERN, text) is not None) == (taken or is_infinite(text))


def is_infinite(text: str) -> bool:
    """Whether a text is a number that is too large for a computer, which no pattern can say."""
    try:
        return abs(float(text)) == float("inf")
    except ValueError:
        return False


@pytest.mark.parametrize("part", ["1", "1 ", "1h", "1.1", "1m i", "1e"])
def test_no_text_of_a_time_takes_long(part):
    """As with patterns that match in many ways: 30 characters would then take minutes."""
    assert re.search(PATTERN, part * 500 + "x") is None


def test_the_command_prints_a_schema():
    for kind in schemas.KINDS:
        printed = CliRunner().invoke(app, ["schema", kind])
        assert json.loads(printed.stdout) == schemas.schema(kind)
        jsonschema.Draft202012Validator.check_schema(schemas.schema(kind))


def test_an_unknown_kind_is_refused():
    with pytest.raises(InputError, match=r'no schema "sytem"; did you mean "system"\?'):
        schemas.schema("sytem")
