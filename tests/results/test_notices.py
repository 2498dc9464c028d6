"""What is said where numbers can hardly be meant: sizes, rejections, too large a machine."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.results.notices import FAR, sizes_notice
from schedlab.system import load_system

OPTIONS = {"tasks_per_node": None}


def machine(nodes: int, cores: int) -> dict:
    return {"name": "m", "groups": {"all": {"nodes": nodes, "resources": {"core": cores}}}}


def swf(path, jobs: int = 120, header: str = "", processors: int = 1, apart: int = 100):
    """Writes jobs of 10 s."""
    rows = [
        f"{n} {n * apart} 0 10 {processors} -1 -1 {processors} 20 -1 1 1 1 -1 -1 -1 -1 -1"
        for n in range(1, jobs + 1)
    ]
    path.write_text("\n".join([*(f"; {line}" for line in header.splitlines()), *rows, ""]))
    return path


@given(st.integers(1, 10**6), st.integers(1, 10**4), st.integers(1, 128))
def test_sizes_are_compared_with_processors(stated, nodes, cores):
    system = load_system(machine(nodes, cores))
    text = sizes_notice({"MaxProcs": str(stated)}, system, OPTIONS)
    both = sorted((stated, nodes * cores))
    assert (text is None) == (both[1] < FAR * both[0])
    if text is not None:
        assert f"MaxProcs {stated:,}" in text
        assert f"{nodes * cores:,} processors" in text


def test_sizes_in_nodes_need_tasks_per_node():
    system = load_system(machine(4360, 64))
    text = sizes_notice({"MaxProcs": "4360"}, system, OPTIONS)
    assert "4,360" in text
    assert "279,040" in text
    assert "--tasks-per-node 1" in text
    assert sizes_notice({"MaxProcs": "4360"}, system, {"tasks_per_node": 1}) is None


@pytest.mark.parametrize(
    ("header", "nodes", "cores"),
    [
        ({"MaxProcs": "338 (batch)", "MaxNodes": "512"}, 338, 1),
        ({"MaxProcs": "240", "MaxNodes": "240"}, 120, 2),
        ({"MaxNodes": "256"}, 256, 1),
        ({"MaxNodes": "256"}, 256, 16),
        ({"MaxNodes": "256"}, 16, 16),
        ({"MaxProcs": "unknown"}, 16, 16),
        ({}, 16, 16),
        ({"MaxProcs": "-1"}, 16, 16),
    ],
)
def test_sizes_that_go_together(header, nodes, cores):
    assert sizes_notice(header, load_system(machine(nodes, cores)), OPTIONS) is None


def test_processors_of_several_cores_and_memory():
    groups = {"all": {"nodes": 10, "resources": {"core": 16, "mem": 64}}}
    system = load_system({"groups": groups, "processor": {"core": 2, "mem": 16}})
    assert sizes_notice({"MaxProcs": "40"}, system, OPTIONS) is None
    assert "40 processors" in sizes_notice({"MaxProcs": "160"}, system, OPTIONS)


def test_the_command_says_it_and_run_json_has_it(tmp_path, capsys):
    from schedlab.cli import app

    workload = swf(tmp_path / "a.swf", header="MaxProcs: 4008", processors=200, apart=5)
    system = tmp_path / "m.json"
    system.write_text(json.dumps(machine(64, 16)))
    with pytest.raises(SystemExit):
        app(["run", str(workload), "--system", str(system), "--json"])
    printed = capsys.readouterr()
    [warning] = json.loads(printed.out)["warnings"]
    assert "MaxProcs 4,008" in warning
    assert "1,024 processors" in warning
    assert f"warning: {warning}" in printed.err
    result = sl.simulate(workload, system=str(system))
    assert f"warning      {warning}" in str(result.summary)
    factory = sl.simulate(workload, system=str(system), job_factory=lambda job: job)
    assert factory.run["warnings"] == []  # sizes are its own


def test_a_machine_that_is_far_too_large(tmp_path):
    workload = swf(tmp_path / "a.swf")
    [text] = sl.simulate(workload, system=machine(20, 16)).run["warnings"]
    assert "utilization is 0.0% and hardly any job waits" in text
    assert "320 core" in text
    assert sl.simulate(workload, system=machine(1, 1)).run["warnings"] == []
    few = swf(tmp_path / "b.swf", jobs=20)
    assert sl.simulate(few, system=machine(20, 16)).run["warnings"] == []


def test_an_experiment_and_its_report_say_it_once(tmp_path):
    workload = swf(tmp_path / "a.swf", header="MaxProcs: 4008", processors=200, apart=5)
    large = tmp_path / "b.swf"
    large.write_text(workload.read_text() + "999 9999 0 10 2000 -1 -1 2000 20" + " -1" * 9 + "\n")
    experiment = sl.Experiment(
        tmp_path / "e",
        workloads={"w": large},
        systems={"m": machine(64, 16)},
        schedulers=["fifo", "easy"],
        processes=1,
    )
    comparison = experiment.run()
    notes = comparison.description["notes"]
    assert [note for note in notes if "MaxProcs 4,008" in note] == [
        note for note in notes if note.startswith("w on m: the workload's header")
    ]
    [rejected] = [note for note in notes if "rejected" in note]
    assert rejected.startswith("w on m: rejected: 1 of 121 jobs (too-large): larger than the")
    assert "the first is job 999: it asks for 2000 tasks of 1 core" in rejected
    from schedlab.report import write_report

    write_report(comparison, tmp_path / "report.html", plots=[])
    page = (tmp_path / "report.html").read_text()
    assert page.count("MaxProcs 4,008") == 1
    assert page.count("the first is job 999") == 1
