"""The engine's own rules: steps, limits, speeds, predecessors, forks, estimates."""

from __future__ import annotations

import csv
import random

import pytest

import schedlab
from schedlab import Job

FOUR = {"groups": {"all": {"nodes": 2, "resources": {"core": 2, "mem": 10}}}}
"""Two nodes of two cores."""


class Odd(Job):
    """A job whose id is not a number."""

    def __init__(self):
        super().__init__(1, 0, 1)
        self._set(id="one")


def schedule(jobs, system=FOUR, **choices):
    """Returns {id: (start, end, state, nodes)} with times as text."""
    result = schedlab.simulate(jobs, system=system, **choices)
    with open(f"{result.path}/jobs.csv", newline="") as file:
        return {
            int(row["job_id"]): (row["start"], row["end"], row["state"], row["nodes"])
            for row in csv.DictReader(file)
        }


def random_jobs(count: int, seed: int = 1) -> list[Job]:
    draw = random.Random(seed)
    submit, jobs = 0.0, []
    for i in range(count):
        submit += draw.choice((0, 0.5, 1, 7))
        run = draw.choice((0, 1, 2.25, 20, 60))
        jobs.append(Job(i, submit, run, draw.randint(1, 5), run * draw.choice((0.5, 1, 3)) + 1))
    return jobs


def test_columns_and_values():
    result = schedlab.simulate(
        [Job(7, 5, 20, 4, 60, user=3), Job(8, 6, 10, 1, 30), Job(9, 6, 5, 9)], system=FOUR
    )
    with open(f"{result.path}/jobs.csv") as file:
        assert file.read() == (
            "job_id,user,submit,start,end,state,tasks,estimate,nodes,wait,"
            "slowdown,bounded_slowdown,amounts,reason\n"
            "9,-1,6,,,rejected,9,5,,,,,,too-large\n"
            "7,3,5,5,25,completed,4,60,0-1*2,0,1,1,,\n"
            "8,-1,6,25,35,completed,1,30,0,19,2.9,2.9,,\n"
        )
    assert result.counts == {
        "submitted": 3,
        "completed": 2,
        "killed": 0,
        "failed": 0,
        "rejected": 1,
        "held": 0,
        "queued": 0,
        "running": 0,
    }
    assert result.metrics["wait"] == {"mean": 9.5, "median": 0.0, "p95": 19.0, "max": 19.0}
    assert result.metrics["makespan"] == 30
    assert result.metrics["utilization"] == {"core": (4 * 20 + 10) / (4 * 30), "mem": 0.0}
    assert result.metrics["throughput_per_hour"] == 240


def test_zero_length_jobs_end_in_the_next_round():
    jobs = [Job(1, 0, 0, 4), Job(2, 0, 0, 4), Job(3, 0, 5, 4)]
    assert schedule(jobs) == {
        1: ("0", "0", "completed", "0-1*2"),
        2: ("0", "0", "completed", "0-1*2"),
        3: ("0", "5", "completed", "0-1*2"),
    }
    simulation = schedlab.Simulation(jobs, system=FOUR)
    assert simulation.step()
    assert (simulation.now, simulation.counts["completed"]) == (0, 2)


def test_limits_are_enforced_only_when_asked():
    jobs = [Job(1, 0, 50, 1, 20), Job(2, 0, 20, 1, 20), Job(3, 0, 50, 1)]
    assert schedule(jobs)[1] == ("0", "50", "completed", "0")
    enforced = schedule(jobs, enforce_limits=True)
    assert [enforced[i][1:3] for i in (1, 2, 3)] == [
        ("20", "killed"),
        ("20", "completed"),
        ("50", "completed"),
    ]


def test_fractions_of_seconds_stay_exact():
    ended = schedule([Job(1, 0.1, 0.2), Job(2, 1_500_000_000.5, 0.000000001)])
    assert ended[1][:2] == ("0.1", "0.3")
    assert ended[2][:2] == ("1500000000.5", "1500000000.500000001")


def test_speed_changes_move_the_end():
    simulation = schedlab.Simulation([Job(1, 0, 100), Job(2, 0, 100)], system=FOUR)
    simulation.step()
    simulation.set_speed(1, 0.5)
    simulation.run(until=60)
    assert simulation.now == 0  # nothing happens before the first end
    simulation.run(until=100)
    assert (simulation.now, simulation.jobs_in("running")) == (100, [1])
    simulation.set_speed(1, 5)  # 50 s of work are left: 10 s at this speed
    simulation.run()
    assert (simulation.now, simulation.counts["completed"]) == (110, 2)


def test_a_job_that_stands_still_goes_on_later():
    simulation = schedlab.Simulation([Job(1, 0, 10), Job(2, 30, 1, 4)], system=FOUR)
    simulation.step()
    simulation.set_speed(1, 0)
    simulation.run()
    assert (simulation.now, simulation.jobs_in("queued")) == (30, [2])
    simulation.set_speed(1, 2)
    simulation.run()
    assert simulation.now == 36


def test_speed_of_a_job_that_does_not_run():
    simulation = schedlab.Simulation([Job(1, 0, 10)], system=FOUR)
    with pytest.raises(schedlab.SimulationError, match="job 1 is not running"):
        simulation.set_speed(1, 2)
    simulation.step()
    for speed in (-1, float("nan"), float("inf")):
        with pytest.raises(schedlab.InputError, match="speed"):
            simulation.set_speed(1, speed)


def test_kill_time_does_not_move_with_the_speed():
    simulation = schedlab.Simulation([Job(1, 0, 10, 1, 12)], system=FOUR, enforce_limits=True)
    simulation.step()
    simulation.set_speed(1, 0.5)
    simulation.run()
    assert (simulation.now, simulation.counts["killed"]) == (12, 1)


def test_predecessors_hold_a_job():
    jobs = [Job(1, 0, 10), Job(2, 1, 5, predecessors=[1], think=3), Job(3, 1, 5, predecessors=[2])]
    assert {i: row[:2] for i, row in schedule(jobs).items()} == {
        1: ("0", "10"),
        2: ("13", "18"),
        3: ("18", "23"),
    }


def test_predecessors_can_be_ignored():
    jobs = [Job(1, 0, 10), Job(2, 1, 5, predecessors=[1], think=3)]
    assert schedule(jobs, dependencies="ignore")[2][0] == "1"


def test_a_rejected_predecessor_rejects_its_dependents():
    chain = [Job(1, 0, 5, 99)] + [Job(i, 0, 5, predecessors=[i - 1]) for i in range(2, 3000)]
    assert {row[2] for row in schedule(chain).values()} == {"rejected"}
    waiting = [Job(1, 0, 5, 4), Job(2, 0, 5, 4), Job(3, 1, 5, predecessors=[2])]
    states = schedule(waiting, scheduler="reject")
    assert {row[2] for row in states.values()} == {"rejected"}


def test_requests_of_whole_nodes_and_per_node_limits():
    jobs = [
        Job(1, 0, 10, 1),
        Job(2, 0, 10, 1, whole_nodes=True),
        Job(3, 0, 10, 2, tasks_per_node=1),
        Job(4, 0, 10, 1, resources={"mem": 7}),
    ]
    assert {i: row[3] for i, row in schedule(jobs, scheduler="fcfs-bf").items()} == {
        1: "0",
        2: "1",
        3: "0-1",
        4: "0",
    }


def test_history_is_the_mean_of_the_last_two_runs():
    jobs = [
        Job(1, 0, 10, 1, 100, user=5),
        Job(2, 20, 21, 1, 100, user=5),
        Job(3, 50, 1, 1, 100, user=5),
        Job(4, 50, 1, 1, 100, user=6),
        Job(5, 50, 1, 1, 12, user=5),
    ]
    result = schedlab.simulate(jobs, system=FOUR, estimate="history")
    with open(f"{result.path}/jobs.csv", newline="") as file:
        estimates = {int(row["job_id"]): row["estimate"] for row in csv.DictReader(file)}
    assert estimates == {1: "100", 2: "100", 3: "15.5", 4: "100", 5: "12"}


def test_exact_estimates():
    result = schedlab.simulate([Job(1, 0, 10, 1, 100)], system=FOUR, estimate="exact")
    assert result.jobs.collect()["estimate"].to_list() == [10.0]


@pytest.mark.parametrize("scheduler", ["fifo", "fcfs-bf", "easy", "conservative"])
@pytest.mark.parametrize("allocator", ["first-fit", "best-fit", "worst-fit", "random"])
def test_steps_stops_and_forks_end_alike(scheduler, allocator, tmp_path):
    jobs = random_jobs(300)
    choices = {"system": FOUR, "scheduler": scheduler, "allocator": allocator, "seed": 3}
    whole = schedlab.Simulation(jobs, **choices)
    whole.run()
    stepped = schedlab.Simulation(jobs, **choices)
    forks = []
    steps = 0
    while stepped.step():
        steps += 1
        if steps in (1, 50, 200):
            forks.append(stepped.fork())
        if steps == 120:
            stepped.run(until=stepped.now + 100)
    for other in (stepped, *forks):
        other.run()
        assert (other.now, other.counts, other.metrics) == (whole.now, whole.counts, whole.metrics)


def test_a_fork_of_a_file_goes_on_reading_by_itself(tmp_path):
    rows = [(i, i // 2, -1, 5, 1, -1, -1, 1, 9, -1, 1, 1, 1, 1, 1, 1, -1, -1) for i in range(5000)]
    for name in ("trace.swf", "trace.swf.gz"):
        schedlab.write_swf(tmp_path / name, rows)
        simulation = schedlab.Simulation(tmp_path / name, system=FOUR, scheduler="easy")
        simulation.run(until=700)
        fork = simulation.fork()
        fork.run()
        simulation.run()
        assert fork.metrics == simulation.metrics
        assert fork.counts["completed"] == 5000


def test_an_iterator_cannot_be_forked():
    simulation = schedlab.Simulation(iter(random_jobs(20)), system=FOUR)
    simulation.step()
    with pytest.raises(schedlab.SimulationError, match="iterator cannot be forked"):
        simulation.fork()


def test_same_inputs_same_bytes(tmp_path):
    for name in ("a", "b"):
        schedlab.simulate(
            random_jobs(400),
            system=FOUR,
            scheduler="easy(order=shortest, depth=9)",
            allocator="random",
            seed=11,
            out=tmp_path / name,
        )
    assert (tmp_path / "a/jobs.csv").read_bytes() == (tmp_path / "b/jobs.csv").read_bytes()


def test_time_cannot_overflow():
    jobs = [Job(i, 0, 4e9, 4) for i in range(4)]
    with pytest.raises(schedlab.SimulationError, match="292 years"):
        schedlab.simulate(jobs, system=FOUR)


@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        ([Job(1, 5, 1), Job(2, 4, 1)], "job 2 is submitted before"),
        ([Job(1, 0, 1), Job(1, 0, 1)], "job id 1 appears twice"),
        ([Job(1, 0, float("nan"))], "run must be a number of seconds"),
        ([Job(1, 0, -1)], "run must not be negative"),
        ([Job(1, -1, 1)], "submit must not be negative"),
        ([Job(1, 1e12, 1)], "submit must be a number of seconds"),
        ([Job(1, 0, 1, resources={"gpu": 1})], 'the system has no "gpu"'),
        ([object()], "has no attribute"),
        ([Odd()], "attribute of the wrong type"),
    ],
)
def test_wrong_jobs(jobs, message):
    with pytest.raises((schedlab.InputError, AttributeError), match=message):
        schedlab.simulate(jobs, system=FOUR)


@pytest.mark.parametrize(
    ("count", "seconds"),
    [pytest.param(4000, 30 * 86400, marks=pytest.mark.unsanitized), (5, 4e9)],
)
def test_plans_beyond_all_time(count, seconds):
    jobs = [Job(i, 0, 10, 4, seconds) for i in range(count)]
    for scheduler in ("conservative", "conservative(depth=10)"):
        result = schedlab.simulate(jobs, system=FOUR, scheduler=scheduler)
        assert result.counts["completed"] == count
        assert result.metrics["makespan"] == 10 * count


@pytest.mark.parametrize("depth", ["", "(depth=2)"])
def test_plans_of_nodes_beyond_all_time(depth):
    """A plan has two of these; the others are planned once the first has ended, long before."""
    jobs = [Job(i, 0, 10, 4, 4e9, whole_nodes=True) for i in range(1, 6)]
    result = schedlab.simulate(jobs, system=FOUR, scheduler=f"conservative{depth}")
    assert result.counts["completed"] == 5
    assert result.metrics["makespan"] == 50


def test_no_going_on_after_an_error():
    def jobs():
        yield Job(1, 0, 1)
        raise RuntimeError("mine")

    simulation = schedlab.Simulation(jobs(), system=FOUR)
    with pytest.raises(RuntimeError, match="mine"):
        simulation.run()
    with pytest.raises(schedlab.SimulationError, match="cannot continue after an error"):
        simulation.run()


def test_a_speed_that_cannot_be_changes_nothing():
    simulation = schedlab.Simulation([Job(1, 0, 10)], system=FOUR)
    simulation.step()
    with pytest.raises(schedlab.InputError, match="292 years"):
        simulation.set_speed(1, 1e-300)
    simulation.run(until=float("inf"))
    assert simulation.now == 10


def test_long_runs_are_exact_to_the_nanosecond(tmp_path):
    line = "1 0 -1 20000000.123456789 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n"
    (tmp_path / "long.swf").write_text(line)
    assert schedule(tmp_path / "long.swf")[1][1] == "20000000.123456789"


def test_a_list_that_became_shorter_cannot_be_forked():
    jobs = random_jobs(50)
    simulation = schedlab.Simulation(jobs, system=FOUR)
    for _ in range(20):
        simulation.step()
    del jobs[2:]
    with pytest.raises(schedlab.SimulationError, match="became shorter"):
        simulation.fork()


def test_jobs_are_asked_for_by_state():
    simulation = schedlab.Simulation([Job(1, 0, 10)], system=FOUR)
    with pytest.raises(schedlab.InputError, match='held, queued or running, not "loaded"'):
        simulation.jobs_in("loaded")


def test_timeline():
    result = schedlab.simulate(
        [Job(1, 0, 10, 4), Job(2, 5, 1, 2)], system=FOUR, timeline="csv", scheduler="easy"
    )
    rows = result.timeline.collect()
    assert rows["time"].to_list() == [0, 5, 10, 11]
    assert rows["queued"].to_list() == [0, 1, 0, 0]
    assert rows["running"].to_list() == [1, 1, 1, 0]
    assert rows["core_used"].to_list() == [4, 4, 2, 0]
    assert rows["mem_used"].to_list() == [0, 0, 0, 0]
    assert (rows["dispatch_nanoseconds"] >= 0).all()
    assert (rows["memory_bytes"] > 1_000_000).all()
    assert result.run["simulator"]["dispatch_seconds"] > 0
