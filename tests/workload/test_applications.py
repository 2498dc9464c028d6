"""Applications of jobs on their way to the engine: as texts, as numbers, in forks and states."""

from __future__ import annotations

import json

import pytest

import schedlab
from schedlab import InputError, Job
from schedlab.simulation import Simulation
from schedlab.workload.applications import Texts
from schedlab.workload.formats import open_reader

SYSTEM = {"groups": {"node": {"nodes": 4, "resources": {"core": 2}}}}
SPECIFICATION = """\
job_id,job_size,submit_time,request_time,app_name,app_args,run_time,queue_name,sched_args
1,4,0,100,allreduce,"bytes=64k, iterations=10",,batch,priority=5
2,64,3,200,,,50,debug,
3,2,4.5,60,barrier,,10,batch,"priority=2, share=0.5"
"""


def jobs(count: int) -> list[Job]:
    """Jobs of which every third has no application, and some have attributes."""
    texts = ("allreduce(bytes=8)", "barrier", None)
    return [
        Job(
            i,
            10 * i,
            25,
            2,
            attributes={"watts": i, "queue": 1} if i % 2 else None,
            application=texts[i % 3] if i < 20 else "late(bytes=1)",
        )
        for i in range(1, count + 1)
    ]


def test_a_job_has_its_application_checked_and_keeps_it() -> None:
    job = Job(1, 0, 10, application="barrier")
    assert job.replace(run=20).application == "barrier"
    assert Job(1, 0, 10).application is None
    for wrong in ("", "a\nb", "  ", 7):
        with pytest.raises(InputError, match=r"job 1: application must be a text on one line"):
            Job(1, 0, 10, application=wrong)
    with pytest.raises(InputError, match="is not for numbers"):
        Job(1, 0, 10, attributes={"application": 3})


def test_texts_have_numbers_in_order_of_first_appearance() -> None:
    texts = Texts(["a"])
    assert [texts.number(text) for text in ("b", "a", "c", "b")] == [2, 1, 3, 2]
    assert (texts.text(3.0), texts.texts(), len(texts)) == ("c", ["a", "b", "c"], 3)
    for wrong in (0, 4, 1.5):
        with pytest.raises(InputError, match="no application has"):
            texts.text(wrong)


@pytest.mark.parametrize("factory", [None, lambda job: job.replace(user=3)])
def test_forks_and_saved_states_agree_on_numbers(factory, tmp_path) -> None:
    given = jobs(30)
    simulation = Simulation(given, system=SYSTEM, fidelity="none", job_factory=factory)
    simulation.run(until=100)
    assert simulation.applications.texts() == ["barrier", "allreduce(bytes=8)"]
    simulation.save(tmp_path / "state")
    fork = simulation.fork()
    fork.run()
    simulation.run()
    loaded = Simulation.load(tmp_path / "state", workload=given, job_factory=factory)
    loaded.run()
    whole = ["barrier", "allreduce(bytes=8)", "late(bytes=1)"]
    for one in (simulation, fork, loaded):
        assert one.applications.texts() == whole
        assert one.engine.counts()["completed"] == 30


def test_a_factory_sees_and_changes_applications(tmp_path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text(
        "submit,run,requested_processors,application,watts\n"
        '0,5,1,"ring(bytes=8, iterations=2)",3\n1,5,1,,4\n2,5,1,barrier,5\n'
    )
    seen = []

    def change(job: Job) -> Job:
        assert "application" not in job.attributes
        seen.append((job.application, job.attributes["watts"]))
        return job.replace(application=None if job.application else "bcast")

    simulation = Simulation(path, system=SYSTEM, fidelity="none", job_factory=change)
    simulation.run()
    assert seen == [
        ("ring(bytes=8, iterations=2)", 3),
        (None, 4),
        ("barrier", 5),
    ]
    assert "bcast" in simulation.applications.texts()


def test_a_table_of_specifications_is_simulated_and_too_large_jobs_are_rejected(tmp_path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(SPECIFICATION)
    [table] = open_reader(path).tables()
    assert table["application"].to_list() == ["allreduce(bytes=64k, iterations=10)", "", "barrier"]
    assert table["run"].to_list() == [100, 50, 10]  # the requested time stands in
    assert table["queue"].to_list() == [1, 2, 1]
    assert table.select("priority", "share").rows() == [(5, -1), (-1, -1), (2, 0.5)]
    result = schedlab.simulate(path, system=SYSTEM, fidelity="none", out=tmp_path / "run")
    assert (result.counts["rejected"], result.counts["completed"]) == (1, 2)
    named = json.loads((tmp_path / "run" / "run.json").read_text())["workload"]["applications"]
    assert named == ["allreduce(bytes=64k, iterations=10)", "barrier"]


def test_without_network_applications_are_refused_unless_ignored() -> None:
    with pytest.raises(InputError, match=r"job 1 runs an application.*fidelity=none"):
        Simulation(jobs(2), system=SYSTEM).run()


@pytest.mark.parametrize("wrong", ["fast", "priority=", "priority 5"])
def test_wrong_scheduling_arguments_are_refused(wrong, tmp_path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(SPECIFICATION.replace("priority=5", wrong))
    with pytest.raises(InputError, match="must be numbers by name"):
        list(open_reader(path).tables())


def test_a_column_of_numbers_is_no_application() -> None:
    import polars

    from schedlab.workload.table import complete, table_of

    with pytest.raises(InputError, match="must be texts"):
        complete(polars.DataFrame({"application": [1, 2]}))
    assert table_of(jobs(3))["application"].to_list() == ["barrier", "", "allreduce(bytes=8)"]
