"""What jobs need of nodes: where they say it, which nodes they get, which are rejected."""

from __future__ import annotations

import polars as pl
import pytest
from oracles.engine import rows_of
from simulation.test_partitions import nodes_used, reasons, table

import schedlab as sl
from schedlab.errors import InputError

SITE = {
    "groups": {
        "old": {"nodes": 2, "resources": {"core": 4}, "features": ["ib"]},
        "new": {"nodes": 2, "resources": {"core": 4}, "features": ["ib", "nvme"]},
        "apart": {"nodes": 1, "resources": {"core": 4}, "features": ["nvme"]},
    }
}
PLAIN = {"groups": {"all": {"nodes": 5, "resources": {"core": 4}}}}


def job(number, needs=None, tasks=1, **more):
    return sl.Job(number, 0, 100, tasks, needs=needs, **more)


def test_jobs_run_on_nodes_that_have_what_they_need():
    jobs = [job(1, "nvme"), job(2, "ib & nvme", 5), job(3, "!ib"), job(4, "ib | nvme"), job(5)]
    used = nodes_used(sl.simulate(jobs, system=SITE, scheduler="fcfs-bf"))
    assert used == {1: {2}, 2: {2, 3}, 3: {4}, 4: {0}, 5: {0}}


def test_with_a_partition_both_hold():
    system = {**SITE, "partitions": {"some": {"nodes": "0, 2, 4"}}}
    jobs = [job(1, "nvme", 5, partition="some"), job(2, "ib", partition="some")]
    used = nodes_used(sl.simulate(jobs, system=system, scheduler="easy"))
    assert used == {1: {2, 4}, 2: {0}}


def test_no_such_node():
    system = {**SITE, "partitions": {"some": {"nodes": "0-1"}}}
    jobs = [job(1, "ib & !ib"), job(2, "nvme", partition="some"), job(3, "knl")]
    result = sl.simulate(jobs, system=system)
    assert reasons(result) == {1: "no-node", 2: "no-node", 3: "no-node"}
    because = "there is no node with ib & !ib"
    assert result.run["rejections"] == {"no-node": {"jobs": 3, "first_job": 1, "because": because}}
    assert result.run["warnings"] == [
        "needs: jobs name knl, which no node has; the features of the system are ib, nvme"
    ]


def test_too_large_for_these_nodes():
    result = sl.simulate([job(1, "!ib", 5)], system=SITE)
    assert "the nodes with !ib have room for 4 of them: 1 nodes" in str(result.run["rejections"])


def test_where_nodes_have_no_features_it_is_not_heeded():
    jobs = [job(1, "nvme"), job(2, "anything [at] all")]
    result = sl.simulate(jobs, system=PLAIN)
    assert nodes_used(result) == {1: {0}, 2: {0}}
    assert result.run["warnings"] == [
        'needs: jobs need "nvme" and 1 other things of their nodes; this is not heeded, because no '
        "group of the system has features"
    ]


def test_what_is_no_expression_is_an_error():
    with pytest.raises(InputError, match=r'job 1: needs "a b": "b" is where & or \| must be'):
        sl.simulate([job(1, "a b")], system=SITE)
    with pytest.raises(InputError, match="job 1: needs must be a text on one line"):
        job(1, "")
    with pytest.raises(InputError, match=r"attributes\.needs: is not for numbers"):
        job(1, attributes={"needs": 1})


def test_needs_of_all_nodes_restrict_nothing():
    jobs = [sl.Job(i, i, 50 + i % 7, 1 + i % 9, 60) for i in range(1, 60)]
    needy = [one.replace(needs="ib | nvme") for one in jobs]
    simulated = [
        sl.simulate(some, system=SITE, scheduler="easy", jobs="csv") for some in (jobs, needy)
    ]
    assert rows_of(simulated[0], "jobs") == rows_of(simulated[1], "jobs")


def test_job_tables(tmp_path):
    frame = table([-1, -1, -1, -1], needs=["nvme", "", None, "!ib"])
    expected = {1: {2}, 2: {0}, 3: {0}, 4: {4}}
    assert nodes_used(sl.simulate(frame, system=SITE)) == expected
    frame.write_csv(tmp_path / "jobs.csv")
    frame.write_parquet(tmp_path / "jobs.parquet")
    for name in ("jobs.csv", "jobs.parquet"):
        assert nodes_used(sl.simulate(tmp_path / name, system=SITE)) == expected
    with pytest.raises(InputError, match=r'needs "\(": it ends where'):
        sl.simulate(table([-1], needs=["("]), system=SITE)
    with pytest.raises(InputError, match='column "needs": must be texts, such as a100 & !ib'):
        sl.simulate(table([-1], needs=[1]), system=SITE)


def test_different_needs_are_different_workloads():
    reader = [sl.FrameReader(table([-1], needs=[text])).checksum() for text in ("ib", "nvme")]
    assert reader[0] != reader[1]


def test_dumps_of_sacct(tmp_path):
    (tmp_path / "dump.txt").write_text(
        "JobID|Submit|Start|End|State|AllocCPUS|Timelimit|Constraints\n"
        + "".join(
            f"{i}|2024-01-01T00:00:0{i}|2024-01-01T00:00:10|2024-01-01T00:01:00|COMPLETED|1|"
            f"01:00:00|{text}\n"
            for i, text in enumerate(["nvme", "", "(null)", "ib|nvme", "!ib"], 1)
        )
    )
    used = nodes_used(sl.simulate(tmp_path / "dump.txt", system=SITE))
    assert used == {1: {2}, 2: {0}, 3: {0}, 4: {0}, 5: {4}}


HEADER = "; Needs: 1 nvme\n; Needs: 2 !ib\n; ExtraFields: needs\n"
ROWS = "".join(
    f"{i} 0 -1 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1 {number}\n"
    for i, number in enumerate([1, 2, -1], 1)
)


def test_swf_with_extra_fields(tmp_path):
    path = tmp_path / "a.swf"
    path.write_text(HEADER + ROWS)
    expected = {1: {2}, 2: {4}, 3: {0}}
    assert nodes_used(sl.simulate(path, system=SITE)) == expected
    from schedlab.workload.formats import open_reader, write_tables

    reader = open_reader(path)
    (rows,) = reader.tables()
    assert rows["needs"].to_list() == ["nvme", "!ib", ""]
    write_tables(tmp_path / "a.csv", reader.tables(), reader.header)
    assert nodes_used(sl.simulate(tmp_path / "a.csv", system=SITE)) == expected


def test_swf_whose_header_does_not_explain_its_numbers(tmp_path):
    path = tmp_path / "a.swf"
    path.write_text("; ExtraFields: needs\n" + ROWS)
    with pytest.raises(InputError, match="needs 1: is a number that no constraint has"):
        sl.simulate(path, system=SITE)
    path.write_text(HEADER.replace("Needs: 2", "Needs: 3") + ROWS)
    with pytest.raises(InputError, match="must be numbered from 1 on, each text once"):
        sl.simulate(path, system=SITE)


def test_job_factories_see_and_change_texts():
    seen = []

    def factory(one):
        seen.append(one.needs)
        return one.replace(needs="ib & !nvme") if one.needs == "nvme" else one

    used = nodes_used(
        sl.simulate(table([-1, -1], needs=["nvme", ""]), system=SITE, job_factory=factory)
    )
    assert seen == ["nvme", None]
    assert used == {1: {0}, 2: {0}}


@pytest.mark.parametrize("scheduler", ["fifo", "easy", "easy(reservations=2)", "conservative"])
def test_saved_and_loaded_in_the_middle(scheduler, tmp_path):
    texts = ["nvme", "!ib", None, "ib & !nvme", "ib"]
    frame = pl.DataFrame(
        {
            "job": range(1, 200),
            "submit": [5 * i for i in range(1, 200)],
            "run": [10 + i % 37 for i in range(1, 200)],
            "requested_processors": [1 + i % 4 for i in range(1, 200)],
            "requested_time": 60,
            "needs": [texts[i % 5] if i < 150 else "nvme & ib" for i in range(1, 200)],
        }
    )
    whole = sl.Simulation(frame, system=SITE, scheduler=scheduler)
    whole.record_jobs(tmp_path / "whole.csv")
    whole.run()
    half = sl.Simulation(frame, system=SITE, scheduler=scheduler)
    half.run(until=500)
    half.save(tmp_path / "half.state")
    loaded = sl.Simulation.load(tmp_path / "half.state", workload=frame)
    for name, rest in {"loaded": loaded, "fork": half.fork()}.items():
        rest.record_jobs(tmp_path / f"{name}.csv")
        rest.run()
        rows = (tmp_path / f"{name}.csv").read_text().splitlines()[1:]
        assert len(rows) > 60
        assert (tmp_path / "whole.csv").read_text().splitlines()[-len(rows) :] == rows
