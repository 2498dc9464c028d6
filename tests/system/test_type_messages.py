"""What a user reads about processor types, node types and IRMaSim's platforms that are wrong.

Each case is in the table of the page.
"""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schedlab.errors import InputError
from schedlab.system import (
    Contention,
    FrequencyStep,
    Group,
    NodePower,
    NodeType,
    Power,
    ProcessorType,
    System,
    Transition,
    load_system,
)

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "system-file.md"
I5 = {
    "cores": "4",
    "clock": "3.4",
    "power": "{ core = 6.14, shared = 5.59, idle = 0.28 }",
    "contention": "{ b = -1.85e-5, c = 32000, da = 1.75, db = 3500, dc = 45000, dd = 3000 }",
}
NODE = {"processors": "{ i5 = 1 }"}
GROUP = {"nodes": "15", "type": '"compute"'}
CONSTANTS = {"b": "-1.85e-5", "c": "32000", "da": "1.75", "db": "3500", "dc": "45000", "dd": "3000"}


def section(name: str, entries: dict[str, str | None]) -> str:
    return f"[{name}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items() if v is not None)


def machine(more: str = "", **changes: dict[str, str | None]) -> str:
    """Returns a system file in which a processor, a node type or a group is changed."""
    return (
        section("processors.i5", {**I5, **changes.get("processor", {})})
        + section("node_types.compute", {**NODE, **changes.get("node", {})})
        + section("groups.thin", {**GROUP, **changes.get("group", {})})
        + more
    )


def processor(**entries: str | None) -> str:
    return machine(processor=entries)


def constants(**entries: str | None) -> str:
    given = {**CONSTANTS, **entries}
    inner = ", ".join(f"{key} = {value}" for key, value in given.items() if value is not None)
    return machine(processor={"contention": f"{{ {inner} }}"})


def node(**entries: str | None) -> str:
    return machine(node=entries)


def group(**entries: str | None) -> str:
    return machine(group=entries)


ABSURD = [
    ("1e300", "must be at most 1000 (is 1e+300)"),
    ("1152921504606846976", "must be at most 1000 (is 1152921504606846976)"),
    ("nan", "must be a finite number (is nan)"),
    ("-inf", "must be a finite number (is -inf)"),
    ('"3.4"', 'must be a number (is "3.4"); write it without quotes'),
    ("true", "must be a number (is true)"),
    ("[3.4]", "must be a number (is a list)"),
    ("{ nominal = 3.4 }", "must be a number (is a table)"),
    ("2024-01-01", "must be a number (is of type date)"),
]
STEP = "{ clock = 2.5, core = 3.51, shared = 3.2, idle = 0.16 }"
WAY = "{ down_seconds = 30, down_power = 60, up_seconds = 120, up_power = 90 }"
CASES: list[tuple[str, str]] = [
    # processors
    (processor(clock="0"), "processors.i5.clock: must be above 0 (is 0)"),
    (processor(clock="-3.4"), "processors.i5.clock: must be above 0 (is -3.4)"),
    *((processor(clock=text), f"processors.i5.clock: {message}") for text, message in ABSURD),
    (processor(clock=None), "processors.i5.clock: is missing; add it, such as clock = 3.4"),
    (processor(cores=None), "processors.i5.cores: is missing; add it, such as cores = 4"),
    (processor(cores="0"), "processors.i5.cores: must be at least 1 (is 0)"),
    (processor(cores="4097"), "processors.i5.cores: must be at most 4096 (is 4097)"),
    (processor(cores="4.5"), "processors.i5.cores: must be a whole number (is 4.5)"),
    (processor(clok="2"), 'processors.i5.clok: unknown key; did you mean "clock"? known: cores, clock, flops_per_cycle, memory_channels, memory_bandwidth, power, contention, steps, like'),
    (processor(flops_per_cycle="0"), "processors.i5.flops_per_cycle: must be above 0 (is 0)"),
    (processor(memory_channels="0"), "processors.i5.memory_channels: must be at least 1 (is 0)"),
    (processor(memory_bandwidth="-1"), "processors.i5.memory_bandwidth: must be above 0 (is -1)"),
    (processor(power="{ core = -1, shared = 1, idle = 1 }"), "processors.i5.power.core: must not be negative (is -1)"),
    (processor(power="{ core = 1, shared = inf, idle = 1 }"), "processors.i5.power.shared: must be a finite number (is inf)"),
    (processor(power="{ core = 1, shared = 1 }"), "processors.i5.power.idle: is missing; add it, such as idle = 0.28"),
    (processor(power="{ core = 1, shared = 1, idle = 1e300 }"), "processors.i5.power.idle: must be at most 1e+09 (is 1e+300)"),
    (processor(power="30"), "processors.i5.power: must be a table of core, shared, idle (is 30)"),
    (constants(dc=None), "processors.i5.contention.dc: is missing; add it, such as dc = 45000"),
    (constants(b="0"), "processors.i5.contention.b: must be below 0 (is 0)"),
    (constants(c="-1"), "processors.i5.contention.c: must not be negative (is -1)"),
    (constants(k="0"), "processors.i5.contention.k: must be above 0 (is 0)"),
    (constants(k="nan"), "processors.i5.contention.k: must be a finite number (is nan)"),
    (constants(dd="15000"), "processors.i5.contention.dc: dc - n dd must be above 0 for every number n of other active cores, and is 0 for n = 3; with 4 cores and dd = 15000, dc must be above 45000"),
    (constants(dc="-5", dd="-3000"), "processors.i5.contention.dc: dc - n dd must be above 0 for every number n of other active cores, and is -5 for n = 0; with 4 cores and dd = -3000, dc must be above 0"),
    (processor(cores="16"), "processors.i5.contention.dc: dc - n dd must be above 0 for every number n of other active cores, and is 0 for n = 15; with 16 cores and dd = 3000, dc must be above 45000"),
    (processor(steps=f"[{STEP.replace('2.5', '3.4')}]"), "processors.i5.steps[1].clock: must be below the nominal clock, 3.4 GHz (is 3.4); steps go down from the nominal clock"),
    (processor(steps=f"[{STEP}, {STEP}]"), "processors.i5.steps[2].clock: must be below that of the step before, 2.5 GHz (is 2.5); steps go down from the nominal clock"),
    (processor(steps="[{ clock = 2.5, core = 1, shared = 1 }]"), "processors.i5.steps[1].idle: is missing; add it, such as idle = 0.28"),
    (processor(steps="[{ clock = 2.5, core = 1, shared = -1, idle = 1 }]"), "processors.i5.steps[1].shared: must not be negative (is -1)"),
    (processor(steps="[{ clock = 0, core = 1, shared = 1, idle = 1 }]"), "processors.i5.steps[1].clock: must be above 0 (is 0)"),
    (processor(steps="2.5"), "processors.i5.steps: must be a list of tables, such as [{ clock = 2.5, core = 6.14, shared = 5.59, idle = 0.28 }] (is 2.5)"),
    (processor(steps=f"[{STEP}]", power=None), "processors.i5.power: is missing; processors with steps need their power at the nominal clock, such as power = { core = 6.14, shared = 5.59, idle = 0.28 }"),
    (machine('[processors.slow]\nlike = "i5-7500"'), 'processors.slow.like: there is no processor type "i5-7500"; known: i5, slow'),
    (machine('[processors.a]\nlike = "b"\n[processors.b]\nlike = "a"'), "processors.a.like: types are like each other in a circle: a, b, a"),
    (machine('[processors.a]\nlike = "a"'), "processors.a.like: types are like each other in a circle: a, a"),
    (machine("[processors.a]\nlike = 1"), "processors.a.like: must be the name of a processor type (is 1)"),
    (machine('[processors.a]\nlike = "i5"\ncores = 16'), "processors.a.contention.dc: dc - n dd must be above 0 for every number n of other active cores, and is 0 for n = 15; with 16 cores and dd = 3000, dc must be above 45000"),
    ("processors = 3\n" + section("groups.thin", GROUP), "processors: must be a table of processor types, such as [processors.i5-7500] (is 3)"),
    # node types
    (node(processors="{ i7 = 1 }"), 'node_types.compute.processors: there is no processor type "i7"; known: i5'),
    (node(processors="{ i5 = 0 }"), "node_types.compute.processors.i5: must be at least 1 (is 0)"),
    (node(processors="{ i5 = 1025 }"), "node_types.compute.processors.i5: must be at most 1024 (is 1025)"),
    (node(processors="{}"), "node_types.compute.processors: names none; add at least one, such as { i5-7500 = 2 }"),
    (node(processors=None), "node_types.compute.processors: is missing; add it, such as processors = { i5-7500 = 2 }"),
    (node(resources="{ core = 4 }"), "node_types.compute.resources.core: follows from the processors, which have 4 cores; leave it out"),
    (node(resources="{ mem = -1 }"), "node_types.compute.resources.mem: must not be negative (is -1)"),
    (node(power="{ base = -20 }"), "node_types.compute.power.base: must not be negative (is -20)"),
    (node(power="{ asleep = 8 }"), "node_types.compute.power.asleep: unknown key; known: base, sleeping, off"),
    (node(transitions=f"{{ hibernating = {WAY} }}"), "node_types.compute.transitions.hibernating: unknown key; known: sleeping, off"),
    (node(transitions="{ off = { down_seconds = 30, down_power = 60, up_seconds = 120 } }"), "node_types.compute.transitions.off.up_power: is missing; add it, such as up_power = 90"),
    (node(transitions=f"{{ off = {WAY.replace('120', '-120')} }}"), "node_types.compute.transitions.off.up_seconds: must not be negative (is -120)"),
    (machine('[node_types.a]\nlike = "b"\n[node_types.b]\nlike = "a"'), "node_types.a.like: types are like each other in a circle: a, b, a"),
    (machine(section("node_types.other", {"processors": "{ plain = 1 }"}) + "[processors.plain]\ncores = 4\nclock = 2\n[groups.b]\nnodes = 1\ntype = \"other\""), "processors.plain.power: is missing, while processors.i5 has one; give it for all processor types in use, or for none"),
    (machine(processor={"power": None}, node={"power": "{ base = 20 }"}), "node_types.compute.power: counts only with the power of the processors; add processors.i5.power, or leave out the watts of nodes and transitions"),
    # groups
    (group(type='"compte"'), 'groups.thin.type: there is no node type "compte"; did you mean "compute"? known: compute'),
    (group(type="1"), "groups.thin.type: must be the name of a node type (is 1)"),
    (group(type=None), 'groups.thin.resources: is missing; add it, such as resources = { core = 4 }, or a node type, such as type = "compute"'),
    (group(resources="{ core = 4 }"), "groups.thin.resources: follow from the type; write further resources into node_types.compute.resources, or leave out type"),
    (group(rack="0"), "groups.thin.rack: must be at least 1 (is 0)"),
    (machine("[groups.old]\nnodes = 2\nresources = { core = 4 }"), "groups.old.type: is missing, while groups.thin has one; give all groups a type, or none"),
    (machine(node={"processors": "{ i5 = 1024 }"}, group={"nodes": "40000"}), "groups: 40960000 sockets in all; at most 40000000 are supported"),
    (section("groups.thin", GROUP), 'groups.thin.type: there is no node type "compute"; known: none'),
]  # fmt: skip

PLATFORM = {
    "platform": {"small": {"id": "small", "clusters": [{"nodes": [{"type": "n", "number": 15}]}]}},
    "node": {"n": {"processors": [{"type": "p"}], "memory": {"capacity": 8}}},
    "processor": {
        "p": {
            "cores": 4,
            "clock_rate": 3.4,
            "dpflops_per_cycle": 1,
            "dynamic_power": 6.14,
            "static_power": 5.59,
            **{"b": -1.85e-5, "c": 32000, "da": 1.75, "db": 3500, "dc": 45000, "dd": 3000},
        }
    },
}


def irmasim(path: str, value: object) -> str:
    """Returns a platform file in which one value is another one, or, with None, is missing."""
    changed = json.loads(json.dumps(PLATFORM))
    *parents, last = (int(step) if step.isdigit() else step for step in path.split("."))
    place = changed
    for step in parents:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return json.dumps(changed)


NODES = "platform.small.clusters.0.nodes"
IRMASIM: list[tuple[str, str]] = [
    (irmasim("platform.big", {"clusters": []}), "platform: there are several: small, big; choose one by its name after the file's, as FILE#small"),
    (irmasim("platform", {}), "platform: is empty; a file needs at least one platform"),
    (irmasim("platform.small.clusters", None), "platform.small.clusters: is missing; it lists the clusters of the platform"),
    (irmasim("platform.small.clusters", 3), "platform.small.clusters: must be a list of tables (is 3)"),
    (irmasim("platform.small.clusters", []), "platform.small.clusters: have no nodes; give a number for at least one type"),
    (irmasim("platform.small.clusters.0.number", 5000), "platform.small.clusters[1].number: must be at most 4096 (is 5000)"),
    (irmasim(NODES, None), "platform.small.clusters[1].nodes: is missing; it lists the nodes of the cluster"),
    (irmasim(f"{NODES}.0.type", None), "platform.small.clusters[1].nodes[1].type: is missing; it names a node type"),
    (irmasim(f"{NODES}.0.type", "xeon"), 'platform.small.clusters[1].nodes[1].type: the file has no node type "xeon"; add it under "node", because IRMaSim\'s own library of types is not read; there: n'),
    (irmasim(f"{NODES}.0.number", -1), "platform.small.clusters[1].nodes[1].number: must not be negative (is -1)"),
    (irmasim("node.n.processors", None), "node.n.processors: is missing; it lists the processors"),
    (irmasim("node.n.processors.0.type", "q"), 'node.n.processors[1].type: the file has no processor type "q"; add it under "processor", because IRMaSim\'s own library of types is not read; there: p'),
    (irmasim("node.n.processors.0.number", 0), "node.n.processors: has none; a node needs at least one"),
    (irmasim("node.n.memory.capacity", "8"), 'node.n.memory.capacity: must be a number (is "8"); write it without quotes'),
    (irmasim("processor.p.cores", None), "processor.p.cores: is missing; IRMaSim needs it, too"),
    (irmasim("processor.p.clock_rate", 0), "processor.p.clock_rate: must be above 0 (is 0)"),
    (irmasim("processor.p.mem_bw", 0), "processor.p.mem_bw: must be above 0 (is 0)"),
    (irmasim("processor.p.dynamic_power", -1), "processor.p.dynamic_power: must not be negative (is -1)"),
    (irmasim("processor.p.static_power", None), "processor.p.static_power: is missing; it goes together with dynamic_power"),
    (irmasim("processor.p.min_power", -1), "processor.p.min_power: must not be negative (is -1)"),
    (irmasim("processor.p.dc", None), "processor.p.dc: is missing; it goes together with b, c, da, db, dd"),
    (irmasim("processor.p.b", 1), "processor.p.b: must be below 0 (is 1)"),
    (irmasim("processor.p.cores", 16), "processor.p.dc: dc - n dd must be above 0 for every number n of other active cores, and is 0 for n = 15; with 16 cores and dd = 3000, dc must be above 45000"),
]  # fmt: skip
WITHOUT_TYPES = json.dumps({"platform": PLATFORM["platform"]})
ALL_CASES = (
    [("i5.toml", text, f"i5.toml: {message}") for text, message in CASES]
    + [("platform.json", text, f"platform.json: {message}") for text, message in IRMASIM]
    + [
        ("platform.json", WITHOUT_TYPES, "platform.json: platform: unknown key; for IRMaSim's format, add the tables \"node\" and \"processor\"; known: name, start_time, processor, processors, node_types, groups, network, partitions, default_partition, licenses"),
        ("i5.yaml", "processors: {i5: {cores: 4, clock: }}\ngroups: {}", "i5.yaml: processors.i5.clock: is empty; give it a value, or leave it out"),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "expected"), ALL_CASES, ids=[f"{i}" for i in range(len(ALL_CASES))]
)
def test_messages(tmp_path: Path, name: str, content: str, expected: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        load_system(path)
    assert str(caught.value).replace(f"{tmp_path}/", "") == expected


def test_the_files_that_the_cases_change_are_right() -> None:
    import tomllib

    assert load_system(tomllib.loads(machine())).platform
    assert load_system(PLATFORM).nodes == 15


def test_a_name_behind_a_file_chooses_a_platform(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    big = {"clusters": [{"nodes": [{"type": "n", "number": 40}]}]}
    path.write_text(irmasim("platform.big", big))
    assert load_system(f"{path}#big").nodes == 40
    assert load_system(f"{path}#small").nodes == 15
    assert load_system(f"{path}#big").name == "big"
    with pytest.raises(InputError, match='no platform "smal"; did you mean "small"'):
        load_system(f"{path}#smal")
    odd = tmp_path / "two.json#big"  # a file may have the character in its name
    odd.write_text(irmasim(f"{NODES}.0.number", 3))
    assert load_system(odd).nodes == 3
    plain = tmp_path / "plain.toml"
    plain.write_text(section("groups.a", {"nodes": "1", "resources": "{ core = 1 }"}))
    with pytest.raises(InputError, match=r"plain\.toml: holds one machine; leave out #x"):
        load_system(f"{plain}#x")


def test_definitions_refuse_what_is_none_of_them() -> None:
    kind = ProcessorType("p", 4, 3.4)
    node_type = NodeType("n", [(kind, 1)])
    for make, message in [
        (lambda: ProcessorType("p", 4, 3.4, power=30), "processors.p.power: must be a Power (is 30)"),
        (lambda: ProcessorType("p", 4, 3.4, contention={}), "processors.p.contention: must be a Contention (is a table)"),
        (lambda: ProcessorType("p", 4, 3.4, steps=[2.5]), r"processors.p.steps[1]: must be a FrequencyStep (is 2.5)"),
        (lambda: ProcessorType("a b", 4, 3.4), 'processors."a b": "a b" cannot be a name'),
        (lambda: FrequencyStep(2.5, 30), "power: must be a Power (is 30)"),
        (lambda: Power(1, 1, None), "idle: must be a number (is null)"),
        (lambda: Contention(1, 1, 1, 1, 1, 1), "b: must be below 0 (is 1)"),
        (lambda: NodeType("n", [kind]), "node_types.n.processors: must be pairs of a ProcessorType and a number of sockets"),
        (lambda: NodeType("n", [("p", 1)]), 'node_types.n.processors: must name a ProcessorType (is "p")'),
        (lambda: NodeType("n", [(kind, 1), (kind, 1)]), "node_types.n.processors.p: is there twice; add the sockets up"),
        (lambda: NodeType("n", [(ProcessorType(f"p{i}", 1, 1), 600) for i in (1, 2)]), "node_types.n.processors: 1200 sockets in all; at most 1024 are supported"),
        (lambda: NodeType("n", [(kind, 1)], power=20), "node_types.n.power: must be a NodePower (is 20)"),
        (lambda: NodeType("n", [(kind, 1)], transitions={"off": 3}), "node_types.n.transitions.off: must be a Transition (is 3)"),
        (lambda: NodePower(off="2"), 'off: must be a number (is "2"); write it without quotes'),
        (lambda: Transition(1, 1, 1e300, 1), "up_seconds: must be at most 1e+09 (is 1e+300)"),
        (lambda: Group("g", 1, type="n"), 'groups.g.type: must be a NodeType (is "n")'),
        (lambda: System(groups=[Group("a", 1, type=node_type), Group("b", 1, type=NodeType("n", [(kind, 2)]))]), "node_types.n: two different types have this name"),
        (lambda: System(groups=[Group("a", 1, type=node_type), Group("b", 1, type=NodeType("m", [(ProcessorType("p", 8, 1), 1)]))]), "processors.p: two different types have this name"),
    ]:  # fmt: skip
        with pytest.raises(InputError) as caught:
            make()  # type: ignore[no-untyped-call]
        assert str(caught.value).startswith(message)


def shape(message: str) -> str:
    """Returns the first words of what is wrong, without where and with what number."""
    return " ".join(message.split(": ", 2)[2].split()[:3])


def test_every_message_of_the_page_is_real_and_every_kind_is_there() -> None:
    rows = [line.split("`")[1] for line in PAGE.read_text().splitlines() if line[:3] == "| `"]
    messages = [row for row in rows if row.startswith(("i5.", "platform."))]
    real = {expected for _, _, expected in ALL_CASES}
    assert len(messages) > 30
    assert set(messages) <= real
    shapes = {shape(row) for row in rows if row.count(": ") > 1}
    assert {shape(expected) for expected in real} <= shapes
