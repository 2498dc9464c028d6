"""What queues and partitions say of preemption: read, described, refused."""

from __future__ import annotations

import json

import pytest
from dispatch.policies import FOUR
from oracles.everything_on import CONDITIONS, PREEMPTING

import schedlab
from schedlab import Allocator, InputError, Job, Preemption, Queue, Simulation
from schedlab.system.queues import load_queues

JOBS = [Job(1, 0, 100, 4), Job(2, 10, 50, 4, user=7)]
URGENT = Queue("urgent", when="user == 7", preempt=Preemption(1))
OTHERS = Queue("others")


class Mine(Allocator):
    def place(self, job, machine):
        return None


def test_queues_of_a_file(tmp_path):
    path = tmp_path / "queues.toml"
    path.write_text(
        '[[queues]]\nname = "urgent"\nwhen = "user == 7"\n'
        'preempt = { priority = 2, victims = "cancel", grace = "1m", exempt = 30 }\n'
        '[[queues]]\nname = "others"\n'
    )
    queues = load_queues(path)
    assert [queue.preempt for queue in queues] == [Preemption(2, "cancel", 60, 30), None]
    result = schedlab.simulate(JOBS, system=FOUR, queues=path, out=tmp_path / "run")
    rows = result.jobs.collect().sort("job_id")
    assert rows["start"].to_list() == [0, 90]
    assert rows["reason"].to_list() == ["cancelled", None]
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    given = {"priority": 2, "victims": "cancel", "grace": 60, "exempt": 30}
    assert run["queues"][0]["preempt"] == given
    again = schedlab.RunSpec.from_file(tmp_path / "run" / "run.json")
    assert again.queues == str(path)


def test_partitions_of_a_system(tmp_path):
    system = {
        **FOUR,
        "partitions": {"all": {}, "now": {"preempt": {"priority": 1}}},
        "default_partition": "all",
    }
    jobs = [Job(1, 0, 100, 4), Job(2, 10, 50, 4, partition="now")]
    result = schedlab.simulate(jobs, system=system, out=tmp_path / "run")
    rows = result.jobs.collect().sort("job_id")
    assert rows["start"].to_list() == [60, 10]
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert schedlab.load_system(run["system"]["partitions"] and system).partitions[1].preempt == (
        Preemption(1)
    )
    assert run["system"]["partitions"]["now"]["preempt"]["priority"] == 1


def test_queues_are_in_a_spec_and_in_a_state(tmp_path):
    simulation = Simulation(JOBS, system=FOUR, queues=[URGENT, OTHERS])
    simulation.run(until=5)
    simulation.save(tmp_path / "state")
    loaded = Simulation.load(tmp_path / "state", workload=JOBS)
    assert loaded.queues == (URGENT, OTHERS)
    loaded.run()
    simulation.run()
    assert loaded.metrics == simulation.metrics
    assert loaded.metrics["preemption"]["requeued"] == 1
    spec = simulation.spec.replace(workload="jobs.swf")
    assert spec.to_data()["queues"][0]["preempt"] == URGENT.preempt.to_dict()
    again = schedlab.RunSpec.from_data(spec.to_data())
    assert tuple(again.queues) == (URGENT, OTHERS)
    assert "preempt" not in str(spec.replace(queues=(OTHERS,)).to_data())


def test_runs_without_it_have_no_attempts():
    result = schedlab.simulate(JOBS, system=FOUR, queues=[OTHERS])
    assert "preemption" not in result.metrics
    assert "interruptions" not in result.jobs.collect_schema().names()


def test_the_lowest_priority_gives_way_first_then_the_youngest():
    queues = [
        Queue("high", when="user == 2", preempt=Preemption(2)),
        Queue("low", when="user == 1", preempt=Preemption(1)),
        OTHERS,
    ]
    jobs = [
        Job(1, 0, 100, 1),
        Job(2, 1, 100, 1),
        Job(3, 2, 100, 1, user=1),
        Job(4, 2, 100, 1, user=1),
        Job(5, 10, 20, 3, user=2),
    ]
    result = schedlab.simulate(jobs, system=FOUR, queues=queues)
    rows = result.jobs.collect().sort("job_id")
    assert rows["interruptions"].to_list() == [1, 1, 0, 1, 0]


def test_one_that_is_not_needed_is_left_alone():
    system = {"groups": {"n": {"nodes": 2, "resources": {"core": 4}}}}
    jobs = [
        Job(1, 0, 100, 4),
        Job(2, 1, 100, 1),
        Job(3, 10, 20, 1, user=7, resources={"core": 4}),
    ]
    rows = schedlab.simulate(jobs, system=system, queues=[URGENT, OTHERS]).jobs.collect()
    assert rows.sort("job_id")["interruptions"].to_list() == [0, 1, 0]
    jobs[1] = Job(2, 1, 100, 1, needs=None)
    nodes = {**system, "partitions": {"first": {"nodes": "0", "preempt": {"priority": 1}}}}
    jobs[2] = Job(3, 10, 20, 4, partition="first")
    rows = schedlab.simulate(jobs, system=nodes).jobs.collect()
    assert rows.sort("job_id")["interruptions"].to_list() == [1, 0, 0]


def test_nobody_is_touched_where_that_is_not_enough():
    queues = [URGENT, OTHERS]
    jobs = [Job(1, 0, 100, 2, user=7), Job(2, 0, 100, 2), Job(3, 10, 20, 4, user=7)]
    rows = schedlab.simulate(jobs, system=FOUR, queues=queues).jobs.collect().sort("job_id")
    assert rows["interruptions"].to_list() == [0, 0, 0]
    assert rows["start"].to_list() == [0, 0, 100]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("{}", "queues[1].preempt.priority: is missing; add it, such as priority = 1"),
        ("{ priority = 0 }", "queues[1].preempt.priority: must be at least 1 (is 0)"),
        ("{ priority = 1.5 }", "queues[1].preempt.priority: must be a whole number"),
        ('{ priority = 1, victims = "suspend" }', 'victims: must be "requeue" or "cancel" (is'),
        ("{ priority = 1, grace = -1 }", "queues[1].preempt.grace: must"),
        ('{ priority = 1, exempt = "soon" }', "queues[1].preempt.exempt: "),
        ("{ priority = 1, mode = 1 }", "queues[1].preempt.mode: unknown key"),
        ("1", "queues[1].preempt: must be a table"),
    ],
)
def test_messages(tmp_path, table, message):
    path = tmp_path / "queues.toml"
    path.write_text(f'[[queues]]\nname = "a"\npreempt = {table}\n')
    with pytest.raises(InputError) as error:
        load_queues(path)
    assert str(error.value).startswith(f"{path}: queues[1].")
    assert message in str(error.value)


def test_what_does_not_go_together():
    system = {**FOUR, "partitions": {"now": {"preempt": {"priority": 1}}}}
    message = r"queues: queues.urgent.preempt and partitions.now.preempt: a job would have two"
    with pytest.raises(InputError, match=message):
        Simulation(JOBS, system=system, queues=[URGENT, OTHERS])
    message = "allocator: .*Mine is of Python, and queues or partitions preempt"
    with pytest.raises(InputError, match=message):
        Simulation(JOBS, system=FOUR, queues=[URGENT, OTHERS], allocator=Mine())
    begun = Simulation(JOBS, system=FOUR, queues=[URGENT, OTHERS])
    with pytest.raises(InputError, match=message):
        begun.fork(allocator=Mine())
    begun.fork(scheduler="conservative", allocator="best-fit").run()
    message = "conditions: caps: do not go together with queues or partitions that preempt"
    with pytest.raises(InputError, match=message):
        Simulation(JOBS, system=PREEMPTING, conditions=CONDITIONS)
