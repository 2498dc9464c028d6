"""IRMaSim's platform files: what they become here, and the memory that its jobs take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import schedlab as sl
from schedlab.errors import InputError
from schedlab.system import Contention, Group, NodeType, Power, ProcessorType, System, load_system
from schedlab.system.table import as_table

CONSTANTS = {"b": -1.85e-5, "c": 32000, "da": 1.75, "db": 3500, "dc": 45000, "dd": 3000}
LINKS = {"type": "InfiniBand QDR", "latency": "0us"}
I5: dict[str, Any] = {
    **{"uarch": "kaby lake", "id": "i5", "type": "CPU", "cores": 4, "clock_rate": 3.4},
    **{"mem_bw": 38.4, "llc_size": 8, "power": 100, "dpflops_per_cycle": 1, "min_power": 0.05},
    **{"dynamic_power": 6.14, "static_power": 5.59, **CONSTANTS},
}
MACHINE = ProcessorType(
    "i5",
    4,
    3.4,
    memory_bandwidth=38400,
    power=Power(6.14, 5.59, 0.05 * 5.59),
    contention=Contention(**CONSTANTS, k=0.6),
)


def platform(*clusters: dict[str, Any], **more: Any) -> dict[str, Any]:
    clusters = clusters or ({"id": "cluster0", "nodes": [{"type": "n", "number": 15}]},)
    return {
        "_doc": "a remark",
        "platform": {
            "lab": {
                "id": "the lab",
                "clusters": [{**cluster, "local_links": LINKS} for cluster in clusters],
                "global_links": LINKS,
                "model_name": "modelV1",
            }
        },
        "node": {
            "_doc": "nodes",
            "n": {
                "id": "n",
                "processors": [{"type": "i5", "number": 1}],
                "memory": {"type": "DDR4-2400", "capacity": 8},
            },
            **more.pop("node", {}),
        },
        "processor": {"i5": I5, **more.pop("processor", {})},
        "network": {"InfiniBand QDR": {"bandwidth": 4}},
        **more,
    }


def test_a_platform_becomes_groups_of_nodes_with_sockets(tmp_path: Path) -> None:
    path = tmp_path / "platform.json"
    path.write_text(json.dumps(platform()))
    node = NodeType("n", [(MACHINE, 1)], {"mem": 8 * 2**20})
    assert load_system(path) == System("the lab", groups=[Group("n", 15, type=node)])
    assert load_system(path).warnings == ()
    assert load_system(as_table(load_system(path))) == load_system(path)


def test_older_files_and_what_is_left_out() -> None:
    old = {"cores": 2, "clock_rate": 2.5, "pa": 3.51, "pb": 3.2}
    table = platform(
        {"nodes": [{"type": "old"}]},
        node={"old": {"processors": [{"type": "old"}, {"type": "old", "number": 2}]}},
        processor={"old": old, "unused": {"cores": -1}},
    )
    del table["platform"]["lab"]["id"]
    system = load_system(table)
    kind = ProcessorType("old", 2, 2.5, power=Power(3.51, 3.2, 0.05 * 3.2))
    assert system == System("lab", groups=[Group("old", 1, type=NodeType("old", [(kind, 3)]))])
    del old["pa"], old["pb"]
    assert load_system(table).groups[0].type.sockets[0].power is None  # type: ignore[union-attr]


def test_group_names_distinguish_clusters() -> None:
    entries = [{"type": "n", "number": 2}, {"type": "n"}, {"type": "n", "number": 0}]
    system = load_system(platform({"nodes": entries}, {"id": "my lab", "nodes": entries}))
    assert [(group.name, group.nodes) for group in system.groups] == [
        ("cluster0.n", 2),
        ("cluster0.n.2", 1),
        ("my_lab.n", 2),
        ("my_lab.n.2", 1),
    ]
    copies = load_system(platform({"nodes": entries[:1], "number": 3}))
    assert [group.name for group in copies.groups] == ["cluster0.n", "cluster1.n", "cluster2.n"]


def test_power_is_for_all_processors_or_for_none() -> None:
    table = platform(
        {"nodes": [{"type": "n"}, {"type": "bare"}]},
        node={"bare": {"processors": [{"type": "bare"}]}},
        processor={"bare": {"cores": 4, "clock_rate": 2}},
    )
    with pytest.raises(InputError, match=r"processor\.bare\.dynamic_power: is missing, while proc"):
        load_system(table)


def test_nodes_of_model_v2_are_read_with_a_warning() -> None:
    second = {"id": "slow", "cores": 4, "clock_rate": 1.7, "abb": -92.1, "p00": 1.99}
    system = load_system(platform({"nodes": [{"type": "slow"}]}, node={"slow": second}))
    assert system.groups[0].resources == {"core": 4}
    assert "node.slow: a node of IRMaSim's modelV2" in system.warnings[0]


# --- memory ------------------------------------------------------------------------------------


def workload(folder: Path, *jobs: tuple[int, float]) -> str:
    """Writes jobs of N tasks with N MB each; all run 100 s."""
    path = folder / "jobs.json"
    rows = [
        {"id": i, "subtime": 0, "res": tasks, "req_ops": 3.4e11, "ipc": 1, "req_time": 100}
        | {"mem": memory, "mem_vol": 10}
        for i, (tasks, memory) in enumerate(jobs, 1)
    ]
    path.write_text(json.dumps({"jobs": rows, "profiles": {}}))
    return str(path)


def amounts(result: sl.Result) -> list[str]:
    return result.jobs.collect().sort("job_id")["amounts"].to_list()


def test_memory_of_nodes_is_enforced_without_options(tmp_path: Path) -> None:
    machine = platform({"nodes": [{"type": "n"}]})  # one node of 4 cores and 8 GB
    jobs = workload(tmp_path, (2, 2048), (1, 4096), (1, 4096.5), (4, 2049))
    result = sl.simulate(jobs, system=machine)
    rows = {row["job_id"]: row for row in result.jobs.collect().iter_rows(named=True)}
    assert rows[4]["state"] == "rejected"  # 8196 MB on a node of 8192
    assert [rows[i]["start"] for i in (1, 2, 3)] == [0, 0, 100]  # cores were free
    assert "mem=4194304" in rows[1]["amounts"]
    assert "mem=4194816" in rows[3]["amounts"]


def test_memory_is_not_asked_of_machines_without_it(tmp_path: Path) -> None:
    jobs = workload(tmp_path, (2, 2048), (4, 9999))
    result = sl.simulate(jobs, system={"groups": {"g": {"nodes": 2, "resources": {"core": 4}}}})
    assert result.counts["completed"] == 2
    assert amounts(result) == ["core=2", "core=4"]


def test_memory_can_be_left_alone_as_irmasim_does(tmp_path: Path) -> None:
    jobs = workload(tmp_path, (4, 9999))
    machine = platform()
    assert sl.simulate(jobs, system=machine).counts["rejected"] == 1
    reader = sl.open_reader(jobs, "irmasim(memory=none)")
    assert sl.simulate(reader, system=machine).counts["completed"] == 1
    with pytest.raises(InputError, match="memory: must be requested or none, not 'used'"):
        sl.open_reader(jobs, "irmasim(memory=used)")


def test_saved_states_and_experiments_keep_the_types(tmp_path: Path) -> None:
    jobs = workload(tmp_path, (2, 2048), (4, 512))
    simulation = sl.Simulation(jobs, system=platform())
    simulation.save(tmp_path / "x.state")
    assert sl.Simulation.load(tmp_path / "x.state").system == simulation.system
    comparison = sl.Experiment(
        tmp_path / "out", workloads=jobs, systems=platform(), schedulers=["fifo"], processes=1
    ).run()
    (group,) = comparison.groups
    assert group.results[0].run["system"]["node_types"]["n"]["processors"] == {"i5": 1}
    assert comparison.description["systems"][0]["name"] == "the lab"
