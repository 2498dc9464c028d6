"""Jobs that name several partitions: in which one they run, and which are left out."""

from __future__ import annotations

import pytest
from oracles.engine import rows_of
from simulation.test_partitions import nodes_used, reasons

import schedlab as sl
from schedlab.errors import InputError


def test_the_first_of_several_partitions_that_has_room():
    jobs = [
        sl.Job(1, 0, 100, 8, partition="fat"),
        sl.Job(2, 0, 100, 1, partition="fat,thin"),
        sl.Job(3, 1, 100, 1, partition="thin, fat"),
        sl.Job(4, 1, 100, 1, partition="fat,thin"),
    ]
    for scheduler in ("fifo", "fcfs-bf", "easy", "easy(reservations=2)", "conservative"):
        site = {**SEVERAL, "processor": {"core": 1}}
        used = nodes_used(sl.simulate(jobs, system=site, scheduler=scheduler))
        assert used == {1: {2, 3}, 2: {0}, 3: {0}, 4: {0}}


SEVERAL = {
    "groups": {"all": {"nodes": 4, "resources": {"core": 4}}},
    "partitions": {
        "thin": {"nodes": "0-1"},
        "fat": {"nodes": "2-3", "max_time": 200, "max_tasks": 8},
        "one": {"nodes": "3", "max_nodes": 1},
    },
}


def test_nodes_are_of_one_partition():
    """Six processors are free on each half of the machine: ten have room on neither."""
    jobs = [
        sl.Job(1, 0, 100, 2, partition="thin"),
        sl.Job(2, 0, 50, 2, partition="fat"),
        sl.Job(3, 1, 100, 7, partition="thin,fat"),
    ]
    for scheduler in ("fifo", "easy", "easy(reservations=2)", "conservative"):
        result = sl.simulate(jobs, system=SEVERAL, scheduler=scheduler)
        assert nodes_used(result)[3] == {2, 3}
        assert {row["job_id"]: row["start"] for row in rows_of(result, "jobs")}["3"] == "50"


def test_partitions_that_a_job_exceeds_are_left_out():
    jobs = [
        sl.Job(1, 0, 300, 1, partition="fat,thin"),
        sl.Job(2, 0, 300, 8, partition="one,fat"),
        sl.Job(3, 0, 100, 7, partition="one,fat"),
        sl.Job(4, 0, 100, 9, partition="one,fat"),
        sl.Job(5, 0, 300, 1, partition="fat"),
    ]
    result = sl.simulate(jobs, system=SEVERAL, scheduler="easy")
    assert nodes_used(result) == {1: {0}, 3: {2, 3}}
    assert reasons(result) == {2: "too-large", 4: "too-large", 5: "partition-limit"}
    because = result.run["rejections"]["too-large"]["because"]
    assert "the nodes in partition one have room for 4 of them" in because


def test_lists_of_a_workload(tmp_path):
    row = "{} 0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 {} -1 -1\n"
    header = "; Partition: 1 thin\n; Partition: 2 one,thin\n; Partition: 3 gone,fat\n"
    path = tmp_path / "jobs.swf"
    path.write_text(header + "".join(row.format(n, n) for n in (1, 2, 3)) + row.format(4, 2))
    result = sl.simulate(path, system=SEVERAL, scheduler="easy")
    assert nodes_used(result) == {1: {0}, 2: {3}, 3: {2}, 4: {1}}
    assert result.run["warnings"] == [
        "partitions: jobs name gone beside others, which the system does not have; they run in "
        "the others"
    ]


def test_a_list_with_an_unknown_partition_is_an_error():
    with pytest.raises(InputError, match='job 1: partition: there is no partition "gone"'):
        sl.simulate([sl.Job(1, 0, 1, partition="thin,gone")], system=SEVERAL)
    with pytest.raises(InputError, match='there is no partition ""'):
        sl.simulate([sl.Job(1, 0, 1, partition="thin,")], system=SEVERAL)


def test_policies_may_choose_nodes_in_any_of_them():
    class Chooses(sl.Scheduler):
        def schedule(self, state):
            for job in state.queue:
                yield sl.StartJob(job, nodes=iter([2, 3]))

    jobs = [sl.Job(1, 0, 100, 2, partition="thin,fat")]
    assert nodes_used(sl.simulate(jobs, system=SEVERAL, scheduler=Chooses())) == {1: {2, 3}}

    class Astride(sl.Scheduler):
        def schedule(self, state):
            for job in state.queue:
                yield sl.StartJob(job, nodes=[1, 2])

    with pytest.raises(sl.SimulationError, match="node 2, which has room for 0"):
        sl.simulate(jobs, system=SEVERAL, scheduler=Astride())
