"""Random machines, jobs and windows: strategies of hypothesis.

Small numbers, so that jobs compete, ends coincide, and failing cases shrink well.
"""

from typing import Any

from hypothesis import strategies as st

from .model import Job, Machine, Window
from .placement import room


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """One to five nodes of one to three resource types, some of which a node may lack."""
    types = draw(st.sampled_from((1, 2, 3)))
    amounts = ((4, 3, 2, 1, 0), (6, 4, 3, 2, 1, 0), (2, 1, 1, 0))[:types]
    node = st.tuples(*map(st.sampled_from, amounts))
    nodes = tuple(draw(st.lists(node, min_size=draw(st.integers(1, 3)), max_size=5)))
    return Machine(nodes, draw(st.sampled_from(((), (), (2,), (3, 1), (1, 0)))))


def total_room(machine: Machine, **demand: Any) -> int:
    """Return how many tasks of a job fit on the empty machine, at most six."""
    job = Job(0, 0, 0, 0, tasks=6, **demand)
    return min(6, sum(room(n, n, job) for i, n in enumerate(machine.capacity) if job.may_use(i)))


def node_sets(machine: Machine) -> st.SearchStrategy[frozenset[int] | None]:
    """Nodes that a job may use; most jobs may use all."""
    return st.none() | st.none() | some_nodes(machine)


def some_nodes(machine: Machine) -> st.SearchStrategy[frozenset[int]]:
    """Any set of nodes but none."""
    return st.frozensets(st.integers(0, len(machine.capacity) - 1), min_size=1)


@st.composite
def mixed_jobs(draw: st.DrawFn, machine: Machine) -> list[Job]:
    """Jobs of several types, limits per node, whole nodes and sets of nodes.

    None outlasts its estimate.
    """
    types = len(machine.capacity[0])
    nodes = node_sets(machine) if draw(st.booleans()) else st.none()
    licenses = st.tuples(*[st.integers(0, most) for most in machine.licenses])
    requests = st.tuples(*[st.sampled_from(m) for m in ((1, 2, 0), (0, 1, 2, 3), (0, 1))[:types]])
    jobs = []
    submit = 0
    for i in range(draw(st.integers(1, 16) | st.integers(8, 16))):
        submit += draw(st.sampled_from((0, 0, 1, 3)))
        estimate = draw(st.integers(0, 9))
        demand: dict[str, Any] = {
            "request": draw(requests),
            "tasks_per_node": draw(st.sampled_from((None, None, None, 1, 2))),
            "whole_nodes": draw(st.sampled_from((False, False, False, False, True))),
            "nodes": draw(nodes),
            "choices": (),
            "licenses": draw(st.just(()) | licenses),
        }
        if demand["nodes"] is not None and draw(st.booleans()):
            more = draw(st.lists(some_nodes(machine), min_size=1, max_size=2))
            choices = tuple(dict.fromkeys((demand["nodes"], *more)))
            demand["choices"] = choices if len(choices) > 1 else ()
        # Rejected are only those of which not one task fits the empty machine.
        tasks = draw(st.integers(1, max(1, total_room(machine, **demand))))
        run = estimate if draw(st.booleans()) else draw(st.integers(0, estimate))
        jobs.append(Job(i + 1, submit, run, estimate, tasks, **demand))
    return jobs


@st.composite
def plain_jobs(draw: st.DrawFn, machine: Machine, request: tuple[int, ...]) -> list[Job]:
    """Jobs of plain processors; in every second case some outlast their estimates."""
    total = total_room(machine, request=request)
    jobs = []
    submit = 0
    slip = draw(st.booleans())
    for i in range(draw(st.integers(1, 16) | st.integers(8, 16))):
        submit += draw(st.sampled_from((0, 0, 1, 3)))
        estimate = draw(st.integers(0, 9))
        run = estimate if draw(st.booleans()) else draw(st.integers(0, 9))
        if not slip:
            run = min(run, estimate)
        jobs.append(
            Job(i + 1, submit, run, estimate, draw(st.integers(1, total + 1)), None, request)
        )
    return jobs


@st.composite
def some_windows(draw: st.DrawFn, machine: Machine, jobs: list[Job]) -> tuple[Window, ...]:
    """Up to three windows; some admit some jobs."""
    windows = []
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, 25))
        nodes = draw(st.frozensets(st.integers(0, len(machine.capacity) - 1), min_size=1))
        admits = draw(st.just(frozenset()) | st.frozensets(st.integers(1, len(jobs)), max_size=4))
        windows.append(Window(start, start + draw(st.integers(1, 12)), nodes, admits))
    return tuple(windows)


@st.composite
def mixed(draw: st.DrawFn) -> tuple[list[Job], Machine, tuple[Window, ...]]:
    """(jobs, machine, windows); every second case is without windows."""
    machine = draw(machines())
    jobs = draw(mixed_jobs(machine))
    return jobs, machine, draw(some_windows(machine, jobs)) if draw(st.booleans()) else ()


@st.composite
def plain(draw: st.DrawFn) -> tuple[list[Job], Machine, tuple[int, ...]]:
    """(jobs, machine, request) with one request for all."""
    machine = draw(machines())
    types = len(machine.capacity[0])
    request = (draw(st.integers(1, 2)), *(draw(st.integers(0, 1)) for _ in range(types - 1)))
    return draw(plain_jobs(machine, request)), machine, request
