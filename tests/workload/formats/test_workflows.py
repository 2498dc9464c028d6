"""Workflows: their numbers against the naive oracle, as jobs, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import workflow as oracle

import schedlab
from schedlab.errors import InputError
from schedlab.workload.formats import write_tables
from schedlab.workload.workflow import Task, Workflow

MACHINE = {"groups": {"node": {"nodes": 4, "resources": {"core": 8}}}}
FORK = [
    Task("a", 10, 4),
    Task("b", 20, 2, 30, ("a",), "left"),
    Task("c", 5, 3, None, ("a",), "right", 6144),
    Task("d", 1, 1, None, ("b", "c")),
]


@st.composite
def workflows(draw: st.DrawFn) -> list[Task]:
    """Tasks in any order, with whole, fractional and no run times."""
    count = draw(st.integers(1, 9))
    runs = st.one_of(st.integers(0, 5), st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.5]))
    tasks = []
    for number in range(count):
        before = draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else set()
        names = tuple(f"t{other}" for other in sorted(before))
        tasks.append(Task(f"t{number}", draw(runs), draw(st.integers(1, 9)), None, names))
    return draw(st.permutations(tasks))


def as_oracle(tasks: list[Task]) -> oracle.Tasks:
    return {
        task.name: (Fraction(round(task.run * 10), 10), task.cores, list(task.predecessors))
        for task in tasks
    }


@examples(120)
@given(workflows())
def test_numbers_are_those_of_the_oracle(tasks: list[Task]) -> None:
    workflow, naive = Workflow(tasks), as_oracle(tasks)
    spans = oracle.schedule(naive)
    starts = dict(zip((task.name for task in workflow.tasks), workflow.starts, strict=True))
    assert starts == {name: float(start) for name, (start, _) in spans.items()}
    assert workflow.length_seconds == float(oracle.longest_path(naive))
    assert workflow.max_cores == oracle.most_cores(naive)
    levels = dict(zip((task.name for task in workflow.tasks), workflow.levels, strict=True))
    assert levels == {name: oracle.level(naive, name) for name in naive}
    path = [naive[name] for name in workflow.critical_path]
    assert float(sum(run for run, _, _ in path)) == workflow.length_seconds
    for one, other in zip(workflow.critical_path, workflow.critical_path[1:], strict=False):
        assert one in naive[other][2]


@examples(80)
@given(workflows())
def test_each_task_stands_behind_its_predecessors(tasks: list[Task]) -> None:
    workflow = Workflow(tasks)
    assert sorted(task.name for task in workflow.tasks) == sorted(task.name for task in tasks)
    for place, (task, before) in enumerate(zip(workflow.tasks, workflow.predecessors, strict=True)):
        assert all(other < place for other in before)
        assert {workflow.tasks[other].name for other in before} == set(task.predecessors)


def test_an_order_that_is_right_already_is_kept() -> None:
    assert [task.name for task in Workflow(FORK).tasks] == ["a", "b", "c", "d"]


def test_tasks_that_meet_at_one_moment_do_not_overlap() -> None:
    # 0.1 + 0.2 is more than 0.3 in floating point, by a hair that must not cost cores.
    tasks = [
        Task("a", 0.1, 5),
        Task("b", 0.2, 5, None, ("a",)),
        Task("c", 0.3, 1),
        Task("d", 1, 5, None, ("c",)),
    ]
    assert Workflow(tasks).max_cores == 6


def test_chained_jobs() -> None:
    jobs = Workflow(FORK).as_jobs(first_job=100, submit=7, workflow_number=3, user=9)
    assert jobs["job"].to_list() == [100, 101, 102, 103]
    assert jobs["predecessors"].to_list() == [[], [100], [100], [101, 102]]
    assert jobs["run"].to_list() == [10, 20, 5, 1]
    assert jobs["requested_processors"].to_list() == [4, 2, 3, 1]
    assert jobs["requested_time"].to_list() == [10, 30, 5, 1]
    assert jobs["used_memory"].to_list() == [-1, -1, 2048, -1]
    assert jobs["executable"].to_list() == [-1, 1, 2, -1]
    assert jobs["name"].to_list() == ["a", "b", "c", "d"]
    for column, value in (("submit", 7), ("user", 9), ("workflow", 3)):
        assert set(jobs[column]) == {value}


def test_instances_of_one_workflow_do_not_disturb_each_other() -> None:
    workflow = Workflow(FORK)
    first = workflow.as_jobs(1, request_factor=2)
    again = workflow.as_jobs(50, 10, 2)
    assert first["requested_time"].to_list() == [20, 30, 10, 2]
    assert again["requested_time"].to_list() == [10, 30, 5, 1]
    assert first.equals(workflow.as_jobs(1, request_factor=2))


def test_a_pilot_asks_for_the_longest_path_of_requests() -> None:
    jobs = Workflow(FORK, "fork").as_jobs(5, 7, 2, "pilot", request_factor=3)
    assert jobs.height == 1
    row = jobs.row(0, named=True)
    assert (row["job"], row["submit"], row["workflow"], row["name"]) == (5, 7, 2, "fork")
    assert row["run"] == 31  # a, b, d
    assert row["requested_processors"] == 5  # b and c side by side
    assert row["requested_time"] == 30 + 30 + 3  # three times a, what b says, three times d
    assert row["predecessors"] == []


def test_both_handlings_have_the_same_columns() -> None:
    workflow = Workflow(FORK)
    both = [workflow.as_jobs(handling=handling) for handling in ("chained", "pilot")]
    assert both[0].schema == both[1].schema
    assert polars.concat(both).height == 5


@examples(30)
@given(workflows())
def test_on_an_empty_machine_chains_take_as_long_as_the_pilot(tmp_path_factory, tasks) -> None:
    workflow = Workflow(tasks)
    folder = tmp_path_factory.mktemp("chained")
    write_tables(folder / "chained.swf", [workflow.as_jobs()], name="swf(exact=true)")
    result = schedlab.simulate(
        str(folder / "chained.swf"),
        system={"groups": {"node": {"nodes": 100, "resources": {"core": 1}}}},
        scheduler="fifo",
        dependencies="honour",
        out=folder / "out",
    )
    assert result.counts["completed"] == len(tasks)
    ends = polars.read_csv(folder / "out" / "jobs.csv")["end"]
    assert ends.max() == pytest.approx(workflow.length_seconds, abs=1e-6)


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        ([], "has no tasks"),
        ([Task("a", 1), Task("a", 2)], "tasks[1] ('a'): tasks[0] has the same name"),
        ([Task("a", 1, predecessors=("x",))], "waits for 'x', which is not a task"),
        ([Task("a", 1, predecessors=("a",))], "in a circle: 'a' -> 'a'"),
        (
            [Task(*"a1", 1), Task("b", 1, predecessors=("c",)), Task("c", 1, predecessors=("b",))],
            "run time must be a number",
        ),
        (
            [Task("a", 1), Task("b", 1, predecessors=("c",)), Task("c", 1, predecessors=("b",))],
            "in a circle: 'b' -> 'c' -> 'b'",
        ),
        ([Task("a", -1)], "run time must be a number from 0"),
        ([Task("a", float("nan"))], "run time must be a number"),
        ([Task("a", float("inf"))], "run time must be a number"),
        ([Task("a", 1, 0)], "cores must be a whole number above 0, not 0"),
        ([Task("a", 1, 1.5)], "cores must be a whole number above 0, not 1.5"),
        ([Task("a", 1, 2**31)], "cores must be"),
        ([Task("a", 1, True)], "cores must be"),
        ([Task("a", 1, 1, -5)], "requested time must be"),
        ([Task("a", 1, memory=-1)], "memory must be"),
    ],
)
def test_what_is_no_workflow(tasks: list[Task], words: str) -> None:
    with pytest.raises(InputError) as raised:
        Workflow(tasks, source="flow.json")
    assert words in str(raised.value)
    assert str(raised.value).startswith("flow.json: ")


def test_what_as_jobs_refuses() -> None:
    with pytest.raises(InputError, match="must be one of"):
        Workflow(FORK).as_jobs(handling="multi")
    with pytest.raises(InputError, match="request_factor: must be above 0, not 0"):
        Workflow(FORK).as_jobs(request_factor=0)


def test_a_long_chain_and_a_wide_fan() -> None:
    chain = [Task("t0", 1)] + [Task(f"t{n}", 1, 1, None, (f"t{n - 1}",)) for n in range(1, 5_000)]
    workflow = Workflow(reversed(chain))
    assert workflow.length_seconds == 5_000
    assert workflow.max_cores == 1
    assert workflow.width == 1
    assert workflow.critical_path == [f"t{n}" for n in range(5_000)]
    fan = [Task("root", 1), *(Task(f"t{n}", 2, 3, None, ("root",)) for n in range(20_000))]
    assert Workflow(fan).max_cores == 60_000
    assert Workflow(fan).work_core_seconds == 1 + 120_000
