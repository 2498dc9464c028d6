"""examples/wagap.py: requests to Torque as jobs, on made-up rows and on the trace."""

from __future__ import annotations

import gzip
import importlib.util
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from conftest import expand_nodes

import schedlab as sl
from schedlab.testing import check_reader

SCRIPT = Path(__file__).parents[2] / "examples" / "wagap.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("wagap", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def line(number, request, queue="q_1d", run=600, gibibytes=1, nodes="{1255}"):
    submit = 1_357_000_000 + 60 * number
    memory = gibibytes * 2**30
    return (
        f"{number} {submit} 5 {run} 1 1 1024 1 3600 {memory} 1 7 1 1 -1 1 1 1 "
        f"{nodes} {queue} {request}\n"
    )


@pytest.mark.parametrize(
    ("text", "request_made"),
    [
        ("1:ppn=64:x86_64:cl_zewura#excl", (1, 64, "zewura", True)),
        ("8:ppn=8:x86_64:cl_zegox", (8, 8, "zegox", False)),
        ("1:ppn=12", (1, 12, None, False)),
        ("2", (2, 1, None, False)),
        ("2:infiniband", (2, 1, None, False)),
        ("1:ppn=1.5:brno", (1, 1, None, False)),
        ("1:ppn=.5", (1, 1, None, False)),
        ("1:ppn=4:nodecpus80", (1, 4, "zewura", False)),
        ("1:ppn=4:nodecpus12:brno", (1, 4, "zegox", False)),
        ("1:ppn=2:^cl_zewura", (1, 2, "zegox", False)),
        ("1:ppn=2:^zewura12.cerit-sc.cz", (1, 2, None, False)),
        ("1:zegox17.cerit-sc.cz", (1, 1, "zegox", False)),
        ("zewura19.cerit-sc.cz:ppn=3", (1, 3, "zewura", False)),
        ("1:ppn=1:host=zewura10", (1, 1, None, False)),
        ("1:ppn=1+2:ppn=2", None),
    ],
)
def test_requests_are_understood(example, text, request_made):
    assert example.parse(text) == request_made


def test_jobs_get_the_nodes_they_ask_for(example, tmp_path):
    path = tmp_path / "log.swf"
    path.write_text(
        line(1, "2:ppn=8:cl_zegox")
        + line(2, "1:ppn=64:cl_zewura#excl")
        + line(3, "1:ppn=1", "q_2w_plus")
        + line(4, "1:ppn=13")
        + line(5, "1:ppn=1", gibibytes=100)
        + line(6, "1:ppn=1+1:ppn=2")
        + line(7, "1:ppn=1", run=-5)
        + "1 2 3\n"
        + line(9, "1").replace("1357", "x357")
    )
    reader = example.Wagap(path)
    assert len(list(reader.jobs())) == 5
    assert {reason: rows["first_line"] for reason, rows in reader.skipped.items()} == {
        "asks for nodes of several kinds": 6,
        "ends before it begins": 7,
        "not 21 columns": 8,
        "not a number": 9,
    }
    result = sl.simulate(example.Wagap(path), system=example.machine(), scheduler="easy")
    done = result.jobs.collect()
    placed = {
        job: expand_nodes(nodes) for job, nodes in zip(done["job_id"], done["nodes"], strict=True)
    }
    zegox = {job: {node < 48 for node, _ in nodes} for job, nodes in placed.items()}
    assert zegox == {1: {True}, 2: {False}, 3: {False}, 4: {False}, 5: {False}}
    assert placed[1] == [(0, 1), (1, 1)]
    assert placed[3][0][0] != placed[2][0][0]  # job 2 is alone on its node
    assert check_reader(lambda: example.Wagap(path), system=example.machine())


def test_script_compares(example, tmp_path, capsys):
    path = tmp_path / "log.swf"
    path.write_text("".join(line(number, f"1:ppn={1 + number % 20}") for number in range(40)))
    example.compare(str(path), str(tmp_path / "out"))
    printed = capsys.readouterr().out
    assert "40 jobs" in printed
    assert re.search(r"recorded +5 +5 +5\n", printed)
    assert printed.count("easy, ") == 4
    assert (tmp_path / "out" / "wait-cdf.png").stat().st_size > 5_000


def test_what_the_reader_takes_for_true_of_the_trace(example, trace):
    """Rows were placed as the reader reads their requests, on all 17,886 of them."""
    queues, held = defaultdict(set), defaultdict(list)
    with gzip.open(trace("wagap-2013.swf.gz"), "rt") as file:
        rows = [text.split() for text in file]
    for row in rows:
        request = example.parse(row[20])
        if request is None or int(row[3]) < 0:
            continue
        nodes = Counter(map(int, re.findall(r"\d+", row[18])))
        assert sorted(nodes.values()) == [request.cores] * request.nodes, row
        clusters = {"zegox" if node >= example.FIRST_OF_ZEGOX else "zewura" for node in nodes}
        queues[row[19]] |= clusters
        assert request.cluster is None or clusters == {request.cluster}, row
        start = int(row[1]) + int(row[2])
        for node in nodes:
            held[node] += [(start, 1, int(row[9])), (start + int(row[3]), 0, -int(row[9]))]
    assert {queue for queue, ran in queues.items() if ran == {"zewura"}} == {*example.ZEWURA_QUEUES}
    assert len([node for node in held if node >= example.FIRST_OF_ZEGOX]) == 26
    assert len(held) == 26 + 18
    most = {}
    for node, changes in held.items():
        total = most[node] = 0
        for _, _, change in sorted(changes):
            total += change
            most[node] = max(most[node], total / 2**30)
    assert max(most[node] for node in held if node >= example.FIRST_OF_ZEGOX) < 90
    assert sum(most[node] > 519 for node in held) == 2


def test_the_trace_on_its_nodes(example, trace):
    waits = {}
    for kind, jobs in (("processors", example.AsProcessors), ("nodes", example.Wagap)):
        result = sl.simulate(
            jobs(trace("wagap-2013.swf.gz")), system=example.machine("seen"), scheduler="easy"
        )
        assert result.counts["completed"] == 17_886
        waits[kind] = result.metrics["wait"]["mean"]
    recorded = 51_066
    assert waits["processors"] < waits["nodes"] < recorded
