"""Partitions: where jobs name them, which nodes they get, and which are rejected."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import expand_nodes
from oracles.engine import rows_of

import schedlab as sl
from schedlab.errors import InputError
from schedlab.experiment.plan import key_of

SITE = {
    "groups": {
        "thin": {"nodes": 4, "resources": {"core": 2}},
        "fat": {"nodes": 2, "resources": {"core": 8}},
    },
    "partitions": {
        "batch": {"nodes": "thin", "max_time": "1h"},
        "fat": {"nodes": "fat", "max_tasks": 12},
        "debug": {"nodes": "fat, 0-1", "max_nodes": 2},
    },
}
SCHEDULERS = ["fifo", "fcfs-bf", "easy", "easy(reservations=3)", "conservative"]


def with_default(name):
    return {**SITE, "default_partition": name}


def nodes_used(result):
    """Returns the nodes of each job that ran, by its number."""
    return {
        int(row["job_id"]): {node for node, _ in expand_nodes(row["nodes"])}
        for row in rows_of(result, "jobs")
        if row["state"] != "rejected"
    }


def reasons(result):
    """Returns why jobs were rejected, by their numbers."""
    rows = rows_of(result, "jobs")
    return {int(row["job_id"]): row["reason"] for row in rows if row["reason"]}


def job(number, partition=None, tasks=1, run=100, **more):
    return sl.Job(number, 0, run, tasks, partition=partition, **more)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_jobs_run_on_the_nodes_of_their_partition(scheduler):
    jobs = [job(1, "fat"), job(2, "batch", 5), job(3, "debug", 3), job(4, "fat", 12), job(5)]
    used = nodes_used(sl.simulate(jobs, system=SITE, scheduler=scheduler))
    assert used[1] <= {4, 5}
    assert used[4] <= {4, 5}
    assert used[2] <= {0, 1, 2, 3}
    assert used[3] <= {0, 1, 4, 5}
    assert len(used) == 5


def test_a_job_waits_for_its_partition_though_others_are_free():
    jobs = [job(1, "fat", 12), job(2, "fat", 12), job(3, "batch", 8)]
    result = sl.simulate(jobs, system=SITE, scheduler="easy")
    starts = {row["job_id"]: row["start"] for row in rows_of(result, "jobs")}
    assert starts == {"1": "0", "2": "100", "3": "0"}


def test_jobs_without_partition_are_in_the_default_one():
    assert nodes_used(sl.simulate([job(1)], system=with_default("fat"))) == {1: {4}}
    assert nodes_used(sl.simulate([job(1)], system=SITE)) == {1: {0}}


def test_a_partition_of_all_nodes_restricts_nothing():
    system = {**SITE, "partitions": {"all": {}}}
    plain = {key: value for key, value in SITE.items() if key != "partitions"}
    jobs = [sl.Job(i, i, 50 + i % 7, 1 + i % 9, 60) for i in range(1, 60)]
    named = [one.replace(partition="all") for one in jobs]
    expected = sl.simulate(jobs, system=plain, scheduler="conservative")
    result = sl.simulate(named, system=system, scheduler="conservative")
    assert rows_of(result, "jobs") == rows_of(expected, "jobs")


REJECTED = {
    "too long": (
        job(1, "batch", run=3601),
        "partition-limit",
        "partition batch takes jobs that ask for 3600 s or less, and it asks for 3601 s",
    ),
    "too many tasks": (
        job(1, "fat", 13),
        "partition-limit",
        "partition fat takes jobs of 12 tasks or less, and it has 13",
    ),
    "too many nodes": (
        job(1, "debug", 17),
        "partition-limit",
        "partition debug takes jobs of 2 nodes or less, and it needs 3",
    ),
    "too large": (
        job(1, "batch", 9),
        "too-large",
        "it asks for 9 tasks of 1 core, and the nodes in partition batch have room for 8 of them: "
        "4 nodes, a node has 2 core",
    ),
    "a large task": (
        job(1, "batch", resources={"core": 3}),
        "task-too-large",
        "each of its tasks needs 3 core of one node, and a node in partition batch has 2 core",
    ),
    "unknown number": (
        job(1, attributes={"partition": 7}),
        "no-partition",
        "it is in partition 7, and the system has none of that number",
    ),
}


@pytest.mark.parametrize("case", REJECTED.values(), ids=[*REJECTED])
def test_rejected(case):
    one, reason, because = case
    result = sl.simulate([one], system=SITE)
    assert reasons(result) == {1: reason}
    assert result.run["rejections"] == {reason: {"jobs": 1, "first_job": 1, "because": because}}
    with pytest.raises(sl.SimulationError, match="can never start"):
        sl.simulate([one], system=SITE, impossible="stop")


def test_a_job_that_just_keeps_the_limits_runs():
    jobs = [job(1, "batch", run=3600), job(2, "fat", 12), job(3, "debug", 16)]
    assert reasons(sl.simulate(jobs, system=SITE)) == {}


def test_an_unknown_name_is_an_error():
    with pytest.raises(InputError, match='job 1: partition: there is no partition "bach"; did you'):
        sl.simulate([job(1, "bach")], system=SITE)
    plain = {key: value for key, value in SITE.items() if key != "partitions"}
    with pytest.raises(InputError, match=r"the system has no partitions, so .* add \[partitions.x"):
        sl.simulate([job(1, "x")], system=plain)


def test_a_name_and_a_number_exclude_each_other():
    with pytest.raises(InputError, match="give partition as an attribute, or by its name"):
        job(1, "fat", attributes={"partition": 2})


ROW = "{} 0 -1 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 {} -1 -1\n"


def swf(path, partitions, header=""):
    rows = "".join(ROW.format(i, number) for i, number in enumerate(partitions, 1))
    path.write_text(header + rows)
    return path


def test_field_16_of_swf_is_the_place_of_the_partition(tmp_path):
    path = swf(tmp_path / "a.swf", [2, 1, 3, -1, 9])
    result = sl.simulate(path, system=SITE)
    assert nodes_used(result) == {1: {4}, 2: {0}, 3: {0}, 4: {1}}
    assert reasons(result) == {5: "no-partition"}


def test_or_its_number(tmp_path):
    numbers = {"batch": 20, "fat": 10, "debug": 0}
    partitions = {k: {**one, "number": numbers[k]} for k, one in SITE["partitions"].items()}
    path = swf(tmp_path / "a.swf", [10, 20, 0, 1])
    result = sl.simulate(path, system={**SITE, "partitions": partitions})
    assert nodes_used(result) == {1: {4}, 2: {0}, 3: {0}}
    assert reasons(result) == {4: "no-partition"}


def test_or_the_name_that_the_header_gives_the_number(tmp_path):
    header = "; Partition: 1 fat\n; Partition: 2 batch\n; Partition: 3 other\n"
    result = sl.simulate(swf(tmp_path / "a.swf", [1, 2, 3], header), system=SITE)
    assert nodes_used(result) == {1: {4}, 2: {0}, 3: {0}}
    assert any('"debug" has number 3' in text for text in result.run["warnings"])


def test_without_partitions_in_the_system_the_field_restricts_nothing(tmp_path):
    plain = {key: value for key, value in SITE.items() if key != "partitions"}
    with_field = swf(tmp_path / "a.swf", [2, 1, 9])
    without = swf(tmp_path / "b.swf", [-1, -1, -1])
    rows = [rows_of(sl.simulate(path, system=plain), "jobs") for path in (with_field, without)]
    assert rows[0] == rows[1]


def table(names, **more):
    return pl.DataFrame(
        {
            "job": range(1, len(names) + 1),
            "submit": 0,
            "run": 10,
            "requested_processors": 1,
            "partition": names,
            **more,
        }
    )


def test_names_in_job_tables(tmp_path):
    frame = table(["fat", "batch", "debug", None])
    expected = {1: {4}, 2: {0}, 3: {0}, 4: {1}}
    assert nodes_used(sl.simulate(frame, system=SITE)) == expected
    frame.write_csv(tmp_path / "jobs.csv")
    assert nodes_used(sl.simulate(tmp_path / "jobs.csv", system=SITE)) == expected


def test_names_that_the_system_does_not_have():
    result = sl.simulate(table(["fat", "huge"]), system=SITE)
    assert reasons(result) == {2: "no-partition"}
    assert any("the workload has huge as well" in text for text in result.run["warnings"])
    with pytest.raises(InputError, match="the workload names none of them; it has huge, tiny"):
        sl.simulate(table(["huge", "tiny"]), system=SITE)


def test_dumps_of_sacct(tmp_path):
    (tmp_path / "dump.txt").write_text(
        "JobID|Partition|Submit|Start|End|State|AllocCPUS|Timelimit\n"
        "1|fat|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:01:00|COMPLETED|1|01:00:00\n"
        "2|batch|2024-01-01T00:00:01|2024-01-01T00:00:02|2024-01-01T00:02:00|COMPLETED|1|01:00:00\n"
        "3|batch|2024-01-01T00:00:01|2024-01-01T00:00:02|2024-01-01T00:02:00|COMPLETED|1|03:00:00\n"
    )
    result = sl.simulate(tmp_path / "dump.txt", system=SITE)
    assert nodes_used(result) == {1: {4}, 2: {0}}
    assert reasons(result) == {3: "partition-limit"}


def test_job_factories_see_and_change_names(tmp_path):
    seen = []

    def factory(one):
        seen.append((one.partition, (one.attributes or {}).get("partition")))
        return one.replace(partition="debug") if one.partition == "fat" else one

    result = sl.simulate(swf(tmp_path / "a.swf", [2, 1, -1, 9]), system=SITE, job_factory=factory)
    assert seen == [("fat", None), ("batch", None), (None, -1), (None, 9)]
    assert nodes_used(result) == {1: {0}, 2: {0}, 3: {1}}
    assert reasons(result) == {4: "no-partition"}


def test_conditions_of_queues_may_use_names():
    queues = [sl.Queue("first", 1, when="partition == 2"), sl.Queue("rest")]
    jobs = [job(1, "batch", 8), job(2, "batch"), job(3, "fat")]
    result = sl.simulate(jobs, system=SITE, queues=queues)
    starts = {row["job_id"]: row["start"] for row in rows_of(result, "jobs")}
    assert starts == {"1": "0", "2": "100", "3": "0"}


def test_windows_close_nodes_of_partitions():
    windows = [sl.Window(50, 500, "fat")]
    jobs = [job(1, "fat", 12), job(2, "debug", 3), job(3, "batch", 3)]
    result = sl.simulate(jobs, system=SITE, scheduler="easy", windows=windows)
    starts = {row["job_id"]: row["start"] for row in rows_of(result, "jobs")}
    assert starts == {"1": "500", "2": "0", "3": "0"}
    assert nodes_used(result)[2] <= {0, 1}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_saved_and_loaded_in_the_middle(scheduler, tmp_path):
    names = ["batch", "fat", "debug", None]
    jobs = [
        sl.Job(i, 5 * i, 10 + i % 37, 1 + i % 8, 60, partition=names[i % 4]) for i in range(1, 120)
    ]
    whole = sl.Simulation(jobs, system=SITE, scheduler=scheduler)
    whole.record_jobs(tmp_path / "whole.csv")
    whole.run()
    half = sl.Simulation(jobs, system=SITE, scheduler=scheduler)
    half.run(until=300)
    half.save(tmp_path / "half.state")
    fork = half.fork()
    for name, rest in {
        "loaded": sl.Simulation.load(tmp_path / "half.state", workload=jobs),
        "fork": fork,
    }.items():
        rest.record_jobs(tmp_path / f"{name}.csv")
        rest.run()
        rows = (tmp_path / f"{name}.csv").read_text().splitlines()[1:]
        assert len(rows) > 40
        assert (tmp_path / "whole.csv").read_text().splitlines()[-len(rows) :] == rows


def test_policies_see_which_nodes_have_room():
    class Looking(sl.Scheduler):
        def schedule(self, state):
            for one in list(state.queue):
                rooms = [state.machine.room(node, one) for node in range(6)]
                found.append((one.id, rooms))
                yield sl.StartJob(one)

    found = []
    sl.simulate([job(1, "fat", 2), job(2, "batch", 2)], system=SITE, scheduler=Looking())
    assert found == [(1, [0, 0, 0, 0, 2, 2]), (2, [2, 2, 2, 2, 0, 0])]


def test_an_allocator_cannot_leave_the_partition():
    class First(sl.Allocator):
        def place(self, job, machine):
            return [0]

    with pytest.raises(sl.SimulationError, match="node 0, which has room for 0"):
        sl.simulate([job(1, "fat")], system=SITE, allocator=First())


def test_systems_with_partitions_are_values(tmp_path):
    system = sl.load_system({**SITE, "name": "site", "default_partition": "fat"})
    assert [one.name for one in system.partitions] == ["batch", "fat", "debug"]
    from schedlab.system.table import as_table, as_toml

    assert sl.load_system(as_table(system)) == system
    (tmp_path / "site.toml").write_text(as_toml(system))
    assert sl.load_system(tmp_path / "site.toml") == system
    other = sl.load_system({**SITE, "name": "site", "default_partition": "debug"})
    assert other != system


def test_partitions_and_what_jobs_need_count_for_the_identity_of_a_run(tmp_path):
    path = str(swf(tmp_path / "a.swf", [1, 2]))
    plain = {key: value for key, value in SITE.items() if key != "partitions"}
    featured = {**plain, "groups": {**plain["groups"]}}
    featured["groups"]["fat"] = {**featured["groups"]["fat"], "features": ["big"]}
    specs = [
        *(sl.RunSpec(path, system=one) for one in (plain, SITE, with_default("fat"), featured)),
        *(sl.RunSpec(one, system=SITE) for one in ([job(1)], [job(1, "fat")])),
        sl.RunSpec([job(1, needs="big")], system=SITE),
    ]
    assert len({key_of(one.identity(), {}) for one in specs}) == len(specs)


def test_forks_with_other_schedulers():
    jobs = [sl.Job(i, i, 60, 1 + i % 8, partition=["batch", "fat"][i % 2]) for i in range(1, 60)]
    simulation = sl.Simulation(jobs, system=SITE, scheduler="fifo")
    simulation.run(until=30)
    for scheduler in SCHEDULERS:
        fork = simulation.fork(scheduler=scheduler)
        fork.run()
        assert fork.counts["completed"] == 59
