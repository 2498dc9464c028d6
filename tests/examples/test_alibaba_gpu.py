"""examples/alibaba_gpu.py: what its reader makes of pods, on made-up files and on the trace."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import expand_nodes

import schedlab as sl
from schedlab.testing import check_reader

SCRIPT = Path(__file__).parents[2] / "examples" / "alibaba_gpu.py"
PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,4000,8192,1,500,,LS,Running,0,500,10
b,4000,8192,1,500,,BE,Succeeded,1,501,1
c,8000,8192,2,1000,BIG,LS,Succeeded,2,102,2
d,8000,8192,0,0,,Burstable,Failed,3,53,3
e,1000,1024,1,1000,BIG|SMALL,Odd,Running,4,104,4
f,1000,1024,1,1000,,LS,Pending,5,105,
g,1000,1024,1,1000,,LS,Running,6,,6
h,1000,1024,1,1000,,LS,Running,7,9,8
i,1000,one,1,1000,,LS,Running,8,9,8
j,1000,1024,1,1000,,LS,Running,9,7,9
k,32000,1024,1,300,SMALL,LS,Running,10,20,10
"""
NODES = """\
sn,cpu_milli,memory_mib,gpu,model
n0,16000,65536,0,
n1,16000,65536,1,SMALL
n2,32000,65536,2,BIG
n3,16000,65536,1,SMALL
n4,16000,65536,1,OTHER
"""


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("alibaba_gpu", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def files(tmp_path):
    (tmp_path / "pods.csv").write_text(PODS)
    (tmp_path / "nodes.csv").write_text(NODES)
    return str(tmp_path / "pods.csv"), str(tmp_path / "nodes.csv")


def test_pods_are_jobs(example, files):
    reader = example.AlibabaPods(files[0])
    jobs = {job.id: job for job in reader.jobs()}
    assert list(jobs) == [0, 1, 2, 3, 4, 7, 10]
    assert jobs[0].resources == {"cpu": 4000, "mem": 8192, "gpu": 500}
    assert (jobs[0].submit, jobs[0].run) == (0, 490)
    assert jobs[0].attributes == {"qos": 0, "recorded_wait": 10}
    assert jobs[2].resources == {"cpu": 8000, "mem": 8192, "gpu": 2000, "gpu_BIG": 2000}
    assert jobs[3].resources == {"cpu": 8000, "mem": 8192, "gpu": 0}
    assert jobs[4].resources["gpu_BIG_or_SMALL"] == 1000
    assert jobs[4].attributes["qos"] == -1
    assert {reason: rows["first_line"] for reason, rows in reader.skipped.items()} == {
        "never scheduled": 7,
        "not deleted before the trace ends": 8,
        "not a number": 10,
        "scheduled before it was created, or deleted before it was scheduled": 11,
    }
    whole = {job.id: job for job in example.AlibabaPods(files[0], whole_gpus=True).jobs()}
    assert whole[0].resources["gpu"] == 1000
    assert whole[2].resources == jobs[2].resources


def test_nodes_have_what_pods_may_name(example, files):
    groups = example.machine(files[1], files[0])["groups"]
    assert {name: group["nodes"] for name, group in groups.items()} == {
        "0xnone-16cores-64GiB": 1,
        "1xSMALL-16cores-64GiB": 2,
        "2xBIG-32cores-64GiB": 1,
        "1xOTHER-16cores-64GiB": 1,
    }
    has = {
        name: {kind: amount for kind, amount in group["resources"].items() if "gpu_" in kind}
        for name, group in groups.items()
    }
    assert has["0xnone-16cores-64GiB"] == {"gpu_BIG": 0, "gpu_SMALL": 0, "gpu_BIG_or_SMALL": 0}
    assert has["1xSMALL-16cores-64GiB"] == {
        "gpu_BIG": 0,
        "gpu_SMALL": 1000,
        "gpu_BIG_or_SMALL": 1000,
    }
    assert has["2xBIG-32cores-64GiB"] == {"gpu_BIG": 2000, "gpu_SMALL": 0, "gpu_BIG_or_SMALL": 2000}
    assert has["1xOTHER-16cores-64GiB"] == {"gpu_BIG": 0, "gpu_SMALL": 0, "gpu_BIG_or_SMALL": 0}


@pytest.mark.parametrize("allocator", ["first-fit", "best-fit", "worst-fit"])
def test_pods_run_on_nodes_of_their_models(example, files, allocator):
    system = example.machine(files[1], files[0])
    result = sl.simulate(
        example.AlibabaPods(files[0]), system=system, scheduler="easy", allocator=allocator
    )
    # Pod k asks for a model whose nodes have too few cores.
    assert (result.counts["completed"], result.counts["rejected"]) == (6, 1)
    done = result.jobs.collect()
    nodes = dict(zip(done["job_id"], done["nodes"], strict=True))
    assert expand_nodes(nodes[2])[0][0] == 3  # n2, the only BIG one; groups are in order
    assert expand_nodes(nodes[4])[0][0] in (1, 2, 3)


def test_reader_conforms(example, files):
    assert check_reader(
        lambda: example.AlibabaPods(files[0]), system=example.machine(files[1], files[0])
    )


def test_another_file_is_refused(example, tmp_path, files):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(sl.InputError, match=r"other.csv: has no column cpu_milli, memory_mib"):
        list(example.AlibabaPods(tmp_path / "other.csv").jobs())
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path / "none.csv", files[1]],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "none.csv" in done.stderr


def test_script_leaves_what_it_says(example, files, tmp_path, capsys):
    pods = tmp_path / "some.csv"
    pods.write_text("".join(line for line in PODS.splitlines(True) if not line.startswith("k,")))
    example.simulate(str(pods), files[1], 1.0, str(tmp_path / "out"))
    printed = capsys.readouterr().out
    assert "skipped" in printed
    assert printed.count("worst-fit") == 6
    for name in ("utilization.png", "free-nodes.png"):
        assert (tmp_path / "out" / name).stat().st_size > 5_000
    again = sl.load_system(str(tmp_path / "out" / "system.json"))
    assert again.capacity["gpu"] == 5000


def test_the_trace(example, trace):
    pods = trace("alibaba_gpu2023_openb_pod_list_default.csv")
    nodes = trace("alibaba_gpu2023_openb_node_list_all_node.csv")
    whole = sl.load_system(example.machine(nodes, pods))
    assert (whole.nodes, whole.capacity["gpu"]) == (1523, 6_212_000)
    part = example.machine(nodes, pods, 0.01)
    result = sl.simulate(example.AlibabaPods(pods), system=part, scheduler="easy")
    assert result.counts["completed"] == 7255
    assert result.run["workload"]["skipped"] == {"never scheduled": {"rows": 897, "first_line": 63}}
    blocked = sl.simulate(example.AlibabaPods(pods), system=part, scheduler="fifo")
    assert result.metrics["wait"]["mean"] < 0.01 * blocked.metrics["wait"]["mean"]
