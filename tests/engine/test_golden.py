"""Job for job equal to other simulators on real traces."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from conftest import SETH, expand_nodes

import schedlab

HPC2N = "HPC2N-2002-2.2-cln.swf.gz"
SDSC = "SDSC-SP2-1998-5Ksample.swf.gz"
SDSC_SYSTEM = {"groups": {"all": {"nodes": 128, "resources": {"core": 1}}}}


def simulated(folder: Path) -> dict[int, tuple[int, int, str]]:
    with open(folder / "jobs.csv", newline="") as file:
        return {
            int(row["job_id"]): (int(row["start"]), int(row["end"]), row["nodes"])
            for row in csv.DictReader(file)
        }


@pytest.mark.parametrize(
    ("scheduler", "file", "mean_wait"),
    [("fifo", "hpc2n_FIFO-FF.csv.gz", 16189.149), ("sjf", "hpc2n_SJF-FF.csv.gz", 8445.849)],
)
@pytest.mark.whole_trace
def test_accasim(trace, golden, tmp_path, scheduler, file, mean_wait):
    expected = golden("accasim", file)
    result = schedlab.simulate(
        trace(HPC2N), system=SETH, scheduler=scheduler, rules="accasim", out=tmp_path
    )
    assert result.counts["completed"] == len(expected) == 202_871
    assert round(result.metrics["wait"]["mean"], 3) == mean_wait
    ours = simulated(tmp_path)
    shift = SETH["start_time"]
    for job, _submit, start, end, _units, _estimate, _memory, nodes in expected:
        our_start, our_end, our_nodes = ours[int(job)]
        assert (our_start + shift, our_end + shift) == (int(start), int(end)), job
        theirs = [tuple(map(int, item.split("*"))) for item in nodes.split()]
        assert [(node + 1, tasks) for node, tasks in expand_nodes(our_nodes)] == theirs, job


@pytest.mark.whole_trace
def test_alea(trace, golden, tmp_path):
    expected = golden("alea", "hpc2n_FCFS.csv.gz")
    system = {"groups": {"all": {"nodes": 120, "resources": {"core": 2}}}}
    result = schedlab.simulate(
        trace(HPC2N), system=system, scheduler="fifo", rules="alea", out=tmp_path
    )
    assert round(result.metrics["wait"]["mean"], 3) == 16349.669
    assert round(result.metrics["bounded_slowdown"]["mean"], 3) == 208.724
    ours = simulated(tmp_path)
    assert len(expected) == len(ours) == 202_871
    for job, _submit, start, end, _processors in expected:
        assert ours[int(job)][:2] == (int(start) + 342055, int(end) + 342055), job


@pytest.mark.parametrize(
    ("scheduler", "file", "dispatch_per", "differing"),
    [
        ("fifo", "FCFS", "time", 0),
        ("fifo", "FCFS", "event", 0),
        ("conservative", "CONS", "time", 0),
        ("conservative", "CONS", "event", 0),
        ("easy", "EASY", "event", 0),
        ("easy", "EASY", "time", 5),
    ],
)
def test_pyss(trace, golden, tmp_path, scheduler, file, dispatch_per, differing):
    expected = golden("pyss", f"sdsc-sp2-5k_{file}.csv.gz")
    result = schedlab.simulate(
        trace(SDSC),
        system=SDSC_SYSTEM,
        scheduler=scheduler,
        rules="pyss",
        dispatch_per=dispatch_per,
        out=tmp_path,
    )
    ours = simulated(tmp_path)
    assert len(expected) == len(ours) == 4961
    unequal = [row[0] for row in expected if ours[int(row[0])][:2] != (int(row[2]), int(row[3]))]
    assert len(unequal) == differing
    if not differing:
        waits = {"FCFS": 15711.537, "EASY": 3372.912, "CONS": 3558.031}
        slowdowns = {"FCFS": 254.131, "EASY": 17.142, "CONS": 16.611}
        assert round(result.metrics["wait"]["mean"], 3) == waits[file]
        assert round(result.metrics["bounded_slowdown"]["mean"], 3) == slowdowns[file]
